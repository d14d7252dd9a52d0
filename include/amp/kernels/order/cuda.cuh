// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of elements on CUDA devices. Lines of up to kRankedLength elements are sorted by
// counting, for each element, those before it; longer ones by CUB's radix sort, which is stable and
// does not wait for the host.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "amp/core/error.hpp"
#include "amp/kernels/order/args.hpp"
#include "amp/kernels/order/cuda/search.cuh"
#include "amp/kernels/order/formula.hpp"
#include "amp/kernels/traversal/cuda/cub_call.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/move_element.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/search.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class T>
__device__ __forceinline__ std::uint64_t load_key_of(const void* data, std::int64_t i,
                                                     bool descending) {
  const KeyOf<T> key = order_key<T>(static_cast<const KeyOf<T>*>(data)[i]);
  return descending ? static_cast<KeyOf<T>>(~key) : key;
}
/// The key of element i of memory of any dtype, in the lowest bits; inverted in a descending order.
/// Compiled once, not at each use.
__device__ __noinline__ inline std::uint64_t load_key(const void* data, DType dtype, std::int64_t i,
                                                      bool descending) {
  switch (dtype) {
    case kFloat64:
      return load_key_of<double>(data, i, descending);
    case kFloat32:
      return load_key_of<float>(data, i, descending);
    case kFloat16:
      return load_key_of<half>(data, i, descending);
    case kBFloat16:
      return load_key_of<bfloat16>(data, i, descending);
    case kFloat8E4M3:
      return load_key_of<float8_e4m3fn>(data, i, descending);
    case kFloat8E5M2:
      return load_key_of<float8_e5m2>(data, i, descending);
    case kInt64:
      return load_key_of<std::int64_t>(data, i, descending);
    case kInt32:
      return load_key_of<std::int32_t>(data, i, descending);
    case kUInt8:
      return load_key_of<std::uint8_t>(data, i, descending);
    case kBool:
      return load_key_of<bool>(data, i, descending);
  }
  return 0;
}

/// Where the chosen elements of lines go.
struct Choice {
  StridedLines lines;
  Lines to;
  const void* input;
  void* values;
  std::int64_t* indices;
  DType dtype;
  int size;  // of an element
  bool descending;

  Choice(const Operand& from, const Operand& chosen, const Operand& positions, int dim,
         bool in_reverse)
      : lines(from, dim),
        to(chosen, dim),
        input(from.data),
        values(chosen.data),
        indices(positions.as<std::int64_t>()),
        dtype(from.dtype),
        size(static_cast<int>(item_size(from.dtype))),
        descending(in_reverse) {}

  __device__ std::uint64_t key(std::int64_t line, std::int64_t i) const {
    return load_key(input, dtype, lines.start(line) + lines.at(i), descending);
  }
  /// Writes element `at` of a line as number i of those chosen.
  __device__ void write(std::int64_t line, std::int64_t i, std::int64_t at) const {
    const std::int64_t place = to.start(line) + to.at(i);
    const std::int64_t from = lines.start(line) + lines.at(at);
    indices[place] = at;
    move_element(input, from, values, place, size);
  }
};

/// Which of the elements in order are wanted: those from `first` on, `count` of them. With `nan`,
/// the key of NaN, it is the first NaN of a line that has one.
struct Wanted {
  std::int64_t first, count;
  std::uint64_t nan = 0;  // 0: no matter
};

/// The longest line that is sorted by ranks: each thread compares an element with all others.
inline constexpr std::int64_t kRankedLength = 512;

/// Sorts as many lines at a time as shared memory has room for.
template <class Key>
AMP_KERNEL void rank_kernel(Choice choice, Wanted wanted, int together) {
  __shared__ Key keys[2 * kRankedLength];
  const int length = static_cast<int>(choice.lines.length);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * together;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * together;
       line < choice.lines.count; line += step) {
    const std::int64_t left = choice.lines.count - line;
    const int n = static_cast<int>(left < together ? left : together) * length;
    for (int e = static_cast<int>(threadIdx.x); e < n; e += kThreads)
      keys[e] = static_cast<Key>(choice.key(line + e / length, e % length));
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < n; e += kThreads) {
      const int own = e % length;
      const Key* const of_line = keys + (e - own);
      const Key key = of_line[own];
      int rank = 0, nans_before = 0, nans = 0;
      for (int i = 0; i < length; ++i) {
        const Key other = of_line[i];
        rank += other < key || (other == key && i < own) ? 1 : 0;
        if (wanted.nan != 0 && other == wanted.nan) {
          ++nans;
          if (i < own) ++nans_before;
        }
      }
      std::int64_t place = rank - wanted.first;
      if (nans != 0) place = key == wanted.nan && nans_before == 0 ? 0 : -1;
      if (place >= 0 && place < wanted.count) choice.write(line + e / length, place, own);
    }
    __syncthreads();
  }
}

