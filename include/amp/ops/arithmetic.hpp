// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// + - * / and negation, of tensors and of a tensor and a number on either side.
#pragma once

#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

// --- two tensors ---------------------------------------------------------------------------------

/// a + b
[[nodiscard]] inline Tensor add(const Tensor& a, const Tensor& b) {
  return detail::binary_op(
      "add", a, b,
      {.kernel = kernels::dispatch<&kernels::Backend::add, kernels::host::add>,
       .backward =
           [](const Tensor& grad, const Tensor&, const Tensor&, const autograd::Needs<2>&) {
             return autograd::Gradients<2>{grad, grad};
           },
       .saves = false});
}

/// a - b. Not of two bools.
[[nodiscard]] inline Tensor sub(const Tensor& a, const Tensor& b) {
  AMP_CHECK(!a.defined() || !b.defined() || a.dtype() != kBool || b.dtype() != kBool,
            "sub: `a` and `b` must not both be bool, but are ", describe(a), " and ", describe(b),
            "; use ne for where they differ");
  return detail::binary_op(
      "sub", a, b,
      {.kernel = kernels::dispatch<&kernels::Backend::sub, kernels::host::sub>,
       .backward =
           [](const Tensor& grad, const Tensor&, const Tensor&, const autograd::Needs<2>& needs) {
             return autograd::Gradients<2>{grad, needs[1] ? detail::neg(grad) : Tensor()};
           },
       .saves = false});
}

/// a * b
[[nodiscard]] inline Tensor mul(const Tensor& a, const Tensor& b) {
  return detail::binary_op("mul", a, b,
                           {.kernel = kernels::dispatch<&kernels::Backend::mul, kernels::host::mul>,
                            .backward = [](const Tensor& grad, const Tensor& x, const Tensor& y,
                                           const autograd::Needs<2>& needs) {
                              return autograd::Gradients<2>{
                                  needs[0] ? detail::mul(grad, y) : Tensor(),
                                  needs[1] ? detail::mul(grad, x) : Tensor()};
                            }});
}

namespace detail {

/// grad * d(dividend / divisor)/d(divisor) = -grad * (dividend / divisor) / divisor, in float32 for
/// 16-bit operands; `quotient` is the unrounded one.
inline Tensor div_backward(const Tensor& grad, const Tensor& quotient, const Tensor& divisor) {
  const DType wide = promote_types(grad.dtype(), kFloat32);
  const Tensor slope = binary_kernel<&kernels::Backend::div, kernels::host::div>(
      quotient, divisor, grad.shape(), wide);
  return detail::neg(detail::mul(grad, slope));
}

}  // namespace detail

/// a / b, in floating point: integers give float32.
[[nodiscard]] inline Tensor div(const Tensor& a, const Tensor& b) {
  return detail::binary_op(
      "div", a, b,
      {.kernel = kernels::dispatch<&kernels::Backend::div, kernels::host::div>,
       .backward =
           [](const Tensor& grad, const Tensor& x, const Tensor& y,
              const autograd::Needs<2>& needs) {
             const auto quotient = [&] {
               return detail::binary_kernel<&kernels::Backend::div, kernels::host::div>(
                   x, y, grad.shape(), promote_types(grad.dtype(), kFloat32));
             };
             return autograd::Gradients<2>{
                 needs[0] ? detail::div(grad, y) : Tensor(),
                 needs[1] ? detail::div_backward(grad, quotient(), y) : Tensor()};
           },
       .real = true});
}

// --- a tensor and a number -----------------------------------------------------------------------

namespace detail {

/// sub has no meaning for a bool tensor and a bool.
template <Arithmetic N>
void check_not_both_bool(std::string_view argument, const Tensor& tensor) {
  AMP_CHECK((!std::is_same_v<N, bool>) || !tensor.defined() || tensor.dtype() != kBool, "sub: `",
            argument, "` must not be bool beside a bool, but is ", describe(tensor),
            "; use ne for where they differ");
}

// Gradients of what is linear in the tensor.
inline Tensor same_gradient(const Tensor& grad, const Tensor&, const kernels::Operand&) {
  return grad;
}
inline Tensor negative_gradient(const Tensor& grad, const Tensor&, const kernels::Operand&) {
  return detail::neg(grad);
}
inline Tensor gradient_times(const Tensor& grad, const Tensor&, const kernels::Operand& number) {
  return number.value == 1 ? grad : scale(grad, number.value);
}
inline Tensor gradient_over(const Tensor& grad, const Tensor&, const kernels::Operand& number) {
  return number.value == 1 ? grad : scale(grad, 1 / number.value);
}
inline Tensor reciprocal_gradient(const Tensor& grad, const Tensor& x,
                                  const kernels::Operand& number) {
  const Tensor quotient = scalar_kernel<&kernels::Backend::div, kernels::host::div>(
      x, number, true, promote_types(grad.dtype(), kFloat32));
  return div_backward(grad, quotient, x);
}

}  // namespace detail

