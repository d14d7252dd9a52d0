// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/kernels/var/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/reduced_shape.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY_DEFINITION Tensor reduce(std::string_view name, const Tensor& input, const Dims& dim,
                                  bool keepdim, double scale_by, std::optional<DType> wanted) {
  const ReducedShape reduced(name, input, dim);
  const Shape &kept = reduced.kept, &shape = keepdim ? kept : reduced.squeezed;
  const DType dtype = is_floating_point(input.dtype()) ? wanted.value_or(input.dtype()) : kInt64;
  const Tensor sums = empty(kept, {.dtype = dtype, .device = input.device()});
  const kernels::ReduceArgs args{
      .input = input.operand(), .output = sums.operand(), .scale = scale_by};
  kernels::sum(input.device(), args);
  const Tensor output = shape == kept ? sums : sums.alias(shape, contiguous_strides(shape), 0);
  if (is_floating_point(dtype) && autograd::recording(input)) {
    autograd::record(
        name, output,
        [from = input.shape(), kept, scale_by](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor scaled = scale_by == 1 ? grad : detail::scale(grad, scale_by);
          return {expand(reshape(scaled, kept), from)};
        },
        input);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor sum(const Tensor& input) {
  detail::check_defined("sum", "input", input);
  return autocasting::call_reading(
      "sum",
      [](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::reduce("sum", x, {}, false, 1, dtype(x));
      },
      input);
}
AMP_LAZY_DEFINITION Tensor sum(const Tensor& input, const Dims& dim, bool keepdim) {
  detail::check_defined("sum", "input", input);
  return autocasting::call_reading(
      "sum",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::reduce("sum", x, dim, keepdim, 1, dtype(x));
      },
      input);
}

AMP_LAZY_DEFINITION Tensor mean(const Tensor& input) {
  detail::check_floating("mean", "input", input);
  const double share = 1 / static_cast<double>(input.numel());
  return autocasting::call(
      "mean", [&](const Tensor& x) { return detail::reduce("mean", x, {}, false, share); }, input);
}
AMP_LAZY_DEFINITION Tensor mean(const Tensor& input, const Dims& dim, bool keepdim) {
  detail::check_floating("mean", "input", input);
  const double share = 1 / static_cast<double>(detail::ReducedShape("mean", input, dim).length);
  return autocasting::call(
      "mean", [&](const Tensor& x) { return detail::reduce("mean", x, dim, keepdim, share); },
      input);
}

namespace detail {

/// A contiguous tensor seen as [outer, length, inner].
struct Planes {
  std::int64_t outer, length, inner;
  int dim = 1;  // of the length

  kernels::Operand of(const Tensor& tensor) const {
    kernels::Operand operand = tensor.operand();
    operand.dims = 3;
    const std::int64_t sizes[] = {outer, length, inner}, strides[] = {length * inner, inner, 1};
    for (int d = 0; d < 3; ++d) {
      operand.sizes[d] = sizes[d];
      operand.strides[d] = strides[d];
    }
    return operand;
  }
};

/// The input with its reduced dimensions side by side, contiguous; and these as one.
struct Stacked {
  Tensor tensor;
  Planes planes;
};

AMP_LAZY Stacked stack_reduced(const Tensor& input, const ReducedShape& shape) {
  // A first run of kept dimensions, one of reduced ones, and one of kept ones need no other order.
  Planes planes{1, 1, 1};
  bool in_order = true;
  for (int d = 0, runs = 0; d < input.dim(); ++d) {
    const bool reduced = shape.reduces(d);
    if (reduced != (runs == 1)) ++runs;
    if (reduced && runs > 1) in_order = false;
    (runs == 0 ? planes.outer : runs == 1 ? planes.length : planes.inner) *= input.shape()[d];
  }
  if (in_order) return {contiguous(input), planes};
  Extents order;  // the kept dimensions, then the reduced ones
  for (const bool reduced : {false, true}) {
    for (int d = 0; d < input.dim(); ++d) {
      if (shape.reduces(d) == reduced) order.push_back(d);
    }
  }
  return {contiguous(permute(input, order.span())), {shape.kept.numel(), shape.length, 1}};
}

AMP_LAZY_DEFINITION Tensor var(std::string_view name, const Tensor& input, const Dims& dim,
                               double correction, bool keepdim, bool root, Tensor* with_mean) {
  const ReducedShape reduced(name, input, dim);
  const Shape& shape = keepdim ? reduced.kept : reduced.squeezed;
  const auto [x, planes] = stack_reduced(input, reduced);
  const bool records = autograd::recording(x), nothing = x.numel() == 0;
  const TensorOptions words{.dtype = promote_types(x.dtype(), kFloat32), .device = x.device()};
  const Tensor mean = empty(shape, words);
  // The gradient of a root starts from the root itself, before it is rounded to 16 bits.
  const TensorOptions like{.dtype = root && records ? *words.dtype : x.dtype(),
                           .device = x.device()};
  const Tensor exact =
      nothing ? full(shape, std::numeric_limits<double>::quiet_NaN(), like) : empty(shape, like);
  if (!nothing) {
    const kernels::VarArgs args{planes.of(x), exact.operand(), mean.operand(),
                                planes.dim,   correction,      root};
    kernels::var(x.device(), args);
  }
  const Tensor output = exact.dtype() == x.dtype() ? exact : copy_as_laid_out(exact, x.dtype());
  if (records) {
    autograd::record(
        name, output,
        [name, planes = planes, correction, mean = autograd::SavedTensor(mean),
         x = autograd::SavedTensor(x), root = autograd::SavedTensor(root ? exact : Tensor())](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor& in = x.get(name);
          const Tensor grad_x = empty_like(in);
          if (grad_x.numel() != 0) {
            const kernels::VarBackwardArgs args{grad.operand(),
                                                planes.of(in),
                                                mean.get(name).operand(),
                                                root.get(name).operand(),
                                                planes.of(grad_x),
                                                planes.dim,
                                                correction};
            kernels::var_backward(in.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  if (with_mean != nullptr) {
    if (nothing) fill(mean, std::numeric_limits<double>::quiet_NaN());
    *with_mean = mean.dtype() == x.dtype() ? mean.alias(shape, mean.strides(), 0)
                                           : copy_as_laid_out(mean, x.dtype());
    if (autograd::recording(input)) {
      autograd::record(
          name, *with_mean,
          [from = input.shape(), kept = reduced.kept,
           share = 1 / static_cast<double>(reduced.length)](
              const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
            return {expand(reshape(detail::scale(grad, share), kept), from)};
          },
          input);
    }
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor var(const Tensor& input, const Dims& dim, double correction,
                               bool keepdim) {
  detail::check_floating("var", "input", input);
  return autocasting::call(
      "var",
      [&](const Tensor& x) { return detail::var("var", x, dim, correction, keepdim, false); },
      input);
}
AMP_LAZY_DEFINITION Tensor var(const Tensor& input) { return var(input, {}); }

AMP_LAZY_DEFINITION Tensor std(const Tensor& input, const Dims& dim, double correction,
                               bool keepdim) {
  detail::check_floating("std", "input", input);
  return autocasting::call(
      "std", [&](const Tensor& x) { return detail::var("std", x, dim, correction, keepdim, true); },
      input);
}
AMP_LAZY_DEFINITION Tensor std(const Tensor& input) { return std(input, {}); }

AMP_LAZY_DEFINITION VarAndMean var_mean(const Tensor& input, const Dims& dim, double correction,
                                        bool keepdim) {
  detail::check_floating("var_mean", "input", input);
  VarAndMean result;
  result.var = autocasting::call(
      "var_mean",
      [&](const Tensor& x) {
        return detail::var("var_mean", x, dim, correction, keepdim, false, &result.mean);
      },
      input);
  return result;
}
AMP_LAZY_DEFINITION VarAndMean var_mean(const Tensor& input) { return var_mean(input, {}); }
AMP_LAZY_DEFINITION StdAndMean std_mean(const Tensor& input, const Dims& dim, double correction,
                                        bool keepdim) {
  detail::check_floating("std_mean", "input", input);
  StdAndMean result;
  result.std = autocasting::call(
      "std_mean",
      [&](const Tensor& x) {
        return detail::var("std_mean", x, dim, correction, keepdim, true, &result.mean);
      },
      input);
  return result;
}
AMP_LAZY_DEFINITION StdAndMean std_mean(const Tensor& input) { return std_mean(input, {}); }

namespace detail {

/// The largest (smallest) truth value over some dimensions; `of_none` over nothing.
template <kernels::Launch<kernels::FoldArgs> kKernel>
Tensor truth_op(autocasting::OpId op, const Tensor& input, const Dims& dim, bool keepdim,
                bool of_none) {
  check_defined(op.name(), "input", input);
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const ReducedShape reduced(op.name(), x, dim);
        const Shape& shape = keepdim ? reduced.kept : reduced.squeezed;
        const DType dtype = x.dtype() == kUInt8 ? kUInt8 : kBool;
        if (reduced.length == 0)
          return full(shape, of_none, {.dtype = dtype, .device = x.device()});
        const Tensor found = run_fold<kKernel>(nonzero_mask(x), reduced.kept, kBool);
        const Tensor result = found.alias(shape, contiguous_strides(shape), 0);
        return dtype == kBool ? result : copy_as_laid_out(result, dtype);
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor any(const Tensor& input, const Dims& dim, bool keepdim) {
  return detail::truth_op<kernels::amax>("any", input, dim, keepdim, false);
}
AMP_LAZY_DEFINITION Tensor all(const Tensor& input, const Dims& dim, bool keepdim) {
  return detail::truth_op<kernels::amin>("all", input, dim, keepdim, true);
}
AMP_LAZY_DEFINITION Tensor any(const Tensor& input) { return any(input, {}); }
AMP_LAZY_DEFINITION Tensor all(const Tensor& input) { return all(input, {}); }
AMP_LAZY_DEFINITION Tensor count_nonzero(const Tensor& input, const Dims& dim) {
  detail::check_defined("count_nonzero", "input", input);
  return autocasting::call(
      "count_nonzero",
      [&](const Tensor& x) {
        return detail::reduce("count_nonzero", detail::nonzero_mask(x), dim, false, 1);
      },
      input);
}

namespace detail {

AMP_LAZY Tensor prod(const Tensor& input, const Dims& dim, bool keepdim) {
  check_defined("prod", "input", input);
  return autocasting::call_reading(
      "prod",
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        const DType dtype = is_floating_point(x.dtype()) ? result(x) : kInt64;
        return fold_op<kernels::prod>(x, {"prod", dim, keepdim, dtype},
                                      [](const Tensor& grad, const Tensor& in, const Tensor& y) {
                                        const Tensor cofactors =
                                            run_fold<kernels::cofactor>(in, y.shape(), y.dtype());
                                        return run_fold_backward<kernels::prod_backward>(
                                            grad, in, y, cofactors.operand(), in.dtype());
                                      });
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor prod(const Tensor& input) { return detail::prod(input, {}, false); }
AMP_LAZY_DEFINITION Tensor prod(const Tensor& input, std::int64_t dim, bool keepdim) {
  return detail::prod(input, dim, keepdim);
}

AMP_LAZY_DEFINITION Tensor logsumexp(const Tensor& input, const Dims& dim, bool keepdim) {
  detail::check_defined("logsumexp", "input", input);
  return autocasting::call_reading(
      "logsumexp",
      [&](const autocasting::ResultDType& result, const Tensor& x) {
        return detail::fold_op<kernels::logsumexp>(
            x, {"logsumexp", dim, keepdim, detail::float_result_type(result(x))},
            [](const Tensor& grad, const Tensor& in, const Tensor& y) {
              return detail::run_fold_backward<kernels::logsumexp_backward>(
                  grad, in, y, kernels::Operand::scalar(0.0, in.device()), in.dtype());
            });
      },
      input);
}

}  // namespace amp::inline v0
