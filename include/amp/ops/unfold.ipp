// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/ops/batch.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/unfold.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// Windows over images [N, C, H, W], and the shape of their columns [N, C * taps, L].
struct Unfolding {
  Shape images, columns;
  kernels::Window window;
  std::int64_t out_h, out_w;

  Unfolding(std::string_view op, const Shape& of, Size2d kernel, const UnfoldOptions& o)
      : images(of), columns(of), window(make_window(op, kernel, o.stride, o.padding, o.dilation)) {
    const auto extent = [&](int d) {
      return window_extent(images[2 + d], window.kernel[d], window.stride[d], 2 * window.padding[d],
                           window.dilation[d]);
    };
    out_h = extent(0);
    out_w = extent(1);
    AMP_CHECK(out_h > 0 && out_w > 0, op, ": `kernel` ", to_text(kernel),
              " does not fit into images ", images, " with this padding and dilation");
    columns = Shape(images[0], taps() * images[1], out_h * out_w);
  }
  std::int64_t taps() const { return window.kernel[0] * window.kernel[1]; }
};

AMP_LAZY Tensor run_unfold(const Unfolding& u, const Tensor& any, bool folds) {
  const Tensor x = dense(any);
  const Shape& shape = folds ? u.images : u.columns;
  (void)byte_count(shape, x.dtype());  // throws if there are too many
  const Tensor output = make_tensor(shape, x.dtype(), x.device());
  if (output.numel() == 0) return output;
  const Tensor &images = folds ? output : x, &columns = folds ? x : output;
  const kernels::UnfoldArgs args{images.operand(), columns.operand(), u.window, u.out_h, u.out_w};
  folds ? kernels::fold_patches(x.device(), args) : kernels::unfold_patches(x.device(), args);
  return output;
}

/// Either of the two, which are each other's gradients.
AMP_LAZY Tensor unfold_or_fold(std::string_view op, const Unfolding& u, const Tensor& x,
                               bool folds) {
  const Tensor output = run_unfold(u, x, folds);
  if (autograd::recording(x)) {
    autograd::record(
        op, output,
        [u, folds](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {run_unfold(u, grad, !folds)};
        },
        x);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor unfold(const Tensor& input, Size2d kernel,
                                  const UnfoldOptions& options) {
  detail::check_floating("unfold", "input", input);
  AMP_CHECK(input.dim() == 4 || input.dim() == 3,
            "unfold: expected `input` [N, C, H, W] or [C, H, W], but got ", describe(input));
  return autocasting::call(
      "unfold",
      [&](const Tensor& x) {
        return detail::of_batch(x, 2, [&](const Tensor& batch) {
          const detail::Unfolding u("unfold", batch.shape(), kernel, options);
          return detail::unfold_or_fold("unfold", u, batch, false);
        });
      },
      input);
}

AMP_LAZY_DEFINITION Tensor fold(const Tensor& input, Size2d output_size, Size2d kernel,
                                const UnfoldOptions& options) {
  detail::check_floating("fold", "input", input);
  AMP_CHECK(input.dim() == 3 || input.dim() == 2,
            "fold: expected `input` [N, C * KH * KW, L] or [C * KH * KW, L], but got ",
            describe(input));
  detail::check_extents("fold", "output_size", output_size, 1);
  detail::check_extents("fold", "kernel", kernel, 1);
  return autocasting::call(
      "fold",
      [&](const Tensor& x) {
        return detail::of_batch(x, 1, [&](const Tensor& batch) {
          const std::int64_t taps = kernel.height * kernel.width;
          AMP_CHECK(batch.size(1) % taps == 0, "fold: the ", taps, " elements of `kernel` ",
                    detail::to_text(kernel), " must divide the rows of `input` ", describe(input));
          const Shape images(batch.size(0), batch.size(1) / taps, output_size.height,
                             output_size.width);
          const detail::Unfolding u("fold", images, kernel, options);
          AMP_CHECK(batch.shape() == u.columns, "fold: `output_size` ",
                    detail::to_text(output_size), " has ", u.columns[2],
                    " windows, but `input` is ", describe(input));
          return detail::unfold_or_fold("fold", u, batch, true);
        });
      },
      input);
}

}  // namespace amp::inline v0
