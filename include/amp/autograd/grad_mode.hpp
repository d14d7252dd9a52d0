// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether this thread records history, and whether it is inside a backward pass.
#pragma once

#include "amp/core/globals.hpp"

namespace amp::inline v0 {
namespace autograd {
class Observer;
}
namespace detail {

struct AMP_EXPORT GradState {
  bool enabled = true;
  int backward_depth = 0;  // how many backward passes enclose this point; autocast scopes hold at
                           // the depth they were entered at
  autograd::Observer* observer = nullptr;  // the innermost of this thread
};

inline GradState& grad_state() { return thread_state<GradState>(); }

}  // namespace detail

/// Whether operations on this thread record history.
inline bool is_grad_enabled() { return detail::grad_state().enabled; }

/// Records no history on this thread for its lifetime. Nests.
class NoGradGuard {
 public:
  [[nodiscard]] NoGradGuard() noexcept : previous_(detail::grad_state().enabled) {
    detail::grad_state().enabled = false;
  }
  ~NoGradGuard() { detail::grad_state().enabled = previous_; }
  NoGradGuard(const NoGradGuard&) = delete;
  NoGradGuard& operator=(const NoGradGuard&) = delete;

 private:
  bool previous_;
};

}  // namespace amp::inline v0
