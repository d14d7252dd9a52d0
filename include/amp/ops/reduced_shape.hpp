// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The shape of a reduction over any list of dimensions.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// The input's shape after a reduction over some dimensions, or all if `dim` is empty: `kept` has
/// extent 1 there, and `squeezed` lacks these dimensions.
struct ReducedShape {
  Shape kept, squeezed;
  std::int64_t length = 1;  // the number of elements that become one

  /// Throws, naming `op`, if there is no such dimension, or if one is named twice.
  ReducedShape(std::string_view op, const Tensor& input, const Dims& dim);

  /// Whether dimension d is reduced.
  bool reduces(int d) const { return (dims_ >> d & 1u) != 0; }

 private:
  unsigned dims_ = 0;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/reduced_shape.ipp"
#endif
