// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums of products over named dimensions, by one matmul for each pair of tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// A tensor whose dimensions have labels, numbers below 64. Dimensions of one label are one index.
struct Labelled {
  Tensor tensor;
  Numbers labels;
};

/// The tensor with dimensions `output`: the products of the operands' elements, summed over all
/// other labels. A dimension of extent 1 broadcasts. The pair that costs least is multiplied next.
/// Throws, naming `op`, if the extents of a label differ. With history.
AMP_LAZY Tensor contract(std::string_view op, std::vector<Labelled> operands,
                         const Numbers& output);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/contraction.ipp"
#endif
