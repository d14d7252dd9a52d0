// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors as text, as torch prints them: one number format for all elements shown, lines of 80
// columns, and only the edges of a tensor of more than 1000 elements.
#pragma once

#include <iosfwd>
#include <string>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The tensor as Python's print shows a torch tensor, with torch's default print options, except
/// that dtypes have amp's names and that a computed tensor says requires_grad=True, too.
/// Synchronises; records no history.
std::string to_string(const Tensor& tensor);

/// Writes to_string(tensor) to a stream.
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             const Tensor& tensor) {
  return stream << to_string(tensor).c_str();
}

namespace detail {

/// Writes shapes and strides as [2, 3]. In the namespace of Extents, so that both find it.
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             const Extents& extents) {
  return stream << to_string(extents).c_str();
}

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/print.ipp"
#endif
