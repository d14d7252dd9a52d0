// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/ops/reduced_shape.hpp"

namespace amp::inline v0::detail {

AMP_INLINE ReducedShape::ReducedShape(std::string_view op, const Tensor& input, const Dims& dim)
    : kept(input.shape()) {
  for (const std::int64_t named : dim) {
    const int d = wrap_dim(op, named, input.dim());
    AMP_CHECK(!reduces(d), op, ": `dim` names dimension ", d, " twice");
    dims_ |= 1u << d;
  }
  if (dim.dims() == 0) dims_ = ~0u;
  for (int d = 0; d < input.dim(); ++d) {
    if (reduces(d)) {
      length *= kept[d];
      kept[d] = 1;
    } else {
      squeezed.push_back(kept[d]);
    }
  }
}

}  // namespace amp::inline v0::detail
