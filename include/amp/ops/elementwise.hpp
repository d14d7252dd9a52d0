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
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/number.hpp"
#include "amp/ops/shape.hpp"

namespace amp::inline v0::detail {

/// The dtype of a binary op's result.
DType result_type(const Tensor& a, const Tensor& b);

// A kernel, on any device, as a function pointer, so that what calls it is compiled once for all
// ops.
template <class Args>
using Launch = void (*)(Device, const Args&);
using UnaryLaunch = Launch<kernels::UnaryArgs>;
using BinaryLaunch = Launch<kernels::BinaryArgs>;

Tensor run_unary(UnaryLaunch launch, const Tensor& input, DType dtype);
Tensor run_binary(BinaryLaunch launch, const Tensor& a, const Tensor& b, const Shape& shape,
                  DType dtype);
/// One tensor and one number, in this order unless `scalar_first`.
Tensor run_scalar(BinaryLaunch launch, const Tensor& tensor, const kernels::Operand& number,
                  bool scalar_first, DType dtype);

template <auto Member, auto Host>
Tensor unary_kernel(const Tensor& input, DType dtype) {
  return run_unary(kernels::dispatch<Member, Host>, input, dtype);
}
template <auto Member, auto Host>
Tensor binary_kernel(const Tensor& a, const Tensor& b, const Shape& shape, DType dtype) {
  return run_binary(kernels::dispatch<Member, Host>, a, b, shape, dtype);
}
template <auto Member, auto Host>
Tensor scalar_kernel(const Tensor& tensor, const kernels::Operand& number, bool scalar_first,
                     DType dtype) {
  return run_scalar(kernels::dispatch<Member, Host>, tensor, number, scalar_first, dtype);
}

// The arithmetic kernels, without history, for backward functions.
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor neg(const Tensor& a);
Tensor scale(const Tensor& a, double factor);

/// The dtype of an op of a tensor and a number. A floating-point tensor keeps its dtype. A float
/// beside integers or bools gives float32; beside bools, an integer gives int64 and a bool gives
/// bool.
DType scalar_result_type(const Tensor& tensor, const kernels::Operand& number);

/// A differentiable function of two tensors.
struct BinaryOp {
  BinaryLaunch kernel;
  /// Both gradients, before broadcasting is undone. a and b are undefined unless `saves`.
  autograd::Gradients<2> (*backward)(const Tensor& grad, const Tensor& a, const Tensor& b,
                                     const autograd::Needs<2>& needs);
  bool saves = true;
  bool real = false;  // integers give float32
  std::string_view name_a = "a", name_b = "b";
};

Tensor binary_op(autocasting::OpId op, const Tensor& a, const Tensor& b, const BinaryOp& math);

/// A differentiable function of a tensor and a number.
struct ScalarOp {
  BinaryLaunch kernel;
  /// The gradient of the tensor. x is undefined unless `saves`.
  Tensor (*backward)(const Tensor& grad, const Tensor& x, const kernels::Operand& number);
  bool scalar_first = false;
  bool saves = false;
  bool real = false;  // integers give float32
};

Tensor scalar_op(autocasting::OpId op, const Tensor& input, kernels::Operand&& number,
                 const ScalarOp& math);

/// The tensor from which a derivative is computed.
enum class Saves { kInput, kOutput };

/// A differentiable function of one tensor.
struct UnaryOp {
  UnaryLaunch kernel;
  BinaryLaunch backward;  // takes the gradient of the output and the saved tensor
  Saves saves;
  bool real = true;  // integers give float32
};

Tensor unary_op(autocasting::OpId op, const Tensor& input, const UnaryOp& math);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/elementwise.ipp"
#endif
