// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling over lists of gradients: unscale, test, norm and statistics in one pass, clip, and
// the update of the scale.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/kernels/unscale/host/scale_codes.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

inline constexpr int kAccumulators = 512;  // accumulators of a chunk
inline constexpr int kSumLanes = 64;       // double accumulators of their sums
inline constexpr int kTogether = 2;        // chunks that are read side by side

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

inline Operand dense(const GradientSpan& span) { return dense(span.data, span.dtype, span.numel); }

/// The sum of all: lanes, then a tree, on every device.
template <std::size_t kCount, class T>
double sum_of_lanes(const T (&lanes)[kCount]) {
  double tree[kCount];
  std::copy_n(lanes, kCount, tree);
  for (std::size_t width = kCount / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) tree[l] += tree[l + width];
  }
  return tree[0];
}

/// body(i, i % kAccumulators) for i < n: loops of a fixed length, which compilers make vectors of.
template <class Body>
AMP_ALWAYS_INLINE void for_each_lane(std::int64_t n, Body&& body) {
  std::int64_t i = 0;
  for (; i + kAccumulators <= n; i += kAccumulators) {
    for (int l = 0; l < kAccumulators; ++l) body(i + l, l);
  }
  for (int l = 0; i < n; ++i, ++l) body(i, l);
}

/// Signed integers: baseline x86 compares no others in vectors. A magnitude is not negative.
template <class C>
AMP_ALWAYS_INLINE auto magnitude(C x) {
  return static_cast<std::make_signed_t<decltype(magnitude_bits(x))>>(magnitude_bits(x));
}
/// Its highest bit is set where x is not finite, so that a block can be asked at once.
template <class C>
AMP_ALWAYS_INLINE auto not_finite_bit(C x) {
  constexpr auto kLeastExponent = magnitude_bits((std::numeric_limits<C>::min)());
  return magnitude_bits(x) + kLeastExponent;
}
template <class Bits>
bool highest_bit(Bits bits) {
  return (bits >> (8 * sizeof(Bits) - 1)) != 0;
}

/// x *= factor; whether a product is not finite.
template <class C>
AMP_ALWAYS_INLINE bool scale_block(C* x, std::int64_t n, C factor) {
  decltype(magnitude_bits(factor)) bad = 0;
  for_each_lane(n, [&](std::int64_t i, int) {
    const C product = x[i] * factor;
    x[i] = product;
    bad |= not_finite_bit(product);
  });
  return highest_bit(bad);
}
/// Whether x * factor is not finite.
template <class C>
AMP_ALWAYS_INLINE bool test_block(const C* x, std::int64_t n, C factor) {
  decltype(magnitude_bits(factor)) bad = 0;
  for_each_lane(n, [&](std::int64_t i, int) { bad |= not_finite_bit(x[i] * factor); });
  return highest_bit(bad);
}
/// Adds the squares of x * factor.
template <class C>
AMP_ALWAYS_INLINE void add_squares(const C* __restrict x, std::int64_t n, C factor,
                                   C* __restrict lanes) {
  const auto add = [](C value, C& lane) { lane += value * value; };
  for (; n >= kAccumulators; n -= kAccumulators, x += kAccumulators) {
    for (int l = 0; l < kAccumulators; ++l) add(x[l] * factor, lanes[l]);
  }
  for (std::int64_t l = 0; l < n; ++l) add(x[l] * factor, lanes[l]);
}
/// The squares of x * factor in kTogether chunks, each in lanes of its own; whether a product is
/// not finite. Some of each chunk in turn: reading at one place alone does not use up the bandwidth
/// that a thread can have.
AMP_ALWAYS_INLINE bool add_squares_together(const float* __restrict x, float factor,
                                            float (*__restrict lanes)[kAccumulators]) {
  decltype(magnitude_bits(factor)) bad = 0;
  for (std::int64_t i = 0; i < kChunk; i += kAccumulators) {
    for (int c = 0; c < kTogether; ++c) {
      const float* const row = x + c * kChunk + i;
      for (int l = 0; l < kAccumulators; ++l) {
        const float product = row[l] * factor;
        bad |= not_finite_bit(product);
        lanes[c][l] += product * product;
      }
    }
  }
  return highest_bit(bad);
}
template <class C>
AMP_ALWAYS_INLINE void tally_scaled(const C* x, std::int64_t n, GradientTally& tally) {
  const auto bound = magnitude(static_cast<C>(kSmallestNormalHalf));
  decltype(magnitude(C{})) zeros = 0, small = 0;
  for_each_lane(n, [&](std::int64_t i, int) {
    const auto bits = magnitude(x[i]);
    zeros += bits == 0 ? 1 : 0;
    small += bits < bound ? 1 : 0;
  });
  tally.zeros += zeros;
  tally.small += small;
}
template <class C>
AMP_ALWAYS_INLINE void tally_products(const C* x, std::int64_t n, C factor, GradientTally& tally) {
  decltype(magnitude(C{})) most = 0, gone = 0;
  for_each_lane(n, [&](std::int64_t i, int) {
    const auto bits = magnitude(static_cast<C>(x[i] * factor));
    most = bits > most ? bits : most;
    gone += bits == 0 ? 1 : 0;
  });
  tally.gone += gone;
  tally.see(static_cast<std::make_unsigned_t<decltype(most)>>(most));
}

