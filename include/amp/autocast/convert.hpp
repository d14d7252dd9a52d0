// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors in another dtype.
#pragma once

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autocasting {

/// The tensor in another dtype; differentiable.
Tensor convert_dtype(const Tensor& tensor, DType dtype);

/// As convert_dtype, but if `cache`, the low-precision copy of a weight, a float32 leaf that
/// requires gradients, is cached for the next use.
Tensor cast(const Tensor& tensor, DType dtype, bool cache);

}  // namespace amp::inline v0::autocasting

#if AMP_HEADER_ONLY
#include "amp/autocast/convert.ipp"
#endif
