// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of channels-last images as matmuls of their patches, which kernels read in copies of
// a few lines (patch_blocks.hpp), or of which a few exist at a time (patches.hpp). With p for a
// pixel of the output and q = (kd, kh, kw, c) for an element of a patch,
//   output[p, o] = sum over q of patches[p, q] * weight[o, q],
//   grad_weight[o, q] = sum over p of grad_output[p, o] * patches[p, q],
// and the gradient of the input is a convolution of grad_output, in which taps and filters take the
// place of q. With a stride there is one such convolution for each phase: the pixels whose
// distance is a multiple of the stride see the same taps. Each gradient of a weight is summed in
// float32 (float64) over fixed parts of the batch; the parts are added in order, and the sum is
// rounded once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/patch_blocks.hpp"
#include "amp/kernels/conv/host/patches.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/matmul/host/gemm_matmul.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/types/bfloat16.hpp"

namespace amp::inline v0::kernels::host::detail {

inline Operand dense(void* data, DType dtype, std::int64_t a, std::int64_t b, std::int64_t c) {
  return Operand::array(data, dtype, {a, b, c}, {b * c, c, 1});
}
/// Returns the address of an element. An array without elements has none.
inline void* part(const void* data, DType dtype, std::int64_t offset) {
  if (data == nullptr) return nullptr;
  return static_cast<std::byte*>(const_cast<void*>(data)) + offset * item_size(dtype);
}
inline void* at(const Operand& operand, std::int64_t offset) {
  return part(operand.data, operand.dtype, offset);
}

/// The patches that a convolution of `size` pixels has in one dimension.
inline PatchLine forward_line(const Window& w, std::size_t d, std::int64_t patches,
                              std::int64_t size) {
  return {patches, w.stride[d], w.kernel[d], -w.padding[d], w.dilation[d], size};
}

/// The pixels first, first + stride, ... of the input in one dimension, and the taps with which the
/// output sees them: last, last - period, ..., so that the patches of grad_output go upwards.
struct Phase {
  std::int64_t first, stride, last_tap, period;
  PatchLine line;

  /// `input` and `output` are the extents of the images.
  Phase(const Window& w, std::size_t d, std::int64_t first_pixel, std::int64_t input,
        std::int64_t output)
      : first(first_pixel),
        stride(w.stride[d]),
        last_tap(-1),
        period(w.stride[d] / std::gcd(w.stride[d], w.dilation[d])) {
    line = {ceil_div(input - first, stride), 1, 0, 0, w.dilation[d] * period / stride, output};
    const auto reach = [&](std::int64_t tap) { return first + w.padding[d] - tap * w.dilation[d]; };
    for (std::int64_t tap = 0; tap < w.kernel[d]; ++tap) {
      if (reach(tap) % stride != 0) continue;
      last_tap = tap;
      ++line.taps;
    }
    if (line.taps > 0) line.first = reach(last_tap) / stride;
  }
  std::int64_t tap(std::int64_t i) const { return last_tap - i * period; }
};

/// The number of phases in rows, columns and slices. A stride may be longer than the image.
struct PhaseCounts {
  std::int64_t rows, columns, slices;

