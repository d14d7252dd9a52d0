// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/core/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/random/formula.hpp"
#include "amp/kernels/random/host.hpp"
#include "amp/kernels/random/host/loops.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Writes the random words of the elements of a block of kBlock.
inline void words_of_block(const RandomRange& range, std::int64_t block, std::uint32_t* words) {
  const RngState state = range.at(static_cast<std::uint64_t>(block * kBlock / 4));
  simd::on_widest<WordsOfBlocks>(state.seed, state.offset, std::uint64_t{0}, words, kBlock / 4);
}

}  // namespace detail

AMP_LAZY_DEFINITION void random(const RandomArgs& args) {
  const std::int64_t n = args.output.numel();
  const Draw draw(args);
  parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      std::uint32_t words[kBlock];
      float values[kBlock];
      detail::words_of_block(args.range, block, words);
      for (std::int64_t i = 0; i < kBlock; i += 4)
        draw({{words[i], words[i + 1], words[i + 2], words[i + 3]}}, values + i);
      store<float>(values, args.output, block * kBlock, 1, (std::min)(kBlock, n - block * kBlock));
    }
  });
}

AMP_LAZY_DEFINITION void dropout(const DropoutArgs& args) {
  const std::int64_t n = args.input.numel();
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Dropout<C> dropout(args);
    parallel_ranges(ceil_div(n, kBlock), 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t block = first; block < last; ++block) {
        const std::int64_t begin = block * kBlock, length = (std::min)(kBlock, n - begin);
        std::uint32_t words[kBlock];
        C in_buffer[kBlock], residual_buffer[kBlock], out_buffer[kBlock];
        detail::words_of_block(args.range, block, words);
        const C* const x = fetch(args.input, begin, 1, length, in_buffer);
        const C* const residual = args.residual.present
                                      ? fetch(args.residual, begin, 1, length, residual_buffer)
                                      : nullptr;
        C* const y = target(args.output, begin, 1, length, out_buffer);
        if constexpr (std::is_same_v<C, float>) {
          simd::on_widest<detail::DropoutOfFloats>(dropout, words, x, residual, y, length);
        } else {
          for (std::int64_t i = 0; i < length; ++i)
            y[i] = dropout(words[i], x[i], residual != nullptr ? residual[i] : C{0});
        }
        store(y, args.output, begin, 1, length);
      }
    });
  });
}

AMP_LAZY_DEFINITION void randint(const RandintArgs& args) {
  constexpr std::int64_t kNumbers = kBlock / 2;  // of a block of words
  const std::int64_t n = args.output.numel();
  parallel_ranges(ceil_div(n, kNumbers), 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      std::uint32_t words[kBlock];
      std::int64_t values[kNumbers];
      detail::words_of_block(args.range, block, words);
      for (std::int64_t i = 0; i < kNumbers; ++i) {
        const std::uint64_t bits = std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i];
        values[i] = random_integer(bits, args.low, args.span);
      }
      store<std::int64_t>(values, args.output, block * kNumbers, 1,
                          (std::min)(kNumbers, n - block * kNumbers));
    }
  });
}

