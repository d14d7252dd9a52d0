// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent layers on the host. A layer of several steps packs its weight once, as the matmul's
// engine reads it; each thread then computes some units of a step, and their gates while the
// products lie in its caches.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/recurrent/args.hpp"

namespace amp::inline v0::kernels::host {

AMP_LAZY void recurrent(const RecurrentArgs& args);
AMP_LAZY void recurrent_backward(const RecurrentBackwardArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void recurrent(Device device, const RecurrentArgs& args) {
  dispatch<&Backend::recurrent, host::recurrent>(device, args);
}
AMP_LAZY inline void recurrent_backward(Device device, const RecurrentBackwardArgs& args) {
  dispatch<&Backend::recurrent_backward, host::recurrent_backward>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/recurrent/host.ipp"
#endif
