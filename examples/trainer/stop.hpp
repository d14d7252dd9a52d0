// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C and SIGTERM: the trainer finishes its step, saves, and says how to go on.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

namespace examples {

inline constexpr int kStoppedStatus = 130;  // what the trainer exits with when it was stopped

namespace detail {
inline std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);
inline constexpr int kStopSignals[] = {SIGINT, SIGTERM};
inline bool caught[2] = {};  // which of them

/// On whichever thread the signal arrives.
extern "C" inline void request_stop(int) {
  const int reason = errno;  // of what was interrupted
  stop_requested = true;
  for (int i = 0; i < 2; ++i) {
    if (caught[i]) std::signal(kStopSignals[i], SIG_DFL);  // a second signal ends the program
  }
  constexpr std::string_view text = "\nstopping after this step; a second signal ends at once\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  errno = reason;
}
}  // namespace detail

/// From now on the first SIGINT or SIGTERM only sets stop_requested(). A signal that the parent
/// chose to ignore (nohup, a background job) stays ignored.
inline void catch_stop_signals() {
  for (int i = 0; i < 2; ++i) {
    struct sigaction action {};
    if (sigaction(detail::kStopSignals[i], nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
      continue;
    detail::caught[i] = true;
    action.sa_handler = detail::request_stop;
    action.sa_flags = SA_RESTART;  // files under way are read and written to their end
    sigaction(detail::kStopSignals[i], &action, nullptr);
  }
}

inline bool stop_requested() { return detail::stop_requested; }

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
