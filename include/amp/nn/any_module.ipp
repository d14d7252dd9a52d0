// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/nn/any_module.hpp"
#include "amp/tensor/cloning.hpp"

namespace amp::inline v0::nn {

AMP_COLD AnyModule::AnyModule(const AnyModule& other)
    : Module(other),
      held_(other.held_ && amp::detail::Cloning::current() ? other.held_->copy() : other.held_) {}

AMP_INLINE Tensor AnyModule::call(detail::Arguments arguments) const {
  check_defined();
  return held_->forward(arguments);
}

}  // namespace amp::inline v0::nn
