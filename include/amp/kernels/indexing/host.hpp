// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// index_select() and index_add() on the host.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/indexing/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void index_select(const IndexSelectArgs& args);

/// Sums in float32 (float64), in the order of the indices, and rounds once.
AMP_LAZY void index_add(const IndexAddArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void index_select(Device device, const IndexSelectArgs& args) {
  dispatch<&Backend::index_select, host::index_select>(device, args);
}
AMP_LAZY inline void index_add(Device device, const IndexAddArgs& args) {
  dispatch<&Backend::index_add, host::index_add>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/indexing/host.ipp"
#endif
