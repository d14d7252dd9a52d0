// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/grid_sample/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/grid_sample.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

AMP_LAZY Tensor grid_sample(const Tensor& any_input, const Tensor& any_grid,
                            const kernels::SamplingRule& rule) {
  static constexpr std::string_view kOp = "grid_sample";
  AMP_CHECK(any_input.dtype() == any_grid.dtype(), kOp,
            ": `input` and `grid` must have one dtype, but are ", describe(any_input), " and ",
            describe(any_grid), "; convert with to(), or call it under an AutocastGuard");
  const Tensor input = contiguous(any_input), grid = contiguous(any_grid);
  Shape shape = {input.size(0), input.size(1)};
  for (int d = 1; d + 1 < grid.dim(); ++d) shape.push_back(grid.size(d));
  const Tensor output = make_tensor(shape, input.dtype(), input.device());
  if (output.numel() != 0)
    kernels::grid_sample(input.device(), {input.operand(), grid.operand(), output.operand(), rule});
  if (autograd::recording(input, grid)) {
    autograd::record(
        kOp, output,
        [rule, x = autograd::SavedTensor(input), g = autograd::SavedTensor(grid)](
            const Tensor& gradient, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor &image = x.get(kOp), &points = g.get(kOp), grad = dense(gradient);
          const auto gradient_of = [&](const Tensor& of, bool needed) {
            if (!needed) return Tensor();
            return grad.numel() == 0
                       ? zeros(of.shape(), {.dtype = of.dtype(), .device = of.device()})
                       : make_tensor(of.shape(), of.dtype(), of.device());
          };
          const autograd::Gradients<2> gradients = {gradient_of(image, needs[0]),
                                                    gradient_of(points, needs[1])};
          if (grad.numel() != 0) {
            const kernels::GridSampleBackwardArgs args{
                grad.operand(),         image.operand(),        points.operand(),
                gradients[0].operand(), gradients[1].operand(), rule};
            kernels::grid_sample_backward(grad.device(), args);
          }
          return gradients;
        },
        input, grid);
  }
  return output;
}

/// n coordinates from -1 to 1, or, if the corners are not aligned, the middles of n equal parts.
AMP_LAZY Tensor grid_coordinates(std::int64_t n, bool align_corners, DType dtype, Device device) {
  const double parts = static_cast<double>(align_corners ? n - 1 : n);
  const Tensor places = arange(n, {.dtype = dtype, .device = device});
  // Exact before the division: of one aligned element, 0.
  return (places * 2.0 - static_cast<double>(n - 1)) / (parts > 0 ? parts : 1.0);
}

AMP_LAZY Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners) {
  const int dims = size.dims() - 2;
  const DType wide = promote_types(theta.dtype(), kFloat32);
  Shape extents;
  for (int d = 0; d < dims; ++d) extents.push_back(size[2 + d]);
  std::vector<Tensor> columns;  // x, y, z, 1
  for (int d = dims - 1; d >= 0; --d) {
    Shape along = extents;
    for (int other = 0; other < dims; ++other) along[other] = other == d ? extents[d] : 1;
    const Tensor places = grid_coordinates(extents[d], align_corners, wide, theta.device());
    columns.push_back(expand(reshape(places, along), extents));
  }
  columns.push_back(ones(extents, {.dtype = wide, .device = theta.device()}));
  const Tensor points = reshape(stack(columns, -1), {extents.numel(), dims + 1});
  const Tensor map = transpose(autocasting::convert_dtype(theta, wide), -2, -1);
  Shape shape = {size[0]};
  for (const std::int64_t extent : extents) shape.push_back(extent);
  shape.push_back(dims);
  return autocasting::convert_dtype(reshape(matmul("affine_grid", points, map), shape),
                                    theta.dtype());
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor grid_sample(const Tensor& input, const Tensor& grid,
                                       const GridSampleOptions& options) {
  constexpr std::string_view kOp = "grid_sample";
  detail::check_floating(kOp, "input", input);
  detail::check_floating(kOp, "grid", grid);
  detail::check_same_device(kOp, "input", input, "grid", grid);
  const int dims = input.dim() - 2;
  AMP_CHECK((dims == 2 || dims == 3) && grid.dim() == input.dim() &&
                grid.size(0) == input.size(0) && grid.size(-1) == dims,
            kOp,
            ": expected `input` [N, C, H, W] and `grid` [N, H', W', 2], or [N, C, D, H, W] and [N, "
            "D', H', W', 3], but got ",
            describe(input), " and ", describe(grid));
  for (int d = 2; d < input.dim(); ++d) {
    AMP_CHECK(input.size(d) > 0 && input.size(d) < (1 << 30), kOp,
              ": the images of `input` must have 1 to 2^30 - 1 elements along each dimension, but "
              "it is ",
              describe(input));
  }
  AMP_CHECK(dims == 2 || options.mode != GridSampleMode::kBicubic, kOp,
            ": kBicubic is for images [N, C, H, W], but `input` is ", describe(input));
  const kernels::SamplingRule rule{
      static_cast<kernels::SamplingRule::Mode>(options.mode),
      static_cast<kernels::SamplingRule::Padding>(options.padding_mode), options.align_corners};
  return autocasting::call(
      "grid_sample",
      [&](const Tensor& x, const Tensor& g) { return detail::grid_sample(x, g, rule); }, input,
      grid);
}

AMP_LAZY_DEFINITION Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners) {
  constexpr std::string_view kOp = "affine_grid";
  detail::check_floating(kOp, "theta", theta);
  const std::int64_t dims = size.dims() - 2;
  AMP_CHECK((dims == 2 || dims == 3) && theta.dim() == 3 && theta.size(0) == size[0] &&
                theta.size(1) == dims && theta.size(2) == dims + 1,
            kOp,
            ": expected `theta` [N, 2, 3] and `size` [N, C, H, W], or [N, 3, 4] and [N, C, D, H, "
            "W], but got ",
            describe(theta), " and ", size);
  for (const std::int64_t extent : size)
    AMP_CHECK(extent > 0, kOp, ": `size` must be positive, but is ", size);
  return autocasting::call(
      "affine_grid",
      [&](const Tensor& t) {
        const autocasting::NoCasts no_casts;
        return detail::affine_grid(t, size, align_corners);
      },
      theta);
}

}  // namespace amp::inline v0
