// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the gradients of one optimizer on several devices have in common: whether one of them is not
// finite, and their norm. What each device found goes to the scaler's device, and the result back.
#pragma once

#include <span>

#include "amp/scaler/gradients.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Not 0 if `sum`, a word of the scaler's device, or the word of a part is not: their sum, there.
Tensor join_found_inf(const GradientParts& parts, Tensor sum);

/// Room for the norm of one part: a float64, whatever the gradients are, so that one pass takes
/// all.
Tensor make_part_norm(const GradientPart& part);

/// Clips by the common norm, which it returns on `home`, of what the passes over the parts left in
/// `norms`. If `found_inf`, a word of `home`, is defined, it becomes 1 if that norm is not finite,
/// and then nothing is clipped.
Tensor clip_parts(GradientParts& parts, std::span<const Tensor> norms, double max_norm, Device home,
                  const Tensor& found_inf);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/several_devices.ipp"
#endif
