// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise arithmetic and comparisons. Shapes broadcast; dtypes promote as in torch: a
// 0-dimensional tensor, and a C++ number, change the dtype only where they bring a higher category
// (a float to integers).
#pragma once

#include <concepts>
#include <cstdint>

#include "amp/ops/shape.hpp"

namespace amp::inline v0 {
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

inline void check_same_device(std::string_view op, const Tensor& a, const Tensor& b) {
  AMP_CHECK(a.device() == b.device(), op, ": tensors must be on one device, but ", describe(a),
            " is on ", a.device(), " and ", describe(b), " on ", b.device(),
            "; move one with to(device)");
}

template <auto Member, auto Host>
Tensor binary_kernel(const Tensor& a, const Tensor& b, const Shape& shape, DType dtype) {
  const Tensor output = empty(shape, {.dtype = dtype, .device = a.device()});
  if (output.numel() != 0) {
    const kernels::BinaryArgs args{a.operand(), b.operand(), output.operand()};
    kernels::dispatch<Member, Host>(a.device(), a.dtype(), args);
  }
  return output;
}

/// One tensor and one number, in either order.
template <auto Member, auto Host, class Number>
Tensor scalar_kernel(const Tensor& tensor, Number value, bool scalar_first, DType dtype) {
  const Tensor output = empty(tensor.shape(), {.dtype = dtype, .device = tensor.device()});
  if (output.numel() != 0) {
    const kernels::Operand scalar = kernels::Operand::scalar(value, tensor.device());
    const kernels::Operand array = tensor.operand();
    const kernels::BinaryArgs args{scalar_first ? scalar : array, scalar_first ? array : scalar,
                                   output.operand()};
    kernels::dispatch<Member, Host>(tensor.device(), tensor.dtype(), args);
  }
  return output;
}

template <auto Member, auto Host>
Tensor unary_kernel(const Tensor& input, DType dtype) {
  const Tensor output = empty(input.shape(), {.dtype = dtype, .device = input.device()});
  if (output.numel() != 0) {
    const kernels::UnaryArgs args{.input = input.operand(), .output = output.operand()};
    kernels::dispatch<Member, Host>(input.device(), input.dtype(), args);
  }
  return output;
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
  return scalar_kernel<&kernels::Backend::mul, kernels::host::mul>(a, factor, false, a.dtype());
}

/// A number beside an integer tensor: float32 where the number is a float.
template <class Number>
DType scalar_result_type(const Tensor& tensor) {
  if (is_floating_point(tensor.dtype())) return tensor.dtype();
  if (std::floating_point<Number>) return kFloat32;
  return tensor.dtype() == kBool ? kInt64 : tensor.dtype();
}

/// The float dtype that division and transcendental functions give integers.
inline DType float_result_type(DType dtype) { return is_floating_point(dtype) ? dtype : kFloat32; }

/// Forward of a differentiable binary op: `backward` returns both gradients before broadcasting is
/// undone.
template <auto Member, auto Host, class Backward>
Tensor binary_op(autocasting::OpId op, std::string_view name, const Tensor& a, const Tensor& b,
                 bool real, Backward backward) {
  check_same_device(name, a, b);
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        const DType dtype = real ? float_result_type(result_type(x, y)) : result_type(x, y);
        const Tensor output =
            binary_kernel<Member, Host>(x, y, broadcast_shapes(name, x.shape(), y.shape()), dtype);
        if (is_floating_point(dtype) && autograd::recording(x, y)) {
          autograd::record(
              name, output,
              [backward = backward(x, y, output), xs = x.shape(), ys = y.shape(), xd = x.dtype(),
               yd = y.dtype()](const Tensor& grad,
                               const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
                auto [gx, gy] = backward(grad, needs);
                return {needs[0] ? sum_to(gx, xs, xd) : Tensor(),
                        needs[1] ? sum_to(gy, ys, yd) : Tensor()};
              },
              x, y);
        }
        return output;
      },
      a, b);
}

template <auto Member, auto Host>
Tensor comparison_op(autocasting::OpId op, std::string_view name, const Tensor& a,
                     const Tensor& b) {
  check_same_device(name, a, b);
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        return binary_kernel<Member, Host>(x, y, broadcast_shapes(name, x.shape(), y.shape()),
                                           kBool);
      },
      a, b);
}

/// Forward of a differentiable elementwise function: make_backward(input, output) returns grad ->
/// grad_input.
template <auto Member, auto Host, class MakeBackward>
Tensor unary_op(autocasting::OpId op, std::string_view name, const Tensor& input, bool real,
                MakeBackward make_backward) {
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const DType dtype = real ? float_result_type(x.dtype()) : x.dtype();
        const Tensor output = unary_kernel<Member, Host>(x, dtype);
        if (is_floating_point(dtype) && autograd::recording(x)) {
          autograd::record(
              name, output,
              [backward = make_backward(x, output)](const Tensor& grad, const autograd::Needs<1>&)
                  -> autograd::Gradients<1> { return {backward(grad)}; },
              x);
        }
        return output;
      },
      input);
}

}  // namespace detail