template <Arithmetic N>
[[nodiscard]] Tensor add(const Tensor& a, N b) {
  return detail::scalar_op(
      "add", a, b,
      {kernels::dispatch<&kernels::Backend::add, kernels::host::add>, detail::same_gradient});
}
template <Arithmetic N>
[[nodiscard]] Tensor sub(const Tensor& a, N b) {
  detail::check_not_both_bool<N>("a", a);
  return detail::scalar_op(
      "sub", a, b,
      {kernels::dispatch<&kernels::Backend::sub, kernels::host::sub>, detail::same_gradient});
}
template <Arithmetic N>
[[nodiscard]] Tensor mul(const Tensor& a, N b) {
  return detail::scalar_op(
      "mul", a, b,
      {kernels::dispatch<&kernels::Backend::mul, kernels::host::mul>, detail::gradient_times});
}
template <Arithmetic N>
[[nodiscard]] Tensor div(const Tensor& a, N b) {
  return detail::scalar_op("div", a, b,
                           {.kernel = kernels::dispatch<&kernels::Backend::div, kernels::host::div>,
                            .backward = detail::gradient_over,
                            .real = true});
}
/// a - b
template <Arithmetic N>
[[nodiscard]] Tensor sub(N a, const Tensor& b) {
  detail::check_not_both_bool<N>("b", b);
  return detail::scalar_op("sub", b, a,
                           {.kernel = kernels::dispatch<&kernels::Backend::sub, kernels::host::sub>,
                            .backward = detail::negative_gradient,
                            .scalar_first = true});
}
/// a / b, rounded once. Under autocast this follows the policy of reciprocal, as in torch, so that
/// the result is float32.
template <Arithmetic N>
[[nodiscard]] Tensor div(N a, const Tensor& b) {
  detail::check_defined("div", "b", b);
  return detail::scalar_op("reciprocal", b, a,
                           {.kernel = kernels::dispatch<&kernels::Backend::div, kernels::host::div>,
                            .backward = detail::reciprocal_gradient,
                            .scalar_first = true,
                            .saves = true,
                            .real = true});
}

[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
// clang-format off
template <Arithmetic N> [[nodiscard]] Tensor operator+(const Tensor& a, N b) { return add(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator-(const Tensor& a, N b) { return sub(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator*(const Tensor& a, N b) { return mul(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator/(const Tensor& a, N b) { return div(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator+(N a, const Tensor& b) { return add(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator-(N a, const Tensor& b) { return sub(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator*(N a, const Tensor& b) { return mul(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator/(N a, const Tensor& b) { return div(a, b); }
// clang-format on

/// 1 / x; integers give float32.
[[nodiscard]] inline Tensor reciprocal(const Tensor& input) {
  detail::check_defined("reciprocal", "input", input);
  return div(1.0, input);
}

// --- negation ------------------------------------------------------------------------------------

/// -x. Not of bool.
[[nodiscard]] inline Tensor neg(const Tensor& input) {
  detail::check_defined("neg", "input", input);
  AMP_CHECK(input.dtype() != kBool, "neg: `input` must be a number, but is ", describe(input),
            "; compare it with 0 to negate it");
  return autocasting::call(
      "neg",
      [](const Tensor& x) {
        const Tensor output = detail::neg(x);
        if (is_floating_point(x.dtype()) && autograd::recording(x)) {
          autograd::record(
              "neg", output,
              [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {detail::neg(grad)};
              },
              x);
        }
        return output;
      },
      input);
}
[[nodiscard]] inline Tensor operator-(const Tensor& input) { return neg(input); }

}  // namespace amp::inline v0
