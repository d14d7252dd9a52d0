// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moving elements by indices on the host. An index that is out of range throws.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/indexing/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void gather(const GatherArgs& args);

/// Each place is written by one thread, which joins what comes there in the order of positions.
AMP_LAZY void scatter(const ScatterArgs& args);

AMP_LAZY void linear_index(const LinearIndexArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void gather(Device device, const GatherArgs& args) {
  dispatch<&Backend::gather, host::gather>(device, args);
}
AMP_LAZY inline void scatter(Device device, const ScatterArgs& args) {
  dispatch<&Backend::scatter, host::scatter>(device, args);
}
AMP_LAZY inline void linear_index(Device device, const LinearIndexArgs& args) {
  dispatch<&Backend::linear_index, host::linear_index>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/indexing/host.ipp"
#endif
