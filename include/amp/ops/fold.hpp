// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of reductions that are folds (kernels/fold/formula.hpp), for any list of dimensions.
#pragma once

#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/fold/args.hpp"
#include "amp/ops/reduced_shape.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::detail {

/// A fold of x to the shape `kept`, without history.
template <kernels::Launch<kernels::FoldArgs> kKernel>
Tensor run_fold(const Tensor& x, const Shape& kept, DType dtype, double order = 0) {
  const Tensor y = empty(kept, {.dtype = dtype, .device = x.device()});
  if (y.numel() != 0) {
    const kernels::FoldArgs args{x.operand(), y.operand(), order};
    kKernel(x.device(), args);
  }
  return y;
}

/// The gradient of x, which is not empty, in `dtype`.
template <kernels::Launch<kernels::FoldBackwardArgs> kKernel>
Tensor run_fold_backward(const Tensor& grad, const Tensor& x, const Tensor& y,
                         const kernels::Operand& more, DType dtype) {
  const Tensor grad_x = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  const kernels::FoldBackwardArgs args{grad.operand(), x.operand(), y.operand(), more,
                                       grad_x.operand()};
  kKernel(x.device(), args);
  return grad_x;
}

/// What a fold is called with.
struct FoldCall {
  std::string_view op;
  const Dims& dim;
  bool keepdim;
  DType dtype;         // of the result
  double order = 0;    // of a norm
  bool rounds = true;  // false if the dtype holds every result
};

/// A fold with history: backward(grad, x, y) returns the gradient of x. grad and y, the result
/// before it was rounded to 16 bits, have extent 1 in the reduced dimensions; x is not empty.
template <kernels::Launch<kernels::FoldArgs> kKernel, class Backward>
Tensor fold_op(const Tensor& x, const FoldCall& call, Backward backward) {
  const ReducedShape reduced(call.op, x, call.dim);
  const Shape& shape = call.keepdim ? reduced.kept : reduced.squeezed;
  const bool records = is_floating_point(call.dtype) && autograd::recording(x);
  const DType computed = records && call.rounds ? promote_types(call.dtype, kFloat32) : call.dtype;
  const Tensor y = run_fold<kKernel>(x, reduced.kept, computed, call.order);
  const Tensor rounded = computed == call.dtype ? y : copy_as_laid_out(y, call.dtype);
  const Tensor output =
      shape == reduced.kept ? rounded : rounded.alias(shape, contiguous_strides(shape), 0);
  if (records) {
    autograd::record(
        call.op, output,
        [op = call.op, kept = reduced.kept, backward = std::move(backward),
         x = autograd::SavedTensor(x), y = autograd::SavedTensor(y)](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor& in = x.get(op);
          if (in.numel() == 0) return {empty_like(in)};
          return {backward(reshape(grad, kept), in, y.get(op))};
        },
        x);
  }
  return output;
}

/// The elements that are their extremum y, or NaN as it is.
AMP_LAZY Tensor winners(const Tensor& x, const Tensor& y);

/// Throws if a reduced dimension is empty, for what nothing has: an extremum.
AMP_LAZY void check_not_empty(std::string_view op, const Tensor& input, const Dims& dim,
                              std::string_view what);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/fold.ipp"
#endif
