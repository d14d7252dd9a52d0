// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors as text, as torch prints them: one number format that suits all elements shown, lines of
// 80 columns, and of more than 1000 elements only the edges.
#pragma once

#include <iosfwd>
#include <string>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The tensor as Python's print shows a torch tensor, with torch's default print options, except
/// that dtypes have amp's names and that a computed tensor says requires_grad=True, too. Waits for
/// the tensor's device; records no history.
std::string to_string(const Tensor& tensor);

/// to_string(tensor), to a stream.
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             const Tensor& tensor) {
  return stream << to_string(tensor).c_str();
}

namespace detail {

/// As [2, 3]. Beside Extents, so that shapes and strides both find it.
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
