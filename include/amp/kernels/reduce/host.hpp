// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums. Partial sums are computed in double (integers modulo 2^64). Of 16-bit numbers a few are
// added in float first, which has 13 or 16 more digits than they have; if that overflows, they are
// added in double.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/reduce/args.hpp"

namespace amp::inline v0::kernels::host {

/// The output must be contiguous.
AMP_LAZY void sum(const ReduceArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void sum(Device device, const ReduceArgs& args) {
  dispatch<&Backend::sum, host::sum>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/reduce/host.ipp"
#endif
