// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of elementwise ops. Shapes broadcast; dtypes promote as in torch: a 0-dimensional
// tensor or a C++ number changes the dtype only if it is of a higher category (a float beside
// integers).
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/function_dispatch.hpp"
#include "amp/ops/number.hpp"
#include "amp/ops/shape.hpp"

namespace amp::inline v0::detail {

namespace functions = kernels::functions;

/// The dtype of a binary op's result.
AMP_LAZY DType result_type(const Tensor& a, const Tensor& b);

// What calls a kernel by its pointer is compiled once for all ops.
using UnaryLaunch = kernels::Launch<kernels::UnaryArgs>;
using BinaryLaunch = kernels::Launch<kernels::BinaryArgs>;
using GradientLaunch = kernels::Launch<kernels::GradientArgs>;

AMP_LAZY Tensor run_unary(UnaryLaunch launch, const Tensor& input, DType dtype,
                          const kernels::Parameters& parameters = {});
AMP_LAZY Tensor run_binary(BinaryLaunch launch, const Tensor& a, const Tensor& b,
                           const Shape& shape, DType dtype,
                           const kernels::Parameters& parameters = {});
/// One tensor and one number, in this order unless `scalar_first`.
AMP_LAZY Tensor run_scalar(BinaryLaunch launch, const Tensor& tensor,
                           const kernels::Operand& number, bool scalar_first, DType dtype,
                           const kernels::Parameters& parameters = {});

// The same with a function of kernels/functions.hpp.
template <class Function>
Tensor binary_kernel(const Tensor& a, const Tensor& b, const Shape& shape, DType dtype) {
  return run_binary(kernels::binary<Function>, a, b, shape, dtype);
}
template <class Function>
Tensor scalar_kernel(const Tensor& tensor, const kernels::Operand& number, bool scalar_first,
                     DType dtype) {
  return run_scalar(kernels::binary<Function>, tensor, number, scalar_first, dtype);
}

/// Which elements are not 0.
AMP_LAZY Tensor nonzero_mask(const Tensor& x);

// The arithmetic kernels, without history, for backward functions.
AMP_LAZY Tensor mul(const Tensor& a, const Tensor& b);
AMP_LAZY Tensor div(const Tensor& a, const Tensor& b);
AMP_LAZY Tensor neg(const Tensor& a);
AMP_LAZY Tensor scale(const Tensor& a, double factor);
/// The gradient of `operand`, which is a or b, before broadcasting is undone. It is in the
/// operand's dtype unless that was broadcast, so that the sums which undo it are rounded once. The
/// number stands for the one of a and b that is undefined.
AMP_LAZY Tensor run_gradient(GradientLaunch launch, const Tensor& grad, const Tensor& a,
                             const Tensor& b, const Tensor& operand,
                             const kernels::Parameters& parameters = {},
                             const kernels::Operand& number = {});

/// The dtype of an op of a tensor and a number. A floating-point tensor keeps its dtype. A float
/// beside integers or bools gives float32; beside bools, an integer gives int64 and a bool gives
/// bool.
AMP_LAZY DType scalar_result_type(const Tensor& tensor, const kernels::Operand& number);

/// grad times the derivatives of a function of two operands, computed in float32 at least.
template <class Function>
autograd::Gradients<2> derivatives_with(const Tensor& grad, const Tensor& a, const Tensor& b,
                                        const autograd::Needs<2>& needs,
                                        const kernels::Parameters& parameters) {
  autograd::Gradients<2> gradients;
  if constexpr (functions::HasByA<Function>) {
    if (needs[0]) gradients[0] = run_gradient(kernels::by_a<Function>, grad, a, b, a, parameters);
  } else {
    gradients[0] = grad;
  }
  if constexpr (functions::HasByB<Function>) {
    if (needs[1]) gradients[1] = run_gradient(kernels::by_b<Function>, grad, a, b, b, parameters);
  }
  return gradients;
}
template <class Function>
autograd::Gradients<2> derivatives(const Tensor& grad, const Tensor& a, const Tensor& b,
                                   const autograd::Needs<2>& needs) {
  return derivatives_with<Function>(grad, a, b, needs, {});
}
/// The same by the tensor, if the other operand is a number: the second, unless kScalarFirst.
template <class Function, bool kScalarFirst>
Tensor scalar_derivative(const Tensor& grad, const Tensor& x, const kernels::Operand& number) {
  const Tensor none;
  if constexpr (kScalarFirst)
    return run_gradient(kernels::by_b<Function>, grad, none, x, x, {}, number);
  else
    return run_gradient(kernels::by_a<Function>, grad, x, none, x, {}, number);
}

/// A differentiable function of two tensors.
struct BinaryOp {
  BinaryLaunch kernel;
  /// Both gradients, before broadcasting is undone. a and b are undefined unless `saves` and a
  /// gradient needs them.
  autograd::Gradients<2> (*backward)(const Tensor& grad, const Tensor& a, const Tensor& b,
                                     const autograd::Needs<2>& needs);
  bool saves = true;
  bool real = false;                        // integers give float32
  bool a_needs_a = true, b_needs_b = true;  // whether an operand's own gradient needs its value
  std::string_view name_a = "a", name_b = "b";
};

AMP_LAZY Tensor binary_op(autocasting::OpId op, const Tensor& a, const Tensor& b,
                          const BinaryOp& math);
/// The same in place: the result is written to a.
AMP_LAZY const Tensor& binary_op_(std::string_view op, const Tensor& a, const Tensor& b,
                                  const BinaryOp& math);

/// The op of a function of two tensors, which multiplies the gradient by its derivatives.
template <class Function>
Tensor binary_op(autocasting::OpId op, const Tensor& a, const Tensor& b,
                 std::string_view name_a = "a", std::string_view name_b = "b") {
  return binary_op(op, a, b,
                   {.kernel = kernels::binary<Function>,
                    .backward = derivatives<Function>,
                    .real = Function::kDomain == functions::kReal,
                    .name_a = name_a,
                    .name_b = name_b});
}

/// A differentiable function of two tensors, which broadcast, in this dtype; its op casts them.
template <class Function>
Tensor function_of_two(std::string_view op, const Tensor& a, const Tensor& b, DType dtype,
                       const kernels::Parameters& parameters = {}) {
  const Tensor output =
      run_binary(kernels::binary<Function>, a, b,
                 broadcast_shapes(op, a.shape(), b.shape(), "input", "target"), dtype, parameters);
  if (autograd::recording(a, b)) {
    autograd::record(
        op, output,
        [op, parameters, a = autograd::SavedTensor(a), b = autograd::SavedTensor(b)](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor &x = a.get(op), &y = b.get(op);
          auto [gx, gy] = derivatives_with<Function>(grad, x, y, needs, parameters);
          return {gx.defined() ? sum_to(gx, x.shape(), x.dtype()) : Tensor(),
                  gy.defined() ? sum_to(gy, y.shape(), y.dtype()) : Tensor()};
        },
        a, b);
  }
  return output;
}

/// A differentiable function of a tensor and a number.
struct ScalarOp {
  BinaryLaunch kernel;
  /// The gradient of the tensor. x is undefined unless `saves`.
  Tensor (*backward)(const Tensor& grad, const Tensor& x, const kernels::Operand& number);
  bool scalar_first = false;
  bool saves = false;
  bool real = false;  // integers give float32
};

AMP_LAZY Tensor scalar_op(autocasting::OpId op, const Tensor& input, kernels::Operand&& number,
                          const ScalarOp& math);
/// The same in place.
AMP_LAZY const Tensor& scalar_op_(std::string_view op, const Tensor& input,
                                  const kernels::Operand& number, const ScalarOp& math);

/// A differentiable function of one tensor.
struct UnaryOp {
  autocasting::OpId op;
  UnaryLaunch kernel;
  BinaryLaunch derivative;  // takes the gradient of the output and the saved tensor; null if 0
  functions::Domain domain;
  functions::Saves saves;
};

AMP_LAZY Tensor unary_op(const UnaryOp& op, const Tensor& input,
                         const kernels::Parameters& parameters);
/// The same in place, by the member of this name, without parameters.
AMP_LAZY const Tensor& unary_op_(std::string_view name, const UnaryOp& op, const Tensor& input);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/elementwise.ipp"
#endif
