// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/hash/args.hpp"

namespace amp::inline v0::kernels::host {

void hash(const HashArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/hash/host.ipp"
#endif
