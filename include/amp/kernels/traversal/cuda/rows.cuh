// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Contiguous lines (sweep.cuh): a team of threads keeps a row in registers, `Kept` vectors of eight
// elements per thread. A team is as small as possible, so that each thread has several loads under
// way.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/tile.cuh"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::cuda {

/// `Array` gives the positions of the lines: count and length (of the longest) on the host;
/// start(line), begin(line), end(line) and at(i), the offset of element i from the start of its
/// line. Vectors begin at multiples of eight elements; only for_each_rest() visits the elements
/// after the last vector.
template <int Kept, int MostThreads, class Array = MatrixRows>
struct AMP_HIDDEN Rows {
  using Compute = float;
  static constexpr int kKept = Kept, kWidth = kVector, kLines = 1, kMostThreads = MostThreads,
                       kBlocksTogether = MostThreads > kThreads ? 0 : 3;

  /// A thread's place in the team of a row.
  struct Place {
    std::int64_t row, begin, end;  // its elements; row 0 and end -1: no row is left for the team
    int lane;
  };
  struct Part {
    const Array* lines;
    std::int64_t start, first;  // of the row, in memory; the element of the row that is access 0
    int left;                   // vectors of the stretch from there on
    int threads;

    __device__ bool has(int k) const { return k * threads < left; }
    __device__ std::int64_t element(int k, int l) const {
      return first + k * threads * kVector + l;
    }
    __device__ std::int64_t at(int k) const { return start + lines->at(element(k, 0)); }
  };

  Array lines;
  std::int64_t count, vectors;  // vectors: of the longest row
  int threads;                  // of a team

  explicit Rows(const Array& array)
      : lines(array), count(array.count), vectors(array.length / kVector), threads(1) {
    if (vectors <= 32 * Kept) {
      // Threads hold half of what they could, so that they read more of a row side by side.
      while (threads < 32 && threads * (Kept + 1) / 2 < vectors) threads *= 2;
    } else {
      threads = static_cast<int>(
          (std::min)(ceil_div(vectors, std::int64_t{32 * Kept}) * 32, std::int64_t{MostThreads}));
    }
  }

  unsigned block_threads() const {
    return threads <= 32 ? kThreads : static_cast<unsigned>(threads);
  }
  std::int64_t rows_per_block() const { return block_threads() / static_cast<unsigned>(threads); }
  std::int64_t blocks() const { return grid_for(count, static_cast<unsigned>(rows_per_block())); }
  /// Whether a team holds a row in registers.
  bool holds_rows() const { return vectors <= std::int64_t{threads} * Kept; }

  /// Calls body(tile) for the tiles of this thread. All threads of a block loop equally often.
  template <class Body>
  __device__ __forceinline__ void for_each_tile(Body&& body) const {
    for (std::int64_t first = begin(); first < count; first += step())
      body(Tile(*this, place(first)));
  }
  /// Calls body(tile, part, a's fragment, b's fragment) for the rows of this thread, if a team
  /// holds a row. Meanwhile the next `Ahead` rows are being loaded, into registers that take turns.
  template <int Ahead, class Body>
  __device__ __forceinline__ void stream_rows(const Input& a, const Input& b, Body&& body) const {
    constexpr int kSlots = Ahead == 0 ? 1 : Ahead;
    RowOfTwo slots[kSlots];
    AMP_UNROLL
    for (int i = 0; i < Ahead; ++i) ask(begin() + i * step(), a, b, slots[i]);
    for (std::int64_t first = begin(); first < count; first += kSlots * step()) {
      AMP_UNROLL
      for (int i = 0; i < kSlots; ++i) {
        const std::int64_t row = first + i * step();
        if (row >= count) continue;
        if constexpr (Ahead == 0) ask(row, a, b, slots[i]);
        const Place here = slots[i].place;
        float a_values[Kept][kVector], b_values[Kept][kVector];
        slots[i].a.unpack(a.dtype, a_values);
        slots[i].b.unpack(b.dtype, b_values);
        if constexpr (Ahead != 0) ask(row + Ahead * step(), a, b, slots[i]);
        body(Tile(*this, here), part(here, 0), a_values, b_values);
      }
    }
  }

  __device__ int last() const { return static_cast<int>((vectors - 1) / (threads * Kept)); }
  __device__ Part part(const Place& place, int stretch) const {
    const std::int64_t first =
        place.begin + (std::int64_t{stretch} * (threads * Kept) + place.lane) * kVector;
    const std::int64_t left = (place.end - first) / kVector;
    return {&lines, lines.start(place.row), first,
            left < threads * Kept ? static_cast<int>(left) : threads * Kept, threads};
  }
  template <class Body>
  __device__ __forceinline__ void for_each_rest(const Place& place, Body&& body) const {
    for (std::int64_t i = place.end / kVector * kVector + place.lane; i < place.end; i += threads)
      body(at(place, 0, i));
  }
  template <class Function, class T>
  __device__ void reduce(const Place&, T (&values)[1]) const {
    values[0] = team_reduce<Function>(values[0], static_cast<unsigned>(threads));
  }
  __device__ bool has_line(const Place& place) const { return place.end >= 0; }
  __device__ std::int64_t line(const Place& place, int) const { return place.row; }
  __device__ std::int64_t first(const Place& place) const { return place.begin; }
  __device__ std::int64_t at(const Place& place, int, std::int64_t i) const {
    return lines.start(place.row) + lines.at(i);
  }
  __device__ int lane(const Place& place) const { return place.lane; }
  __device__ int lanes() const { return threads; }
  __device__ bool owns(const Place& place, int) const { return place.lane == 0 && has_line(place); }

 private:
  /// A row of two arrays that is being loaded.
  struct RowOfTwo {
    Place place;
    Packets<Kept> a, b;
  };
  __device__ __forceinline__ void ask(std::int64_t first, const Input& a, const Input& b,
                                      RowOfTwo& row) const {
    if (first >= count) return;
    row.place = place(first);
    row.a = Packets<Kept>(a, part(row.place, 0));
    row.b = Packets<Kept>(b, part(row.place, 0));
  }

  // A block processes rows begin(), begin() + step(), ..., and as many after each as it has teams.
  __device__ std::int64_t teams() const { return blockDim.x / static_cast<unsigned>(threads); }
  __device__ std::int64_t begin() const { return blockIdx.x * teams(); }
  __device__ std::int64_t step() const { return gridDim.x * teams(); }
  __device__ Place place(std::int64_t first) const {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % threads;
    const std::int64_t row = first + thread / threads;
    return row < count ? Place{row, lines.begin(row), lines.end(row), lane} : Place{0, 0, -1, lane};
  }
};

}  // namespace amp::inline v0::kernels::cuda
