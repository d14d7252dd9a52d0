// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/kernels/unscale/formula.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/kernels/unscale/host/scale_codes.hpp"
#include "amp/kernels/unscale/host/sum_of_lanes.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

inline constexpr int kTogether = 2;  // chunks that are read alternately
static_assert(kChunk == kGradientChunk && kBlock % kGradientLanes == 0);

AMP_INLINE Operand dense(void* data, DType dtype, std::int64_t numel) {
  Operand operand;
  operand.data = data;
  operand.dtype = dtype;
  operand.present = true;
  operand.dims = 1;
  operand.sizes[0] = numel;
  operand.strides[0] = 1;
  return operand;
}

/// body(i, i % kGradientLanes) for i < n: loops of a fixed length, which compilers make vectors of.
template <class Body>
AMP_ALWAYS_INLINE void for_each_lane(std::int64_t n, Body&& body) {
  std::int64_t i = 0;
  for (; i + kGradientLanes <= n; i += kGradientLanes) {
    for (int l = 0; l < kGradientLanes; ++l) body(i + l, l);
  }
  for (int l = 0; i < n; ++i, ++l) body(i, l);
}

/// |x| as a signed integer, because baseline x86 compares only these in vectors.
template <class C>
AMP_ALWAYS_INLINE auto magnitude(C x) {
  return static_cast<std::make_signed_t<decltype(magnitude_bits(x))>>(magnitude_bits(x));
}
/// A number whose highest bit is set if x is not finite. The bits of a block can be combined by |.
template <class C>
AMP_ALWAYS_INLINE auto not_finite_bit(C x) {
  constexpr auto kLeastExponent = magnitude_bits((std::numeric_limits<C>::min)());
  return magnitude_bits(x) + kLeastExponent;
}
template <class Bits>
bool highest_bit(Bits bits) {
  return (bits >> (8 * sizeof(Bits) - 1)) != 0;
}