namespace detail {

/// Sorts the indices by sort_key(): first by the highest bits, which leaves about one to a place,
/// then by insertion.
AMP_LAZY void sort_indices(const RandomRange& range, std::int64_t n, std::int64_t* order) {
  constexpr std::int64_t kNumbers = kBlock / 2;
  int bits = 1;
  while (std::int64_t{1} << bits < n) ++bits;
  const std::int64_t places = std::int64_t{1} << bits;
  const HostBuffer<std::uint64_t> keys(n), sorted(n);
  const HostBuffer<std::int64_t> ends(places + 1);
  std::fill_n(ends.data(), places + 1, 0);
  const auto place = [&](std::uint64_t key) {
    return static_cast<std::int64_t>(key >> (64 - bits));
  };
  for (std::int64_t begin = 0; begin < n; begin += kNumbers) {
    std::uint32_t words[kBlock];
    words_of_block(range, begin / kNumbers, words);
    for (std::int64_t i = 0; i < (std::min)(kNumbers, n - begin); ++i) {
      const std::uint64_t random = std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i];
      keys[begin + i] = sort_key(random, begin + i);
      ++ends[place(keys[begin + i]) + 1];
    }
  }
  for (std::int64_t p = 0; p < places; ++p) ends[p + 1] += ends[p];
  for (std::int64_t i = 0; i < n; ++i) sorted[ends[place(keys[i])]++] = keys[i];
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t key = sorted[i];
    std::int64_t at = i;
    for (; at > 0 && sorted[at - 1] > key; --at) sorted[at] = sorted[at - 1];
    sorted[at] = key;
  }
  for (std::int64_t i = 0; i < n; ++i)
    order[i] = static_cast<std::int64_t>(sorted[i] & (kMostSorted - 1));
}

}  // namespace detail

AMP_LAZY_DEFINITION void randperm(const RandpermArgs& args) {
  const std::int64_t n = args.output.numel();
  auto* const order = args.output.as<std::int64_t>();
  if (n > kMostSorted) {
    const Permutation permutation(n, args.range);
    parallel_ranges(n, 4 * kBlock, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) order[i] = permutation.at(i);
    });
    return;
  }
  detail::sort_indices(args.range, n, order);
}

namespace detail {

/// Writes the sums of the weights up to each.
AMP_LAZY void sums_of_weights(const double* weights, std::int64_t n, double* sums) {
  double before = 0;  // this part
  for (std::int64_t i = 0, end = 0; i < n; i = end) {
    end = (std::min)(n, i + kWeightsTogether);
    double part = 0;
    for (std::int64_t k = i; k < end; ++k) sums[k] = before + (part += weights[k]);
    before += part;
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION void multinomial(const MultinomialArgs& args) {
  const int inner = args.weights.dims - 1;
  const std::int64_t n = args.weights.sizes[inner], k = args.output.sizes[inner];
  const std::int64_t rows = args.output.numel() / k;
  parallel_ranges(rows, ceil_div(kBlock, n), [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<double> buffer(n), keys(n);
    const HostBuffer<std::int64_t> order(args.replacement ? 0 : n);
    for (std::int64_t row = begin; row < end; ++row) {
      const double* const weights = fetch(args.weights, row * n, 1, n, buffer.data());
      const auto positive = std::count_if(weights, weights + n, [](double w) { return w > 0; });
      AMP_CHECK(std::none_of(weights, weights + n, is_no_weight),
                "multinomial: `input` must be finite and not negative, but row ", row, " is not");
      AMP_CHECK(positive >= (args.replacement ? 1 : k), "multinomial: row ", row,
                " of `input` has ", positive, " weights above 0, too few for ",
                args.replacement ? 1 : k, " samples that differ");
      auto* const samples = args.output.as<std::int64_t>() + row * k;
      const auto first = static_cast<std::uint64_t>(row * (args.replacement ? k : n));
      if (args.replacement) {
        detail::sums_of_weights(weights, n, keys.data());
        for (std::int64_t s = 0; s < k; ++s) {
          const std::uint64_t bits = random_bits(args.range, first + static_cast<std::uint64_t>(s));
          samples[s] = category(keys.data(), n, bits);
        }
        continue;
      }
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint64_t word = first + static_cast<std::uint64_t>(i);
        keys[i] = arrival(args.range.block(word / 4).word[word % 4], weights[i]);
        order[i] = i;
      }
      std::partial_sort(order.data(), order.data() + k, order.data() + n,
                        [&](std::int64_t a, std::int64_t b) {
                          return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
                        });
      std::copy_n(order.data(), k, samples);
    }
  });
}

}  // namespace amp::inline v0::kernels::host
