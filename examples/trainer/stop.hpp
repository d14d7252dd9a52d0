// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C and SIGTERM: the trainer finishes its step, saves, and prints how to continue.
#pragma once

namespace examples {

inline constexpr int kStoppedStatus = 130;  // the exit status of a stopped trainer

/// From now on the first SIGINT or SIGTERM only sets stop_requested(). Signals that the parent
/// process ignores (nohup, a background job) stay ignored.
void catch_stop_signals();

bool stop_requested();

}  // namespace examples
