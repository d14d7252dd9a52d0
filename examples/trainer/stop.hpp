// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C and SIGTERM: the trainer finishes its step, saves, and says how to go on.
#pragma once

#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>

namespace examples {

inline constexpr int kStoppedStatus = 130;  // what the trainer exits with when it was stopped

namespace detail {
inline volatile std::sig_atomic_t stop_requested = 0;

extern "C" inline void request_stop(int) {
  stop_requested = 1;
  std::signal(SIGINT, SIG_DFL);  // a second signal ends the program at once
  std::signal(SIGTERM, SIG_DFL);
  constexpr std::string_view text = "\nstopping after this step; a second signal ends at once\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nothing else can be done here
}
}  // namespace detail

/// From now on the first SIGINT or SIGTERM only sets stop_requested(). A signal that the parent
/// chose to ignore (nohup, a background job) stays ignored.
inline void catch_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = detail::request_stop;
    action.sa_flags = SA_RESTART;  // files under way are read and written to their end
    sigaction(signal, &action, nullptr);
  }
}

inline bool stop_requested() { return detail::stop_requested != 0; }

/// The words of a command as one would type them into a shell.
inline std::string command_text(int argc, const char* const* argv) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (i > 0) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace examples
