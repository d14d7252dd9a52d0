// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima and minima over one dimension or all, with their positions. Lines are read in place, in
// blocks.
#pragma once

#include "amp/kernels/extremum/args.hpp"

namespace amp::inline v0::kernels::host {

void(max)(const ExtremumArgs& args);
void(min)(const ExtremumArgs& args);
void extremum_backward(const ExtremumBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/extremum/host.ipp"
#endif
