// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What elementwise ops are made of. Shapes broadcast; dtypes promote as in torch: a 0-dimensional
// tensor, and a C++ number, change the dtype only where they bring a higher category (a float to
// integers).
#pragma once

#include <concepts>
#include <cstdint>

#include "amp/ops/shape.hpp"

namespace amp::inline v0 {

template <class Number>
concept Arithmetic = std::is_arithmetic_v<Number>;

namespace detail {

/// The dtype of a binary op's result.
inline DType result_type(const Tensor& a, const Tensor& b) {
  if ((a.dim() == 0) == (b.dim() == 0)) return promote_types(a.dtype(), b.dtype());
  const DType array = a.dim() == 0 ? b.dtype() : a.dtype();
  const DType single = a.dim() == 0 ? a.dtype() : b.dtype();
  if (is_floating_point(array) || !is_floating_point(single))
    return array == kBool ? single : array;
  return single;
}

// A kernel on whichever device, as a function pointer: what is made of it is compiled once for all.
template <class Args>
using Launch = void (*)(Device, const Args&);
using UnaryLaunch = Launch<kernels::UnaryArgs>;
using BinaryLaunch = Launch<kernels::BinaryArgs>;

inline Tensor run_unary(UnaryLaunch launch, const Tensor& input, DType dtype) {
  const Tensor output = empty_as_laid_out(input, dtype);
  if (output.numel() != 0) {
    const kernels::UnaryArgs args{.input = input.operand_as_laid_out(),
                                  .output = output.operand_as_laid_out()};
    launch(input.device(), args);
  }
  return output;
}
/// Where an operand of the shape of the result lies channels-last, so does the result, and what
/// else has this shape is made to.
inline Tensor run_binary_channels_last(BinaryLaunch launch, const Tensor& a, const Tensor& b,
                                       const Shape& shape, DType dtype) {
  const Tensor x = a.shape() == shape ? channels_last(a) : a;
  const Tensor y = b.shape() == shape ? channels_last(b) : b;
  const Tensor output = make_channels_last(shape, dtype, a.device());
  const kernels::BinaryArgs args{x.operand_as_laid_out(), y.operand_as_laid_out(),
                                 output.operand_as_laid_out()};
  launch(a.device(), args);
  return output;
}
inline Tensor run_binary(BinaryLaunch launch, const Tensor& a, const Tensor& b, const Shape& shape,
                         DType dtype) {
  if ((lies_channels_last(a) && a.shape() == shape) ||
      (lies_channels_last(b) && b.shape() == shape)) [[unlikely]]
    return run_binary_channels_last(launch, a, b, shape, dtype);
  const Tensor output = empty(shape, {.dtype = dtype, .device = a.device()});
  if (output.numel() != 0) {
    const kernels::BinaryArgs args{a.operand(), b.operand(), output.operand()};
    launch(a.device(), args);
  }
  return output;
}
/// One tensor and one number, in this order unless `scalar_first`.
inline Tensor run_scalar(BinaryLaunch launch, const Tensor& tensor, const kernels::Operand& number,
                         bool scalar_first, DType dtype) {
  const Tensor output = empty_as_laid_out(tensor, dtype);
  if (output.numel() != 0) {
    const kernels::Operand array = tensor.operand_as_laid_out();
    const kernels::BinaryArgs args{scalar_first ? number : array, scalar_first ? array : number,
                                   output.operand_as_laid_out()};
    launch(tensor.device(), args);
  }
  return output;
}

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

// The arithmetic kernels, without history: what backward functions compute with.
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return binary_kernel<&kernels::Backend::mul, kernels::host::mul>(
      a, b, broadcast_shapes("mul", a.shape(), b.shape()), result_type(a, b));
}
inline Tensor div(const Tensor& a, const Tensor& b) {
  return binary_kernel<&kernels::Backend::div, kernels::host::div>(
      a, b, broadcast_shapes("div", a.shape(), b.shape()), result_type(a, b));
}
inline Tensor neg(const Tensor& a) {
  return unary_kernel<&kernels::Backend::neg, kernels::host::neg>(a, a.dtype());
}
inline Tensor scale(const Tensor& a, double factor) {
  return scalar_kernel<&kernels::Backend::mul, kernels::host::mul>(
      a, kernels::Operand::scalar(factor, a.device()), false, a.dtype());
}

/// A number beside an integer tensor: float32 where the number is a float. Beside a bool tensor:
/// int64 where it is an integer, bool where it is a bool.
inline DType scalar_result_type(const Tensor& tensor, const kernels::Operand& number) {
  if (is_floating_point(tensor.dtype())) return tensor.dtype();
  if (is_floating_point(number.dtype)) return kFloat32;
  return tensor.dtype() == kBool ? number.dtype : tensor.dtype();
}

/// The float dtype that division and transcendental functions give integers.
inline DType float_result_type(DType dtype) { return is_floating_point(dtype) ? dtype : kFloat32; }

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

inline Tensor binary_op(autocasting::OpId op, const Tensor& a, const Tensor& b,
                        const BinaryOp& math) {
  check_operands(op.name(), a, b, math.name_a, math.name_b);
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        const DType promoted = result_type(x, y);
        const DType dtype = math.real ? float_result_type(promoted) : promoted;
        const Shape shape =
            broadcast_shapes(op.name(), x.shape(), y.shape(), math.name_a, math.name_b);
        const Tensor output = run_binary(math.kernel, x, y, shape, dtype);
        if (is_floating_point(dtype) && autograd::recording(x, y)) {
          const Tensor none;
          autograd::record(
              op.name(), output,
              [op, backward = math.backward, a = autograd::SavedTensor(math.saves ? x : none),
               b = autograd::SavedTensor(math.saves ? y : none), xs = x.shape(), ys = y.shape(),
               xd = x.dtype(), yd = y.dtype()](
                  const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
                auto [gx, gy] = backward(grad, a.get(op.name()), b.get(op.name()), needs);
                return {needs[0] ? sum_to(gx, xs, xd) : Tensor(),
                        needs[1] ? sum_to(gy, ys, yd) : Tensor()};
              },
              x, y);
        }
        return output;
      },
      a, b);
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

