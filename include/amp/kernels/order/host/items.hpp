// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The elements of a line as items, which are sorted, or of which the smallest are found.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/order/formula.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::host::detail {

// An item is an element's key, and its position, which decides among equal keys. All items differ,
// so that any way to sort them gives the stable order.

/// Of a key of up to 32 bits and a position below 2^32.
struct ShortItem {
  static constexpr int kShift = 32;
  std::uint64_t both;

  static ShortItem of(std::uint64_t key, std::int64_t at) {
    return {key << kShift | static_cast<std::uint64_t>(at)};
  }
  std::int64_t at() const { return static_cast<std::int64_t>(both & 0xffff'ffff); }
  std::uint64_t key() const { return both >> kShift; }
  friend bool operator<(ShortItem a, ShortItem b) { return a.both < b.both; }
};
struct LongItem {
  std::uint64_t bits;
  std::int64_t position;

  static LongItem of(std::uint64_t key, std::int64_t at) { return {key, at}; }
  std::int64_t at() const { return position; }
  std::uint64_t key() const { return bits; }
  friend bool operator<(LongItem a, LongItem b) {
    return a.bits != b.bits ? a.bits < b.bits : a.position < b.position;
  }
};

/// Lines side by side: of line l, element i is at l * across + i * along.
struct LineGroup {
  std::int64_t count, length, along, across;
};

/// items[l * length + i] = the item of element i of line l; its bits are inverted if the order is
/// descending.
template <class Item>
[[gnu::noinline]] void read_items(const Operand& input, std::int64_t start, const LineGroup& lines,
                                  bool descending, Item* items) {
  amp::detail::visit_dtype_inlined(input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Key = KeyOf<T>;
    if constexpr (sizeof(Key) == 8 && sizeof(Item) == 8) return;  // never meet
    const auto* const from = static_cast<const Key*>(element(input, start));
    const Key flip = static_cast<Key>(descending ? ~Key{0} : Key{0});
    const auto item = [=](std::int64_t offset, std::int64_t i) {
      return Item::of(static_cast<Key>(order_key<T>(from[offset]) ^ flip), i);
    };
    if (lines.along < lines.across || lines.count == 1) {
      for (std::int64_t l = 0; l < lines.count; ++l) {
        for (std::int64_t i = 0; i < lines.length; ++i)
          items[l * lines.length + i] = item(l * lines.across + i * lines.along, i);
      }
      return;
    }
    for (std::int64_t i = 0; i < lines.length; ++i) {
      for (std::int64_t l = 0; l < lines.count; ++l)
        items[l * lines.length + i] = item(i * lines.along + l * lines.across, i);
    }
  });
}

/// Sorts n items by the lowest `bytes` bytes of their keys, of equal keys the earlier one first.
/// They lie in order of their positions. Returns where they are: in `items` or in `spare`.
template <class Item>
[[gnu::noinline]] Item* sort_by_digits(Item* items, Item* spare, std::int64_t n, int bytes) {
  std::int64_t counts[8][256];
  std::memset(counts, 0, static_cast<std::size_t>(bytes) * sizeof counts[0]);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t key = items[i].key();
    for (int b = 0; b < bytes; ++b, key >>= 8) ++counts[b][key & 255];
  }
  for (int b = 0; b < bytes; ++b) {
    std::int64_t* const places = counts[b];
    if (places[items[0].key() >> (8 * b) & 255] == n) continue;  // all have the same digit
    std::int64_t before = 0;
    for (int digit = 0; digit < 256; ++digit) before += std::exchange(places[digit], before);
    for (std::int64_t i = 0; i < n; ++i)
      spare[places[items[i].key() >> (8 * b) & 255]++] = items[i];
    std::swap(items, spare);
  }
  return items;
}

/// Puts the n items of a line in order, and returns where they are: in `items` or in `spare`.
template <class Item>
Item* sort_items(Item* items, Item* spare, std::int64_t n, int bytes) {
  constexpr std::int64_t kFew = 64;  // that comparisons sort faster than digits
  if (n > kFew) return sort_by_digits(items, spare, n, bytes);
  std::sort(items, items + n);
  return items;
}

