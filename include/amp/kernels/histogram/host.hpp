// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The histogram of exponents over lists of tensors.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/histogram/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void exponent_histogram(const HistogramArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void exponent_histogram(Device device, const HistogramArgs& args) {
  dispatch<&Backend::exponent_histogram, host::exponent_histogram>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/histogram/host.ipp"
#endif
