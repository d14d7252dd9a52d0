// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "amp/core/error.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"

namespace amp::inline v0::detail {

AMP_LAZY_DEFINITION Tensor winners(const Tensor& x, const Tensor& y) {
  const Tensor equal = binary_kernel<functions::Eq>(x, y, x.shape(), kBool);
  const Tensor nan = binary_kernel<functions::Ne>(x, x, x.shape(), kBool);
  return binary_kernel<functions::Maximum>(equal, nan, x.shape(), kBool);
}

AMP_LAZY_DEFINITION void check_not_empty(std::string_view op, const Tensor& input, const Dims& dim,
                                         std::string_view what) {
  const ReducedShape reduced(op, input, dim);
  AMP_CHECK(dim.dims() > 0 || input.numel() > 0, op, ": `input` ", describe(input),
            " has no elements and no ", what);
  for (int d = 0; d < input.dim(); ++d) {
    AMP_CHECK(!reduced.reduces(d) || input.shape()[d] > 0, op, ": dimension ", d, " of `input` ",
              describe(input), " is empty and has no ", what);
  }
}

}  // namespace amp::inline v0::detail
