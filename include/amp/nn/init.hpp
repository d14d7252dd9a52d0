// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Initial values of parameters, as torch's modules draw them, from the process' generator.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn::init {

/// Uniform in +-bound.
[[nodiscard]] Tensor uniform(const Shape& shape, double bound);

/// Uniform in +-1 / sqrt(fan_in): what He et al. 2015 (arXiv 1502.01852) become with torch's slope
/// of sqrt(5), for weights; torch draws biases from the same range.
[[nodiscard]] Tensor fan_in_uniform(const Shape& shape, std::int64_t fan_in);

}  // namespace amp::inline v0::nn::init

#if AMP_HEADER_ONLY
#include "amp/nn/init.ipp"
#endif
