// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/hash/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void hash(const HashArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void hash(Device device, const HashArgs& args) {
  dispatch<&Backend::hash, host::hash>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/hash/host.ipp"
#endif
