// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/scatter_parts.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_LAZY_DEFINITION Tensor source_gradient(const Tensor& grad, const Shape& source) {
  if (grad.shape() == source) return grad;
  const Tensor whole = full(source, 0, {.dtype = grad.dtype(), .device = grad.device()});
  if (grad.numel() != 0) copy_elements(grad, part_of(whole, grad.shape()));
  return whole;
}

AMP_LAZY_DEFINITION kernels::Operand number_on(double value, const Tensor& tensor) {
  return kernels::Operand::scalar(value, tensor.device());
}

AMP_LAZY_DEFINITION Tensor without_indexed(const Tensor& grad, const ScatterCall& call,
                                           const Tensor& index) {
  return scattered(grad, grad.dtype(), call.dim, index, number_on(0, grad), call.rule,
                   {ScatterOp::kCopy});
}

AMP_LAZY_DEFINITION Tensor taken_part(const Tensor& source, const ScatterCall& call) {
  if (call.index.numel() == 0)
    return empty(call.index.shape(), {.dtype = source.dtype(), .device = source.device()});
  return part_of(source, call.index.shape());
}

/// x and src as scatter_reduce() has them, with the result before it was rounded.
struct Reduced {
  ScatterCall call;
  ScatterReduce reduce;
  bool include_self;
  autograd::SavedTensor index, x, src, y;
  DType dtype;  // in which gradients are computed

  Tensor gather(const Tensor& tensor) const {
    return gathered(tensor, call.dim, index.get(call.op), call.rule);
  }
  /// base, or what there is instead of it without include_self, with the source added.
  Tensor add(const Tensor& base, const Tensor& source) const {
    return scattered(base, dtype, call.dim, index.get(call.op), source.operand(), call.rule,
                     {ScatterOp::kSum, include_self});
  }
  Tensor part() const { return taken_part(src.get(call.op), call); }
  /// The gradients from those of the elements themselves.
  autograd::Gradients<2> finish(const Tensor& of_x, const Tensor& of_src) const {
    const Tensor& source = src.get(call.op);
    const Tensor kept = include_self ? of_x : without_indexed(of_x, call, index.get(call.op));
    return {autocasting::convert_dtype(kept, x.get(call.op).dtype()),
            autocasting::convert_dtype(source_gradient(of_src, source.shape()), source.dtype())};
  }
};

AMP_LAZY_DEFINITION Tensor number_kernel(BinaryLaunch launch, const Tensor& x, double number,
                                         DType dtype) {
  return run_scalar(launch, x, number_on(number, x), false, dtype);
}

/// How many elements each mean is of, in the dtype of the sums; 1 if it is of none.
AMP_LAZY Tensor mean_counts(const ScatterCall& call, const Tensor& x, const Tensor& index,
                            DType dtype, bool include_self) {
  const Tensor start =
      full(x.shape(), include_self ? 1 : 0, {.dtype = dtype, .device = x.device()});
  scatter_into(start, call.dim, index, number_on(1, x), call.rule, {ScatterOp::kSum});
  return include_self ? start : number_kernel(kernels::binary<functions::Maximum>, start, 1, dtype);
}

AMP_LAZY Tensor scatter_mean(const ScatterCall& call, const Tensor& x, const Tensor& src,
                             bool include_self, DType dtype) {
  const Tensor sums = scattered(x, dtype, call.dim, call.index, taken_part(src, call).operand(),
                                call.rule, {ScatterOp::kSum, include_self});
  const Tensor counts = mean_counts(call, x, call.index, dtype, include_self);
  if (is_floating_point(dtype)) return detail::div(sums, counts);
  const auto quotient = [&](const Tensor& n) {
    return binary_kernel<functions::Div>(n, counts, x.shape(), kFloat64).to(dtype);
  };
  const auto minus = [&](const Tensor& n, const Tensor& m) {
    return binary_kernel<functions::Sub>(n, m, x.shape(), dtype);
  };
  // A double may lack the last digits of the quotient: they follow from what is left.
  const Tensor whole =
      minus(sums, binary_kernel<functions::Remainder>(sums, counts, x.shape(), dtype));
  const Tensor most = quotient(whole);
  const Tensor left = minus(whole, binary_kernel<functions::Mul>(most, counts, x.shape(), dtype));
  return binary_kernel<functions::Add>(most, quotient(left), x.shape(), dtype);
}

