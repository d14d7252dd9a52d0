// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/unary_op.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// Of integers, in their own dtype and exactly.
AMP_LAZY Tensor clamp_integers(const Tensor& input, kernels::Operand min, kernels::Operand max) {
  min.device = max.device = input.device();
  return autocasting::call(
      "clamp",
      [&](const Tensor& x) {
        const Tensor above =
            min.present ? scalar_kernel<functions::Maximum>(x, min, false, x.dtype()) : x;
        return max.present ? scalar_kernel<functions::Minimum>(above, max, false, x.dtype())
                           : above;
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor clamp(const Tensor& input, const Bound& min, const Bound& max) {
  const kernels::Operand &low = min.operand(), &high = max.operand();
  detail::check_not_bool("clamp", input);
  AMP_CHECK(low.present || high.present,
            "clamp: `min` or `max` must be given, but both are absent");
  if (!is_floating_point(input.dtype())) {
    const bool whole = !(low.present && is_floating_point(low.dtype)) &&
                       !(high.present && is_floating_point(high.dtype));
    return whole ? detail::clamp_integers(input, low, high) : clamp(input.to(kFloat32), min, max);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto number = [](const kernels::Operand& bound, double none) {
    return bound.present ? bound.value : none;
  };
  const double least = number(low, -kInfinity), most = number(high, kInfinity);
  if (std::isnan(least) || std::isnan(most)) {
    const Tensor never = full({}, 0, {.dtype = kBool, .device = input.device()});
    return where(never, input, std::numeric_limits<double>::quiet_NaN());
  }
  return detail::unary_op<kernels::functions::Clamp>(input, {least, most});
}

namespace detail {

/// Of equal numbers, each gets half of the gradient; all of it goes to x if it is equal to both. An
/// undefined bound bounds nothing.
AMP_LAZY autograd::Gradients<3> clamp_backward(const Tensor& grad, const Tensor& x,
                                               const Tensor& min, const Tensor& max,
                                               const autograd::Needs<3>& needs) {
  const auto is = [&](BinaryLaunch kernel, const Tensor& a, const Tensor& b) {
    return run_binary(kernel, a, b, broadcast_shapes("clamp", a.shape(), b.shape()), kBool);
  };
  const BinaryLaunch less = kernels::binary<functions::Lt>, equal = kernels::binary<functions::Eq>,
                     at_most = kernels::binary<functions::Le>,
                     both = kernels::binary<functions::LogicalAnd>,
                     either = kernels::binary<functions::LogicalOr>;
  const auto share = [&](const Tensor& whole, const Tensor& half, const Tensor& operand) {
    const auto chosen = [&](const Tensor& condition, const Tensor& taken, const Tensor& other) {
      const kernels::Operand rest = other.defined() ? other.operand() : zero_on(grad.device());
      return where_kernel(condition, taken.operand(), rest, grad.shape(), grad.dtype());
    };
    return sum_to(chosen(whole, grad, chosen(half, scale(grad, 0.5), {})), operand.shape(),
                  operand.dtype());
  };
  const bool has_both = min.defined() && max.defined();
  const auto in_order = [&](const Tensor& condition, BinaryLaunch order) {
    return has_both ? is(both, condition, is(order, min, max)) : condition;
  };
  const Tensor at_min = min.defined() ? in_order(is(equal, x, min), less) : Tensor();
  const Tensor at_max = max.defined() ? in_order(is(equal, x, max), less) : Tensor();
  autograd::Gradients<3> gradients;
  if (needs[0]) {
    Tensor inside = min.defined() ? is(less, min, x) : is(less, x, max);
    if (has_both) {
      const Tensor at_both = is(both, is(equal, x, min), is(equal, x, max));
      inside = is(either, is(both, inside, is(less, x, max)), at_both);
    }
    const Tensor at_one = has_both ? is(either, at_min, at_max) : min.defined() ? at_min : at_max;
    gradients[0] = share(inside, at_one, x);
  }
  if (needs[1]) gradients[1] = share(in_order(is(less, x, min), at_most), at_min, min);
  if (needs[2]) {
    const Tensor above = is(less, max, x);
    gradients[2] = share(has_both ? is(either, above, is(less, max, min)) : above, at_max, max);
  }
  return gradients;
}

AMP_LAZY Tensor clamp(const Tensor& x, const Tensor& min, const Tensor& max) {
  const auto bounded = [](BinaryLaunch kernel, const Tensor& input, const Tensor& bound,
                          std::string_view name) {
    if (!bound.defined()) return input;
    const Shape shape = broadcast_shapes("clamp", input.shape(), bound.shape(), "input", name);
    return run_binary(kernel, input, bound, shape, result_type(input, bound));
  };
  const Tensor above = bounded(kernels::binary<functions::Maximum>, x, min, "min");
  const Tensor output = bounded(kernels::binary<functions::Minimum>, above, max, "max");
  if (is_floating_point(output.dtype()) && autograd::recording(x, min, max)) {
    autograd::record(
        "clamp", output,
        [x = autograd::SavedTensor(x), min = autograd::SavedTensor(min),
         max = autograd::SavedTensor(max)](
            const Tensor& grad, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
          return clamp_backward(grad, x.get("clamp"), min.get("clamp"), max.get("clamp"), needs);
        },
        x, min, max);
  }
  return output;
}

AMP_LAZY void check_bound(std::string_view name, const Tensor& input, const Tensor& bound) {
  if (!bound.defined()) return;
  AMP_CHECK(bound.dtype() != kBool, "clamp: `", name, "` must be a number, but is ",
            describe(bound), "; convert it with to()");
  check_same_device("clamp", "input", input, name, bound);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor clamp(const Tensor& input, const Tensor& min, const Tensor& max) {
  detail::check_not_bool("clamp", input);
  AMP_CHECK(min.defined() || max.defined(),
            "clamp: `min` or `max` must be given, but both are undefined");
  detail::check_bound("min", input, min);
  detail::check_bound("max", input, max);
  return autocasting::call(
      "clamp",
      [](const Tensor& x, const Tensor& low, const Tensor& high) {
        return detail::clamp(x, low, high);
      },
      input, min, max);
}

namespace detail {

/// A number of C++ in the kind of the dtype: integers cut off the fraction, as in torch.
AMP_LAZY kernels::Operand in_kind_of(DType dtype, const kernels::Operand& number, Device device) {
  if (dtype == kBool)
    return kernels::Operand::scalar(number.value != 0 || number.integer != 0, device);
  kernels::Operand result =
      is_floating_point(dtype) ? number : kernels::Operand::scalar(number.integer, device);
  result.device = device;
  return result;
}

AMP_LAZY void check_mask(const Tensor& input, const Tensor& mask) {
  check_defined("masked_fill", "input", input);
  check_defined("masked_fill", "mask", mask);
  AMP_CHECK(mask.dtype() == kBool, "masked_fill: `mask` must be bool, but is ", describe(mask),
            "; compare, or convert it with to()");
  check_same_device("masked_fill", "input", input, "mask", mask);
  (void)broadcast_shapes("masked_fill", input.shape(), mask.shape(), "input", "mask");
}

AMP_LAZY_DEFINITION Tensor masked_fill_number(const Tensor& input, const Tensor& mask,
                                              kernels::Operand&& value) {
  check_mask(input, mask);
  return autocasting::call_beside(
      "masked_fill", value.value,
      [&](const Tensor& x) {
        if (value.dtype == kInt64 && !is_floating_point(x.dtype())) {
          check_holds("masked_fill", "value", value.integer, x.dtype());
        } else {
          check_holds("masked_fill", "value", value.value, x.dtype());
        }
        return where(mask, x, in_kind_of(x.dtype(), value, x.device()), true);
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor masked_fill(const Tensor& input, const Tensor& mask,
                                       const Tensor& value) {
  detail::check_mask(input, mask);
  detail::check_defined("masked_fill", "value", value);
  AMP_CHECK(value.dim() == 0, "masked_fill: `value` must have no dimensions, but is ",
            describe(value));
  detail::check_same_device("masked_fill", "input", input, "value", value);
  return autocasting::call(
      "masked_fill",
      [&](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        return where(mask, value.to(x.dtype()), x);
      },
      input);
}

}  // namespace amp::inline v0
