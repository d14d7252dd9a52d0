// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C and SIGTERM: the trainer finishes its step, saves, and says how to go on.
#pragma once

namespace examples {

inline constexpr int kStoppedStatus = 130;  // what the trainer exits with when it was stopped

/// From now on the first SIGINT or SIGTERM only sets stop_requested(). A signal that the parent
/// chose to ignore (nohup, a background job) stays ignored.
void catch_stop_signals();

bool stop_requested();

}  // namespace examples
