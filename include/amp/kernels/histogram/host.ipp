// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/atomic.hpp"
#include "amp/kernels/histogram/formula.hpp"
#include "amp/kernels/histogram/host.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Counts elements [begin, end) of a tensor, in the type that holds every number of its format.
template <class C>
void add_numbers(const HistogramSpan& tensor, std::int64_t begin, std::int64_t end,
                 std::int64_t* bins) {
  // Neighbours often have equal exponents, and an increment waits for the previous one of the same
  // word, so there are several tables.
  constexpr std::int64_t kTables = 4;
  std::uint32_t tables[kTables][kHistogramBins] = {};
  C buffer[kBlock];
  const auto* const bytes = static_cast<const char*>(tensor.data);
  for (std::int64_t i = begin; i < end; i += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - i);
    const C* const x = fetch(bytes + i * item_size(tensor.dtype), tensor.dtype, n, buffer);
    for (std::int64_t j = 0; j < n; ++j) {
      const auto code = __builtin_bit_cast(typename ExponentCode<C>::Bits, x[j]);
      ++tables[j % kTables][ExponentCode<C>::bin(code)];
    }
  }
  for (const auto& table : tables) {
    for (int bin = 0; bin < kHistogramBins; ++bin) bins[bin] += table[bin];
  }
}

inline constexpr std::int64_t kHistogramChunks = 4;  // the number that is counted together

}  // namespace detail

AMP_LAZY_DEFINITION void exponent_histogram(const HistogramArgs& args) {
  const detail::Chunks chunks(args.count, [&](std::int64_t t) { return args.tensors[t].numel; });
  const auto body = [&](std::int64_t t, std::int64_t, std::int64_t begin, std::int64_t end) {
    std::int64_t bins[kHistogramBins] = {};
    const HistogramSpan& tensor = args.tensors[t];
    if (tensor.dtype == kFloat64)
      detail::add_numbers<double>(tensor, begin, end, bins);
    else
      detail::add_numbers<float>(tensor, begin, end, bins);
    for (int bin = 0; bin < kHistogramBins; ++bin) {  // other threads add to it too
      if (bins[bin] != 0)
        amp::detail::add_relaxed(args.counts[t * kHistogramBins + bin], bins[bin]);
    }
  };
  chunks.for_each(body, detail::kHistogramChunks);
}

}  // namespace amp::inline v0::kernels::host
