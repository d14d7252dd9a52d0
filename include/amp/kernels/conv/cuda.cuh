// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution as matmuls by cuBLAS, as on the host (conv/host.hpp): images are unfolded
// into columns (im2col),
//   output[o, p] = sum over q of weight[o, q] * columns[q, p],   q = (c, kh, kw), p = (oh, ow),
// as many at a time as a bounded amount of memory takes. If the kernel is 1 x 1, stride 1 and
// padding 0, images are their own columns, and only matmuls are left. Gradients are summed in a
// fixed order, in float32, and rounded once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/cuda/blas_operand.cuh"
#include "amp/kernels/matmul/cuda/gemm.cuh"
#include "amp/kernels/reduce/cuda.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {
namespace detail {

/// The most memory that columns take, unless those of one image take more.
inline constexpr std::int64_t kColumnBytes = std::int64_t{256} << 20;

/// A convolution's sizes; channels and filters are those of one group.
struct ConvShape {
  std::int64_t images, groups, channels, height, width, filters, out_h, out_w;
  Window2d window;
  Divider by_pixels, by_patch, by_taps, by_kernel_w, by_out_w, by_groups, by_height, by_width,
      by_stride_h, by_stride_w;

  ConvShape(const Operand& input, const Operand& weight, const Operand& output,
            const Window2d& kernel_window, std::int64_t group_count)
      : images(input.sizes[0]),
        groups(group_count),
        channels(weight.sizes[1]),
        height(input.sizes[2]),
        width(input.sizes[3]),
        filters(weight.sizes[0] / group_count),
        out_h(output.sizes[2]),
        out_w(output.sizes[3]),
        window(kernel_window),
        by_pixels(pixels()),
        by_patch(patch()),
        by_taps(taps()),
        by_kernel_w(window.kernel[1]),
        by_out_w(out_w),
        by_groups(groups),
        by_height(height),
        by_width(width),
        by_stride_h(window.stride[0]),
        by_stride_w(window.stride[1]) {}
  AMP_HOST_DEVICE std::int64_t taps() const { return window.kernel[0] * window.kernel[1]; }
  AMP_HOST_DEVICE std::int64_t patch() const { return channels * taps(); }
  AMP_HOST_DEVICE std::int64_t pixels() const { return out_h * out_w; }
  AMP_HOST_DEVICE std::int64_t in_plane() const { return height * width; }
  std::int64_t in_image() const { return groups * channels * in_plane(); }
  std::int64_t out_image() const { return groups * filters * pixels(); }
  std::int64_t columns() const { return groups * patch() * pixels(); }  // of one image
  /// Whether a pixel of the output sees the same one of the input: images are their own columns.
  bool is_pixelwise() const {
    return taps() == 1 && window.stride[0] == 1 && window.stride[1] == 1 &&
           window.padding[0] == 0 && window.padding[1] == 0;
  }
};

/// Calls work(first image, images) for parts of the batch whose columns take at most `bytes`.
template <class Work>
void for_each_part(const ConvShape& s, DType columns, std::int64_t bytes, const Work& work) {
  const std::int64_t of_one = (std::max)(s.columns() * item_size(columns), std::int64_t{1});
  const std::int64_t at_once = (std::max)(bytes / of_one, std::int64_t{1});
  for (std::int64_t first = 0; first < s.images; first += at_once)
    work(first, (std::min)(at_once, s.images - first));
}

/// Where the columns of an image, of a group in it and of an element of its patch begin; pixels
/// are dense.
struct ColumnStrides {
  std::int64_t image, group, patch;
};

/// columns[image, group, q, p] = the pixel of the input that patch element q sees from p; 0 in the
/// padding. A thread per kCount neighbours in a row of columns, n of them, from image `first` on;
/// if they are 8, the rows of columns lie as vectors do, and those of the input if `by_vector`.
template <class C, int kCount>
AMP_KERNEL void unfold_kernel(ConvShape s, Input input, std::int64_t first, bool by_vector,
                              Output columns, ColumnStrides strides, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t item = i * kCount;  // in the end an image's group
    const std::int64_t p = s.by_pixels.take_remainder(item), q = s.by_patch.take_remainder(item);
    std::int64_t channel = q, tap_row = s.by_taps.take_remainder(channel), row = p;
    const std::int64_t tap_column = s.by_kernel_w.take_remainder(tap_row),
                       column = s.by_out_w.take_remainder(row);
    const std::int64_t h =
        row * s.window.stride[0] - s.window.padding[0] + tap_row * s.window.dilation[0];
    const std::int64_t w =
        column * s.window.stride[1] - s.window.padding[1] + tap_column * s.window.dilation[1];
    const std::int64_t plane = (first * s.groups + item) * s.channels + channel;
    const std::int64_t from = plane * s.in_plane() + h * s.width;
    const bool inside = h >= 0 && h < s.height;
    std::int64_t image = item;
    const std::int64_t group = s.by_groups.take_remainder(image);
    const std::int64_t to = image * strides.image + group * strides.group + q * strides.patch + p;
    const auto pixel = [&](std::int64_t x) {
      return inside && x >= 0 && x < s.width ? load<C>(input, from + x) : C{0};
    };
    if constexpr (kCount == 1) {
      store<C>(columns, to, pixel(w));
    } else {
      C values[kCount];
      if (by_vector && inside && w >= 0 && w + kCount <= s.width && w % kCount == 0) {
        load_vector<C>(input.data, input.dtype, from + w, values);
      } else {
        for (int j = 0; j < kCount; ++j) values[j] = pixel(w + j * s.window.stride[1]);
      }
      store_vector<C>(columns.data, columns.dtype, to, values);
    }
  }
}