/// x *= factor. Returns whether a result is not finite.
template <class C>
AMP_ALWAYS_INLINE bool scale_block(C* x, std::int64_t n, C factor) {
  decltype(magnitude_bits(factor)) bad = 0;
  for_each_lane(n, [&](std::int64_t i, int) {
    const C unscaled = x[i] * factor;
    x[i] = unscaled;
    bad |= not_finite_bit(unscaled);
  });
  return highest_bit(bad);
}
/// Returns whether an x * factor is not finite.
template <class C>
AMP_ALWAYS_INLINE bool test_block(const C* x, std::int64_t n, C factor) {
  decltype(magnitude_bits(factor)) bad = 0;
  for_each_lane(n, [&](std::int64_t i, int) { bad |= not_finite_bit(x[i] * factor); });
  return highest_bit(bad);
}
/// Adds the squares of x * factor to the lanes.
template <class C>
AMP_ALWAYS_INLINE void add_squares(const C* __restrict x, std::int64_t n, C factor,
                                   C* __restrict lanes) {
  const auto add = [](C value, C& lane) { lane += value * value; };
  for (; n >= kGradientLanes; n -= kGradientLanes, x += kGradientLanes) {
    for (int l = 0; l < kGradientLanes; ++l) add(x[l] * factor, lanes[l]);
  }
  for (std::int64_t l = 0; l < n; ++l) add(x[l] * factor, lanes[l]);
}
/// Adds the squares of x * factor of kTogether chunks, each to its own lanes. Returns whether an
/// x * factor is not finite. The chunks are read alternately: a thread that reads at one place only
/// does not reach its bandwidth.
AMP_ALWAYS_INLINE bool add_squares_together(const float* __restrict x, float factor,
                                            float (*__restrict lanes)[kGradientLanes]) {
  decltype(magnitude_bits(factor)) bad = 0;
  for (std::int64_t i = 0; i < kChunk; i += kGradientLanes) {
    for (int c = 0; c < kTogether; ++c) {
      const float* const row = x + c * kChunk + i;
      for (int l = 0; l < kGradientLanes; ++l) {
        const float unscaled = row[l] * factor;
        bad |= not_finite_bit(unscaled);
        lanes[c][l] += unscaled * unscaled;
      }
    }
  }
  return highest_bit(bad);
}
/// Some values of a gradient. The unscaled values are these times `factor`.
template <class C>
struct Block {
  const C* values;
  std::int64_t first, n;
  C factor;
};
/// Tallies scaled values, but for those that are lost. Returns whether one is small.
template <class C>
AMP_ALWAYS_INLINE bool tally_scaled(const C* x, std::int64_t n, GradientTally& tally) {
  const auto bound = magnitude(static_cast<C>(kSmallestNormalHalf));
  decltype(magnitude(C{})) zeros = 0, small = 0;
  for_each_lane(n, [&](std::int64_t i, int) {
    const auto bits = magnitude(x[i]);
    zeros += bits == 0 ? 1 : 0;
    small += bits < bound ? 1 : 0;
  });
  tally.zeros += zeros;
  tally.small += small;
  return small != 0;
}
/// Tallies the scaled values that are lost.
template <class C>
AMP_ALWAYS_INLINE void tally_lost(const C* x, std::int64_t n, GradientTally& tally) {
  const auto bound = magnitude(static_cast<C>(kSmallestHalf));
  decltype(magnitude(C{})) lost = 0;
  for_each_lane(n, [&](std::int64_t i, int) { lost += magnitude(x[i]) < bound ? 1 : 0; });
  tally.lost += lost;
}
/// Tallies the unscaled values of a block, and adds the squares of the finite ones to the lanes.
template <class C>
AMP_ALWAYS_INLINE void tally_unscaled(const Block<C>& block, GradientTally& tally, C* lanes) {
  decltype(magnitude(C{})) most = 0, flushed = 0;
  for_each_lane(block.n, [&](std::int64_t i, int) {
    const auto bits = magnitude(static_cast<C>(block.values[i] * block.factor));
    most = bits > most ? bits : most;
    flushed += bits == 0 ? 1 : 0;
  });
  tally.flushed += flushed;
  if (most < magnitude(std::numeric_limits<C>::infinity())) {
    tally.observe_finite(static_cast<std::make_unsigned_t<decltype(most)>>(most));
    add_squares(block.values, block.n, block.factor, lanes);
    return;
  }
  for (std::int64_t i = 0; i < block.n; ++i) {
    const C value = block.values[i] * block.factor;
    tally.observe(value, block.first + i);
    lanes[i % kGradientLanes] += GradientTally::square(value);
  }
}

/// The work of a pass. `tallies` requires `sums`. `records`, for a ledger, requires `tallies`, and
/// counts the values that are lost, too.
struct Pass {
  double inverse;
  bool writes, tests, sums, tallies = false, records = false;

  bool writes_to(const GradientSpan& span) const { return writes && !span.read_only; }
  bool only_sums(const GradientSpan& span) const { return sums && !tallies && !writes_to(span); }
  bool only_scales(const GradientSpan& span) const {
    return !sums && writes_to(span) && span.unscaled == nullptr;
  }
};
/// The results for one chunk.
struct Found {
  double squares;
  GradientTally tally;
};

/// Writes the unscaled values of a block. The block then contains them, rounded if they are read
/// again. Returns whether one is not finite.
template <class C>
AMP_ALWAYS_INLINE bool write_unscaled(const UnscaleTarget& to, const Operand& output,
                                      Block<C>& block, C* buffer) {
  C* const unscaled = target(output, block.first, 1, block.n, buffer);
  if (unscaled != block.values) std::copy_n(block.values, block.n, unscaled);
  const bool bad = scale_block(unscaled, block.n, block.factor);
  store<C>(unscaled, output, block.first, 1, block.n);
  block.values = to.rereads ? fetch(output, block.first, 1, block.n, buffer) : unscaled;
  block.factor = 1;
  return bad;
}

