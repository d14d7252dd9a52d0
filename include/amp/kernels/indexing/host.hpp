// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// index_select() and index_add() on the host.
#pragma once

#include "amp/kernels/indexing/args.hpp"

namespace amp::inline v0::kernels::host {

void index_select(const IndexSelectArgs& args);

/// Sums in float32 (float64), in the order of the indices, and rounds once.
void index_add(const IndexAddArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/indexing/host.ipp"
#endif