/// Elements of lines [first, first + count), side by side, as keys with their positions.
template <class Key>
AMP_KERNEL void write_keys_kernel(Choice choice, std::int64_t first, std::int64_t n, Key* keys,
                                  std::int32_t* positions) {
  for (std::int64_t e = first_element(); e < n; e += element_step()) {
    const std::int64_t line = e / choice.lines.length, i = e % choice.lines.length;
    keys[e] = static_cast<Key>(choice.key(first + line, i));
    positions[e] = static_cast<std::int32_t>(i);
  }
}
/// Writes what is wanted of sorted lines.
template <class Key>
AMP_KERNEL void write_wanted_kernel(Choice choice, Wanted wanted, std::int64_t first,
                                    std::int64_t n, const Key* keys,
                                    const std::int32_t* positions) {
  const std::int64_t length = choice.lines.length;
  for (std::int64_t e = first_element(); e < n; e += element_step()) {
    const std::int64_t line = e / wanted.count, i = e % wanted.count;
    const Key* const of_line = keys + line * length;
    std::int64_t place = wanted.first + i;
    if (wanted.nan != 0 && of_line[length - 1] == wanted.nan)
      place = search_boundaries(of_line, length, static_cast<Key>(wanted.nan), false);
    choice.write(first + line, i, positions[line * length + place]);
  }
}

/// The beginnings of lines of one length, as an iterator for CUB.
struct LineOffsets {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;
  std::int64_t length, line;

  AMP_HOST_DEVICE value_type operator*() const { return static_cast<value_type>(line * length); }
  AMP_HOST_DEVICE value_type operator[](difference_type i) const { return *(*this + i); }
  AMP_HOST_DEVICE LineOffsets operator+(difference_type i) const { return {length, line + i}; }
  AMP_HOST_DEVICE LineOffsets& operator+=(difference_type i) { return *this = *this + i; }
};

template <class Key>
void sort_long_lines(const Choice& choice, const Wanted& wanted, Device device) {
  // Few lines are sorted one by one, by the whole device; of many, each by a block, and as many at
  // a time as 31 bits count elements.
  constexpr std::int64_t kFew = 16, kMost = (std::numeric_limits<std::int32_t>::max)();
  const std::int64_t length = choice.lines.length, count = choice.lines.count;
  const std::int64_t together = count <= kFew ? 1 : (std::min)(count, kMost / length);
  const int bits = 8 * static_cast<int>(item_size(choice.dtype));
  const Scratch<Key> keys(device, 2 * together * length);
  const Scratch<std::int32_t> positions(device, 2 * together * length);
  for (std::int64_t line = 0; line < count; line += together) {
    const std::int64_t lines = (std::min)(together, count - line), n = lines * length;
    launch(device, grid_for(n), kThreads, write_keys_kernel<Key>, choice, line, n, keys.data(),
           positions.data());
    cub::DoubleBuffer<Key> both(keys.data(), keys.data() + together * length);
    cub::DoubleBuffer<std::int32_t> places(positions.data(), positions.data() + together * length);
    cub_call(device, [&](void* storage, std::size_t& bytes, auto stream) {
      if (lines == 1)
        return cub::DeviceRadixSort::SortPairs(storage, bytes, both, places,
                                               static_cast<std::int32_t>(n), 0, bits, stream);
      return cub::DeviceSegmentedRadixSort::SortPairs(
          storage, bytes, both, places, static_cast<std::int32_t>(n),
          static_cast<std::int32_t>(lines), LineOffsets{length, 0}, LineOffsets{length, 1}, 0, bits,
          stream);
    });
    const std::int64_t chosen = lines * wanted.count;
    launch(device, grid_for(chosen), kThreads, write_wanted_kernel<Key>, choice, wanted, line,
           chosen, both.Current(), places.Current());
  }
}

template <class Key>
void choose_by(const Choice& choice, const Wanted& wanted, Device device) {
  const std::int64_t length = choice.lines.length;
  if (length > kRankedLength) return sort_long_lines<Key>(choice, wanted, device);
  const auto together = static_cast<int>(2 * kRankedLength / length);
  launch(device, grid_for(choice.lines.count, static_cast<unsigned>(together)), kThreads,
         rank_kernel<Key>, choice, wanted, together);
}
inline void choose(const char* op, const Choice& choice, const Wanted& wanted, Device device) {
  AMP_CHECK(
      choice.lines.length <= (std::numeric_limits<std::int32_t>::max)(), op,
      ": on CUDA, a dimension has at most 2^31 - 1 elements to be put in order, but this has ",
      choice.lines.length);
  if (item_size(choice.dtype) == 8) {
    choose_by<std::uint64_t>(choice, wanted, device);
  } else {
    choose_by<std::uint32_t>(choice, wanted, device);
  }
}

}  // namespace detail

inline void sort(const SortArgs& args) {
  const detail::Choice choice(args.input, args.values, args.indices, args.dim, args.descending);
  detail::choose("sort", choice, {0, choice.to.length}, args.input.device);
}

inline void select(const SelectArgs& args) {
  const detail::Choice choice(args.input, args.values, args.indices, args.dim, false);
  const bool may_be_nan = args.prefers_nan && is_floating_point(args.input.dtype);
  const std::uint64_t nan = ~std::uint64_t{0} >> (64 - 8 * item_size(args.input.dtype));
  detail::choose("select", choice, {args.rank, 1, may_be_nan ? nan : 0}, args.input.device);
}

}  // namespace amp::inline v0::kernels::cuda
