// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions with stride 1 whose groups have one input channel. A matmul would have one row per
// filter, so packing its operands would cost more than the arithmetic: here each plane is padded
// with zeros and correlated with the kernel, a vector of output columns at a time. The gradient of
// the input is the correlation of the gradient, padded likewise, with the reversed kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Whether DepthwisePlanes can be used. Padding beyond the kernel's reach would crop the gradient.
/// Doubles, which gain little, would double the code.
template <class C>
bool is_depthwise(const ConvShape& s) {
  const auto takes = [&](std::size_t d) {
    const Window2d& w = s.window;
    return w.stride[d] == 1 && w.padding[d] <= w.dilation[d] * (w.kernel[d] - 1);
  };
  return std::is_same_v<C, float> && s.channels == 1 && takes(0) && takes(1);
}

/// out[r, c] = first + the sum of padded[r * stride + c + offsets[t]] * taps[t], or +=.
struct Correlate {
  template <class C>
  struct Args {
    const C *padded, *taps;
    const std::int64_t* offsets;
    std::int64_t stride, count;
    C first;
    bool accumulate;
    C* out;
    std::int64_t rows, columns;
  };

  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const Args<C>* args) {
    const Args<C> a = *args;
    for (std::int64_t c = 0; c < a.columns; c += simd::kLanes<Isa>) {
      std::int64_t r = 0;
      for (; r + 4 <= a.rows; r += 4) four_rows<Isa>(a, r, c);
      for (; r < a.rows; ++r) {
        simd::Vec<C, Isa> sum = a.first;
        for (std::int64_t t = 0; t < a.count; ++t) sum += load<Isa>(a, r, c, t) * a.taps[t];
        put(sum, a, r, c);
      }
    }
  }

 private:
  /// Four rows share the broadcast taps.
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void four_rows(const Args<C>& a, std::int64_t r, std::int64_t c) {
    simd::Vec<C, Isa> s0 = a.first, s1 = s0, s2 = s0, s3 = s0;
    for (std::int64_t t = 0; t < a.count; ++t) {
      const simd::Vec<C, Isa> tap = a.taps[t];
      s0 += load<Isa>(a, r, c, t) * tap;
      s1 += load<Isa>(a, r + 1, c, t) * tap;
      s2 += load<Isa>(a, r + 2, c, t) * tap;
      s3 += load<Isa>(a, r + 3, c, t) * tap;
    }
    put(s0, a, r, c);
    put(s1, a, r + 1, c);
    put(s2, a, r + 2, c);
    put(s3, a, r + 3, c);
  }
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static simd::Vec<C, Isa> load(const Args<C>& a, std::int64_t r, std::int64_t c,
                                                  std::int64_t t) {
    return simd::load<Isa>(a.padded + r * a.stride + c + a.offsets[t]);
  }
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<C, Isa>& sum, const Args<C>& a, std::int64_t r,
                                    std::int64_t c) {
    C* const to = a.out + r * a.columns + c;
    const std::int64_t n = a.columns - c;
    if (n >= simd::kLanes<Isa>) {
      simd::store(a.accumulate ? simd::load<Isa>(to) + sum : sum, to);
    } else {
      simd::store_first(a.accumulate ? simd::load_first<Isa>(to, n) + sum : sum, to, n);
    }
  }
};

/// Returns the sum over r and c of padded[r * stride + c] * grad[r, c].
struct TapGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* padded, std::int64_t stride, const C* grad,
                                 std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    simd::Vec<C, Isa> sum = 0, rest = 0;
    for (std::int64_t r = 0; r < rows; ++r, padded += stride, grad += columns) {
      std::int64_t c = 0;
      for (; c + kLanes <= columns; c += kLanes)
        sum += simd::load<Isa>(padded + c) * simd::load<Isa>(grad + c);
      if (c < columns) {
        const std::int64_t n = columns - c;
        rest += simd::load_first<Isa>(padded + c, n) * simd::load_first<Isa>(grad + c, n);
      }
    }
    return simd::sum_of(sum + rest);
  }
};

