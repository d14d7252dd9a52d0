// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements from other places, and triangles of matrices, on the host.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/remap/args.hpp"

namespace amp::inline v0::kernels::host {

/// Copies bits, run by run.
AMP_LAZY void remap(const RemapArgs& args);
/// Sums in float32 (float64), in ascending order of the places, and rounds once.
AMP_LAZY void remap_backward(const RemapBackwardArgs& args);
AMP_LAZY void triangle(const TriangleArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void remap(Device device, const RemapArgs& args) {
  dispatch<&Backend::remap, host::remap>(device, args);
}
AMP_LAZY inline void remap_backward(Device device, const RemapBackwardArgs& args) {
  dispatch<&Backend::remap_backward, host::remap_backward>(device, args);
}
AMP_LAZY inline void triangle(Device device, const TriangleArgs& args) {
  dispatch<&Backend::triangle, host::triangle>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/remap/host.ipp"
#endif
