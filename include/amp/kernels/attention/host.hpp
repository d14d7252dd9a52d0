// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention by blocks, forward.
#pragma once

#include "amp/kernels/attention/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void attention(const AttentionArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/attention/host.ipp"
#endif
