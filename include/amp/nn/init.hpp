// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Initial values of parameters, as torch's modules draw them, from the process' generator.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn::init {

/// Random numbers, uniform in [-bound, bound).
[[nodiscard]] Tensor uniform(const Shape& shape, double bound);

/// The same with a bound of 1 / sqrt(fan_in): the initialisation of weights by He et al. 2015
/// (arXiv 1502.01852) with torch's negative slope of sqrt(5); torch draws biases from the same
/// range.
[[nodiscard]] Tensor fan_in_uniform(const Shape& shape, std::int64_t fan_in);

}  // namespace amp::inline v0::nn::init

#if AMP_HEADER_ONLY
#include "amp/nn/init.ipp"
#endif