/// What a pass is to do, and to find out.
struct Pass {
  double inverse;
  bool writes, tests, sums, tallies;
};
/// Of one chunk, or of all.
struct Found {
  double squares;
  GradientTally tally;
};

/// Whether anything is not finite, where the pass tests.
template <class C>
AMP_ALWAYS_INLINE bool take_chunk(const Pass& pass, const GradientSpan& span, std::int64_t begin,
                                  std::int64_t end, Found& found) {
  static_assert(kBlock % kAccumulators == 0);
  const Operand grad = dense(span);
  const Operand to = span.unscaled != nullptr ? dense(span.unscaled, kFloat32, span.numel) : grad;
  const bool writes = pass.writes && !span.read_only, counts = pass.sums || pass.tallies;
  const bool rounds = to.dtype != dtype_of<C>;
  const bool looks_again = rounds && (counts || rounding_may_overflow(span, pass.inverse));
  const C inverse = static_cast<C>(pass.inverse);
  C lanes[kAccumulators] = {};
  C buffer[kBlock];
  bool bad = false;
  for (std::int64_t i = begin; i < end; i += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - i);
    const C* values = fetch(grad, i, 1, n, buffer);  // times `factor`: the unscaled ones
    C factor = inverse;
    if (pass.tallies) tally_scaled(values, n, found.tally);
    if (writes) {
      C* const products = target(to, i, 1, n, buffer);
      if (products != values) std::copy_n(values, n, products);
      bad |= scale_block(products, n, inverse);
      store<C>(products, to, i, 1, n);
      values = looks_again ? fetch(to, i, 1, n, buffer) : products;
      factor = 1;
    }
    if (pass.tests && (!writes || looks_again)) bad |= test_block(values, n, factor);
    if (pass.sums) add_squares(values, n, factor, lanes);
    if (pass.tallies) tally_products(values, n, factor, found.tally);
  }
  if (pass.sums) found.squares = sum_of_lanes(lanes);
  return bad;
}

/// One chunk after another, or kTogether full ones where they are but read.
AMP_ALWAYS_INLINE bool take_chunks(const Pass& pass, const GradientSpan& span, std::int64_t begin,
                                   std::int64_t end, Found* found) {
  const bool reads = pass.sums && !pass.tallies && (!pass.writes || span.read_only);
  if (reads && span.dtype == kFloat32 && end - begin == kTogether * kChunk) {
    float lanes[kTogether][kAccumulators] = {};
    const bool bad = add_squares_together(static_cast<const float*>(span.data) + begin,
                                          static_cast<float>(pass.inverse), lanes);
    for (int c = 0; c < kTogether; ++c) found[c].squares = sum_of_lanes(lanes[c]);
    return pass.tests && bad;
  }
  const bool only_scales = pass.writes && !pass.sums && !pass.tallies && !span.read_only;
  if (only_scales && span.unscaled == nullptr && can_scale_codes(span.dtype, pass.inverse)) {
    const auto factor = static_cast<float>(pass.inverse);
    return scale_codes(span.data, span.dtype, begin, end - begin, factor) && pass.tests;
  }
  bool bad = false;
  for (; begin < end; begin += kChunk, ++found) {
    const std::int64_t to = (std::min)(end, begin + kChunk);
    bad |= span.dtype == kFloat64 ? take_chunk<double>(pass, span, begin, to, *found)
                                  : take_chunk<float>(pass, span, begin, to, *found);
  }
  return bad;
}
using TakeChunks = bool (*)(const Pass&, const GradientSpan&, std::int64_t, std::int64_t, Found*);
inline bool take_chunks_baseline(const Pass& pass, const GradientSpan& span, std::int64_t begin,
                                 std::int64_t end, Found* found) {
  return take_chunks(pass, span, begin, end, found);
}
#if AMP_X86
/// The same bits from wider vectors: AVX2 without FMA, which would round once for a product and its
/// sum.
__attribute__((target("avx2"))) inline bool take_chunks_avx2(const Pass& pass,
                                                             const GradientSpan& span,
                                                             std::int64_t begin, std::int64_t end,
                                                             Found* found) {
  return take_chunks(pass, span, begin, end, found);
}
#endif
inline TakeChunks best_take_chunks() {
#if AMP_X86
  if (amp::detail::has_avx2()) return &take_chunks_avx2;
#endif
  return &take_chunks_baseline;
}

