// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of row-major images whose groups have one channel and one filter. Each plane is
// correlated with its kernel, a vector of neighbouring columns at a time. A gradient of the input
// is such a correlation of the gradient, one for each phase of a stride.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/host/depthwise.hpp"
#include "amp/kernels/conv/shape.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Rows in memory, and those of the pixels that are computed from them, or are multiplied by them.
struct PlaneRows {
  const float* in;
  std::int64_t in_stride, rows, columns;
};

/// out[r, c] = first + the sum over t of in[r * in_stride + offsets[t] + c] * taps[t]. It may read
/// up to a vector beyond the last column.
struct SumOfTaps {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const PlaneRows* plane, const std::int64_t* offsets,
                                    const float* taps, std::int64_t count, float first,
                                    float* out) {
    using V = simd::Vec<float, Isa>;
    const std::int64_t rows = plane->rows, columns = plane->columns, stride = plane->in_stride;
    for (std::int64_t c = 0; c < columns; c += simd::kLanes<Isa>) {
      const float* in = plane->in + c;
      float* to = out + c;
      std::int64_t r = 0;
      for (; r + 4 <= rows; r += 4, in += 4 * stride, to += 4 * columns) {
        V sum0 = first, sum1 = first, sum2 = first, sum3 = first;
        for (std::int64_t t = 0; t < count; ++t) {
          const float* const row = in + offsets[t];
          const V tap = taps[t];
          sum0 += simd::load<Isa>(row) * tap;
          sum1 += simd::load<Isa>(row + stride) * tap;
          sum2 += simd::load<Isa>(row + 2 * stride) * tap;
          sum3 += simd::load<Isa>(row + 3 * stride) * tap;
        }
        put(sum0, to, columns - c);
        put(sum1, to + columns, columns - c);
        put(sum2, to + 2 * columns, columns - c);
        put(sum3, to + 3 * columns, columns - c);
      }
      for (; r < rows; ++r, in += stride, to += columns) {
        V sum = first;
        for (std::int64_t t = 0; t < count; ++t) sum += simd::load<Isa>(in + offsets[t]) * taps[t];
        put(sum, to, columns - c);
      }
    }
  }

 private:
  template <class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<float, Isa>& sum, float* to,
                                    std::int64_t left) {
    left >= simd::kLanes<Isa> ? simd::store(sum, to) : simd::store_first(sum, to, left);
  }
};

/// Returns the sum over r and c of in[r * in_stride + c] * grad[r, c].
struct SumOfRows {
  template <class Isa>
  AMP_ALWAYS_INLINE static float run(const PlaneRows* plane, const float* grad) {
    using V = simd::Vec<float, Isa>;
    const std::int64_t rows = plane->rows, columns = plane->columns, stride = plane->in_stride;
    V sum0 = 0.0F, sum1 = 0.0F, sum2 = 0.0F, sum3 = 0.0F;
    for (std::int64_t c = 0; c < columns; c += simd::kLanes<Isa>) {
      const float *in = plane->in + c, *factor = grad + c;
      const std::int64_t left = columns - c;
      std::int64_t r = 0;
      for (; r + 4 <= rows; r += 4, in += 4 * stride, factor += 4 * columns) {
        sum0 += get<Isa>(in, left) * get<Isa>(factor, left);
        sum1 += get<Isa>(in + stride, left) * get<Isa>(factor + columns, left);
        sum2 += get<Isa>(in + 2 * stride, left) * get<Isa>(factor + 2 * columns, left);
        sum3 += get<Isa>(in + 3 * stride, left) * get<Isa>(factor + 3 * columns, left);
      }
      for (; r < rows; ++r, in += stride, factor += columns)
        sum0 += get<Isa>(in, left) * get<Isa>(factor, left);
    }
    return simd::sum_of((sum0 + sum1) + (sum2 + sum3));
  }

 private:
  template <class Isa>
  AMP_ALWAYS_INLINE static simd::Vec<float, Isa> get(const float* from, std::int64_t left) {
    return left >= simd::kLanes<Isa> ? simd::load<Isa>(from) : simd::load_first<Isa>(from, left);
  }
};

/// Those i of 0, ..., count - 1 for which pixel at + i * step is one of `size` pixels.
struct Inside {
  std::int64_t begin, end;

  Inside(std::int64_t at, std::int64_t step, std::int64_t size, std::int64_t count)
      : begin((std::min)(at >= 0 ? 0 : ceil_div(-at, step), count)),
        end((std::clamp)(at < size ? ceil_div(size - at, step) : 0, begin, count)) {}
  bool operator==(const Inside&) const = default;
};

