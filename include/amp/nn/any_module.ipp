// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/nn/any_module.hpp"
#include "amp/tensor/cloning.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD std::size_t checked_place(std::string_view type, std::int64_t i, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  AMP_CHECK(i >= -count && i < count, "nn::", type, ": there is no element ", i, " among ", count);
  return static_cast<std::size_t>(i < 0 ? i + count : i);
}

}  // namespace detail

AMP_COLD AnyModule::AnyModule(const AnyModule& other)
    : Module(other),
      held_(other.held_ && amp::detail::Cloning::current() ? other.held_->copy() : other.held_) {}

AMP_INLINE Tensor AnyModule::call(detail::Arguments arguments) const {
  check_defined();
  return held_->forward(arguments);
}

}  // namespace amp::inline v0::nn
