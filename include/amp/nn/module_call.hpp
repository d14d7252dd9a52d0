// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The call of a module: the policies of its path are in force within it, observers are notified of
// it, and hooks are called.
#pragma once

#include <optional>

#include "amp/autocast/state.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn::detail {

/// A scope around the call of a module, if it is needed: for policies by its path, observers and
/// hooks.
class ModuleCall {
 public:
  static bool is_needed(const Module& module) {
    return module.has_hooks() || autograd::is_observed() ||
           amp::detail::current_autocast().has_module_policies();
  }

  explicit ModuleCall(const Module& module);
  ~ModuleCall() {
    if (announced_) autograd::announce_module_end();
  }
  ModuleCall(const ModuleCall&) = delete;
  ModuleCall& operator=(const ModuleCall&) = delete;

  /// Calls the hooks, which may replace the output. Throws if there are hooks, but no output.
  void end(Tensor* output) const;

 private:
  const Module& module_;
  bool announced_ = false;
  std::optional<amp::detail::AutocastRestore> restore_;
};

}  // namespace amp::inline v0::nn::detail

#if AMP_HEADER_ONLY
#include "amp/nn/module_call.ipp"
#endif
