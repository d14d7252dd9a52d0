// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of ops that scatter, and scatter_reduce() without its checks.
#pragma once

#include <string_view>

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/ops/index_parts.hpp"
#include "amp/ops/scatter.hpp"

namespace amp::inline v0::detail {

/// A checked call: at least one dimension each.
struct ScatterCall {
  std::string_view op;
  int dim;
  Tensor index;
  IndexRule rule;
};

/// The gradient of a source from that of the elements that were taken of it.
AMP_LAZY Tensor source_gradient(const Tensor& grad, const Shape& source);
/// A number beside the tensor.
AMP_LAZY kernels::Operand number_on(double value, const Tensor& tensor);
/// function(x, number) in `dtype`. No history.
AMP_LAZY Tensor number_kernel(kernels::Launch<kernels::BinaryArgs> launch, const Tensor& x,
                              double number, DType dtype);
/// grad with 0 in the places that the index names.
AMP_LAZY Tensor without_indexed(const Tensor& grad, const ScatterCall& call, const Tensor& index);
/// The elements of a source that go somewhere: all, unless the index is smaller.
AMP_LAZY Tensor taken_part(const Tensor& source, const ScatterCall& call);

/// x and src have one dtype, and a dimension at least; not for sums.
AMP_LAZY Tensor scatter_reduce(const ScatterCall& call, const Tensor& x, const Tensor& src,
                               ScatterReduce reduce, bool include_self);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/scatter_parts.ipp"
#endif
