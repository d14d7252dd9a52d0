// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling over lists of gradients: unscale and test, norm, clip, and the update of the scale.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"
#include "amp/kernels/scale_state.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

inline constexpr std::int64_t kChunk = std::int64_t{1}
                                       << 16;  // elements of one partial sum, on every device
inline constexpr int kLanes = 512;             // float accumulators of a chunk
inline constexpr int kSumLanes = 64;           // double accumulators of their sums

inline Operand dense(void* data, DType dtype, std::int64_t numel) {
  Operand operand;
  operand.data = data;
  operand.dtype = dtype;
  operand.present = true;
  operand.dims = 1;
  operand.sizes[0] = numel;
  operand.strides[0] = 1;
  return operand;
}

/// body(gradient, number, begin, end) for the chunks of all gradients, numbered in order.
template <class Body>
void for_each_chunk(const GradientSpan* gradients, std::int64_t count, Body&& body) {
  std::int64_t first = 0;
  for (std::int64_t g = 0; g < count; ++g) {
    const GradientSpan& span = gradients[g];
    const std::int64_t chunks = ceil_div(span.numel, kChunk);
    parallel_for(chunks, [&](std::int64_t chunk) {
      body(span, first + chunk, chunk * kChunk, (std::min)(span.numel, (chunk + 1) * kChunk));
    });
    first += chunks;
  }
}
inline Operand dense(const GradientSpan& span) { return dense(span.data, span.dtype, span.numel); }

/// The sum of all: lanes, then a tree, on every device.
template <int kCount, class T>
double sum_of_lanes(const T (&lanes)[kCount]) {
  double tree[kCount];
  std::copy_n(lanes, kCount, tree);
  for (int width = kCount / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) tree[l] += tree[l + width];
  }
  return tree[0];
}

/// Adds squares of x * inverse to lane i % kLanes, in float.
template <class C>
void add_squares(const C* x, std::int64_t n, float inverse, float* lanes) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const float v = static_cast<float>(x[i + l]) * inverse;
      lanes[l] += v * v;
    }
  }
  for (int l = 0; i < n; ++i, ++l) {
    const float v = static_cast<float>(x[i]) * inverse;
    lanes[l] += v * v;
  }
}

}  // namespace detail

inline void unscale(const UnscaleArgs& args) {
  std::atomic<bool> found{false};
  detail::for_each_chunk(
      args.gradients, args.count,
      [&](const GradientSpan& span, std::int64_t, std::int64_t begin, std::int64_t end) {
        const Operand grad = detail::dense(span);
        const Operand to =
            span.unscaled != nullptr ? detail::dense(span.unscaled, kFloat32, span.numel) : grad;
        const bool may_overflow = rounding_may_overflow(span, *args.inverse_scale);
        visit_float_type(grad.dtype, [&](auto tag) {
          using C = typename decltype(tag)::type;
          const C inverse = static_cast<C>(*args.inverse_scale);
          C in_buffer[kBlock], out_buffer[kBlock];
          unsigned bad = 0;
          for (std::int64_t i = begin; i < end; i += kBlock) {
            const std::int64_t n = (std::min)(kBlock, end - i);
            const C* const in = fetch(grad, i, 1, n, in_buffer);
            for (std::int64_t j = 0; j < n; ++j) {
              out_buffer[j] = in[j] * inverse;
              bad |= static_cast<unsigned>(!is_finite(in[j])) |
                     static_cast<unsigned>(!is_finite(out_buffer[j]));
            }
            if (!args.write || span.read_only) continue;
            store<C>(out_buffer, to, i, 1, n);
            if (!may_overflow) continue;
            const C* const stored = fetch(to, i, 1, n, in_buffer);
            for (std::int64_t j = 0; j < n; ++j)
              bad |= static_cast<unsigned>(!is_finite(stored[j]));
          }
          if (bad != 0) found.store(true, std::memory_order_relaxed);
        });
      });
  if (found) *args.found_inf = 1.0F;
}

inline void grad_norm(const GradNormArgs& args) {
  std::int64_t chunks = 0;
  for (std::int64_t g = 0; g < args.count; ++g)
    chunks += ceil_div(args.gradients[g].numel, detail::kChunk);
  const float inverse = args.inverse_scale != nullptr ? *args.inverse_scale : 1.0F;
  const HostBuffer<double> sums(chunks);
  detail::for_each_chunk(
      args.gradients, args.count,
      [&](const GradientSpan& span, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        const Operand grad = detail::dense(span);
        visit_float_type(grad.dtype, [&](auto tag) {
          using C = typename decltype(tag)::type;
          static_assert(kBlock % detail::kLanes == 0);
          float lanes[detail::kLanes] = {};
          C buffer[kBlock];
          for (std::int64_t i = begin; i < end; i += kBlock) {
            const std::int64_t n = (std::min)(kBlock, end - i);
            detail::add_squares(fetch(grad, i, 1, n, buffer), n, inverse, lanes);
          }
          sums[chunk] = detail::sum_of_lanes(lanes);
        });
      });
  double lanes[detail::kSumLanes] = {};
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    lanes[chunk % detail::kSumLanes] += sums[chunk];
  const float norm = static_cast<float>(std::sqrt(detail::sum_of_lanes(lanes)));
  *args.norm = norm;
  if (args.coefficient != nullptr) *args.coefficient = clip_coefficient(norm, args.max_norm);
  if (args.found_inf != nullptr && !is_finite(norm)) *args.found_inf = 1.0F;
}

inline void clip(const ClipArgs& args) {
  if (args.found_inf != nullptr && *args.found_inf != 0) return;
  const float coefficient = *args.coefficient;
  detail::for_each_chunk(
      args.gradients, args.count,
      [&](const GradientSpan& span, std::int64_t, std::int64_t begin, std::int64_t end) {
        const Operand grad = detail::dense(span);
        visit_float_type(grad.dtype, [&](auto tag) {
          using C = typename decltype(tag)::type;
          C buffer[kBlock], out[kBlock];
          for (std::int64_t i = begin; i < end; i += kBlock) {
            const std::int64_t n = (std::min)(kBlock, end - i);
            const C* const in = fetch(grad, i, 1, n, buffer);
            for (std::int64_t j = 0; j < n; ++j) out[j] = in[j] * static_cast<C>(coefficient);
            store<C>(out, grad, i, 1, n);
          }
        });
      });
}

inline void update_scale(const UpdateScaleArgs& args) {
  bool found = false, looked = false;
  for (std::int64_t i = 0; i < args.count; ++i) {
    const bool bad = args.found_inf[i] != nullptr && *args.found_inf[i] != 0;
    looked |= args.found_inf[i] != nullptr;
    found |= bad;
    if (args.counts[i] == Counts::kNot) continue;
    const bool left_out = bad || args.counts[i] == Counts::kLeftOut;
    ++(left_out ? args.state->skipped : args.state->applied);
  }
  if (looked) kernels::update_scale(*args.state, args.rule, found);
  if (args.clears != nullptr) *args.clears = 0;
}

}  // namespace amp::inline v0::kernels::host
