// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <tuple>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0 {
namespace detail {

/// Returns whether a number that is compared with a tensor is rounded to its dtype. It is not for
/// integers, nor for float8_e4m3fn, in which a number beyond the largest would become NaN.
AMP_LAZY bool rounds_what_is_compared(DType dtype) {
  return is_floating_point(dtype) && dtype != kFloat8E4M3;
}
/// The number, rounded to the nearest one of the dtype.
AMP_LAZY kernels::Operand rounded_to(DType dtype, kernels::Operand number) {
  if (!rounds_what_is_compared(dtype)) return number;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    number.value = convert_one<double>(number.dtype == kInt64 ? convert_one<T>(number.integer)
                                                              : convert_one<T>(number.value));
  });
  number.dtype = kFloat64;
  return number;
}

/// The same for a 0-dimensional operand beside one that is not; `common` is their promoted dtype.
AMP_LAZY Tensor rounded_single(const Tensor& operand, bool single, DType common) {
  const bool rounds = single && operand.dim() == 0 && rounds_what_is_compared(common);
  return rounds ? autocasting::convert_dtype(operand.detach(), common) : operand;
}

AMP_LAZY Tensor comparison_op(autocasting::OpId op, const Tensor& a, const Tensor& b,
                              BinaryLaunch kernel) {
  check_operands(op.name(), a, b);
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        const Shape shape = broadcast_shapes(op.name(), x.shape(), y.shape());
        const bool one_is_single = (x.dim() == 0) != (y.dim() == 0);
        const DType common = result_type(x, y);
        return run_binary(kernel, rounded_single(x, one_is_single, common),
                          rounded_single(y, one_is_single, common), shape, kBool);
      },
      a, b);
}
AMP_LAZY Tensor comparison_op(autocasting::OpId op, const Tensor& input, kernels::Operand& number,
                              BinaryLaunch kernel) {
  check_defined(op.name(), "a", input);
  number.device = input.device();
  return autocasting::call_beside(
      op, number.value,
      [&](const Tensor& x) {
        return run_scalar(kernel, x, rounded_to(x.dtype(), number), false, kBool);
      },
      input);
}

template <class Function>
Tensor comparison(const Tensor& a, const Tensor& b) {
  return comparison_op(Function::kName, a, b, kernels::binary<Function>);
}
template <class Function>
Tensor comparison(const Tensor& a, kernels::Operand&& b) {
  return comparison_op(Function::kName, a, b, kernels::binary<Function>);
}

#if !AMP_HEADER_ONLY
// The compiled library holds them all: the functions that users call are inline.
template <class... F>
consteval auto comparisons(functions::List<F...>) {
  using OfTensors = Tensor (*)(const Tensor&, const Tensor&);
  using OfNumber = Tensor (*)(const Tensor&, kernels::Operand&&);
  return std::tuple{OfTensors{comparison<F>}..., OfNumber{comparison<F>}...};
}
[[gnu::used]] static constexpr auto kComparisons =
    comparisons(functions::List<functions::Eq, functions::Ne, functions::Lt, functions::Le,
                                functions::Gt, functions::Ge>{});
#endif