/// The gradient of what is the extremum of its place, which share it.
AMP_LAZY autograd::Gradients<2> extremum_gradients(const Reduced& of, const Tensor& grad) {
  const Tensor &x = of.x.get(of.call.op), &y = of.y.get(of.call.op), part = of.part();
  const Tensor of_x = winners(x, y), of_src = winners(part, of.gather(y));
  const Tensor counts =
      number_kernel(kernels::binary<functions::Maximum>, of.add(of_x, of_src), 1, of.dtype);
  const Tensor share = binary_kernel<functions::Div>(grad, counts, y.shape(), of.dtype);
  return of.finish(binary_kernel<functions::Mul>(of_x, share, y.shape(), of.dtype),
                   binary_kernel<functions::Mul>(of_src, of.gather(share), part.shape(), of.dtype));
}

/// The gradient of factors: the product of the others, of which a factor 0 needs care.
AMP_LAZY autograd::Gradients<2> product_gradients(const Reduced& of, const Tensor& grad) {
  const Tensor &x = of.x.get(of.call.op), part = of.part();
  const auto is_zero = [](const Tensor& t) {
    return number_kernel(kernels::binary<functions::Eq>, t, 0, kBool);
  };
  const auto factors = [&](const Tensor& t, const Tensor& zeros) {
    return where_kernel(zeros, number_on(1, t), t.operand(), t.shape(), of.dtype);
  };
  const Tensor zeros_x = is_zero(x), zeros_src = is_zero(part);
  const Tensor factors_x = factors(x, zeros_x), factors_src = factors(part, zeros_src);
  const Tensor zeros = of.add(zeros_x, zeros_src);
  const Tensor& index = of.index.get(of.call.op);
  const Tensor products = scattered(factors_x, of.dtype, of.call.dim, index, factors_src.operand(),
                                    of.call.rule, {ScatterOp::kProd, of.include_self});
  const Tensor scaled = binary_kernel<functions::Mul>(grad, products, x.shape(), of.dtype);
  // Of an element: the product without it, if no other is 0.
  const auto gradient = [&](const Tensor& own_zeros, const Tensor& all_zeros, const Tensor& own,
                            const Tensor& all) {
    const Tensor counts = binary_kernel<functions::Eq>(own_zeros, all_zeros, own.shape(), kBool);
    return where_kernel(counts, detail::div(all, own).operand(), zero_on(own.device()), own.shape(),
                        of.dtype);
  };
  return of.finish(gradient(zeros_x, zeros, factors_x, scaled),
                   gradient(zeros_src, of.gather(zeros), factors_src, of.gather(scaled)));
}

AMP_LAZY autograd::Gradients<2> mean_gradients(const Reduced& of, const Tensor& grad) {
  const Tensor& x = of.x.get(of.call.op);
  const Tensor counts =
      mean_counts(of.call, x, of.index.get(of.call.op), of.dtype, of.include_self);
  const Tensor share = binary_kernel<functions::Div>(grad, counts, x.shape(), of.dtype);
  return of.finish(share, of.gather(share));
}

AMP_LAZY_DEFINITION Tensor scatter_reduce(const ScatterCall& call, const Tensor& x,
                                          const Tensor& src, ScatterReduce reduce,
                                          bool include_self) {
  const DType wide = is_floating_point(x.dtype()) ? promote_types(x.dtype(), kFloat32) : x.dtype();
  const bool mean = reduce == ScatterReduce::kMean;
  const ScatterOp op = reduce == ScatterReduce::kProd   ? ScatterOp::kProd
                       : reduce == ScatterReduce::kAmax ? ScatterOp::kAmax
                                                        : ScatterOp::kAmin;
  const Tensor exact =
      mean ? scatter_mean(call, x, src, include_self, x.dtype() == kBool ? kInt64 : wide)
           : scattered(x, x.dtype(), call.dim, call.index, taken_part(src, call).operand(),
                       call.rule, {op, include_self});
  const Tensor output = autocasting::convert_dtype(exact, x.dtype());
  if (is_floating_point(x.dtype()) && autograd::recording(x, src)) {
    autograd::record(
        call.op, output,
        [of = Reduced{call, reduce, include_self, call.index, x, src, output, wide}](
            const Tensor& grad, const autograd::Needs<2>&) -> autograd::Gradients<2> {
          if (of.reduce == ScatterReduce::kMean) return mean_gradients(of, grad);
          if (of.reduce == ScatterReduce::kProd) return product_gradients(of, grad);
          return extremum_gradients(of, grad);
        },
        x, src);
  }
  return output;
}

}  // namespace amp::inline v0::detail
