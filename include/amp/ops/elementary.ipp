// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

AMP_INLINE Tensor abs(const Tensor& input) {
  detail::check_not_bool("abs", input);
  return detail::unary_op(
      "abs", input,
      {kernels::dispatch<&kernels::Backend::abs, kernels::host::abs>,
       kernels::dispatch<&kernels::Backend::abs_backward, kernels::host::abs_backward>,
       detail::Saves::kInput, false});
}

AMP_INLINE Tensor exp(const Tensor& input) {
  return detail::unary_op(
      "exp", input,
      {kernels::dispatch<&kernels::Backend::exp, kernels::host::exp>,
       kernels::dispatch<&kernels::Backend::mul, kernels::host::mul>, detail::Saves::kOutput});
}

AMP_INLINE Tensor log(const Tensor& input) {
  return detail::unary_op(
      "log", input,
      {kernels::dispatch<&kernels::Backend::log, kernels::host::log>,
       kernels::dispatch<&kernels::Backend::div, kernels::host::div>, detail::Saves::kInput});
}

AMP_INLINE Tensor log1p(const Tensor& input) {
  return detail::unary_op(
      "log1p", input,
      {kernels::dispatch<&kernels::Backend::log1p, kernels::host::log1p>,
       kernels::dispatch<&kernels::Backend::log1p_backward, kernels::host::log1p_backward>,
       detail::Saves::kInput});
}

AMP_INLINE Tensor sqrt(const Tensor& input) {
  return detail::unary_op(
      "sqrt", input,
      {kernels::dispatch<&kernels::Backend::sqrt, kernels::host::sqrt>,
       kernels::dispatch<&kernels::Backend::sqrt_backward, kernels::host::sqrt_backward>,
       detail::Saves::kOutput});
}

AMP_INLINE Tensor rsqrt(const Tensor& input) {
  return detail::unary_op(
      "rsqrt", input,
      {kernels::dispatch<&kernels::Backend::rsqrt, kernels::host::rsqrt>,
       kernels::dispatch<&kernels::Backend::rsqrt_backward, kernels::host::rsqrt_backward>,
       detail::Saves::kOutput});
}

// --- powers --------------------------------------------------------------------------------------

namespace detail {

/// grad times the derivative of a power, which is computed in float32 at least.
template <auto Member, auto Host>
Tensor pow_backward(const Tensor& grad, const Tensor& base, const Tensor& exponent) {
  return detail::mul(grad, binary_kernel<Member, Host>(base, exponent, grad.shape(),
                                                       promote_types(grad.dtype(), kFloat32)));
}
/// The same if one of the two is a number: the exponent, unless kScalarFirst.
template <auto Member, auto Host, bool kScalarFirst>
Tensor scalar_pow_backward(const Tensor& grad, const Tensor& x, const kernels::Operand& number) {
  return detail::mul(grad, scalar_kernel<Member, Host>(x, number, kScalarFirst,
                                                       promote_types(grad.dtype(), kFloat32)));
}

}  // namespace detail

AMP_INLINE Tensor pow(const Tensor& input, const Tensor& exponent) {
  return detail::binary_op(
      "pow", input, exponent,
      {.kernel = kernels::dispatch<&kernels::Backend::pow, kernels::host::pow>,
       .backward =
           [](const Tensor& grad, const Tensor& x, const Tensor& e,
              const autograd::Needs<2>& needs) {
             return autograd::Gradients<2>{
                 needs[0] ? detail::pow_backward<&kernels::Backend::pow_derivative_base,
                                                 kernels::host::pow_derivative_base>(grad, x, e)
                          : Tensor(),
                 needs[1] ? detail::pow_backward<&kernels::Backend::pow_derivative_exponent,
                                                 kernels::host::pow_derivative_exponent>(grad, x, e)
                          : Tensor()};
           },
       .name_a = "input",
       .name_b = "exponent"});
}

namespace detail {

AMP_INLINE Tensor pow_number(const Tensor& input, kernels::Operand&& exponent,
                             bool is_signed_integer) {
  check_defined("pow", "input", input);
  AMP_CHECK(!is_signed_integer || exponent.integer >= 0 || is_floating_point(input.dtype()),
            "pow: `exponent` must not be negative for the integers of `input` ", describe(input),
            ", but is ", exponent.integer, "; convert `input` with to()");
  return scalar_op("pow", input, std::move(exponent),
                   {.kernel = kernels::dispatch<&kernels::Backend::pow, kernels::host::pow>,
                    .backward = scalar_pow_backward<&kernels::Backend::pow_derivative_base,
                                                    kernels::host::pow_derivative_base, false>,
                    .saves = true});
}

AMP_INLINE Tensor number_pow(kernels::Operand&& input, const Tensor& exponent) {
  check_defined("pow", "exponent", exponent);
  return scalar_op("pow", exponent, std::move(input),
                   {.kernel = kernels::dispatch<&kernels::Backend::pow, kernels::host::pow>,
                    .backward = scalar_pow_backward<&kernels::Backend::pow_derivative_exponent,
                                                    kernels::host::pow_derivative_exponent, true>,
                    .scalar_first = true,
                    .saves = true});
}

}  // namespace detail
}  // namespace amp::inline v0
