// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amp/core/instruction_set.hpp"
#include "amp/kernels/histogram/formula.hpp"
#include "amp/kernels/histogram/host.hpp"
#include "amp/kernels/histogram/host/key_block.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Makes and counts keys portably.
struct PlainKeys {
  template <class C>
  static void read(KeyBlock& block, const C* x, std::int64_t n) {
    block.read(x, n);
  }
  static std::int64_t count(const KeyBlock& block, Key key, std::int64_t n) {
    return block.count(key, n);
  }
};
#if AMP_X86
struct Avx2Keys {
  static void read(KeyBlock& block, const double* x, std::int64_t n) { block.read(x, n); }
  static void read(KeyBlock& block, const float* x, std::int64_t n) { block.read_avx2(x, n); }
  static std::int64_t count(const KeyBlock& block, Key key, std::int64_t n) {
    return block.count_avx2(key, n);
  }
};
#endif

/// Counts of keys. Neighbours are often equal, and an increment waits for the previous one of the
/// same memory word, so there are several tables.
class KeyCounts {
 public:
  template <class Way>
  void add(const KeyBlock& block) {
    const std::int64_t whole = block.size / kKeyLanes * kKeyLanes;
    if (block.most - block.least >= kMostCompared) return add_each(block.keys, block.size);
    tables_[0][0] += static_cast<std::uint32_t>(Way::count(block, 0, whole));
    for (int key = block.least; key <= block.most; ++key)
      tables_[0][key] +=
          static_cast<std::uint32_t>(Way::count(block, static_cast<Key>(key), whole));
    add_each(block.keys + whole, block.size - whole);
  }
  std::int64_t operator[](int key) const {
    std::int64_t sum = 0;
    for (const auto& table : tables_) sum += table[key];
    return sum;
  }

 private:
  static constexpr int kTables = 4;
  /// The most different keys of a block that are counted by comparing the whole block with each
  /// key. With more, counting one number at a time is faster.
  static constexpr int kMostCompared = 24;

  void add_each(const Key* keys, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + kTables <= n; i += kTables) {
      for (int t = 0; t < kTables; ++t) ++tables_[t][keys[i + t]];
    }
    for (; i < n; ++i) ++tables_[0][keys[i]];
  }

  std::uint32_t tables_[kTables][kKeys] = {};
};

/// Counts the numbers that have key 0 or the last key, without zeros; these are few.
template <class C>
void add_special(const C* x, std::int64_t n, std::int64_t* bins) {
  for (std::int64_t i = 0; i < n; ++i) {
    const Key key = key_of(x[i]);
    if (key != 0 && key != kLastKey) continue;
    const int bin = ExponentCode<C>::bin(code_of(x[i]));
    if (bin != kZeroBin) ++bins[bin];
  }
}

/// Counts elements [begin, end) of a tensor.
template <class C, class Way>
void add_numbers(const HistogramSpan& tensor, std::int64_t begin, std::int64_t end,
                 std::int64_t* bins) {
  KeyCounts counts;
  KeyBlock block;
  C buffer[kKeyBlock];
  const auto* const bytes = static_cast<const char*>(tensor.data);
  for (std::int64_t i = begin; i < end; i += kKeyBlock) {
    const std::int64_t n = (std::min)(kKeyBlock, end - i), before = counts[0];
    const C* const x = fetch(bytes + i * item_size(tensor.dtype), tensor.dtype, n, buffer);
    Way::read(block, x, n);
    counts.add<Way>(block);
    bins[kZeroBin] += block.zeros;
    const bool subnormal = counts[0] - before != block.zeros;
    if (subnormal || block.most == kLastKey) add_special(x, n, bins);
  }
  for (int key = 1; key < kLastKey; ++key) bins[key - kKeyBias - kLeastExponent] += counts[key];
}

template <class Way>
void add_tensor(const HistogramSpan& tensor, std::int64_t begin, std::int64_t end,
                std::int64_t* bins) {
  if (tensor.dtype == kFloat64)
    add_numbers<double, Way>(tensor, begin, end, bins);
  else
    add_numbers<float, Way>(tensor, begin, end, bins);
}
using AddTensor = void (*)(const HistogramSpan&, std::int64_t, std::int64_t, std::int64_t*);
AMP_INLINE AddTensor best_add_tensor() {
#if AMP_X86
  if (amp::detail::has_avx2()) return &add_tensor<Avx2Keys>;
#endif
  return &add_tensor<PlainKeys>;
}

inline constexpr std::int64_t kHistogramChunks = 4;  // the number that is counted together

}  // namespace detail

AMP_INLINE void exponent_histogram(const HistogramArgs& args) {
  const detail::Chunks chunks(args.count, [&](std::int64_t t) { return args.tensors[t].numel; });
  const detail::AddTensor add = detail::best_add_tensor();
  const auto body = [&](std::int64_t t, std::int64_t, std::int64_t begin, std::int64_t end) {
    std::int64_t bins[kHistogramBins] = {};
    add(args.tensors[t], begin, end, bins);
    for (int bin = 0; bin < kHistogramBins; ++bin) {  // other threads add to it too
      if (bins[bin] == 0) continue;
      std::atomic_ref<std::int64_t>(args.counts[t * kHistogramBins + bin])
          .fetch_add(bins[bin], std::memory_order_relaxed);
    }
  };
  chunks.for_each(body, detail::kHistogramChunks);
}

}  // namespace amp::inline v0::kernels::host
