// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise ops: a loop over blocks around one function each (kernels/functions.hpp).
#pragma once

#include "amp/kernels/elementwise/args.hpp"

namespace amp::inline v0::kernels::host {

/// The function of each element, or of each pair.
template <class Function>
void unary(const UnaryArgs& args);
template <class Function>
void binary(const BinaryArgs& args);

void where(const WhereArgs& args);
/// Copies and converts. Equal dtypes copy bits, so NaN payloads survive.
void copy(const UnaryArgs& args);
void fill(const FillArgs& args);

}  // namespace amp::inline v0::kernels::host

#if AMP_HEADER_ONLY
#include "amp/kernels/elementwise/host.ipp"
#endif
