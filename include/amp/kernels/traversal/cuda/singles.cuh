// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lines of any stride and dtype (sweep.cuh), element by element: a thread or a block has one line.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/tile.cuh"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::cuda {

// A team processes lines first_line(), first_line() + line_step(), ...; each of its threads
// processes elements first(), first() + step(), ... of a line, and reduce() combines their results.

struct OneThread {
  __device__ static std::int64_t first_line() { return first_element(); }
  __device__ static std::int64_t line_step() { return element_step(); }
  __device__ static std::int64_t first() { return 0; }
  __device__ static std::int64_t step() { return 1; }
  __device__ static bool is_leader() { return true; }
  static std::int64_t blocks(std::int64_t lines) { return grid_for(lines); }
  template <class Function, class T>
  __device__ static T reduce(T value) {
    return value;
  }
};
struct OneBlock {
  __device__ static std::int64_t first_line() { return blockIdx.x; }
  __device__ static std::int64_t line_step() { return gridDim.x; }
  __device__ static std::int64_t first() { return threadIdx.x; }
  __device__ static std::int64_t step() { return blockDim.x; }
  __device__ static bool is_leader() { return threadIdx.x == 0; }
  static std::int64_t blocks(std::int64_t lines) { return grid_for(lines, 1); }
  template <class Function, class T>
  __device__ static T reduce(T value) {
    return block_reduce<Function>(value);
  }
};

/// `Array` gives the positions of the lines: count on the host; start(line), begin(line), end(line)
/// and at(i) as for Rows.
template <class Team, class C, class Array = Lines>
struct AMP_HIDDEN Singles {
  using Compute = C;
  static constexpr int kKept = 1, kWidth = 1, kLines = 1, kMostThreads = kThreads,
                       kBlocksTogether = 4;

  struct Place {
    std::int64_t line, start;
  };
  struct Part {
    const Array* lines;
    std::int64_t start, i;

    __device__ static bool has(int) { return true; }
    __device__ std::int64_t element(int, int) const { return i; }
    __device__ std::int64_t at(int) const { return start + lines->at(i); }
  };

  Array lines;

  explicit Singles(const Array& array) : lines(array) {}
  unsigned block_threads() const { return kThreads; }
  std::int64_t blocks() const { return Team::blocks(lines.count); }

  template <class Body>
  __device__ __forceinline__ void for_each_tile(Body&& body) const {
    for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step())
      body(Tile(*this, Place{line, lines.start(line)}));
  }
  template <class Body>
  __device__ __forceinline__ void for_each_element(const Place& place, Body&& body) const {
    const std::int64_t end = lines.end(place.line);
    for (std::int64_t i = lines.begin(place.line) + Team::first(); i < end; i += Team::step())
      body(Part{&lines, place.start, i});
  }
  template <class Function, class T>
  __device__ void reduce(const Place&, T (&values)[1]) const {
    values[0] = Team::template reduce<Function>(values[0]);
  }
  __device__ bool has_line(const Place&) const { return true; }
  __device__ std::int64_t line(const Place& place, int) const { return place.line; }
  __device__ std::int64_t first(const Place& place) const { return lines.begin(place.line); }
  __device__ std::int64_t at(const Place& place, int, std::int64_t i) const {
    return place.start + lines.at(i);
  }
  __device__ int lane(const Place&) const { return static_cast<int>(Team::first()); }
  __device__ int lanes() const { return static_cast<int>(Team::step()); }
  __device__ bool owns(const Place&, int) const { return Team::is_leader(); }
};

/// Calls visitor(team) with the team for `count` lines of `length` elements. With `side_by_side`,
/// the elements of neighbouring lines lie next to each other, so neighbouring threads read
/// neighbouring elements if each has a line.
template <class Visitor>
void visit_team(std::int64_t count, std::int64_t length, bool side_by_side, Visitor&& visitor) {
  constexpr std::int64_t kShort = 32, kMany = 1 << 12;
  if (length <= kShort || (side_by_side && count >= kMany)) {
    visitor(OneThread{});
  } else {
    visitor(OneBlock{});
  }
}
template <class Visitor>
void visit_team(const Lines& lines, Visitor&& visitor) {
  visit_team(lines.count, lines.length, lines.stride > 1, visitor);
}

}  // namespace amp::inline v0::kernels::cuda
