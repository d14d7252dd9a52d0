// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/resample/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/interpolate.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_COLD ScaleFactors::ScaleFactors(std::initializer_list<double> factors) {
  AMP_CHECK(factors.size() <= factors_.size(), "interpolate: `scale_factor` has ", factors.size(),
            " factors, but there are at most 3 dimensions to scale");
  for (const double factor : factors) factors_[static_cast<std::size_t>(count_++)] = factor;
}

namespace detail {

/// Throws unless the mode is one for the input and the other options.
AMP_LAZY void check_mode(const Tensor& input, const InterpolateOptions& options) {
  constexpr std::string_view kOp = "interpolate";
  using enum InterpolateMode;
  const InterpolateMode mode = options.mode;
  const bool nearest = mode == kNearest || mode == kNearestExact;
  if (nearest)
    check_defined(kOp, "input", input);
  else
    check_floating(kOp, "input", input);
  AMP_CHECK(input.dim() >= 3 && input.dim() <= 5, kOp,
            ": expected `input` [N, C, W], [N, C, H, W] or [N, C, D, H, W], but got ",
            describe(input));
  const int wanted = mode == kLinear                         ? 3
                     : mode == kBilinear || mode == kBicubic ? 4
                     : mode == kTrilinear                    ? 5
                                                             : input.dim();
  AMP_CHECK(input.dim() == wanted, kOp, ": this `mode` is for an `input` of ", wanted,
            " dimensions, but it is ", describe(input));
  AMP_CHECK(!options.align_corners || !(nearest || mode == kArea), kOp,
            ": `align_corners` has no meaning for the nearest modes and kArea");
  AMP_CHECK(!options.antialias || mode == kBilinear || mode == kBicubic, kOp,
            ": `antialias` is for kBilinear and kBicubic only");
  for (int d = 2; d < input.dim(); ++d) {
    AMP_CHECK(input.size(d) > 0, kOp, ": `input` ", describe(input),
              " has no elements along dimension ", d);
  }
}

AMP_LAZY kernels::Resampling resampling(const InterpolateOptions& options) {
  using enum InterpolateMode;
  using kernels::Resampling;
  switch (options.mode) {
    case kNearest:
      return Resampling::kNearest;
    case kNearestExact:
      return Resampling::kNearestExact;
    case kBicubic:
      return options.antialias ? Resampling::kAntialiasedCubic : Resampling::kCubic;
    case kArea:
      return Resampling::kArea;
    default:
      return options.antialias ? Resampling::kAntialiasedLinear : Resampling::kLinear;
  }
}

/// How dimension d, counted from the first after [N, C], is resampled.
AMP_LAZY kernels::ResampleAxis resample_axis(const InterpolateOptions& options, int d,
                                             std::int64_t extent) {
  constexpr std::string_view kOp = "interpolate";
  kernels::ResampleAxis axis;
  axis.input = extent;
  axis.rule = resampling(options);
  axis.align_corners = options.align_corners;
  const auto in = static_cast<double>(extent);
  constexpr std::int64_t kMost = (std::numeric_limits<std::int32_t>::max)();
  double factor = 0;
  if (options.size.dims() != 0) {
    axis.output = options.size[options.size.dims() == 1 ? 0 : d];
    AMP_CHECK(axis.output > 0, kOp, ": `size` must be positive, but is ", options.size);
  } else {
    factor = options.scale_factor[options.scale_factor.count() == 1 ? 0 : d];
    AMP_CHECK(factor > 0 && in * factor >= 1 && in * factor <= static_cast<double>(kMost), kOp,
              ": `scale_factor` ", factor, " of an extent of ", extent,
              " gives no extent between 1 and 2^31");
    axis.output = static_cast<std::int64_t>(in * factor);
    if (options.recompute_scale_factor) factor = 0;
  }
  AMP_CHECK(extent <= kMost && axis.output <= kMost, kOp, ": an extent is 2^31 or more");
  if (options.align_corners) {
    axis.step = axis.output > 1 ? (in - 1) / static_cast<double>(axis.output - 1) : 0;
  } else {
    axis.step = factor > 0 ? 1 / factor : in / static_cast<double>(axis.output);
  }
  return axis;
}

AMP_LAZY kernels::ResampleArgs resample_args(const Tensor& input,
                                             const InterpolateOptions& options) {
  constexpr std::string_view kOp = "interpolate";
  check_mode(input, options);
  const int dims = input.dim() - 2, sizes = options.size.dims(),
            factors = options.scale_factor.count();
  AMP_CHECK((sizes == 0) != (factors == 0), kOp,
            ": give one of `size` and `scale_factor`, and not both");
  AMP_CHECK(sizes + factors == 1 || sizes + factors == dims, kOp, ": `",
            sizes != 0 ? "size" : "scale_factor", "` has ", sizes + factors,
            " numbers, but `input` ", describe(input), " has ", dims, " dimensions after [N, C]");
  AMP_CHECK(!options.recompute_scale_factor || factors != 0, kOp,
            ": `recompute_scale_factor` has no meaning with `size`");
  kernels::ResampleArgs args{};
  args.dims = dims;
  for (int d = 0; d < dims; ++d)
    args.axes[3 - dims + d] = resample_axis(options, d, input.size(d + 2));
  return args;
}

AMP_LAZY Tensor resample(const Tensor& any, DType dtype, kernels::ResampleArgs args) {
  const ActivationOrder order = ActivationOrder::of(any);
  const Tensor x = order.is_channels_last() ? any : contiguous(any);
  Shape shape = x.shape();
  for (int d = 0; d < args.dims; ++d) shape[2 + d] = args.axes[3 - args.dims + d].output;
  const Tensor output = order.make(shape, dtype, x.device());
  if (output.numel() != 0) {
    args.input = order.operand(x);
    args.output = order.operand(output);
    kernels::resample(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        "interpolate", output,
        [order, args, from = x.shape(), input_dtype = x.dtype()](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = order.lay_out(gradient);
          const Tensor grad_x = order.make(from, input_dtype, grad.device());
          if (grad_x.numel() != 0) {
            kernels::ResampleArgs back = args;
            back.input = order.operand(grad);
            back.output = order.operand(grad_x);
            back.transposed = true;
            kernels::resample(grad.device(), back);
          }
          return {grad_x};
        },
        x);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor interpolate(const Tensor& input, const InterpolateOptions& options) {
  const kernels::ResampleArgs args = detail::resample_args(input, options);
  return autocasting::call_reading(
      "interpolate",
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return detail::resample(x, dtype(x), args);
      },
      input);
}

}  // namespace amp::inline v0