/// Returns whether an unscaled value is not finite, if the pass tests.
template <class C>
AMP_ALWAYS_INLINE bool process_chunk(const Pass& pass, const GradientSpan& span, std::int64_t begin,
                                     std::int64_t end, Found& found) {
  const UnscaleTarget to(span, pass.inverse, pass.writes, pass.sums);
  const Operand grad = dense(span.data, span.dtype, span.numel),
                output = dense(to.data, to.dtype, span.numel);
  const bool tests = pass.tests && (!to.writes || to.rereads);
  C lanes[kGradientLanes] = {};
  C buffer[kBlock];
  bool bad = false;
  for (std::int64_t i = begin; i < end; i += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - i);
    Block<C> block{fetch(grad, i, 1, n, buffer), i, n, static_cast<C>(pass.inverse)};
    const bool has_small = pass.tallies && tally_scaled(block.values, n, found.tally);
    if (has_small && pass.records) tally_lost(block.values, n, found.tally);
    if (to.writes) bad |= write_unscaled(to, output, block, buffer);
    if (tests) bad |= test_block(block.values, n, block.factor);
    if (pass.tallies) {
      tally_unscaled(block, found.tally, lanes);
    } else if (pass.sums) {
      add_squares(block.values, n, block.factor, lanes);
    }
  }
  if (pass.sums) found.squares = sum_of_lanes(lanes);
  if (pass.tallies) found.squares = found.tally.finish_sum(found.squares);
  return bad;
}

/// Processes kTogether chunks of float32 in a pass that only computes the norm.
AMP_ALWAYS_INLINE bool sum_together(const Pass& pass, const GradientSpan& span, std::int64_t begin,
                                    Found* found) {
  float lanes[kTogether][kGradientLanes] = {};
  const bool bad = add_squares_together(static_cast<const float*>(span.data) + begin,
                                        static_cast<float>(pass.inverse), lanes);
  for (int c = 0; c < kTogether; ++c) found[c].squares = sum_of_lanes(lanes[c]);
  return pass.tests && bad;
}

AMP_ALWAYS_INLINE bool process_chunks(const Pass& pass, const GradientSpan& span,
                                      std::int64_t begin, std::int64_t end, Found* found) {
  if (span.dtype == kFloat32 && end - begin == kTogether * kChunk && pass.only_sums(span))
    return sum_together(pass, span, begin, found);
  if (pass.only_scales(span) && can_scale_codes(span.dtype, pass.inverse)) {
    const auto factor = static_cast<float>(pass.inverse);
    return scale_codes(span.data, span.dtype, begin, end - begin, factor) && pass.tests;
  }
  bool bad = false;
  for (; begin < end; begin += kChunk, ++found) {
    const std::int64_t to = (std::min)(end, begin + kChunk);
    bad |= span.dtype == kFloat64 ? process_chunk<double>(pass, span, begin, to, *found)
                                  : process_chunk<float>(pass, span, begin, to, *found);
  }
  return bad;
}
struct ProcessChunks {
  template <class Isa>
  AMP_ALWAYS_INLINE static bool run(const Pass* pass, const GradientSpan* span, std::int64_t begin,
                                    std::int64_t end, Found* found) {
    return process_chunks(*pass, *span, begin, end, found);
  }
};

/// Writes the summaries of the pass that began last, from the results of its chunks.
AMP_COLD void record_summaries(const LedgerArgs& ledger, const GradientSpan* gradients,
                               std::int64_t count, const Found* found) {
  GradientSummary* const summaries = ledger.summaries();
  for (std::int64_t g = 0; g < count; ++g) {
    double lanes[kChunkLanes] = {};
    GradientTally tally{};
    const std::int64_t chunks = ceil_div(gradients[g].numel, kChunk);
    for (std::int64_t n = 0; n < chunks; ++n, ++found) {
      tally.add(found->tally);
      lanes[n % kChunkLanes] += found->tally.squares;
    }
    tally.squares = sum_of_lanes(lanes);
    summaries[g] = tally.summary(gradients[g]);
  }
}

