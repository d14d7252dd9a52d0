// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementary functions.
#pragma once

#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

/// |x|; the gradient at 0 is 0. Not of bool.
[[nodiscard]] inline Tensor abs(const Tensor& input) {
  detail::check_not_bool("abs", input);
  return detail::unary_op(
      "abs", input,
      {kernels::dispatch<&kernels::Backend::abs, kernels::host::abs>,
       kernels::dispatch<&kernels::Backend::abs_backward, kernels::host::abs_backward>,
       detail::Saves::kInput, false});
}

/// e^x. On the host, results in float32 below 2.4e-38 may be 0.
[[nodiscard]] inline Tensor exp(const Tensor& input) {
  return detail::unary_op(
      "exp", input,
      {kernels::dispatch<&kernels::Backend::exp, kernels::host::exp>,
       kernels::dispatch<&kernels::Backend::mul, kernels::host::mul>, detail::Saves::kOutput});
}

/// The natural logarithm.
[[nodiscard]] inline Tensor log(const Tensor& input) {
  return detail::unary_op(
      "log", input,
      {kernels::dispatch<&kernels::Backend::log, kernels::host::log>,
       kernels::dispatch<&kernels::Backend::div, kernels::host::div>, detail::Saves::kInput});
}

/// log(1 + x), with all digits of an x near 0, which 1 + x would lose; -infinity at -1, NaN below.
/// The derivative is 1 / (1 + x). Integers and bools give float32.
[[nodiscard]] inline Tensor log1p(const Tensor& input) {
  return detail::unary_op(
      "log1p", input,
      {kernels::dispatch<&kernels::Backend::log1p, kernels::host::log1p>,
       kernels::dispatch<&kernels::Backend::log1p_backward, kernels::host::log1p_backward>,
       detail::Saves::kInput});
}

/// The derivative is 1 / (2 sqrt(x)).
[[nodiscard]] inline Tensor sqrt(const Tensor& input) {
  return detail::unary_op(
      "sqrt", input,
      {kernels::dispatch<&kernels::Backend::sqrt, kernels::host::sqrt>,
       kernels::dispatch<&kernels::Backend::sqrt_backward, kernels::host::sqrt_backward>,
       detail::Saves::kOutput});
}

/// 1 / sqrt(x); the derivative is -y^3 / 2.
[[nodiscard]] inline Tensor rsqrt(const Tensor& input) {
  return detail::unary_op(
      "rsqrt", input,
      {kernels::dispatch<&kernels::Backend::rsqrt, kernels::host::rsqrt>,
       kernels::dispatch<&kernels::Backend::rsqrt_backward, kernels::host::rsqrt_backward>,
       detail::Saves::kOutput});
}

// --- powers --------------------------------------------------------------------------------------

namespace detail {

/// grad times the slope of a power, which is computed in float32 at least.
template <auto Member, auto Host>
Tensor pow_backward(const Tensor& grad, const Tensor& base, const Tensor& exponent) {
  return detail::mul(grad, binary_kernel<Member, Host>(base, exponent, grad.shape(),
                                                       promote_types(grad.dtype(), kFloat32)));
}
/// The same where one of the two is a number: the exponent, unless `scalar_first`.
template <auto Member, auto Host, bool kScalarFirst>
Tensor scalar_pow_backward(const Tensor& grad, const Tensor& x, const kernels::Operand& number) {
  return detail::mul(grad, scalar_kernel<Member, Host>(x, number, kScalarFirst,
                                                       promote_types(grad.dtype(), kFloat32)));
}

}  // namespace detail

/// input^exponent. Integers give integers modulo 2^64, and a negative exponent of a tensor then
/// what truncation leaves of the reciprocal.
///   d/dx = e x^(e - 1), 0 where e is 0;   d/de = x^e log x, 0 where x is 0 and e >= 0
[[nodiscard]] inline Tensor pow(const Tensor& input, const Tensor& exponent) {
  return detail::binary_op(
      "pow", input, exponent,
      {.kernel = kernels::dispatch<&kernels::Backend::pow, kernels::host::pow>,
       .backward =
           [](const Tensor& grad, const Tensor& x, const Tensor& e,
              const autograd::Needs<2>& needs) {
             return autograd::Gradients<2>{
                 needs[0] ? detail::pow_backward<&kernels::Backend::pow_slope_base,
                                                 kernels::host::pow_slope_base>(grad, x, e)
                          : Tensor(),
                 needs[1] ? detail::pow_backward<&kernels::Backend::pow_slope_exponent,
                                                 kernels::host::pow_slope_exponent>(grad, x, e)
                          : Tensor()};
           },
       .name_a = "input",
       .name_b = "exponent"});
}

/// A negative integer power of integers throws: it is no integer.
///
/// The number is rounded to the dtype in which the power is computed, float64 for float64 and
/// float32 for all others. Where float32 does not hold it (1.7, not 0.5) this alone moves the
/// result by up to abs(exponent log(input)) / 2 units in the last place; torch's float32 powers are
/// off by as much. Powers of float64 tensors are not.
template <Arithmetic Number>
[[nodiscard]] Tensor pow(const Tensor& input, Number exponent) {
  detail::check_defined("pow", "input", input);
  if constexpr (std::signed_integral<Number>) {
    AMP_CHECK(exponent >= 0 || is_floating_point(input.dtype()),
              "pow: `exponent` must not be negative for the integers of `input` ", describe(input),
              ", but is ", exponent, "; convert `input` with to()");
  }
  return detail::scalar_op(
      "pow", input, exponent,
      {.kernel = kernels::dispatch<&kernels::Backend::pow, kernels::host::pow>,
       .backward = detail::scalar_pow_backward<&kernels::Backend::pow_slope_base,
                                               kernels::host::pow_slope_base, false>,
       .saves = true});
}

/// A number to the powers of a tensor.
template <Arithmetic Number>
[[nodiscard]] Tensor pow(Number input, const Tensor& exponent) {
  detail::check_defined("pow", "exponent", exponent);
  return detail::scalar_op(
      "pow", exponent, input,
      {.kernel = kernels::dispatch<&kernels::Backend::pow, kernels::host::pow>,
       .backward = detail::scalar_pow_backward<&kernels::Backend::pow_slope_exponent,
                                               kernels::host::pow_slope_exponent, true>,
       .scalar_first = true,
       .saves = true});
}

}  // namespace amp::inline v0
