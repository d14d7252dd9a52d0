// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation: y = (x - mean) / sqrt(variance + eps) * weight + bias, with the mean and the
// (biased) variance of the elements that are normalised together:
//   layer_norm   the last dimensions of each sample (Ba et al. 2016, arXiv 1607.06450)
//   rms_norm     the same without mean and bias (Zhang and Sennrich 2019, arXiv 1910.07467)
//   group_norm   a group of channels of each sample (Wu and He 2018, arXiv 1803.08494)
//   batch_norm   a channel over all samples (Ioffe and Szegedy 2015, arXiv 1502.03167)
// Statistics and arithmetic are float32 for 16-bit inputs, with one rounding at the end. Inputs are
// floating point. Weight and bias may have any floating-point dtype, and may be undefined.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Normalises over the last dimensions of `input`, whose extents must be `normalized_shape`; weight
/// and bias have that shape or are undefined. The result has the shape and dtype of `input`. Under
/// autocast: float32.
AMP_LAZY [[nodiscard]] Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                                         const Tensor& weight = {}, const Tensor& bias = {},
                                         double eps = 1e-5);

/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions of `input`, whose extents must be
/// `normalized_shape`; weight has that shape or is undefined. If `eps` is unset, it is the epsilon
/// of the dtype in which it is computed: float64 for float64, and float32 for all others. The
/// result has the shape and dtype of `input`. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor rms_norm(const Tensor& input, const Shape& normalized_shape,
                                       const Tensor& weight = {}, std::optional<double> eps = {});

/// Normalises each of `groups` groups of channels of each sample of input [N, C, ...]; weight and
/// bias [C] may be undefined. `groups` must divide C. The result has the shape and dtype of
/// `input`. Under autocast: float32. As in PyTorch, throws for a single sample with one value per
/// group; with several samples the result is then the bias.
AMP_LAZY [[nodiscard]] Tensor group_norm(const Tensor& input, std::int64_t groups,
                                         const Tensor& weight = {}, const Tensor& bias = {},
                                         double eps = 1e-5);

/// Normalises each channel of input [N, C, ...] over all samples; all other tensors are [C] and may
/// be undefined. If `training`, it uses the statistics of the batch and updates the running ones in
/// place, running = (1 - momentum) * running + momentum * that of the batch (the unbiased
/// variance); it throws for a single value per channel. Otherwise it uses the running ones, which
/// must be defined. The result has the shape and dtype of `input`. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor batch_norm(const Tensor& input, const Tensor& running_mean,
                                         const Tensor& running_var, const Tensor& weight = {},
                                         const Tensor& bias = {}, bool training = false,
                                         double momentum = 0.1, double eps = 1e-5);

/// Normalises each channel of each sample of input [N, C, ...]; all other tensors are [C] and may
/// be undefined. If `use_input_stats`, it uses the statistics of the channel, of more than one
/// value, and updates the running ones in place, as batch_norm does, with the means over the
/// samples. Otherwise it uses the running ones, which must be defined. The result has the shape and
/// dtype of `input`. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor instance_norm(const Tensor& input, const Tensor& running_mean = {},
                                            const Tensor& running_var = {},
                                            const Tensor& weight = {}, const Tensor& bias = {},
                                            bool use_input_stats = true, double momentum = 0.1,
                                            double eps = 1e-5);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/norm.ipp"
#endif
