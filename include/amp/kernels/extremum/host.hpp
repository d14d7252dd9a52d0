// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima and minima over one dimension or all, with their positions. Lines are read in place, in
// blocks.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/extremum/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void(max)(const ExtremumArgs& args);
AMP_LAZY void(min)(const ExtremumArgs& args);
AMP_LAZY void extremum_backward(const ExtremumBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void(max)(Device device, const ExtremumArgs& args) {
  dispatch<&Backend::max, (host::max)>(device, args);
}
AMP_LAZY inline void(min)(Device device, const ExtremumArgs& args) {
  dispatch<&Backend::min, (host::min)>(device, args);
}
AMP_LAZY inline void extremum_backward(Device device, const ExtremumBackwardArgs& args) {
  dispatch<&Backend::extremum_backward, host::extremum_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/extremum/host.ipp"
#endif
