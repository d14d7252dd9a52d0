// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/sanitize/args.hpp"

namespace amp::inline v0::kernels::host {

void sanitize(const SanitizeArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/sanitize/host.ipp"
#endif
