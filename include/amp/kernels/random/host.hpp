// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random tensors: element i takes word i % 4 of the Philox block i / 4 of its range, on every
// device and for any number of threads.
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/random/args.hpp"

namespace amp::inline v0::kernels::host {

/// The output must be contiguous.
AMP_LAZY void random(const RandomArgs& args);

/// The backward pass is the same function of the gradient: no mask is stored.
AMP_LAZY void dropout(const DropoutArgs& args);

AMP_LAZY void randint(const RandintArgs& args);
AMP_LAZY void randperm(const RandpermArgs& args);
/// Throws if a weight is negative or not finite, and if too few are above 0.
AMP_LAZY void multinomial(const MultinomialArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void random(Device device, const RandomArgs& args) {
  dispatch<&Backend::random, host::random>(device, args);
}
AMP_LAZY inline void dropout(Device device, const DropoutArgs& args) {
  dispatch<&Backend::dropout, host::dropout>(device, args);
}
AMP_LAZY inline void randint(Device device, const RandintArgs& args) {
  dispatch<&Backend::randint, host::randint>(device, args);
}
AMP_LAZY inline void randperm(Device device, const RandpermArgs& args) {
  dispatch<&Backend::randperm, host::randperm>(device, args);
}
AMP_LAZY inline void multinomial(Device device, const MultinomialArgs& args) {
  dispatch<&Backend::multinomial, host::multinomial>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/random/host.ipp"
#endif
