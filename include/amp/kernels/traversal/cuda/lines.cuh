// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Kernels that go through lines of elements, each by a team: one thread, or one block.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::cuda {

// A team takes lines first_line(), first_line() + line_step(), ...; each of its threads takes
// elements first(), first() + step(), ... of a line, and reduce() combines what they found.

struct OneThread {
  static constexpr bool kIsBlock = false;
  __device__ static std::int64_t first_line() { return first_element(); }
  __device__ static std::int64_t line_step() { return element_step(); }
  __device__ static std::int64_t first() { return 0; }
  __device__ static std::int64_t step() { return 1; }
  __device__ static bool is_leader() { return true; }
  template <class Function, class T>
  __device__ static T reduce(T value) {
    return value;
  }
};
struct OneBlock {
  static constexpr bool kIsBlock = true;
  __device__ static std::int64_t first_line() { return blockIdx.x; }
  __device__ static std::int64_t line_step() { return gridDim.x; }
  __device__ static std::int64_t first() { return threadIdx.x; }
  __device__ static std::int64_t step() { return blockDim.x; }
  __device__ static bool is_leader() { return threadIdx.x == 0; }
  template <class Function, class T>
  __device__ static T reduce(T value) {
    return block_reduce<Function>(value);
  }
};

/// visitor(team, blocks) with the team for `count` lines of `length` elements: `side_by_side` lines
/// have their elements next to those of the line after, so that neighbouring threads read
/// neighbouring elements where each has a line.
template <class Visitor>
void visit_team(std::int64_t count, std::int64_t length, bool side_by_side, Visitor&& visitor) {
  constexpr std::int64_t kShort = 32, kMany = 1 << 12;
  if (length <= kShort || (side_by_side && count >= kMany)) {
    visitor(OneThread{}, grid_for(count));
  } else {
    visitor(OneBlock{}, (std::min)(count, std::int64_t{1} << 16));
  }
}
template <class Visitor>
void visit_team(const Lines& lines, Visitor&& visitor) {
  visit_team(lines.count, lines.length, lines.stride > 1, visitor);
}

}  // namespace amp::inline v0::kernels::cuda
