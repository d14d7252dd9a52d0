// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The op of a function of one tensor. Its definition in unary_op.ipp serves all functions of
// kernels/functions.hpp, so that the function that users call is one line.
#pragma once

#include <string_view>

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Function(input, parameters...), elementwise: checks the dtype, computes under the policy of the
/// op of that name, and records the derivative.
template <class Function>
Tensor unary_op(const Tensor& input, const kernels::Parameters& parameters = {});
/// The same in place, by the member of this name.
template <class Function>
const Tensor& unary_op_(std::string_view name, const Tensor& input);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/unary_op.ipp"
#endif
