// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Subscripts: x[i], x.index({...}) and x.index_put_({...}, y), declared in tensor/methods.hpp and
// tensor/in_place.hpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "amp/tensor/subscript.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// A tensor after the indices that need no tensor: a view; and those that do, for its dimensions,
/// undefined ones for the others. There are none if none is needed.
struct Subscripted {
  Tensor view;
  std::vector<Tensor> indices;
};

AMP_LAZY Subscripted subscript(std::string_view op, const Tensor& tensor,
                               std::span<const indexing::TensorIndex> indices, bool writes);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/subscript.ipp"
#endif
