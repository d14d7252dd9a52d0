// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the gradients of one optimizer on several devices have in common: whether one of them is not
// finite, and their norm. Both are computed on the scaler's device, from what each device found,
// and copied back. Here are also the checks of what a scaler cannot do on other devices than its
// own.
#pragma once

#include <optional>
#include <string_view>

#include "amp/scaler/concepts.hpp"
#include "amp/scaler/gradients.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// The sum of `sum`, a word on the scaler's device, and of the found_inf words of the parts: it is
/// not 0 if one of them is not.
Tensor join_found_inf(const GradientParts& parts, Tensor sum);

/// Room for the norm of one part. It is a float64, whatever the gradients are, so that the norms of
/// all parts can be one array.
Tensor make_part_norm(const GradientPart& part);

/// Clips all parts by their common norm, computed from the norm of each part, and returns it, on
/// `home`. If `found_inf`, a word on `home`, is defined: it is set to 1 if the common norm is not
/// finite, and nothing is clipped if it is not 0.
Tensor clip_parts(GradientParts& parts, double max_norm, Device home, const Tensor& found_inf);

/// Clips the gradients of an optimizer, on one device or several, without unscaling them, as a
/// disabled scaler does. The norm is on their device; if they lie on several, it is on `home`, or
/// on the device of the first gradient if `home` is unset.
Tensor clip_without_scale(std::string_view call, const AnyOptimizer& optimizer, double max_norm,
                          std::optional<Device> home);

/// The options of a scaler that do not work on every device.
struct OneDeviceOptions {
  bool ledger, sanitizes, statistics;
};
/// Throws if the options do not go with the devices that the gradients lie on.
void check_parts(std::string_view call, const GradientParts& parts, Device home,
                 const OneDeviceOptions& options);
/// Throws: `what`, a loss or a gradient, is on `device`, on which `option` does not work.
[[noreturn]] void refuse_elsewhere(std::string_view call, std::string_view what, Device device,
                                   Device home, std::string_view option);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/several_devices.ipp"
#endif