// --- two tensors
// ----------------------------------------------------------------------------------------------------------------

/// a + b
[[nodiscard]] inline Tensor add(const Tensor& a, const Tensor& b) {
  return detail::binary_op<&kernels::Backend::add, kernels::host::add>(
      "add", "add", a, b, false, [](const Tensor&, const Tensor&, const Tensor&) {
        return [](const Tensor& grad, const autograd::Needs<2>&) {
          return autograd::Gradients<2>{grad, grad};
        };
      });
}

/// a - b
[[nodiscard]] inline Tensor sub(const Tensor& a, const Tensor& b) {
  return detail::binary_op<&kernels::Backend::sub, kernels::host::sub>(
      "sub", "sub", a, b, false, [](const Tensor&, const Tensor&, const Tensor&) {
        return [](const Tensor& grad, const autograd::Needs<2>& needs) {
          return autograd::Gradients<2>{grad, needs[1] ? detail::neg(grad) : Tensor()};
        };
      });
}

/// a * b
[[nodiscard]] inline Tensor mul(const Tensor& a, const Tensor& b) {
  return detail::binary_op<&kernels::Backend::mul, kernels::host::mul>(
      "mul", "mul", a, b, false, [](const Tensor& x, const Tensor& y, const Tensor&) {
        return [x = autograd::SavedTensor(x), y = autograd::SavedTensor(y)](
                   const Tensor& grad, const autograd::Needs<2>& needs) {
          return autograd::Gradients<2>{needs[0] ? detail::mul(grad, y.get("mul")) : Tensor(),
                                        needs[1] ? detail::mul(grad, x.get("mul")) : Tensor()};
        };
      });
}

/// a / b, in floating point: integers give float32. d(a / b)/db = -(a / b) / b, computed in float32
/// for 16-bit operands.
[[nodiscard]] inline Tensor div(const Tensor& a, const Tensor& b) {
  return detail::binary_op<&kernels::Backend::div, kernels::host::div>(
      "div", "div", a, b, true, [](const Tensor& x, const Tensor& y, const Tensor&) {
        return [x = autograd::SavedTensor(x), y = autograd::SavedTensor(y)](
                   const Tensor& grad, const autograd::Needs<2>& needs) {
          const Tensor& divisor = y.get("div");
          const auto divide = [&](const Tensor& dividend) {
            return detail::binary_kernel<&kernels::Backend::div, kernels::host::div>(
                dividend, divisor, grad.shape(), promote_types(grad.dtype(), kFloat32));
          };
          return autograd::Gradients<2>{
              needs[0] ? detail::div(grad, divisor) : Tensor(),
              needs[1] ? detail::neg(detail::mul(grad, divide(divide(x.get("div"))))) : Tensor()};
        };
      });
}

// clang-format off
/// Elementwise comparisons, of dtype bool.
[[nodiscard]] inline Tensor eq(const Tensor& a, const Tensor& b) { return detail::comparison_op<&kernels::Backend::eq, kernels::host::eq>("eq", "eq", a, b); }
[[nodiscard]] inline Tensor ne(const Tensor& a, const Tensor& b) { return detail::comparison_op<&kernels::Backend::ne, kernels::host::ne>("ne", "ne", a, b); }
[[nodiscard]] inline Tensor lt(const Tensor& a, const Tensor& b) { return detail::comparison_op<&kernels::Backend::lt, kernels::host::lt>("lt", "lt", a, b); }
[[nodiscard]] inline Tensor le(const Tensor& a, const Tensor& b) { return detail::comparison_op<&kernels::Backend::le, kernels::host::le>("le", "le", a, b); }
[[nodiscard]] inline Tensor gt(const Tensor& a, const Tensor& b) { return detail::comparison_op<&kernels::Backend::gt, kernels::host::gt>("gt", "gt", a, b); }
[[nodiscard]] inline Tensor ge(const Tensor& a, const Tensor& b) { return detail::comparison_op<&kernels::Backend::ge, kernels::host::ge>("ge", "ge", a, b); }
// clang-format on

// --- a tensor and a number
// ------------------------------------------------------------------------------------------------------

template <class Number>
concept Arithmetic = std::is_arithmetic_v<Number>;

namespace detail {

template <auto Member, auto Host, Arithmetic Number>
Tensor scalar_comparison_op(autocasting::OpId op, const Tensor& input, Number value) {
  return autocasting::call(
      op, [&](const Tensor& x) { return scalar_kernel<Member, Host>(x, value, false, kBool); },
      input);
}

/// grad_input = factor * grad, for the ops that are linear in the tensor.
template <auto Member, auto Host, Arithmetic Number>
Tensor linear_scalar_op(autocasting::OpId op, std::string_view name, const Tensor& input,
                        Number value, bool scalar_first, double factor, bool real = false) {
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const DType dtype =
            real ? float_result_type(scalar_result_type<Number>(x)) : scalar_result_type<Number>(x);
        const Tensor output = scalar_kernel<Member, Host>(x, value, scalar_first, dtype);
        if (is_floating_point(dtype) && autograd::recording(x)) {
          autograd::record(
              name, output,
              [factor](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {factor == 1 ? grad : scale(grad, factor)};
              },
              x);
        }
        return output;
      },
      input);
}

}  // namespace detail

