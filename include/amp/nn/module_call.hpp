// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The call of a module: the policies of its path hold within it, observers hear of it, and hooks
// are called.
#pragma once

#include <optional>
#include <utility>

#include "amp/autocast/state.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn::detail {

/// What surrounds the call of a module: policies by its path, observers, hooks. Without them it
/// costs some loads.
class ModuleCall {
 public:
  explicit ModuleCall(const Module& module)
      : module_(module),
        begun_(module.has_hooks() || autograd::is_observed() ||
               amp::detail::current_autocast().has_module_policies()) {
    if (begun_) [[unlikely]]
      begin();
  }
  ~ModuleCall() {
    if (announced_) [[unlikely]]
      autograd::announce_module_end();
  }
  ModuleCall(const ModuleCall&) = delete;
  ModuleCall& operator=(const ModuleCall&) = delete;

  Tensor end(Tensor output) const {
    return begun_ ? module_.run_forward_hooks(std::move(output)) : output;
  }

 private:
  void begin();

  const Module& module_;
  bool begun_, announced_ = false;
  std::optional<amp::detail::AutocastRestore> restore_;
};

}  // namespace amp::inline v0::nn::detail

#if AMP_HEADER_ONLY
#include "amp/nn/module_call.ipp"
#endif
