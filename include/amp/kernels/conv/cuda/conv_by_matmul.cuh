// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution as matmuls by cuBLAS, as on the host (conv/shape.hpp). It unfolds as many images at a
// time as a bounded amount of memory holds. If the kernel is 1 x 1, stride 1 and padding 0, images
// are their own columns, and only matmuls are left. Gradients are summed in a fixed order, in
// float32, and rounded once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/cuda/im2col.cuh"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/cuda/blas_operand.cuh"
#include "amp/kernels/matmul/cuda/gemm.cuh"
#include "amp/kernels/reduce/cuda.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda::detail {

/// The most memory for columns, unless those of one image take more.
inline constexpr std::int64_t kColumnBytes = std::int64_t{256} << 20;

/// Calls work(first image, images) for parts of the batch whose columns take at most `bytes`.
template <class Work>
void for_each_part(const ColumnShape& s, DType columns, std::int64_t bytes, const Work& work) {
  const std::int64_t of_one = (std::max)(s.columns() * item_size(columns), std::int64_t{1});
  const std::int64_t at_once = (std::max)(bytes / of_one, std::int64_t{1});
  for (std::int64_t first = 0; first < s.images; first += at_once)
    work(first, (std::min)(at_once, s.images - first));
}

/// Matrices [rows, columns] of every group of some images: their first element and distances.
struct GroupMatrices {
  Operand operand;  // the first element
  std::int64_t image, group;
  std::int64_t rows, columns, row_stride, column_stride;

  /// Returns the matrices of one image, a batch of groups, or of one group, a batch of images.
  Operand batch(bool of_image, std::int64_t index, std::int64_t count) const {
    return array(operand.device, operand.dtype,
                 element(operand, index * (of_image ? image : group)), {count, rows, columns},
                 {of_image ? group : image, row_stride, column_stride});
  }
};

/// output = initial + a @ b for every group of every image, in as few batches as possible.
inline void gemm_of_groups(const ColumnShape& s, std::int64_t images, const GroupMatrices& a,
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
  if (!bias.present) return unary<functions::Relu>({h, output});
  binary<functions::AddRelu>(
      {h, array(bias.device, bias.dtype, bias.data, {output.sizes[1], 1}), output});
}

inline void conv2d_by_matmul(const Conv2dArgs& args, std::int64_t column_bytes = kColumnBytes) {
  if (args.output.numel() == 0) return;
  const ColumnShape s(ConvShape(args.input, args.weight, args.output, args.window, args.groups));
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
    // relu must see the sums before rounding; it adds the bias too.
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

inline void conv2d_backward_input_by_matmul(const Conv2dBackwardInputArgs& args,
                                            std::int64_t column_bytes = kColumnBytes) {
  if (args.grad_input.numel() == 0) return;
  const ColumnShape s(
      ConvShape(args.grad_input, args.weight, args.grad_output, args.window, args.groups));
  const DType sums = sum_dtype(args.grad_input.dtype);
  const DType factors = factor_dtype(args.grad_output.dtype, args.weight.dtype, sums);
  const Factor weight(array(args.weight.device, args.weight.dtype, args.weight.data,
                            {s.groups, s.filters, s.patch()}),
                      factors);
  const std::int64_t q = s.patch(), p = s.pixels();
  const GroupMatrices weights{weight.operand(), 0, s.filters * q, q, s.filters, 1, q};
  const GroupMatrices bias{args.bias, 0, s.channels, s.channels, 1, 1, 0};
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
    gemm_of_groups(
        s, images, weights, {grad_output, s.out_image(), s.filters * p, s.filters, p, p, 1},
        args.bias.present && !folds ? &bias : nullptr, {columns, s.columns(), q * p, q, p, p, 1});
    if (folds) fold(s, columns, args.bias, first, images, args.grad_input);
  });
}

/// Sums grad_output over images and pixels.
inline void conv2d_backward_bias(const Operand& grad_output, const Operand& grad_bias) {
  cuda::sum(
      {grad_output,
       array(grad_bias.device, grad_bias.dtype, grad_bias.data, {1, grad_output.sizes[1], 1, 1}),
       1});
}

inline void conv2d_backward_weight_by_matmul(const Conv2dBackwardWeightArgs& args,
                                             std::int64_t column_bytes = kColumnBytes) {
  const ColumnShape s(
      ConvShape(args.input, args.grad_weight, args.grad_output, args.window, args.groups));
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
    // Treats the pixels of all images as one dimension, so that the matmul sums over both.
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

}  // namespace amp::inline v0::kernels::cuda::detail