/// The reverse of unfolding, for columns [image, group, q, p] of C: each of the n pixels adds up
/// what saw it, in the order of the patch.
template <class C>
AMP_KERNEL void fold_kernel(ConvShape s, const C* columns, std::int64_t first, Output grad_input,
                            std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t plane = i;
    const std::int64_t w = s.by_width.take_remainder(plane), h = s.by_height.take_remainder(plane);
    C sum{0};
    for (std::int64_t kh = 0; kh < s.window.kernel[0]; ++kh) {
      std::int64_t y = h + s.window.padding[0] - kh * s.window.dilation[0];
      if (y < 0 || s.by_stride_h.take_remainder(y) != 0 || y >= s.out_h) continue;
      for (std::int64_t kw = 0; kw < s.window.kernel[1]; ++kw) {
        std::int64_t x = w + s.window.padding[1] - kw * s.window.dilation[1];
        if (x < 0 || s.by_stride_w.take_remainder(x) != 0 || x >= s.out_w) continue;
        const std::int64_t row = plane * s.taps() + kh * s.window.kernel[1] + kw;
        sum += columns[row * s.pixels() + y * s.out_w + x];
      }
    }
    store<C>(grad_input, first * s.groups * s.channels * s.in_plane() + i, sum);
  }
}

inline void unfold(const ConvShape& s, const Operand& input, std::int64_t first,
                   std::int64_t images, const Operand& columns, const ColumnStrides& strides) {
  const std::int64_t n = images * s.columns();
  const bool rows_fit =
      s.out_w % kVector == 0 && is_aligned_for_vectors(columns.data, columns.dtype);
  const bool by_vector = s.window.stride[1] == 1 && s.width % kVector == 0 &&
                         is_aligned_for_vectors(input.data, input.dtype);
  visit_float_type(columns.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (rows_fit) {
      launch(columns.device, grid_for(n / kVector), kThreads, unfold_kernel<C, kVector>, s, input,
             first, by_vector, columns, strides, n / kVector);
    } else {
      launch(columns.device, grid_for(n), kThreads, unfold_kernel<C, 1>, s, input, first, by_vector,
             columns, strides, n);
    }
  });
}

/// Matrices [rows, columns] of every group of some images, where they begin, and how far apart.
struct GroupMatrices {
  Operand operand;  // its first element
  std::int64_t image, group;
  std::int64_t rows, columns, row_stride, column_stride;

  /// Those of one image, a batch of groups; or of one group, a batch of images.
  Operand batch(bool of_image, std::int64_t index, std::int64_t count) const {
    return array(operand.device, operand.dtype,
                 element(operand, index * (of_image ? image : group)), {count, rows, columns},
                 {of_image ? group : image, row_stride, column_stride});
  }
};