/// Runs the pass and writes its `results`.
AMP_INLINE void run(const Pass& pass, const GradientSpan* gradients, std::int64_t count,
                    PassResults results = {}) {
  const Chunks chunks(count, [&](std::int64_t g) { return gradients[g].numel; });
  const HostBuffer<Found> found(pass.sums ? chunks.size() : 0);
  std::atomic<bool> not_finite{false};
  const auto body = [&](std::int64_t g, std::int64_t n, std::int64_t begin, std::int64_t end) {
    Found here[kTogether] = {};
    if (simd::on_widest_without_fma<ProcessChunks>(&pass, &gradients[g], begin, end, &here[0]))
      not_finite.store(true, std::memory_order_relaxed);
    if (pass.sums) std::copy_n(here, ceil_div(end - begin, kChunk), &found[n]);
  };
  chunks.for_each(body, kTogether);
  if (not_finite) results.write_found_inf();
  if (!pass.sums) return;
  double lanes[kChunkLanes] = {};
  GradientTally tally{};
  for (std::int64_t n = 0; n < chunks.size(); ++n) {
    lanes[n % kChunkLanes] += found[n].squares;
    tally.add(found[n].tally);
  }
  results.elements = chunks.elements();
  results.write(sum_of_lanes(lanes), tally);
  if (results.ledger.ring != nullptr)
    record_summaries(results.ledger, gradients, count, found.data());
}

}  // namespace detail

AMP_INLINE void unscale(const UnscaleArgs& args) {
  const PassResults results = results_of(args);
  const bool sums = results.tallies() || !args.norm.is_null() || args.finite_norm;
  const detail::Pass pass{.inverse = double{*args.inverse_scale},
                          .writes = args.write,
                          .tests = true,
                          .sums = sums,
                          .tallies = results.tallies(),
                          .records = args.ledger.ring != nullptr};
  detail::run(pass, args.gradients, args.count, results);
}

AMP_INLINE void grad_norm(const GradNormArgs& args) {
  const PassResults results = results_of(args);
  const float inverse = args.inverse_scale != nullptr ? *args.inverse_scale : 1.0F;
  const detail::Pass pass{.inverse = double{inverse},
                          .writes = false,
                          .tests = false,
                          .sums = true,
                          .tallies = results.tallies(),
                          .records = args.ledger.ring != nullptr};
  detail::run(pass, args.gradients, args.count, results);
}

AMP_INLINE void clip(const ClipArgs& args) {
  if (args.found_inf != nullptr && *args.found_inf != 0) return;
  const double factor = args.factor();
  if (factor == 1) return;
  const detail::Pass pass{.inverse = factor, .writes = true, .tests = false, .sums = false};
  detail::run(pass, args.gradients, args.count);
}

AMP_INLINE void update_scale(const UpdateScaleArgs& args) {
  CycleCounts sum{};
  bool tested = false;
  for (std::int64_t i = 0; i < args.count; ++i) {
    tested |= args.found_inf[i] != nullptr;
    sum.add(args.found_inf[i], args.outcomes[i]);
  }
  sum.apply_to(*args.state, args.rule, tested);
  if (args.clears != nullptr) *args.clears = 0;
}

AMP_COLD void record_loss(const RecordLossArgs& args) {
  const auto look = [&](const void* data, DType dtype, double& first) {
    const Operand all = detail::dense(const_cast<void*>(data), dtype, args.numel);
    double buffer[kBlock];
    bool bad = false;
    for (std::int64_t i = 0; i < args.numel; i += kBlock) {
      const std::int64_t n = (std::min)(kBlock, args.numel - i);
      const double* const values = fetch(all, i, 1, n, buffer);
      if (i == 0) first = values[0];
      bad |= detail::test_block(values, n, 1.0);
    }
    return bad;
  };
  double value = 0, scaled = 0;
  const bool bad = look(args.loss, args.loss_dtype, value);
  args.add(value, bad, look(args.scaled, args.scaled_dtype, scaled));
}

}  // namespace amp::inline v0::kernels::host