  explicit PhaseCounts(const ConvShape& s)
      : rows((std::min)(s.window.stride[0], s.height)),
        columns((std::min)(s.window.stride[1], s.width)),
        slices((std::min)(s.window.stride[2], s.slices)) {}
  std::int64_t all() const { return rows * columns * slices; }
};

/// The patches of a convolution's images.
inline PatchRuns forward_patches(const ConvShape& s, const Operand& images, std::int64_t group,
                                 bool along) {
  return {images,
          group * s.channels,
          s.channels,
          forward_line(s.window, 2, s.out_slices, s.slices),
          forward_line(s.window, 0, s.out_h, s.height),
          forward_line(s.window, 1, s.out_w, s.width),
          along};
}

/// Computes a product of patches in blocks of lines, or patch by patch if that takes less time.
/// put(block, sums, stride) finishes a block, as p.compute_on_all_threads(finish) does a tile.
template <class Put>
void multiply_patches(const gemm::Product& p, const PatchRuns& patches, const Put& put,
                      const gemm::Product::Finish* finish) {
  bool is_done = false;
  if (patches.data == nullptr && p.m * p.n * p.k >= 64 * 64 * 64) {
    visit_float_type(p.sums, [&](auto tag) {
      using C = typename decltype(tag)::type;
      PatchProduct<C> product(gemm::kernel_for<C>(p.factor, p.m, p.n), patches, p.m, p.n);
      is_done = product.cost() < 0.95 * product.cost_of_copies();  // of equals, the simpler one
      if (is_done) product.compute(p.b, p.bias, put);
    });
  }
  if (!is_done) p.compute_on_all_threads(finish);
}

inline void conv2d_by_matmul(const Conv2dArgs& args, const ConvShape& s) {
  const std::int64_t all = s.groups * s.filters;
  const DType factor = args.input.dtype, sums = gemm::dtype_of_sums(args.output.dtype);
  const gemm::BiasOf bias(args.bias, sums);
  // The weights in the order o, q.
  const HostBuffer<std::byte> weight(all * s.patch() * item_size(factor));
  copy({Operand::array(args.weight.data, args.weight.dtype, {all, s.taps(), s.channels},
                       {s.patch(), 1, s.taps()}),
        dense(weight.data(), factor, all, s.taps(), s.channels)});
  const bool in_place = args.output.dtype == sums,
             rounds = args.output.dtype == kBFloat16 && !args.relu;
  for (std::int64_t g = 0; g < s.groups; ++g) {
    const PatchRuns patches = forward_patches(s, args.input, g, true);
    const gemm::MatrixRuns filters(part(weight.data(), factor, g * s.filters * s.patch()), factor,
                                   s.patch(), true);
    const auto put = [&](const PatchBlock& block, void* tile, std::int64_t stride) {
      const std::initializer_list<std::int64_t> sizes = {block.lines, block.width, block.columns};
      const Operand from = Operand::array(tile, sums, sizes, {block.pitch * stride, stride, 1}),
                    to = Operand::array(
                        at(args.output, block.patch * all + g * s.filters + block.column),
                        args.output.dtype, sizes, {s.out_w * all, all, 1});
      args.relu ? unary<functions::Relu>({from, to}) : copy({from, to});
    };
    const auto put_place = [&](const Place& place, void* tile, std::int64_t stride) {
      put({place.row, 1, place.rows, 0, place.column, place.columns}, tile, stride);
    };
    const gemm::Product::Finish finish = put_place;
    multiply_patches({factor, sums, s.images * s.pixels(), s.filters, s.patch(), patches, filters,
                      args.bias.present ? part(bias.data(), sums, g * s.filters) : nullptr,
                      in_place ? at(args.output, g * s.filters) : nullptr, all,
                      rounds ? static_cast<bfloat16*>(at(args.output, g * s.filters)) : nullptr},
                     patches, put, in_place && !args.relu ? nullptr : &finish);
  }
}

/// Whether each pixel of an image is seen by one tap, in order: the windows are the images.
inline bool is_window_image(const ConvShape& s) {
  const Window& w = s.window;
  const std::int64_t extents[] = {s.height, s.width, s.slices};
  bool is_image = s.groups == 1 && s.pixels() == 1;
  for (int d = 0; d < 3; ++d) {
    is_image = is_image && w.kernel[d] == extents[d] && w.padding[d] == 0 &&
               (w.dilation[d] == 1 || w.kernel[d] == 1);
  }
  return is_image;
}
/// The gradient of such images: a matmul of those of the windows' pixels and the weights.
inline void backward_of_window_images(const Conv2dBackwardInputArgs& args, const ConvShape& s) {
  const DType factor = args.grad_output.dtype, sums = gemm::dtype_of_sums(args.grad_input.dtype);
  const std::int64_t image = s.patch();
  // The weights in the order filter, tap, channel, and the bias for each tap.
  const HostBuffer<std::byte> weight(s.weights() * item_size(factor)),
      bias(args.bias.present ? image * item_size(sums) : 0);
  copy({Operand::array(args.weight.data, args.weight.dtype, {s.filters, s.taps(), s.channels},
                       {image, 1, s.taps()}),
        dense(weight.data(), factor, s.filters, s.taps(), s.channels)});
  if (args.bias.present) {
    copy({Operand::array(args.bias.data, args.bias.dtype, {s.taps(), s.channels}, {0, 1}),
          Operand::array(bias.data(), sums, {s.taps(), s.channels}, {s.channels, 1})});
  }
  const gemm::MatrixRuns grads(args.grad_output.data, factor, s.filters, true),
      filters(weight.data(), factor, image, false);
  const auto put = [&](const Place& place, void* tile, std::int64_t stride) {
    copy({Operand::array(tile, sums, {place.rows, place.columns}, {stride, 1}),
          Operand::array(at(args.grad_input, place.row * image + place.column),
                         args.grad_input.dtype, {place.rows, place.columns}, {image, 1})});
  };
  const gemm::Product::Finish finish = put;
  const bool in_place = args.grad_input.dtype == sums, rounds = args.grad_input.dtype == kBFloat16;
  gemm::Product{factor,
                sums,
                s.images,
                image,
                s.filters,
                grads,
                filters,
                args.bias.present ? bias.data() : nullptr,
                in_place ? args.grad_input.data : nullptr,
                image,
                rounds ? static_cast<bfloat16*>(args.grad_input.data) : nullptr}
      .compute_on_all_threads(in_place ? nullptr : &finish);
}

inline void conv2d_backward_input_by_matmul(const Conv2dBackwardInputArgs& args,
                                            const ConvShape& s) {
  if (is_window_image(s)) return backward_of_window_images(args, s);
  const std::int64_t all = s.groups * s.channels;
  const DType factor = args.grad_output.dtype, sums = gemm::dtype_of_sums(args.grad_input.dtype);
  const Window& w = s.window;
  const HostBuffer<std::byte> weight(s.filters * s.patch() * item_size(factor));
  const gemm::BiasOf bias(args.bias, sums);
  const PhaseCounts counts(s);
  for (std::int64_t phase = 0; phase < counts.all(); ++phase) {
    const Phase slices(w, 2, phase / counts.columns / counts.rows, s.slices, s.out_slices),
        rows(w, 0, phase / counts.columns % counts.rows, s.height, s.out_h),
        columns(w, 1, phase % counts.columns, s.width, s.out_w);
    const std::int64_t taps = slices.line.taps * rows.line.taps * columns.line.taps;
    for (std::int64_t g = 0; g < s.groups; ++g) {
      // The weights of the phase's taps in the order tap, filter, channel.
      for (std::int64_t i = 0; i < taps; ++i) {
        const std::int64_t line = i / columns.line.taps,
                           row = slices.tap(line / rows.line.taps) * w.kernel[0] +
                                 rows.tap(line % rows.line.taps),
                           tap = row * w.kernel[1] + columns.tap(i % columns.line.taps);
        copy({Operand::array(at(args.weight, g * s.weights() + tap), args.weight.dtype,
                             {s.filters, s.channels}, {s.patch(), s.taps()}),
              Operand::array(part(weight.data(), factor, i * s.filters * s.channels), factor,
                             {s.filters, s.channels}, {s.channels, 1})});
      }
      const PatchRuns patches(args.grad_output, g * s.filters, s.filters, slices.line, rows.line,
                              columns.line, true);
      const gemm::MatrixRuns filters(weight.data(), factor, s.channels, false);
      const auto put = [&](const PatchBlock& block, void* tile, std::int64_t stride) {
        const std::int64_t x = block.patch % columns.line.patches,
                           y = block.patch / columns.line.patches % rows.line.patches,
                           plane = block.patch / columns.line.patches / rows.line.patches,
                           z = slices.first + plane % slices.line.patches * slices.stride,
                           slice = plane / slices.line.patches * s.slices + z,
                           row = (slice * s.height + rows.first + y * rows.stride) * s.width,
                           pixel = row + columns.first + x * columns.stride;
        const std::initializer_list<std::int64_t> sizes = {block.lines, block.width, block.columns};
        copy({Operand::array(tile, sums, sizes, {block.pitch * stride, stride, 1}),
              Operand::array(at(args.grad_input, pixel * all + g * s.channels + block.column),
                             args.grad_input.dtype, sizes,
                             {rows.stride * s.width * all, columns.stride * all, 1})});
      };
      const auto put_place = [&](const Place& place, void* tile, std::int64_t stride) {
        for (std::int64_t r = 0, n = 0; r < place.rows; r += n) {  // line by line
          const std::int64_t patch = place.row + r;
          n = (std::min)(place.rows - r, columns.line.patches - patch % columns.line.patches);
          put({patch, 1, n, 0, place.column, place.columns}, part(tile, sums, r * stride), stride);
        }
      };
      const gemm::Product::Finish finish = put_place;
      const bool is_dense = w.stride[0] == 1 && w.stride[1] == 1 && w.stride[2] == 1,
                 in_place = is_dense && args.grad_input.dtype == sums,
                 rounds = is_dense && args.grad_input.dtype == kBFloat16;
      multiply_patches(
          {factor, sums, s.images * slices.line.patches * rows.line.patches * columns.line.patches,
           s.channels, taps * s.filters, patches, filters,
           args.bias.present ? part(bias.data(), sums, g * s.channels) : nullptr,
           in_place ? at(args.grad_input, g * s.channels) : nullptr, all,
           rounds ? static_cast<bfloat16*>(at(args.grad_input, g * s.channels)) : nullptr},
          patches, put, in_place ? nullptr : &finish);
    }
  }
}

/// The gradient of the weight as sums over parts of the batch, which are added in order.
class PartialSums {
 public:
  /// As many parts as 32 MiB of sums allow, up to gemm::kMostParts. The number depends on shapes
  /// only, and so do the results.
  PartialSums(std::int64_t images, std::int64_t count, DType dtype)
      : parts_((std::clamp)((std::int64_t{1} << 25) / (item_size(dtype) * count + 1),
                            std::int64_t{1},
                            (std::clamp)(images, std::int64_t{1}, gemm::kMostParts))),
        images_(images),
        count_(count),
        dtype_(dtype),
        memory_(parts_ * count * item_size(dtype)) {}

