// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise ops: a loop over blocks around one function each (kernels/functions.hpp).
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/args.hpp"

namespace amp::inline v0::kernels::host {

/// The function of each element, or of each pair.
template <class Function>
void unary(const UnaryArgs& args);
template <class Function>
void binary(const BinaryArgs& args);
/// The gradient by an operand of a function of two: ByA or ByB.
template <class Function>
void gradient(const GradientArgs& args);

AMP_LAZY void where(const WhereArgs& args);
/// Copies and converts. Equal dtypes copy bits, so NaN payloads survive.
AMP_LAZY void copy(const UnaryArgs& args);
AMP_LAZY void fill(const FillArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void where(Device device, const WhereArgs& args) {
  dispatch<&Backend::where, host::where>(device, args);
}
AMP_LAZY inline void copy(Device device, const UnaryArgs& args) {
  dispatch<&Backend::copy, host::copy>(device, args);
}
AMP_LAZY inline void fill(Device device, const FillArgs& args) {
  dispatch<&Backend::fill, host::fill>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/elementwise/host.ipp"
#endif
