// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Channels and pixels in another order.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// All of these take every dtype, keep it, and are differentiable. Under autocast: unchanged.

/// Puts the channels of [..., C r^2, H, W] into [..., C, H r, W r]: each r^2 of them are the pixels
/// of a square. (Shi et al. 2016, arXiv 1609.05158)
AMP_LAZY [[nodiscard]] Tensor pixel_shuffle(const Tensor& input, std::int64_t upscale_factor);
/// The reverse: from [..., C, H r, W r] to [..., C r^2, H, W].
AMP_LAZY [[nodiscard]] Tensor pixel_unshuffle(const Tensor& input, std::int64_t downscale_factor);
/// Sorts the channels of [N, C, ...] by their place in their group. (Zhang et al. 2018, arXiv
/// 1707.01083)
AMP_LAZY [[nodiscard]] Tensor channel_shuffle(const Tensor& input, std::int64_t groups);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/shuffle.ipp"
#endif
