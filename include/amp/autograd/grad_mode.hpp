// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The gradient mode of a thread: whether it records history, whether it is inside a backward pass,
// and whether it recomputes a forward pass.
#pragma once

#include <utility>

#include "amp/core/globals.hpp"

namespace amp::inline v0 {
namespace autograd {
class ObserverGuard;
}
namespace detail {

struct AMP_EXPORT GradState {
  bool enabled = true;
  int backward_depth = 0;  // how many backward passes enclose this point; autocast scopes hold at
                           // the depth they were entered at
  bool recomputing = false;
  autograd::ObserverGuard* observers = nullptr;  // the innermost of this thread
};

inline GradState& grad_state() { return thread_state<GradState>(); }

}  // namespace detail

/// Whether operations on this thread record history.
inline bool is_grad_enabled() { return detail::grad_state().enabled; }

/// Whether this thread is in a backward pass that computes activations again (checkpoint). Things
/// that a step does once, such as updating running statistics, were done by the forward pass.
inline bool is_recomputing() { return detail::grad_state().recomputing; }

/// Records no history on this thread for its lifetime. Nests.
class NoGradGuard {
 public:
  /// Stops recording on this thread.
  [[nodiscard]] NoGradGuard() noexcept : previous_(detail::grad_state().enabled) {
    detail::grad_state().enabled = false;
  }
  ~NoGradGuard() { detail::grad_state().enabled = previous_; }
  NoGradGuard(const NoGradGuard&) = delete;
  NoGradGuard& operator=(const NoGradGuard&) = delete;

 private:
  bool previous_;
};

namespace detail {

/// For its lifetime, a forward pass inside a backward pass, which itself records no history.
class RecomputationGuard {
 public:
  [[nodiscard]] RecomputationGuard() noexcept
      : enabled_(std::exchange(grad_state().enabled, true)),
        recomputing_(std::exchange(grad_state().recomputing, true)) {}
  ~RecomputationGuard() {
    grad_state().enabled = enabled_;
    grad_state().recomputing = recomputing_;
  }
  RecomputationGuard(const RecomputationGuard&) = delete;
  RecomputationGuard& operator=(const RecomputationGuard&) = delete;

 private:
  bool enabled_, recomputing_;
};

}  // namespace detail

}  // namespace amp::inline v0
