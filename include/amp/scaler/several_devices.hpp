// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the gradients of one optimizer on several devices have in common: whether one of them is not
// finite, and their norm. What each device found goes to the scaler's device, and the result back.
// And what a scaler cannot do with gradients that lie elsewhere.
#pragma once

#include <optional>
#include <string_view>

#include "amp/scaler/adapter.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Not 0 if `sum`, a word of the scaler's device, or the word of a part is not: their sum, there.
Tensor join_found_inf(const GradientParts& parts, Tensor sum);

/// Room for the norm of one part: a float64, whatever the gradients are, so that one pass takes
/// all.
Tensor make_part_norm(const GradientPart& part);

/// Clips by the common norm, which it returns on `home`, of what the passes over the parts left in
/// their norms. If `found_inf`, a word of `home`, is defined, it becomes 1 if that norm is not
/// finite, and then nothing is clipped.
Tensor clip_parts(GradientParts& parts, double max_norm, Device home, const Tensor& found_inf);

/// The same of gradients that carry no scale, on whichever devices; the norm is on their device, on
/// `home` (if unset, that of the first) if they lie on several.
Tensor clip_as_they_are(std::string_view call, const AnyOptimizer& optimizer, double max_norm,
                        std::optional<Device> home);

/// What a scaler was asked for that has no words on other devices than its own, or on several.
struct OneDeviceOptions {
  bool ledger, sanitizes, statistics;
};
/// Throws if the options do not go with the devices that the gradients lie on.
void check_parts(std::string_view call, const GradientParts& parts, Device home,
                 const OneDeviceOptions& options);
/// `what`, a loss or gradients, is on a device of which `option` does not know.
[[noreturn]] void refuse_elsewhere(std::string_view call, std::string_view what, Device device,
                                   Device home, std::string_view option);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/several_devices.ipp"
#endif
