// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The result of ops that choose elements: max(x, dim), sort, topk and others.
#pragma once

#include <cstddef>
#include <tuple>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Elements along a dimension, and their positions there (int64).
struct ValuesAndIndices {
  Tensor values = {}, indices = {};

  /// For programs of amp 0.2, in which max(x, dim) and min(x, dim) returned a tuple: these, and
  /// std::get, work until 1.0.
  operator std::tuple<Tensor, Tensor>() const { return {values, indices}; }
  operator std::tuple<Tensor&, Tensor&>() && { return {values, indices}; }
};

}  // namespace amp::inline v0

namespace std {

// No name of another namespace is found by std::get<0>(...).
template <size_t I>
[[deprecated("write .values or .indices")]] const amp::Tensor& get(
    const amp::ValuesAndIndices& both) {
  static_assert(I < 2, "there are values and indices");
  if constexpr (I == 0) {
    return both.values;
  } else {
    return both.indices;
  }
}

}  // namespace std
