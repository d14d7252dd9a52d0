// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether a tensor is finite, and what of it is not.
#pragma once

#include <cstdint>
#include <string>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::diagnostics {

/// Whether no element is an infinity or a NaN; true for an undefined tensor, and for integers.
/// Reads the tensor once, at the speed of memory. Synchronises.
bool all_finite(const Tensor& tensor);

/// The elements of a tensor that are not finite, counted on the host.
struct NonFiniteElements {
  std::int64_t infs = 0, nans = 0;
  std::int64_t first = -1;  // in row-major order; -1: none
};
NonFiniteElements find_non_finite(const Tensor& tensor);

/// "in which 3 of 640 elements are inf and 1 are NaN, the first at index 12".
std::string describe_non_finite(const Tensor& tensor);

}  // namespace amp::inline v0::diagnostics

#if AMP_HEADER_ONLY
#include "amp/diagnostics/finite.ipp"
#endif
