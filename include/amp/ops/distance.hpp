// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Distances between points, and angles. Of floating point; the result has the dtype of the inputs,
// promoted, computed in float32 or wider and rounded once. If points coincide, and a distance
// has no derivative, its gradient is 0.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// norm(input - other, p), over all elements: 0-dimensional. Shapes broadcast. Under autocast:
/// float32.
AMP_LAZY [[nodiscard]] Tensor dist(const Tensor& input, const Tensor& other, double p = 2);

/// The distances of order p between the vectors along the last dimension: norm(x1 - x2 + eps, p,
/// -1, keepdim). Shapes broadcast. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2,
                                                double eps = 1e-6, bool keepdim = false);

/// How cdist computes distances of order 2.
enum class EuclideanMode : std::uint8_t {
  kMatmulIfLarge,  ///< kMatmul for more than 25 points on a side, as in torch, if these have at
                   ///< least 32 numbers: of fewer, the other way is as fast, and exact
  kMatmul,         ///< sqrt(x^2 - 2 x y + y^2), by a matmul: distances far smaller than the lengths
                   ///< of the points lose digits
  kDirect,         ///< sqrt(sum((x - y)^2))
};

/// The distances of order p >= 0 between each of the points x1 [..., P, M] and each of x2
/// [..., R, M]: [..., P, R]. Leading dimensions broadcast. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
                                    EuclideanMode mode = EuclideanMode::kMatmulIfLarge);

/// The distances of order p >= 0 between the points of input [N, M]: of 0 and 1, 0 and 2, ..., 1
/// and 2, and so on: [N (N - 1) / 2]. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor pdist(const Tensor& input, double p = 2);

/// x1 x2 / (max(|x1|, eps) max(|x2|, eps)): the cosine of the angle between the vectors along
/// `dim`. Shapes broadcast; the result lacks `dim`. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                                                std::int64_t dim = 1, double eps = 1e-8);

/// The input with each slice along `dim` whose norm of order p > 0 is above `maxnorm` times
/// maxnorm / (norm + 1e-7). At least 2 dimensions. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor renorm(const Tensor& input, double p, std::int64_t dim,
                                     double maxnorm);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/distance.ipp"
#endif