/// output = initial + a @ b for every group of every image, in as few batches as that takes.
inline void gemm_of_groups(const ConvShape& s, std::int64_t images, const GroupMatrices& a,
                           const GroupMatrices& b, const GroupMatrices* initial,
                           const GroupMatrices& output) {
  const bool by_image = images < s.groups;
  const std::int64_t count = by_image ? s.groups : images;
  for (std::int64_t i = 0; i < (by_image ? images : s.groups); ++i) {
    gemm(a.batch(by_image, i, count), b.batch(by_image, i, count),
         initial == nullptr ? Operand{} : initial->batch(by_image, i, count),
         output.batch(by_image, i, count));
  }
}

/// output = relu(h + bias) for images [N, O, P].
inline void relu_with_bias(const Operand& h, const Operand& bias, const Operand& output) {
  if (!bias.present) return float_unary<functions::Relu>({h, output});
  float_binary<functions::AddRelu>(
      {h, array(bias.device, bias.dtype, bias.data, {output.sizes[1], 1}), output});
}

inline void conv2d(const Conv2dArgs& args, std::int64_t column_bytes) {
  if (args.output.numel() == 0) return;
  const ConvShape s(args.input, args.weight, args.output, args.window, args.groups);
  const DType factors = factor_dtype(args.input.dtype, args.weight.dtype, args.output.dtype);
  const Factor weight(array(args.weight.device, args.weight.dtype, args.weight.data,
                            {s.groups, s.filters, s.patch()}),
                      factors);
  const std::int64_t q = s.patch(), p = s.pixels();
  const GroupMatrices weights{weight.operand(), 0, s.filters * q, s.filters, q, q, 1};
  const GroupMatrices bias{args.bias, 0, s.filters, s.filters, 1, 1, 0};
  for_each_part(s, factors, column_bytes, [&](std::int64_t first, std::int64_t images) {
    const bool unfolds = !s.is_pixelwise();
    const Scratch<std::byte> memory(args.output.device,
                                    unfolds ? images * s.columns() * item_size(factors) : 0);
    Operand columns = args.input;
    columns.data = element(args.input, first * s.in_image());
    if (unfolds) {
      columns = array(args.output.device, factors, memory.data(), {images, s.groups, q, p});
      unfold(s, args.input, first, images, columns, {s.columns(), q * p, p});
    }
    const Operand output =
        array(args.output.device, args.output.dtype, element(args.output, first * s.out_image()),
              {images, s.groups * s.filters, p});
    // relu is taken of the sums as they are, and takes the bias with it.
    const bool direct = !args.relu || output.dtype == sum_dtype(output.dtype);
    const Scratch<std::byte> sums(output.device,
                                  direct ? 0 : output.numel() * item_size(sum_dtype(output.dtype)));
    Operand target = output;
    if (!direct) {
      target.data = sums.data();
      target.dtype = sum_dtype(output.dtype);
    }
    gemm_of_groups(s, images, weights, {columns, s.columns(), q * p, q, p, p, 1},
                   args.bias.present && !args.relu ? &bias : nullptr,
                   {target, s.out_image(), s.filters * p, s.filters, p, p, 1});
    if (args.relu) relu_with_bias(target, args.bias, output);
  });
}