template <Arithmetic N>
[[nodiscard]] Tensor add(const Tensor& a, N b) {
  return detail::linear_scalar_op<&kernels::Backend::add, kernels::host::add>("add", "add", a, b,
                                                                              false, 1);
}
template <Arithmetic N>
[[nodiscard]] Tensor sub(const Tensor& a, N b) {
  return detail::linear_scalar_op<&kernels::Backend::sub, kernels::host::sub>("sub", "sub", a, b,
                                                                              false, 1);
}
template <Arithmetic N>
[[nodiscard]] Tensor mul(const Tensor& a, N b) {
  return detail::linear_scalar_op<&kernels::Backend::mul, kernels::host::mul>(
      "mul", "mul", a, b, false, static_cast<double>(b));
}
template <Arithmetic N>
[[nodiscard]] Tensor div(const Tensor& a, N b) {
  return detail::linear_scalar_op<&kernels::Backend::div, kernels::host::div>(
      "div", "div", a, b, false, 1 / static_cast<double>(b), true);
}
// clang-format off
template <Arithmetic N> [[nodiscard]] Tensor eq(const Tensor& a, N b) { return detail::scalar_comparison_op<&kernels::Backend::eq, kernels::host::eq>("eq", a, b); }
template <Arithmetic N> [[nodiscard]] Tensor ne(const Tensor& a, N b) { return detail::scalar_comparison_op<&kernels::Backend::ne, kernels::host::ne>("ne", a, b); }
template <Arithmetic N> [[nodiscard]] Tensor lt(const Tensor& a, N b) { return detail::scalar_comparison_op<&kernels::Backend::lt, kernels::host::lt>("lt", a, b); }
template <Arithmetic N> [[nodiscard]] Tensor le(const Tensor& a, N b) { return detail::scalar_comparison_op<&kernels::Backend::le, kernels::host::le>("le", a, b); }
template <Arithmetic N> [[nodiscard]] Tensor gt(const Tensor& a, N b) { return detail::scalar_comparison_op<&kernels::Backend::gt, kernels::host::gt>("gt", a, b); }
template <Arithmetic N> [[nodiscard]] Tensor ge(const Tensor& a, N b) { return detail::scalar_comparison_op<&kernels::Backend::ge, kernels::host::ge>("ge", a, b); }
// clang-format on

[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
template <Arithmetic N>
[[nodiscard]] Tensor operator+(const Tensor& a, N b) {
  return add(a, b);
}
template <Arithmetic N>
[[nodiscard]] Tensor operator+(N a, const Tensor& b) {
  return add(b, a);
}
template <Arithmetic N>
[[nodiscard]] Tensor operator-(const Tensor& a, N b) {
  return sub(a, b);
}
template <Arithmetic N>
[[nodiscard]] Tensor operator-(N a, const Tensor& b) {
  return detail::linear_scalar_op<&kernels::Backend::sub, kernels::host::sub>("sub", "sub", b, a,
                                                                              true, -1);
}
template <Arithmetic N>
[[nodiscard]] Tensor operator*(const Tensor& a, N b) {
  return mul(a, b);
}
template <Arithmetic N>
[[nodiscard]] Tensor operator*(N a, const Tensor& b) {
  return mul(b, a);
}
template <Arithmetic N>
[[nodiscard]] Tensor operator/(const Tensor& a, N b) {
  return div(a, b);
}
/// d(a / b)/db = -(a / b) / b
template <Arithmetic N>
[[nodiscard]] Tensor operator/(N a, const Tensor& b) {
  return autocasting::call(
      "div",
      [&](const Tensor& x) {
        const DType dtype = detail::float_result_type(detail::scalar_result_type<N>(x));
        const Tensor output =
            detail::scalar_kernel<&kernels::Backend::div, kernels::host::div>(x, a, true, dtype);
        if (autograd::recording(x)) {
          autograd::record(
              "div", output,
              [x = autograd::SavedTensor(x), output = autograd::SavedTensor(output)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor slope = detail::div(output.get("div"), x.get("div"));
                return {detail::neg(detail::mul(grad, slope))};
              },
              x);
        }
        return output;
      },
      b);
}

// --- functions of one tensor
// ----------------------------------------------------------------------------------------------------

[[nodiscard]] inline Tensor neg(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::neg, kernels::host::neg>(
      "neg", "neg", input, false, [](const Tensor&, const Tensor&) {
        return [](const Tensor& grad) { return detail::neg(grad); };
      });
}
[[nodiscard]] inline Tensor operator-(const Tensor& input) { return neg(input); }

}  // namespace amp::inline v0
