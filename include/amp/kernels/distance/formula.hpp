// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Distances are norms of differences: the folds and derivatives of kernels/fold/formula.hpp, but
// for the derivative of the infinite order.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/distance/args.hpp"
#include "amp/kernels/fold/formula.hpp"

namespace amp::inline v0::kernels {

/// Each difference of the largest magnitude counts, as in torch. NaN stays NaN.
struct LargestBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA apply(C grad, C x, C y, C) {
    return select(is_nan(y), y,
                  select(y != C{0} && functions::Abs::apply(x) == y,
                         grad * functions::Sign::apply(x), C{0} * grad));
  }
};
/// Of order 1; NaN stays NaN.
struct SumBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA apply(C grad, C x, C y, C more) {
    return select(is_nan(x), x, MagnitudesBackward::apply(grad, x, y, more));
  }
};

/// Calls visitor(fold, type_tag<C>) for the distance of these arguments.
template <class Visitor>
void visit_distance(const DistanceArgs& args, Visitor&& visitor) {
  visit_fold<VectorNorm>(FoldArgs{args.x, args.output, args.p}, visitor);
}
/// Calls visitor(derivative, type_tag<C>).
template <class Visitor>
void visit_distance_backward(const DistanceBackwardArgs& args, Visitor&& visitor) {
  const auto of_type = [&](auto derivative) {
    visit_float_type(args.x.dtype, [&](auto tag) { visitor(derivative, tag); });
  };
  if (std::isinf(args.p)) return of_type(LargestBackward{});
  if (args.p == 1) return of_type(SumBackward{});
  FoldBackwardArgs order{};
  order.more = Operand::scalar(args.p, args.x.device);
  visit_derivative<VectorNormBackward>(order, of_type);
}

/// Where the pairs of point i with i + 1, i + 2, ... begin among the condensed pairs of n points.
AMP_HOST_DEVICE inline std::int64_t first_pair(std::int64_t n, std::int64_t i) {
  return i * (2 * n - i - 1) / 2;
}
AMP_HOST_DEVICE inline std::int64_t pair_of(std::int64_t n, std::int64_t i, std::int64_t j) {
  return i < j ? first_pair(n, i) + j - i - 1 : first_pair(n, j) + i - j - 1;
}

}  // namespace amp::inline v0::kernels
