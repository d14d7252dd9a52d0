// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops that take one image in the place of a batch.
#pragma once

#include "amp/ops/shape.hpp"

namespace amp::inline v0::detail {

/// Returns body(input) of a batch [N, C, ...] with so many dimensions behind C, or of one image
/// [C, ...] as a batch.
template <class Body>
Tensor of_batch(const Tensor& input, int dims, const Body& body) {
  if (input.dim() == dims + 2) return body(input);
  Shape shape = input.shape();
  shape.insert(0, 1);
  const Tensor output = body(reshape(input, shape));
  shape = output.shape();
  shape.erase(0);
  return reshape(output, shape);
}

}  // namespace amp::inline v0::detail
