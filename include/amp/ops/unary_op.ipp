// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "amp/kernels/function_dispatch.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/unary_op.hpp"

namespace amp::inline v0::detail {

template <class Function>
UnaryOp unary_math() {
  BinaryLaunch derivative = nullptr;
  if constexpr (functions::HasDerivative<Function>) derivative = kernels::derivative<Function>;
  constexpr autocasting::OpId kOp(Function::kName);
  return {kOp, kernels::unary<Function>, derivative, Function::kDomain, Function::kSaves};
}
template <class Function>
Tensor unary_op(const Tensor& input, const kernels::Parameters& parameters) {
  return unary_op(unary_math<Function>(), input, parameters);
}
template <class Function>
const Tensor& unary_op_(std::string_view name, const Tensor& input) {
  return unary_op_(name, unary_math<Function>(), input);
}

#if !AMP_HEADER_ONLY
/// Makes the compiled library hold unary_op of every function: the functions that users call are
/// inline.
template <class... F>
consteval auto unary_ops(functions::List<F...>) {
  using Op = Tensor (*)(const Tensor&, const kernels::Parameters&);
  return std::array<Op, sizeof...(F)>{unary_op<F>...};
}
[[gnu::used]] static constexpr auto kUnaryOps = unary_ops(functions::UnaryFunctions{});
#endif

}  // namespace amp::inline v0::detail