inline Tensor scalar_op(autocasting::OpId op, const Tensor& input, const kernels::Operand& number,
                        const ScalarOp& math) {
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const DType promoted = scalar_result_type(x, number);
        const DType dtype = math.real ? float_result_type(promoted) : promoted;
        const Tensor output = run_scalar(math.kernel, x, number, math.scalar_first, dtype);
        if (is_floating_point(dtype) && autograd::recording(x)) {
          const Tensor none;
          autograd::record(
              op.name(), output,
              [op, backward = math.backward, number,
               x = autograd::SavedTensor(math.saves ? x : none)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {backward(grad, x.get(op.name()), number)};
              },
              x);
        }
        return output;
      },
      input);
}
template <Arithmetic Number>
Tensor scalar_op(autocasting::OpId op, const Tensor& input, Number value, const ScalarOp& math) {
  check_defined(op.name(), math.scalar_first ? "b" : "a", input);
  return scalar_op(op, input, kernels::Operand::scalar(value, input.device()), math);
}

/// What a derivative is computed from.
enum class Saves { kInput, kOutput };

/// A differentiable function of one tensor.
struct UnaryOp {
  UnaryLaunch kernel;
  BinaryLaunch backward;  // of the gradient that arrives, and what is saved
  Saves saves;
  bool real = true;  // integers give float32
};

inline Tensor unary_op(autocasting::OpId op, const Tensor& input, const UnaryOp& math) {
  check_defined(op.name(), "input", input);
  return autocasting::call_reading(
      op,
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        const DType dtype = math.real ? float_result_type(result(x)) : result(x);
        const Tensor output = run_unary(math.kernel, x, dtype);
        if (is_floating_point(dtype) && autograd::recording(x)) {
          const autograd::SavedTensor saved(math.saves == Saves::kInput ? x : output);
          autograd::record(
              op.name(), output,
              [op, saved, backward = math.backward, from = x.dtype()](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {run_binary(backward, grad, saved.get(op.name()), grad.shape(), from)};
              },
              x);
        }
        return output;
      },
      input);
}

}  // namespace detail
}  // namespace amp::inline v0
