// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/combination/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/rotary_embedding.hpp"
#include "amp/ops/views.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// The pairs of x turned by the angles, or back. No history.
AMP_LAZY Tensor rotate(const Tensor& x, const Tensor& cos, const Tensor& sin, bool interleaved,
                       bool back) {
  const Tensor output = empty(x.shape(), {.dtype = x.dtype(), .device = x.device()});
  const std::int64_t half = cos.size(-1), width = 2 * half;
  const auto part = [&](const Tensor& of, std::int64_t k) {
    return interleaved ? of.slice(-1, k, width, 2) : of.narrow(-1, k * half, half);
  };
  const Tensor a = part(x, 0), b = part(x, 1);
  using Products = void (*)(Device, const kernels::CombinationArgs&);
  const auto store = [&](Products products, const Tensor& first, const Tensor& second,
                         std::int64_t k) {
    combine(products, x.device(), {first.operand(), cos.operand(), second.operand(), sin.operand()},
            a.shape(), x.dtype(), {}, part(output, k));
  };
  const Products plus = kernels::sum_of_products, minus = kernels::determinant;
  store(back ? plus : minus, a, b, 0);
  store(back ? minus : plus, b, a, 1);
  const std::int64_t rest = x.size(-1) - width;
  if (rest != 0 && x.numel() != 0)
    copy_elements(x.narrow(-1, width, rest).operand(), output.narrow(-1, width, rest).operand());
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor rotary_embedding(const Tensor& input, const Tensor& cos,
                                            const Tensor& sin, const RotaryOptions& options) {
  static constexpr std::string_view kOp = "rotary_embedding";
  detail::check_floating(kOp, "input", input);
  for (const auto& [name, table] : {std::pair{"cos", &cos}, std::pair{"sin", &sin}}) {
    detail::check_floating(kOp, name, *table);
    detail::check_same_device(kOp, "input", input, name, *table);
    AMP_CHECK(!autograd::requires_grad(*table), kOp, ": `", name,
              "` must not require gradients; detach() it");
    AMP_CHECK(table->dim() > 0 && table->shape() == cos.shape(), kOp, ": `", name,
              "` must be [..., R / 2], of the shape of `cos`, but is ", describe(*table),
              " beside ", describe(cos));
  }
  AMP_CHECK(input.dim() > 0 && 2 * cos.size(-1) <= input.size(-1), kOp,
            ": `cos` and `sin` must have at most half the last extent of `input`, but are ",
            describe(cos), " beside ", describe(input));
  Shape pairs = input.shape();
  pairs[pairs.dims() - 1] = cos.size(-1);
  AMP_CHECK(do_broadcast(pairs, cos.shape()) && broadcast_shapes(kOp, pairs, cos.shape()) == pairs,
            kOp, ": `cos` and `sin` must broadcast to ", pairs, ", but are ", describe(cos));
  return autocasting::call(
      "rotary_embedding",
      [&](const Tensor& x) {
        const bool interleaved = options.interleaved;
        const Tensor output = detail::rotate(x.detach(), cos, sin, interleaved, false);
        if (autograd::recording(x)) {
          autograd::record(
              kOp, output,
              [interleaved, c = autograd::SavedTensor(cos), s = autograd::SavedTensor(sin)](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                return {detail::rotate(grad, c.get(kOp), s.get(kOp), interleaved, true)};
              },
              x);
        }
        return output;
      },
      input);
}

AMP_LAZY_DEFINITION RotaryTable rotary_table(const Tensor& positions, std::int64_t width,
                                             double base) {
  detail::check_defined("rotary_table", "positions", positions);
  AMP_CHECK(positions.dtype() != kBool, "rotary_table: `positions` must be numbers, but are ",
            describe(positions));
  AMP_CHECK(width >= 0 && width % 2 == 0, "rotary_table: `width` must be even, but is ", width);
  AMP_CHECK(base > 0, "rotary_table: `base` must be positive, but is ", base);
  const NoGradGuard no_grad;
  const Tensor i = arange(width / 2, {.dtype = kFloat64, .device = positions.device()});
  const Tensor angles =
      positions.to(kFloat64).unsqueeze(-1) * pow(base, i * (-2.0 / static_cast<double>(width)));
  return {cos(angles).to(kFloat32), sin(angles).to(kFloat32)};
}

}  // namespace amp::inline v0
