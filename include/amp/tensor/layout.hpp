// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors whose elements lie channels-last: the channels of a pixel side by side, as convolutions
// read them best. Ops that have a kernel for it keep to the order of their inputs; to everything
// else these tensors are row-major (tensor/storage.hpp).
#pragma once

#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// The operand for such a tensor [N, C, H, W] ([N, C, L], [N, C, D, H, W]), without memory.
kernels::Operand channels_last_operand(const Shape& shape, DType dtype, Device device);

/// An uninitialised tensor of such a shape with its elements in the order N, H, W, C. It must be
/// written through operand_as_laid_out() before anything else reads it.
Tensor make_channels_last(const Shape& shape, DType dtype, Device device);

/// An uninitialised tensor of the shape of `tensor` and in the order of its elements; row-major if
/// `tensor` is a view with other strides. It must be written as above.
Tensor empty_as_laid_out(const Tensor& tensor, DType dtype);

/// A copy in another dtype, laid out as the tensor. No history.
Tensor copy_as_laid_out(const Tensor& tensor, DType dtype);

/// The tensor itself if its elements lie channels-last, else a copy that does. No history.
Tensor channels_last(const Tensor& tensor);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/tensor/layout.ipp"
#endif
