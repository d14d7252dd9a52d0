// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/autocast/call.hpp"
#include "amp/autocast/convert.hpp"
#include "amp/autocast/custom_function.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0::detail {

AMP_INLINE CustomFunctionCasts::CustomFunctionCasts(const CustomFunctionOptions& options)
    : state_(current_autocast()) {
  AMP_CHECK(!options.cast_inputs || is_floating_point(*options.cast_inputs),
            "custom_function: `cast_inputs` must be floating point, but is ",
            options.cast_inputs.value_or(kFloat32));
  if (state_.active()) target_ = options.cast_inputs;
}

AMP_INLINE Tensor CustomFunctionCasts::prepared(const Tensor& input) const {
  return target_ && autocasting::eligible(state_, input)
             ? autocasting::convert_dtype(input, *target_)
             : input;
}

AMP_INLINE AutocastState CustomFunctionCasts::both() const {
  return target_ ? AutocastState() : state_.here();
}

AMP_COLD Tensor custom_function_result(const Tensor& output) {
  AMP_CHECK(output.defined(), "custom_function: `function` returned an undefined tensor");
  return output.detach();
}

}  // namespace amp::inline v0::detail
