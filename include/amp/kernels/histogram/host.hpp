// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The histogram of exponents over lists of tensors.
#pragma once

#include "amp/kernels/histogram/args.hpp"

namespace amp::inline v0::kernels::host {

void exponent_histogram(const HistogramArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/histogram/host.ipp"
#endif