/// A plane padded with zeros, and the offsets of a kernel's taps in it.
template <class C>
class PaddedPlane {
 public:
  /// `padding` rows and columns on each side of `height` x `width` elements. `reversed`: the kernel
  /// is, so its last tap has the first offset.
  PaddedPlane(const Window2d& w, std::int64_t height, std::int64_t width,
              const std::int64_t (&padding)[2], bool reversed)
      : height_(height),
        width_(width),
        start_(0),
        stride_(width + 2 * padding[1]),
        plane_((height + 2 * padding[0]) * stride_ + kWidest),
        offsets_(w.kernel[0] * w.kernel[1]) {
    start_ = padding[0] * stride_ + padding[1];
    std::fill_n(plane_.data(), (height + 2 * padding[0]) * stride_ + kWidest, C{0});
    const std::int64_t taps = w.kernel[0] * w.kernel[1];
    for (std::int64_t t = 0; t < taps; ++t)
      offsets_[reversed ? taps - 1 - t : t] =
          t / w.kernel[1] * w.dilation[0] * stride_ + t % w.kernel[1] * w.dilation[1];
  }
  void fill(const C* plane) const {
    for (std::int64_t r = 0; r < height_; ++r)
      std::copy_n(plane + r * width_, width_, plane_.data() + start_ + r * stride_);
  }
  const C* data() const { return plane_.data(); }
  std::int64_t stride() const { return stride_; }
  const std::int64_t* offsets() const { return offsets_.data(); }

 private:
  std::int64_t height_, width_, start_, stride_;
  HostBuffer<C> plane_;
  HostBuffer<std::int64_t> offsets_;
};

/// The plane of a group's input, and that of the gradient of its output.
template <class C>
PaddedPlane<C> padded_input(const ConvShape& s) {
  return {s.window, s.height, s.width, {s.window.padding[0], s.window.padding[1]}, false};
}
template <class C>
PaddedPlane<C> padded_gradient(const ConvShape& s) {
  const auto around = [&](std::size_t d) {
    return s.window.dilation[d] * (s.window.kernel[d] - 1) - s.window.padding[d];
  };
  return {s.window, s.out_h, s.out_w, {around(0), around(1)}, true};
}

/// The filters of a group, for its plane `in`.
template <class C>
void correlate(const ConvShape& s, const PaddedPlane<C>& padded, const C* in, const C* weight,
               const C* bias, C* out) {
  padded.fill(in);
  for (std::int64_t o = 0; o < s.filters; ++o) {
    const Correlate::Args<C> args{padded.data(),
                                  weight + o * s.taps(),
                                  padded.offsets(),
                                  padded.stride(),
                                  s.taps(),
                                  bias != nullptr ? bias[o] : C{0},
                                  false,
                                  out + o * s.pixels(),
                                  s.out_h,
                                  s.out_w};
    on_rows<Correlate, C>(&args);
  }
}
/// The gradient of the group's plane.
template <class C>
void correlate_gradient(const ConvShape& s, const PaddedPlane<C>& padded, const C* grad,
                        const C* weight, C* grad_input) {
  for (std::int64_t o = 0; o < s.filters; ++o) {
    padded.fill(grad + o * s.pixels());
    const Correlate::Args<C> args{padded.data(),    weight + o * s.taps(),
                                  padded.offsets(), padded.stride(),
                                  s.taps(),         C{0},
                                  o != 0,           grad_input,
                                  s.height,         s.width};
    on_rows<Correlate, C>(&args);
  }
}
/// grad_weight += the gradients of the group's filters, for its plane `in`.
template <class C>
void add_tap_gradients(const ConvShape& s, const PaddedPlane<C>& padded, const C* in, const C* grad,
                       C* grad_weight) {
  padded.fill(in);
  for (std::int64_t o = 0; o < s.filters; ++o) {
    for (std::int64_t t = 0; t < s.taps(); ++t) {
      grad_weight[o * s.taps() + t] +=
          on_rows<TapGradient, C>(padded.data() + padded.offsets()[t], padded.stride(),
                                  grad + o * s.pixels(), s.out_h, s.out_w);
    }
  }
}

}  // namespace amp::inline v0::kernels::host::detail
