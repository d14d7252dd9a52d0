// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Resampling along dimensions.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/resample/args.hpp"

namespace amp::inline v0::kernels::host {

/// Sums in float32 (float64), and rounds once.
AMP_LAZY void resample(const ResampleArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void resample(Device device, const ResampleArgs& args) {
  dispatch<&Backend::resample, host::resample>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/resample/host.ipp"
#endif
