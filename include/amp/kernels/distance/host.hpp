// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Distances between points on the host: a thread takes some points of x, and goes over those of y.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/distance/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void distance(const DistanceArgs& args);
AMP_LAZY void distance_backward(const DistanceBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void distance(Device device, const DistanceArgs& args) {
  dispatch<&Backend::distance, host::distance>(device, args);
}
AMP_LAZY inline void distance_backward(Device device, const DistanceBackwardArgs& args) {
  dispatch<&Backend::distance_backward, host::distance_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/distance/host.ipp"
#endif