/// What a pass found in all gradients.
struct PassResult {
  bool not_finite;
  double norm;  // rounded to float32, unless a gradient is float64
  GradientTally tally;
  std::int64_t elements;
};

inline PassResult run(const Pass& pass, const GradientSpan* gradients, std::int64_t count) {
  const Chunks chunks(count, [&](std::int64_t g) { return gradients[g].numel; });
  const HostBuffer<Found> found(pass.sums || pass.tallies ? chunks.size() : 0);
  const TakeChunks take = best_take_chunks();
  std::atomic<bool> not_finite{false};
  const auto body = [&](std::int64_t g, std::int64_t n, std::int64_t begin, std::int64_t end) {
    Found here[kTogether] = {};
    if (take(pass, gradients[g], begin, end, here))
      not_finite.store(true, std::memory_order_relaxed);
    if (found.data() != nullptr) std::copy_n(here, ceil_div(end - begin, kChunk), &found[n]);
  };
  chunks.for_each(body, kTogether);
  PassResult result{not_finite, 0, {}, chunks.elements()};
  double lanes[kSumLanes] = {};
  for (std::int64_t n = 0; found.data() != nullptr && n < chunks.size(); ++n) {
    lanes[n % kSumLanes] += found[n].squares;
    result.tally.add(found[n].tally);
  }
  const double norm = std::sqrt(sum_of_lanes(lanes));
  result.norm = any_float64(gradients, count) ? norm : double{static_cast<float>(norm)};
  return result;
}

}  // namespace detail

inline void unscale(const UnscaleArgs& args) {
  const bool tallies = args.statistics != nullptr;
  const bool sums = tallies || !args.norm.is_null() || args.finite_norm;
  const detail::PassResult result = detail::run(
      {double{*args.inverse_scale}, args.write, true, sums, tallies}, args.gradients, args.count);
  if (result.not_finite || (args.finite_norm && !is_finite(result.norm))) *args.found_inf = 1.0F;
  if (!args.norm.is_null()) args.norm.set(result.norm);
  if (tallies) {
    *args.statistics = result.tally.statistics(result.norm, result.elements, *args.found_inf != 0);
  }
}

inline void grad_norm(const GradNormArgs& args) {
  const float inverse = args.inverse_scale != nullptr ? *args.inverse_scale : 1.0F;
  const detail::PassResult result =
      detail::run({double{inverse}, false, false, true, args.statistics != nullptr}, args.gradients,
                  args.count);
  args.norm.set(result.norm);
  const double coefficient = clip_coefficient(result.norm, args.max_norm);
  if (args.coefficient != nullptr) *args.coefficient = static_cast<float>(coefficient);
  if (args.coefficient_float64 != nullptr) *args.coefficient_float64 = coefficient;
  if (args.found_inf != nullptr && !is_finite(result.norm)) *args.found_inf = 1.0F;
  if (args.statistics != nullptr) {
    *args.statistics = result.tally.statistics(result.norm, result.elements,
                                               args.found_inf != nullptr && *args.found_inf != 0);
  }
}

inline void clip(const ClipArgs& args) {
  if (args.found_inf != nullptr && *args.found_inf != 0) return;
  const double factor = args.factor();
  if (factor == 1) return;
  const detail::Pass pass{factor, true, false, false, false};
  (void)detail::run(pass, args.gradients, args.count);
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
