// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

// --- two tensors ---------------------------------------------------------------------------------

namespace detail {

/// Throws for two bools, of which sub has no meaning.
AMP_LAZY void check_not_both_bool(const Tensor& a, const Tensor& b) {
  AMP_CHECK(!a.defined() || !b.defined() || a.dtype() != kBool || b.dtype() != kBool,
            "sub: `a` and `b` must not both be bool, but are ", describe(a), " and ", describe(b),
            "; use ne for where they differ");
}

AMP_LAZY BinaryOp add_math() {
  return {.kernel = kernels::binary<functions::Add>,
          .backward =
              [](const Tensor& grad, const Tensor&, const Tensor&, const autograd::Needs<2>&) {
                return autograd::Gradients<2>{grad, grad};
              },
          .saves = false};
}
AMP_LAZY BinaryOp sub_math() {
  return {
      .kernel = kernels::binary<functions::Sub>,
      .backward =
          [](const Tensor& grad, const Tensor&, const Tensor&, const autograd::Needs<2>& needs) {
            return autograd::Gradients<2>{grad, needs[1] ? detail::neg(grad) : Tensor()};
          },
      .saves = false};
}
AMP_LAZY BinaryOp mul_math() {
  return {.kernel = kernels::binary<functions::Mul>,
          .backward =
              [](const Tensor& grad, const Tensor& x, const Tensor& y,
                 const autograd::Needs<2>& needs) {
                return autograd::Gradients<2>{needs[0] ? detail::mul(grad, y) : Tensor(),
                                              needs[1] ? detail::mul(grad, x) : Tensor()};
              },
          .a_needs_a = false,
          .b_needs_b = false};
}
AMP_LAZY BinaryOp div_math() {
  return {
      .kernel = kernels::binary<functions::Div>,
      .backward =
          [](const Tensor& grad, const Tensor& x, const Tensor& y,
             const autograd::Needs<2>& needs) {
            return autograd::Gradients<2>{
                needs[0] ? detail::div(grad, y) : Tensor(),
                needs[1] ? run_gradient(kernels::by_b<functions::Div>, grad, x, y, y) : Tensor()};
          },
      .real = true,
      .a_needs_a = false};
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor add(const Tensor& a, const Tensor& b) {
  return detail::binary_op("add", a, b, detail::add_math());
}
AMP_LAZY_DEFINITION Tensor sub(const Tensor& a, const Tensor& b) {
  detail::check_not_both_bool(a, b);
  return detail::binary_op("sub", a, b, detail::sub_math());
}
AMP_LAZY_DEFINITION Tensor mul(const Tensor& a, const Tensor& b) {
  return detail::binary_op("mul", a, b, detail::mul_math());
}
AMP_LAZY_DEFINITION Tensor div(const Tensor& a, const Tensor& b) {
  return detail::binary_op("div", a, b, detail::div_math());
}

// --- a tensor and a number -----------------------------------------------------------------------

namespace detail {

/// Throws for a bool tensor and a bool, of which sub has no meaning.
AMP_LAZY void check_not_both_bool(std::string_view argument, const Tensor& tensor,
                                  const kernels::Operand& number) {
  AMP_CHECK(number.dtype != kBool || !tensor.defined() || tensor.dtype() != kBool, "sub: `",
            argument, "` must not be bool beside a bool, but is ", describe(tensor),
            "; use ne for where they differ");
}

// Gradients of ops that are linear in the tensor.
AMP_LAZY Tensor same_gradient(const Tensor& grad, const Tensor&, const kernels::Operand&) {
  return grad;
}
AMP_LAZY Tensor negative_gradient(const Tensor& grad, const Tensor&, const kernels::Operand&) {
  return detail::neg(grad);
}
AMP_LAZY Tensor gradient_times(const Tensor& grad, const Tensor&, const kernels::Operand& number) {
  return number.value == 1 ? grad : scale(grad, number.value);
}
AMP_LAZY Tensor gradient_over(const Tensor& grad, const Tensor&, const kernels::Operand& number) {
  return number.value == 1 ? grad : scale(grad, 1 / number.value);
}

AMP_LAZY ScalarOp add_number_math() { return {kernels::binary<functions::Add>, same_gradient}; }
AMP_LAZY ScalarOp sub_number_math() { return {kernels::binary<functions::Sub>, same_gradient}; }
AMP_LAZY ScalarOp mul_number_math() { return {kernels::binary<functions::Mul>, gradient_times}; }
AMP_LAZY ScalarOp div_number_math() {
  return {.kernel = kernels::binary<functions::Div>, .backward = gradient_over, .real = true};
}

AMP_LAZY_DEFINITION Tensor add_number(const Tensor& a, kernels::Operand&& b) {
  return scalar_op("add", a, std::move(b), add_number_math());
}
AMP_LAZY_DEFINITION Tensor sub_number(const Tensor& a, kernels::Operand&& b) {
  check_not_both_bool("a", a, b);
  return scalar_op("sub", a, std::move(b), sub_number_math());
}
AMP_LAZY_DEFINITION Tensor mul_number(const Tensor& a, kernels::Operand&& b) {
  return scalar_op("mul", a, std::move(b), mul_number_math());
}
AMP_LAZY_DEFINITION Tensor div_number(const Tensor& a, kernels::Operand&& b) {
  return scalar_op("div", a, std::move(b), div_number_math());
}
AMP_LAZY_DEFINITION Tensor number_sub(kernels::Operand&& a, const Tensor& b) {
  check_not_both_bool("b", b, a);
  return scalar_op("sub", b, std::move(a),
                   {.kernel = kernels::binary<kernels::functions::Sub>,
                    .backward = negative_gradient,
                    .scalar_first = true});
}
AMP_LAZY_DEFINITION Tensor number_div(kernels::Operand&& a, const Tensor& b) {
  check_defined("div", "b", b);
  return scalar_op("reciprocal", b, std::move(a),
                   {.kernel = kernels::binary<kernels::functions::Div>,
                    .backward = scalar_derivative<kernels::functions::Div, true>,
                    .scalar_first = true,
                    .saves = true,
                    .real = true});
}

AMP_LAZY_DEFINITION const Tensor& add_(const Tensor& a, const Tensor& b) {
  return binary_op_("add_", a, b, add_math());
}
AMP_LAZY_DEFINITION const Tensor& sub_(const Tensor& a, const Tensor& b) {
  check_not_both_bool(a, b);
  return binary_op_("sub_", a, b, sub_math());
}
AMP_LAZY_DEFINITION const Tensor& mul_(const Tensor& a, const Tensor& b) {
  return binary_op_("mul_", a, b, mul_math());
}
AMP_LAZY_DEFINITION const Tensor& div_(const Tensor& a, const Tensor& b) {
  return binary_op_("div_", a, b, div_math());
}
AMP_LAZY_DEFINITION const Tensor& add_number_(const Tensor& a, const kernels::Operand& b) {
  return scalar_op_("add_", a, b, add_number_math());
}
AMP_LAZY_DEFINITION const Tensor& sub_number_(const Tensor& a, const kernels::Operand& b) {
  check_not_both_bool("a", a, b);
  return scalar_op_("sub_", a, b, sub_number_math());
}
AMP_LAZY_DEFINITION const Tensor& mul_number_(const Tensor& a, const kernels::Operand& b) {
  return scalar_op_("mul_", a, b, mul_number_math());
}
AMP_LAZY_DEFINITION const Tensor& div_number_(const Tensor& a, const kernels::Operand& b) {
  return scalar_op_("div_", a, b, div_number_math());
}

}  // namespace detail

// --- remainders ----------------------------------------------------------------------------------

namespace detail {

AMP_LAZY void check_not_all_bool(std::string_view op, const Tensor& input, DType other) {
  AMP_CHECK(input.dtype() != kBool || other != kBool, op, ": `input` ", describe(input),
            " and `other` must not both be bool; convert one with to()");
}
template <class Function>
Tensor remainder_op(autocasting::OpId op, const Tensor& input, const Tensor& other) {
  check_operands(op.name(), input, other, "input", "other");
  check_not_all_bool(op.name(), input, other.dtype());
  return binary_op<Function>(op, input, other, "input", "other");
}
template <class Function>
Tensor remainder_op(autocasting::OpId op, const Tensor& input, kernels::Operand&& other) {
  check_defined(op.name(), "input", input);
  check_not_all_bool(op.name(), input, other.dtype);
  AMP_CHECK(other.value != 0 || is_floating_point(scalar_result_type(input, other)), op.name(),
            ": `other` must not be 0 beside the integers of `input` ", describe(input));
  return scalar_op(op, input, std::move(other),
                   {.kernel = kernels::binary<Function>, .backward = same_gradient});
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor fmod(const Tensor& input, const Tensor& other) {
  return detail::remainder_op<kernels::functions::Fmod>("fmod", input, other);
}
AMP_LAZY_DEFINITION Tensor remainder(const Tensor& input, const Tensor& other) {
  return detail::remainder_op<kernels::functions::Remainder>("remainder", input, other);
}

namespace detail {

AMP_LAZY_DEFINITION Tensor fmod_number(const Tensor& input, kernels::Operand&& other) {
  return remainder_op<functions::Fmod>("fmod", input, std::move(other));
}
AMP_LAZY_DEFINITION Tensor remainder_number(const Tensor& input, kernels::Operand&& other) {
  return remainder_op<functions::Remainder>("remainder", input, std::move(other));
}

}  // namespace detail

// --- negation ------------------------------------------------------------------------------------

AMP_LAZY_DEFINITION Tensor neg(const Tensor& input) {
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

}  // namespace amp::inline v0