/// The correlation of a plane with a kernel: at the output (y, x), tap (i, j) sees the pixel
/// (rows.pixel(y, i), columns.pixel(x, j)). Rows outside of the image are skipped; columns outside
/// of it are zeros in a copy of the plane, whose rows are cut into parts, one for each column
/// modulo the step, so that what a tap sees in a row of outputs lies side by side.
class PlaneCorrelation {
 public:
  PlaneCorrelation(const PatchLine& rows, const PatchLine& columns)
      : rows_(rows),
        columns_(columns),
        part_(columns.patches + last_tap(columns) / columns.step),
        stride_(columns.step * part_),
        plane_(rows.size * stride_ + kSlack),
        offsets_(rows.taps * columns.taps) {
    std::fill_n(plane_.data(), rows.size * stride_ + kSlack, 0.0F);
    for (std::int64_t t = 0; t < rows.taps * columns.taps; ++t) {
      const std::int64_t column = t % columns.taps * columns.between;
      offsets_[t] = t / columns.taps * rows.between * stride_ + column % columns.step * part_ +
                    column / columns.step;
    }
  }

  /// Reads a plane.
  void read(const float* plane) const {
    const std::int64_t size = columns_.size, step = columns_.step, first = columns_.first;
    for (std::int64_t r = 0; r < rows_.size; ++r, plane += size) {
      for (std::int64_t p = 0; p < step; ++p) {
        // The elements i of the part are the columns i * step + p + first.
        float* const to = plane_.data() + r * stride_ + p * part_;
        const std::int64_t at = p + first;
        const Inside has(at, step, size, part_);
        if (has.begin == has.end) continue;
        if (step == 1) {  // in whole vectors
          std::copy(plane + has.begin + at, plane + has.end + at, to + has.begin);
        } else {
          for (std::int64_t i = has.begin; i < has.end; ++i) to[i] = plane[i * step + at];
        }
      }
    }
  }

  /// Writes the outputs, first + the sum of the taps: [rows.patches, columns.patches].
  void sum(const float* taps, float first, float* out) const {
    for (std::int64_t y = 0, end = 0; y < rows_.patches; y = end) {
      // Several rows of outputs see the same taps.
      const Inside seen = rows_seen(y);
      for (end = y + 1; end < rows_.patches && rows_seen(end) == seen;) ++end;
      const std::int64_t rows = seen.end - seen.begin;
      const PlaneRows plane = rows_from(rows == 0 ? 0 : rows_.pixel(y, seen.begin), end - y);
      simd::on_widest<SumOfTaps>(static_cast<const PlaneRows*>(&plane),
                                 static_cast<const std::int64_t*>(offsets_.data()),
                                 taps + seen.begin * columns_.taps, rows * columns_.taps, first,
                                 out + y * columns_.patches);
    }
  }
  /// Adds the gradients of the taps.
  void add_gradients(const float* grad, float* grad_taps) const {
    for (std::int64_t t = 0; t < rows_.taps * columns_.taps; ++t) {
      const std::int64_t tap = t / columns_.taps;
      const Inside has(rows_.pixel(0, tap), rows_.step, rows_.size, rows_.patches);
      if (has.begin == has.end) continue;
      PlaneRows plane = rows_from(rows_.pixel(has.begin, tap), has.end - has.begin);
      plane.in += offsets_[t % columns_.taps];
      grad_taps[t] += simd::on_widest<SumOfRows>(static_cast<const PlaneRows*>(&plane),
                                                 grad + has.begin * columns_.patches);
    }
  }

 private:
  /// A vector beyond the last column is read, too.
  static constexpr std::int64_t kSlack = simd::kMostLanes;

  static std::int64_t last_tap(const PatchLine& line) {
    return (std::max)(line.taps - 1, std::int64_t{0}) * line.between;
  }
  /// The rows of taps that a row of outputs sees in the image.
  Inside rows_seen(std::int64_t y) const {
    return {rows_.pixel(y, 0), rows_.between, rows_.size, rows_.taps};
  }
  /// What a tap sees in `count` rows of outputs, from a row of the image on.
  PlaneRows rows_from(std::int64_t row, std::int64_t count) const {
    return {plane_.data() + row * stride_, rows_.step * stride_, count, columns_.patches};
  }

  const PatchLine rows_, columns_;
  const std::int64_t part_, stride_;
  const HostBuffer<float> plane_;
  const HostBuffer<std::int64_t> offsets_;
};

/// Calls body(first, last) for ranges of planes that are worth a thread.
template <class Body>
void for_planes(const ConvShape& s, std::int64_t planes, std::int64_t images, const Body& body) {
  constexpr std::int64_t kLeastWork = std::int64_t{1} << 15;
  parallel_ranges(planes, ceil_div(kLeastWork, images * s.taps() * s.pixels() + 1), body);
}

