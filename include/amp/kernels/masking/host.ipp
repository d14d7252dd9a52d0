// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/function_ref.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/masking/host.hpp"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Writes the places of the true bytes among n; room for n + 8. Returns how many there are. Without
/// branches on a random mask, which no processor foresees.
[[gnu::noinline]] inline std::int64_t find_true(const std::uint8_t* mask, std::int64_t n,
                                                std::int32_t* places) {
  std::int64_t found = 0, i = 0;
  for (; i + 8 <= n; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, mask + i, sizeof word);
    if (word == 0) continue;
    for (std::int64_t k = 0; k < 8; ++k) {
      places[found] = static_cast<std::int32_t>(i + k);
      found += mask[i + k];
    }
  }
  for (; i < n; ++i) {
    places[found] = static_cast<std::int32_t>(i);
    found += mask[i];
  }
  return found;
}

/// Calls body(begin, rank, places, count) for each chunk of the mask: `count` of its elements are
/// true, at begin + places[k], with ranks from `rank` on.
[[gnu::noinline]] inline void for_true(
    const Operand& mask, const Operand& ranks,
    FunctionRef<void(std::int64_t begin, std::int64_t rank, const std::int32_t* places,
                     std::int64_t count)>
        body) {
  const std::int64_t n = mask.numel();
  const auto* const bytes = mask.as<const std::uint8_t>();
  const auto* const rank = ranks.as<const std::int64_t>();
  parallel_ranges(ceil_div(n, kMaskChunk), 8, [&](std::int64_t first, std::int64_t last) {
    std::int32_t places[kMaskChunk + 8];
    for (std::int64_t c = first; c < last; ++c) {
      if (rank[c] == rank[c + 1]) continue;
      const std::int64_t begin = c * kMaskChunk;
      const std::int64_t found =
          find_true(bytes + begin, (std::min)(kMaskChunk, n - begin), places);
      body(begin, rank[c], places, found);
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void mask_ranks(const MaskRanksArgs& args) {
  const std::int64_t n = args.mask.numel(), chunks = ceil_div(n, kMaskChunk);
  const auto* const bytes = args.mask.as<const std::uint8_t>();
  auto* const ranks = args.ranks.as<std::int64_t>();
  parallel_ranges(chunks, 32, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      const std::int64_t end = (std::min)(n, (c + 1) * kMaskChunk);
      std::int64_t sum = 0, i = c * kMaskChunk;
      for (; i + 8 <= end; i += 8) {  // eight at a time: a byte is 0 or 1
        std::uint64_t word;
        std::memcpy(&word, bytes + i, sizeof word);
        sum += static_cast<std::int64_t>(word * 0x0101010101010101U >> 56);
      }
      for (; i < end; ++i) sum += bytes[i];
      ranks[c + 1] = sum;
    }
  });
  ranks[0] = 0;
  for (std::int64_t c = 0; c < chunks; ++c) ranks[c + 1] += ranks[c];
}

AMP_LAZY_DEFINITION void mask_places(const MaskPlacesArgs& args) {
  const int dims = args.mask.dims;
  Divider by_size[kMaxDims];
  for (int d = 0; d < dims; ++d)
    by_size[d] = Divider((std::max)(args.mask.sizes[d], std::int64_t{1}));
  auto* const output = args.output.as<std::int64_t>();
  detail::for_true(
      args.mask, args.ranks,
      [&](std::int64_t begin, std::int64_t rank, const std::int32_t* places, std::int64_t count) {
        std::int64_t* to = output + rank * dims;
        for (std::int64_t k = 0; k < count; ++k, to += dims) {
          std::int64_t place = begin + places[k];
          for (int d = dims - 1; d > 0; --d) to[d] = by_size[d].take_remainder(place);
          if (dims > 0) to[0] = place;
        }
      });
}

AMP_LAZY_DEFINITION void masked_select(const MaskedSelectArgs& args) {
  visit_bits(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const input = args.input.as<const T>();
    T* const output = args.output.as<T>();
    detail::for_true(
        args.mask, args.ranks,
        [&](std::int64_t begin, std::int64_t rank, const std::int32_t* places, std::int64_t count) {
          const T* const from = input + begin;
          T* const to = output + rank;
          for (std::int64_t k = 0; k < count; ++k) to[k] = from[places[k]];
        });
  });
}

AMP_LAZY_DEFINITION void masked_scatter(const MaskedScatterArgs& args) {
  visit_bits(args.source.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const source = args.source.as<const T>();
    T* const output = args.output.as<T>();
    detail::for_true(
        args.mask, args.ranks,
        [&](std::int64_t begin, std::int64_t rank, const std::int32_t* places, std::int64_t count) {
          const T* const from = source + rank;
          T* const to = output + begin;
          for (std::int64_t k = 0; k < count; ++k) to[places[k]] = from[k];
        });
  });
}

}  // namespace amp::inline v0::kernels::host