template <class Function>
Tensor logical_op(const Tensor& input, const Tensor& other) {
  constexpr autocasting::OpId op(Function::kName);
  check_operands(op.name(), input, other, "input", "other");
  return autocasting::call(
      op,
      [&](const Tensor& x, const Tensor& y) {
        return binary_kernel<Function>(
            x, y, broadcast_shapes(op.name(), x.shape(), y.shape(), "input", "other"), kBool);
      },
      input, other);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor logical_and(const Tensor& input, const Tensor& other) {
  return detail::logical_op<kernels::functions::LogicalAnd>(input, other);
}
AMP_LAZY_DEFINITION Tensor logical_or(const Tensor& input, const Tensor& other) {
  return detail::logical_op<kernels::functions::LogicalOr>(input, other);
}
AMP_LAZY_DEFINITION Tensor logical_xor(const Tensor& input, const Tensor& other) {
  return detail::logical_op<kernels::functions::LogicalXor>(input, other);
}

namespace detail {

AMP_LAZY const Tensor& mask(std::string_view op, const Tensor& tensor) {
  check_defined(op, "mask", tensor);
  AMP_CHECK(tensor.dtype() == kBool, op, ": both sides must be masks (bool), but one is ",
            describe(tensor), "; there are no bitwise operators");
  return tensor;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor operator&(const Tensor& a, const Tensor& b) {
  return logical_and(detail::mask("operator&", a), detail::mask("operator&", b));
}
AMP_LAZY_DEFINITION Tensor operator|(const Tensor& a, const Tensor& b) {
  return logical_or(detail::mask("operator|", a), detail::mask("operator|", b));
}
AMP_LAZY_DEFINITION Tensor operator^(const Tensor& a, const Tensor& b) {
  return logical_xor(detail::mask("operator^", a), detail::mask("operator^", b));
}
AMP_LAZY_DEFINITION Tensor operator!(const Tensor& a) {
  return logical_not(detail::mask("operator!", a));
}
AMP_LAZY_DEFINITION Tensor operator~(const Tensor& a) {
  return logical_not(detail::mask("operator~", a));
}

namespace detail {

AMP_LAZY_DEFINITION Tensor where_kernel(const Tensor& condition, const kernels::Operand& a,
                                        const kernels::Operand& b, const Shape& shape,
                                        DType dtype) {
  const Tensor output = empty(shape, {.dtype = dtype, .device = condition.device()});
  if (output.numel() != 0) {
    const kernels::WhereArgs args{condition.operand(), a, b, output.operand()};
    kernels::where(output.device(), args);
  }
  return output;
}

AMP_LAZY_DEFINITION kernels::Operand zero_on(Device device) {
  return kernels::Operand::scalar(0.0, device);
}

/// The gradient of one choice of where(): that of the elements that were taken from it, 0
/// elsewhere.
AMP_LAZY Tensor where_backward(const Tensor& condition, const Tensor& grad, bool first,
                               const Shape& shape, DType dtype) {
  const kernels::Operand zero = zero_on(grad.device()), taken = grad.operand();
  return sum_to(where_kernel(condition, first ? taken : zero, first ? zero : taken, grad.shape(),
                             grad.dtype()),
                shape, dtype);
}

AMP_LAZY void check_condition(const Tensor& condition) {
  check_defined("where", "condition", condition);
  AMP_CHECK(condition.dtype() == kBool, "where: `condition` must be bool, but is ",
            describe(condition), "; compare, or convert it with to()");
}

AMP_LAZY Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Shape shape =
      broadcast_shapes("where", condition.shape(), broadcast_shapes("where", a.shape(), b.shape()),
                       "condition", "a` and `b");
  const DType dtype = result_type(a, b);
  const Tensor output = where_kernel(condition, a.operand(), b.operand(), shape, dtype);
  if (is_floating_point(dtype) && autograd::recording(a, b)) {
    autograd::record(
        "where", output,
        [condition = autograd::SavedTensor(condition), as = a.shape(), bs = b.shape(),
         ad = a.dtype(), bd = b.dtype()](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor& chosen = condition.get("where");
          return {needs[0] ? where_backward(chosen, grad, true, as, ad) : Tensor(),
                  needs[1] ? where_backward(chosen, grad, false, bs, bd) : Tensor()};
        },
        a, b);
  }
  return output;
}

AMP_LAZY_DEFINITION Tensor where(const Tensor& condition, const Tensor& tensor,
                                 const kernels::Operand& number, bool scalar_first) {
  const Shape shape = broadcast_shapes("where", condition.shape(), tensor.shape(), "condition",
                                       scalar_first ? "b" : "a");
  const DType dtype = scalar_result_type(tensor, number);
  const Tensor output = scalar_first
                            ? where_kernel(condition, number, tensor.operand(), shape, dtype)
                            : where_kernel(condition, tensor.operand(), number, shape, dtype);
  if (is_floating_point(dtype) && autograd::recording(tensor)) {
    autograd::record(
        "where", output,
        [condition = autograd::SavedTensor(condition), from = tensor.shape(), was = tensor.dtype(),
         scalar_first](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {where_backward(condition.get("where"), grad, !scalar_first, from, was)};
        },
        tensor);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  detail::check_condition(condition);
  detail::check_operands("where", a, b);
  detail::check_same_device("where", "condition", condition, "a", a);
  return autocasting::call(
      "where", [&](const Tensor& x, const Tensor& y) { return detail::where(condition, x, y); }, a,
      b);
}

namespace detail {

/// Throws if the number, the argument of that name, is not a value of the dtype of the result.
AMP_LAZY void check_choice(std::string_view argument, const kernels::Operand& number, DType dtype) {
  if (number.dtype == kInt64) {
    check_holds("where", argument, number.integer, dtype);
  } else {
    check_holds("where", argument, number.value, dtype);
  }
}

AMP_LAZY_DEFINITION Tensor where_number(const Tensor& condition, const Tensor& tensor,
                                        kernels::Operand&& number, bool scalar_first) {
  const std::string_view name = scalar_first ? "b" : "a";
  check_condition(condition);
  check_defined("where", name, tensor);
  check_same_device("where", "condition", condition, name, tensor);
  number.device = tensor.device();
  return autocasting::call_beside(
      "where", number.value,
      [&](const Tensor& x) {
        check_choice(scalar_first ? "a" : "b", number, scalar_result_type(x, number));
        return detail::where(condition, x, number, scalar_first);
      },
      tensor);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor isclose(const Tensor& input, const Tensor& other, double rtol,
                                   double atol, bool equal_nan) {
  detail::check_operands("isclose", input, other, "input", "other");
  AMP_CHECK(input.dtype() == other.dtype(),
            "isclose: `input` and `other` must have one dtype, but are ", describe(input), " and ",
            describe(other), "; convert one with to()");
  (void)broadcast_shapes("isclose", input.shape(), other.shape(), "input", "other");
  AMP_CHECK(rtol >= 0 && atol >= 0, "isclose: `rtol` and `atol` must not be negative, but are ",
            rtol, " and ", atol);
  return autocasting::call(
      "isclose",
      [&](const Tensor& a, const Tensor& b) {
        const NoGradGuard no_grad;
        const bool floating = is_floating_point(a.dtype());
        const DType wide = floating ? promote_types(a.dtype(), kFloat32) : kFloat64;
        const Tensor x = a.to(wide), y = b.to(wide), distance = abs(x - y);
        const Tensor near = logical_and(isfinite(distance), le(distance, abs(y) * rtol + atol));
        const bool exactly = !floating && rtol == 0 && atol == 0;
        const Tensor close = exactly ? eq(a, b) : logical_or(eq(a, b), near);
        return equal_nan ? logical_or(close, logical_and(isnan(a), isnan(b))) : close;
      },
      input, other);
}
AMP_LAZY_DEFINITION bool allclose(const Tensor& input, const Tensor& other, double rtol,
                                  double atol, bool equal_nan) {
  return all(isclose(input, other, rtol, atol, equal_nan)).item<bool>();
}
AMP_LAZY_DEFINITION bool equal(const Tensor& input, const Tensor& other) {
  detail::check_operands("equal", input, other, "input", "other");
  return input.shape() == other.shape() && all(eq(input, other)).item<bool>();
}

}  // namespace amp::inline v0