  DType dtype() const { return dtype_; }
  std::int64_t parts() const { return parts_; }
  std::int64_t first_image(std::int64_t part) const { return part * images_ / parts_; }
  void* of(std::int64_t part, std::int64_t offset = 0) const {
    return memory_.data() + (part * count_ + offset) * item_size(dtype_);
  }

  /// Returns the sums over all parts.
  void* total() const {
    visit_float_type(dtype_, [&](auto tag) {
      using C = typename decltype(tag)::type;
      parallel_ranges(count_, 4096, [&](std::int64_t begin, std::int64_t end) {
        C* const sums = static_cast<C*>(of(0));
        for (std::int64_t i = 1; i < parts_; ++i) {
          const C* const from = static_cast<const C*>(of(i));
          for (std::int64_t j = begin; j < end; ++j) sums[j] += from[j];
        }
      });
    });
    return of(0);
  }

 private:
  const std::int64_t parts_, images_, count_;
  const DType dtype_;
  const HostBuffer<std::byte> memory_;
};

inline void conv2d_backward_weight_by_matmul(const Conv2dBackwardWeightArgs& args,
                                             const ConvShape& s) {
  const std::int64_t all = s.groups * s.filters, patch = s.patch();
  if (all * patch == 0) return;
  const PartialSums sums(s.images, all * patch,
                         gemm::dtype_of_sums(args.grad_weight.dtype));  // [O, KD, KH, KW, C]
  // If there are few parts, they are cut further, by columns of the gradient.
  constexpr std::int64_t kMultiple = 64;
  const std::int64_t columns = round_up(
      ceil_div(patch, (std::max)(gemm::kMostParts / sums.parts(), std::int64_t{1})), kMultiple);
  const std::int64_t across = ceil_div(patch, columns);
  parallel_for(sums.parts() * s.groups * across, [&](std::int64_t job) {
    const std::int64_t i = job / across / s.groups, g = job / across % s.groups,
                       first = job % across * columns;
    const std::int64_t image = sums.first_image(i), images = sums.first_image(i + 1) - image;
    const gemm::MatrixRuns grad(at(args.grad_output, image * s.pixels() * all + g * s.filters),
                                args.grad_output.dtype, all, false);
    Operand input = args.input;
    input.data = at(args.input, image * s.in_plane() * s.groups * s.channels);
    const PatchRuns patches = forward_patches(s, input, g, false);
    gemm::Product{gemm::dtype_of_factors(args.input, args.grad_output, sums.dtype()),
                  sums.dtype(),
                  s.filters,
                  patch,
                  images * s.pixels(),
                  grad,
                  patches,
                  nullptr,
                  sums.of(i, g * s.weights()),
                  patch}
        .compute({0, first, s.filters, (std::min)(columns, patch - first)}, nullptr);
  });
  copy({dense(sums.total(), sums.dtype(), all, s.taps(), s.channels),
        Operand::array(args.grad_weight.data, args.grad_weight.dtype, {all, s.taps(), s.channels},
                       {patch, 1, s.taps()})});
}

/// The sums of grad_output over the images and their pixels.
inline void sum_over_pixels(const Operand& grad_output, const Operand& grad_bias) {
  const std::int64_t filters = grad_bias.numel();
  if (filters == 0) return;
  sum({grad_output,
       Operand::array(grad_bias.data, grad_bias.dtype, {1, filters, 1, 1}, {filters, 1, 1, 1}), 1});
}

}  // namespace amp::inline v0::kernels::host::detail
