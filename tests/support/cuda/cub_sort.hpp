// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the stand-ins for CUB's radix sorts share. They are stable, also in descending order.
#pragma once

#include <cub/util_type.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "support/cuda/cub.hpp"

namespace standin {

struct CubNoValue {};

/// Bits [begin, end) of an integer, in the order of the integers.
template <class Key>
std::uint64_t cub_digits(Key key, int begin, int end) {
  static_assert(std::is_integral_v<Key>, "amp sorts integers only");
  auto bits = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Key>>(key));
  if (std::is_signed_v<Key>) bits ^= std::uint64_t{1} << (8 * sizeof(Key) - 1);
  if (end < 64) bits &= (std::uint64_t{1} << end) - 1;
  return bits >> begin;
}

template <class Key, class Value>
void cub_sort_segment(const Key* from, Key* to, const Value* values_from, Value* values_to,
                      std::int64_t count, int begin, int end, bool descending) {
  const std::vector<Key> keys = cub_read<Key>(from, count);
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto first = cub_digits(keys[a], begin, end), second = cub_digits(keys[b], begin, end);
    return descending ? second < first : first < second;
  });
  for (std::size_t i = 0; i < order.size(); ++i) to[i] = keys[order[i]];
  if constexpr (!std::is_same_v<Value, CubNoValue>) {
    const std::vector<Value> values = cub_read<Value>(values_from, count);
    for (std::size_t i = 0; i < order.size(); ++i) values_to[i] = values[order[i]];
  }
}

/// What to sort: keys, and values that go with them; null: none do.
template <class Key, class Value>
struct CubSort {
  const Key* keys;
  Key* keys_out;
  const Value* values;
  Value* values_out;
  std::int64_t count;
  int begin_bit, end_bit;
  bool descending;
  bool in_two_buffers = false;

  /// Whether a sort in two buffers ends in the other ones: after an odd number of passes.
  bool flips() const { return (end_bit - begin_bit + 7) / 8 % 2 != 0; }
  /// Bytes of temporary storage: a copy of the keys and values, unless the caller gave one.
  std::size_t bytes() const {
    if (in_two_buffers) return 0;
    const std::size_t size = sizeof(Key) + (std::is_empty_v<Value> ? 0 : sizeof(Value));
    return static_cast<std::size_t>(count) * size;
  }
  /// After a call that has enqueued the sort.
  void choose(cub::DoubleBuffer<Key>& key_buffers, cub::DoubleBuffer<Value>& value_buffers) const {
    if (!flips()) return;
    key_buffers.selector ^= 1;
    value_buffers.selector ^= 1;
  }
  void check() const {
    if (begin_bit < 0 || begin_bit > end_bit || end_bit > static_cast<int>(8 * sizeof(Key)))
      stop("CUB was given bits that a key does not have");
    cub_require(keys, count);
    cub_require(static_cast<const Key*>(keys_out), count);
    cub_require_apart(keys, keys_out, count);
    if constexpr (!std::is_empty_v<Value>) {
      cub_require(values, count);
      cub_require(static_cast<const Value*>(values_out), count);
      cub_require_apart(values, values_out, count);
    }
  }
  void run(std::int64_t begin, std::int64_t end) const {
    const bool paired = !std::is_empty_v<Value>;
    cub_sort_segment(keys + begin, keys_out + begin, paired ? values + begin : nullptr,
                     paired ? values_out + begin : nullptr, end - begin, begin_bit, end_bit,
                     descending);
    if (!in_two_buffers || flips()) return;
    std::copy(keys_out + begin, keys_out + end, const_cast<Key*>(keys) + begin);
    if (paired) std::copy(values_out + begin, values_out + end, const_cast<Value*>(values) + begin);
  }
};

}  // namespace standin
