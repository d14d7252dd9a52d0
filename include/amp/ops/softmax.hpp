// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax:  softmax(x)_i = exp(x_i) / sum_j exp(x_j)
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Sums to 1 over `dim`.
[[nodiscard]] Tensor softmax(const Tensor& input, std::int64_t dim);

/// log(softmax(input, dim)), computed as (x - max x) - log(sum(exp(x - max x))): finite where
/// softmax underflows, and no digit of a large x is lost.
[[nodiscard]] Tensor log_softmax(const Tensor& input, std::int64_t dim);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/softmax.ipp"
#endif
