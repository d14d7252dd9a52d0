// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation: y = (x - mean) / sqrt(variance + eps) * weight + bias, with the mean and the
// (biased) variance of what is normalised together:
//   layer_norm   the last dimensions of each sample (Ba et al. 2016, arXiv 1607.06450)
//   rms_norm     the same without mean and bias (Zhang and Sennrich 2019, arXiv 1910.07467)
//   group_norm   a group of channels of each sample (Wu and He 2018, arXiv 1803.08494)
//   batch_norm   a channel over all samples (Ioffe and Szegedy 2015, arXiv 1502.03167)
// Statistics and arithmetic are float32 for 16-bit inputs, with one rounding at the end. Weight and
// bias may have any floating-point dtype.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Over the last dimensions, which are `normalized_shape`, the shape of weight and bias, too; these
/// may be undefined. The result has the dtype of `input`.
[[nodiscard]] Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                                const Tensor& weight = {}, const Tensor& bias = {},
                                double eps = 1e-5);

/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions, which are `normalized_shape`, the
/// shape of weight, too; that may be undefined. `eps` unset: the epsilon of the dtype in which it
/// is computed, float64 for float64 and float32 for all others. The result has the dtype of
/// `input`. All as in PyTorch 2.12 and newer.
[[nodiscard]] Tensor rms_norm(const Tensor& input, const Shape& normalized_shape,
                              const Tensor& weight = {}, std::optional<double> eps = {});

/// input [N, C, ...], whose channels are cut into `groups`; weight and bias [C] may be undefined.
/// The result has the dtype of `input`. As in torch, one sample with one value per group is
/// refused; several of them become their biases.
[[nodiscard]] Tensor group_norm(const Tensor& input, std::int64_t groups, const Tensor& weight = {},
                                const Tensor& bias = {}, double eps = 1e-5);

/// input [N, C, ...]; all others [C], and may be undefined. `training`: normalises with the batch's
/// statistics and moves the running ones, running = (1 - momentum) * running + momentum * batch's
/// (the variance with n - 1), in place; otherwise with the running ones, which must be there. The
/// result has the dtype of `input`.
[[nodiscard]] Tensor batch_norm(const Tensor& input, const Tensor& running_mean,
                                const Tensor& running_var, const Tensor& weight = {},
                                const Tensor& bias = {}, bool training = false,
                                double momentum = 0.1, double eps = 1e-5);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/norm.ipp"
#endif