/// Returns the item with `rank` others before it. The items lie in order of their positions; they
/// are overwritten.
template <class Item>
[[gnu::noinline]] Item select_item(Item* items, std::int64_t n, std::int64_t rank) {
  constexpr std::int64_t kFew = 128;
  while (n > kFew) {  // leave the items of one of 256 equal ranges of keys
    std::uint64_t low = items[0].key(), high = low;
    for (std::int64_t i = 1; i < n; ++i) {
      low = (std::min)(low, items[i].key());
      high = (std::max)(high, items[i].key());
    }
    if (low == high) return items[rank];
    const int shift = (std::max)(0, static_cast<int>(std::bit_width(high - low)) - 8);
    std::uint32_t counts[256] = {};
    for (std::int64_t i = 0; i < n; ++i) ++counts[(items[i].key() - low) >> shift];
    std::uint64_t range = 0;
    for (; rank >= counts[range]; ++range) rank -= counts[range];
    std::int64_t left = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      items[left] = items[i];
      left += (items[i].key() - low) >> shift == range ? 1 : 0;
    }
    n = left;
  }
  std::nth_element(items, items + rank, items + n);
  return items[rank];
}

/// Whether so few of n elements are wanted that most of them are no candidates.
inline bool are_few(std::int64_t k, std::int64_t n) { return k <= n / 32 && k <= 1024; }

/// The first k items so far, of a line that is read in C, with the last of them on top.
template <class Item, class C>
class FirstItems {
 public:
  FirstItems(Item* items, std::int64_t k, bool descending)
      : items_(items), k_(k), flip_(descending ? ~KeyOf<C>{0} : KeyOf<C>{0}) {}

  /// Takes n elements, the first of which is at position `at`.
  [[gnu::noinline]] void take(const C* x, std::int64_t n, std::int64_t at) {
    std::int64_t i = 0;
    for (; i < n && count_ < k_; ++i) {
      items_[count_++] = Item::of(key(x[i]), at + i);
      std::push_heap(items_, items_ + count_);
    }
    if (i == n) return;
    auto last = static_cast<Key>(items_[0].key());
    for (; i < n; ++i) {
      if (key(x[i]) < last) [[unlikely]]  // of equal keys, an earlier one is among the first
        last = replace_last(Item::of(key(x[i]), at + i));
    }
  }

 private:
  using Key = KeyOf<C>;
  Key key(C x) const { return order_key<C>(__builtin_bit_cast(Key, x)) ^ flip_; }
  [[gnu::noinline]] Key replace_last(Item item) {
    std::pop_heap(items_, items_ + k_);
    items_[k_ - 1] = item;
    std::push_heap(items_, items_ + k_);
    return static_cast<Key>(items_[0].key());
  }

  Item* items_;
  std::int64_t k_, count_ = 0;
  Key flip_;
};

/// Calls body(line, items, spare) with the items of each line, in parallel.
template <class Item>
[[gnu::noinline]] void for_lines_of_items(
    const Operand& input, const StridedLines& lines, bool descending,
    FunctionRef<void(std::int64_t line, Item* items, Item* spare)> body) {
  // Lines that are read together: side by side, or short.
  const std::int64_t inner = lines.starts.inner_size();
  const std::int64_t wanted =
      lines.are_side_by_side() ? 16 : (std::max)(std::int64_t{1}, kBlock / lines.length);
  const std::int64_t together = (std::min)(wanted, inner);
  parallel_ranges(lines.count, ceil_div(2 * kBlock, lines.length),
                  [&](std::int64_t begin, std::int64_t end) {
                    const HostBuffer<Item> items((together + 1) * lines.length);
                    Item* const spare = items.data() + together * lines.length;
                    for (std::int64_t line = begin, n; line < end; line += n) {
                      n = (std::min)({together, end - line, inner - line % inner});
                      const LineGroup group{n, lines.length, lines.elements.inner_stride(0),
                                            lines.starts.inner_stride(0)};
                      read_items(input, lines.start(line), group, descending, items.data());
                      for (std::int64_t l = 0; l < n; ++l)
                        body(line + l, items.data() + l * lines.length, spare);
                    }
                  });
}
/// Calls visitor(type_tag<Item>) with the smallest item that holds keys and positions.
template <class Visitor>
void visit_item(DType dtype, std::int64_t length, const Visitor& visitor) {
  if (item_size(dtype) <= 4 && length <= (std::int64_t{1} << 32)) {
    visitor(type_tag<ShortItem>{});
  } else {
    visitor(type_tag<LongItem>{});
  }
}

}  // namespace amp::inline v0::kernels::host::detail
