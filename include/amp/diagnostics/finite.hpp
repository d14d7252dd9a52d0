// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tests whether a tensor is finite, and describes its non-finite elements.
#pragma once

#include <string>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::diagnostics {

/// Returns whether no element is an infinity or a NaN; true for an undefined tensor, and for
/// integers. Reads the tensor once. Synchronises.
bool all_finite(const Tensor& tensor);

/// For example "in which 3 of 640 elements are inf and 1 are NaN, the first at index 12".
std::string describe_non_finite(const Tensor& tensor);

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/finite.ipp"
#endif