inline void conv2d_backward_input(const Conv2dBackwardInputArgs& args, std::int64_t column_bytes) {
  if (args.grad_input.numel() == 0) return;
  const ConvShape s(args.grad_input, args.weight, args.grad_output, args.window, args.groups);
  const DType sums = sum_dtype(args.grad_input.dtype);
  const DType factors = factor_dtype(args.grad_output.dtype, args.weight.dtype, sums);
  const Factor weight(array(args.weight.device, args.weight.dtype, args.weight.data,
                            {s.groups, s.filters, s.patch()}),
                      factors);
  const std::int64_t q = s.patch(), p = s.pixels();
  const GroupMatrices weights{weight.operand(), 0, s.filters * q, q, s.filters, 1, q};
  for_each_part(s, sums, column_bytes, [&](std::int64_t first, std::int64_t images) {
    const bool folds = !s.is_pixelwise();
    const Scratch<std::byte> memory(args.grad_input.device,
                                    folds ? images * s.columns() * item_size(sums) : 0);
    Operand columns = args.grad_input;
    columns.data = element(args.grad_input, first * s.in_image());
    if (folds)
      columns = array(args.grad_input.device, sums, memory.data(), {images, s.groups, q, p});
    Operand grad_output = args.grad_output;
    grad_output.data = element(args.grad_output, first * s.out_image());
    gemm_of_groups(s, images, weights,
                   {grad_output, s.out_image(), s.filters * p, s.filters, p, p, 1}, nullptr,
                   {columns, s.columns(), q * p, q, p, p, 1});
    if (!folds) return;
    const std::int64_t n = images * s.in_image();
    visit_float_type(sums, [&](auto tag) {
      using C = typename decltype(tag)::type;
      launch(args.grad_input.device, grid_for(n), kThreads, fold_kernel<C>, s,
             columns.as<const C>(), first, args.grad_input, n);
    });
  });
}

/// The sums of grad_output over images and pixels.
inline void conv2d_backward_bias(const Operand& grad_output, const Operand& grad_bias) {
  cuda::sum(
      {grad_output,
       array(grad_bias.device, grad_bias.dtype, grad_bias.data, {1, grad_output.sizes[1], 1, 1}),
       1});
}

inline void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args,
                                   std::int64_t column_bytes) {
  const ConvShape s(args.input, args.grad_weight, args.grad_output, args.window, args.groups);
  const Device device = args.grad_weight.device;
  const std::int64_t all_filters = s.groups * s.filters;
  if (args.grad_bias.present) conv2d_backward_bias(args.grad_output, args.grad_bias);
  if (args.grad_weight.numel() == 0) return;
  const std::int64_t q = s.patch(), p = s.pixels();
  const Operand grad_weight =
      array(device, args.grad_weight.dtype, args.grad_weight.data, {s.groups, s.filters, q});
  const DType sums = sum_dtype(grad_weight.dtype);
  const DType factors = factor_dtype(args.grad_output.dtype, args.input.dtype, sums);
  const bool direct = grad_weight.dtype == sums;
  const Scratch<std::byte> sum_memory(device, direct ? 0 : grad_weight.numel() * item_size(sums));
  const Operand sum =
      direct ? grad_weight : array(device, sums, sum_memory.data(), {s.groups, s.filters, q});
  if (s.images == 0) fill({sum, 0});
  for_each_part(s, factors, column_bytes, [&](std::int64_t first, std::int64_t images) {
    // The pixels of all images are one dimension, so that the matmul sums over both.
    const std::int64_t all = images * p;
    const Scratch<std::byte> memory(device, images * s.columns() * item_size(factors)),
        grad_memory(device, images * s.out_image() * item_size(factors));
    const Operand columns = array(device, factors, memory.data(), {s.groups, q, all});
    if (s.is_pixelwise()) {
      copy({array(device, args.input.dtype, element(args.input, first * s.in_image()),
                  {s.groups * q, images, p}, {p, s.in_image(), 1}),
            array(device, factors, columns.data, {s.groups * q, images, p})});
    } else {
      unfold(s, args.input, first, images, columns, {p, q * all, all});
    }
    const Operand by_image =
        array(device, args.grad_output.dtype, element(args.grad_output, first * s.out_image()),
              {all_filters, images, p}, {p, s.out_image(), 1});
    const Operand grad = array(device, factors, grad_memory.data(), {all_filters, images, p});
    copy({by_image, grad});
    gemm(array(device, factors, grad.data, {s.groups, s.filters, all}),
         array(device, factors, columns.data, {s.groups, all, q}, {q * all, 1, all}),
         first == 0 ? Operand{} : sum, sum);
  });
  if (!direct) copy({sum, grad_weight});
}

}  // namespace detail

inline void conv2d(const Conv2dArgs& args) { detail::conv2d(args, detail::kColumnBytes); }
inline void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
  detail::conv2d_backward_input(args, detail::kColumnBytes);
}
inline void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
  detail::conv2d_backward_weight(args, detail::kColumnBytes);
}

}  // namespace amp::inline v0::kernels::cuda
