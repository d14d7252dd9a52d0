// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/atomic.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/hash/formula.hpp"
#include "amp/kernels/hash/host.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The sum over whole words [begin, end), which compilers vectorise.
struct SumOfWords {
  template <class Isa>
  AMP_ALWAYS_INLINE static std::uint64_t run(const char* data, std::int64_t begin,
                                             std::int64_t end) {
    std::uint64_t sum = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      std::uint32_t word;
      std::memcpy(&word, data + k * kHashedBytes, sizeof word);  // at any address
      sum += hash_of_word(word, k);
    }
    return sum;
  }
};

}  // namespace detail

AMP_LAZY_DEFINITION void hash(const HashArgs& args) {
  std::fill_n(args.hashes, args.count, std::uint64_t{0});
  const detail::Chunks chunks(args.count, [&](std::int64_t t) { return args.tensors[t].words(); });
  chunks.for_each([&](std::int64_t t, std::int64_t, std::int64_t begin, std::int64_t end) {
    const HashSpan& tensor = args.tensors[t];
    const std::int64_t whole = (std::min)(end, tensor.bytes / kHashedBytes);
    std::uint64_t sum = amp::simd::on_widest<detail::SumOfWords>(
        static_cast<const char*>(tensor.data), begin, whole);
    if (whole < end) sum += hash_of_word(last_word(tensor), whole);
    // Other threads hash other parts of the tensor.
    amp::detail::add_relaxed(args.hashes[t], sum);
  });
}

}  // namespace amp::inline v0::kernels::host
