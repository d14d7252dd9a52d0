// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sampling images at the points of a grid.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/grid_sample/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void grid_sample(const GridSampleArgs& args);
/// Adds the gradients of each channel in the order of the points.
AMP_LAZY void grid_sample_backward(const GridSampleBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void grid_sample(Device device, const GridSampleArgs& args) {
  dispatch<&Backend::grid_sample, host::grid_sample>(device, args);
}
AMP_LAZY inline void grid_sample_backward(Device device, const GridSampleBackwardArgs& args) {
  dispatch<&Backend::grid_sample_backward, host::grid_sample_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/grid_sample/host.ipp"
#endif
