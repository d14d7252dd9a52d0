// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A forked child of a test, and how it ends.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace amp_test {

/// Returns the exit status of a child that runs `body`; nothing if it did not end in `limit`.
inline std::optional<int> status_of_child(const std::function<int()>& body,
                                          std::chrono::seconds limit = std::chrono::seconds(10)) {
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    int status = 99;
    try {
      status = body();
    } catch (...) {
    }
    _exit(status);
  }
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {};
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace amp_test