inline void planes_conv2d(const Conv2dArgs& args, const ConvShape& s) {
  const HostBuffer<float> weight(s.groups * s.taps());
  const float* const taps = fetch(args.weight, 0, 1, s.groups * s.taps(), weight.data());
  const HostBuffer<float> bias(s.groups);
  const float* const first = bias_or_zeros(args.bias, s.groups, bias.data());
  for_planes(s, s.images * s.groups, 1, [&](std::int64_t begin, std::int64_t end) {
    const PlaneCorrelation correlation(forward_line(s.window, 0, s.out_h, s.height),
                                       forward_line(s.window, 1, s.out_w, s.width));
    const HostBuffer<float> in(s.in_plane());
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t channel = p % s.groups;
      correlation.read(fetch(args.input, p * s.in_plane(), 1, s.in_plane(), in.data()));
      const Results out(args.output, p * s.pixels(), s.pixels());
      correlation.sum(taps + channel * s.taps(), first[channel], out.data());
      out.write(args.relu);
    }
  });
}

inline void planes_backward_input(const Conv2dBackwardInputArgs& args, const ConvShape& s) {
  const HostBuffer<float> weight(s.groups * s.taps());
  const float* const taps = fetch(args.weight, 0, 1, s.groups * s.taps(), weight.data());
  const HostBuffer<float> bias(s.groups);
  const float* const first = bias_or_zeros(args.bias, s.groups, bias.data());
  const Window& w = s.window;
  const PhaseCounts counts(s);
  for (std::int64_t phase = 0; phase < counts.all(); ++phase) {
    const Phase rows(w, 0, phase / counts.columns, s.height, s.out_h),
        columns(w, 1, phase % counts.columns, s.width, s.out_w);
    for_planes(s, s.images * s.groups, 1, [&](std::int64_t begin, std::int64_t end) {
      const PlaneCorrelation correlation(rows.line, columns.line);
      const std::int64_t pixels = rows.line.patches * columns.line.patches;
      const HostBuffer<float> grad(s.pixels()), own(rows.line.taps * columns.line.taps);
      const HostBuffer<float> sums(pixels);
      for (std::int64_t p = begin; p < end; ++p) {
        const float* const kernel = taps + p % s.groups * s.taps();
        for (std::int64_t i = 0, t = 0; i < rows.line.taps; ++i) {
          for (std::int64_t j = 0; j < columns.line.taps; ++j)
            own[t++] = kernel[rows.tap(i) * w.kernel[1] + columns.tap(j)];
        }
        correlation.read(fetch(args.grad_output, p * s.pixels(), 1, s.pixels(), grad.data()));
        const bool in_place = counts.all() == 1 && args.grad_input.dtype == kFloat32;
        float* const to =
            in_place ? static_cast<float*>(at(args.grad_input, p * s.in_plane())) : sums.data();
        correlation.sum(own.data(), first[p % s.groups], to);
        if (in_place) continue;
        copy({Operand::array(to, kFloat32, {rows.line.patches, columns.line.patches},
                             {columns.line.patches, 1}),
              Operand::array(
                  at(args.grad_input, p * s.in_plane() + rows.first * s.width + columns.first),
                  args.grad_input.dtype, {rows.line.patches, columns.line.patches},
                  {rows.stride * s.width, columns.stride})});
      }
    });
  }
}

/// Sums the gradients of a channel over the images, in order.
inline void planes_backward_weight(const Conv2dBackwardWeightArgs& args, const ConvShape& s) {
  const HostBuffer<float> sums(s.groups * s.taps());
  std::fill_n(sums.data(), s.groups * s.taps(), 0.0F);
  for_planes(s, s.groups, s.images, [&](std::int64_t begin, std::int64_t end) {
    const PlaneCorrelation correlation(forward_line(s.window, 0, s.out_h, s.height),
                                       forward_line(s.window, 1, s.out_w, s.width));
    const HostBuffer<float> in(s.in_plane()), grad(s.pixels());
    for (std::int64_t channel = begin; channel < end; ++channel) {
      for (std::int64_t image = 0; image < s.images; ++image) {
        const std::int64_t p = image * s.groups + channel;
        correlation.read(fetch(args.input, p * s.in_plane(), 1, s.in_plane(), in.data()));
        correlation.add_gradients(
            fetch(args.grad_output, p * s.pixels(), 1, s.pixels(), grad.data()),
            sums.data() + channel * s.taps());
      }
    }
  });
  store(sums.data(), args.grad_weight.data, args.grad_weight.dtype, s.groups * s.taps());
}

}  // namespace amp::inline v0::kernels::host::detail
