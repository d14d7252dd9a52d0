// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Contiguous rows, read once: a team of threads keeps a row in registers, `Kept` vectors of eight
// elements a thread. As few threads as hold it, so that each has several loads under way. Of a row
// that no block holds, the last stretch stays in registers: kernels go through the stretches once
// forwards, once backwards.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"

namespace amp::inline v0::kernels::cuda {

/// Whether the array is absent, or memory of a format that converts to float in an instruction.
inline bool is_plain(const Operand& array) {
  return !array.present ||
         (!array.immediate &&
          (array.dtype == kFloat32 || array.dtype == kFloat16 || array.dtype == kBFloat16));
}
/// Whether rows of `length` elements of all these arrays can be taken so: whole 16-byte words.
template <class... Operands>
bool are_rows_of_vectors(std::int64_t length, const Operands&... operands) {
  const auto fits = [](const Operand& array) {
    return is_plain(array) && (!array.present || is_aligned_for_vectors(array.data, array.dtype));
  };
  return length > 0 && length % kVector == 0 && (fits(operands) && ...);
}

/// visitor(T{}) with the type of one of the dtypes above.
template <class Visitor>
__device__ __forceinline__ void visit_row_type(DType dtype, Visitor&& visitor) {
  if (dtype == kFloat32) return visitor(float{});
  if (dtype == kFloat16) return visitor(half{});
  visitor(bfloat16{});
}
/// An element, without a call.
__device__ __forceinline__ float row_element(const void* data, DType dtype, std::int64_t i) {
  float value = 0;
  visit_row_type(
      dtype, [&](auto tag) { value = number<float>(static_cast<const decltype(tag)*>(data)[i]); });
  return value;
}
__device__ __forceinline__ void load_row_vector(const void* data, DType dtype, std::int64_t i,
                                                float (&values)[kVector]) {
  visit_row_type(dtype,
                 [&](auto tag) { detail::load_words<float, decltype(tag)>(data, i, values); });
}
__device__ __forceinline__ void store_row_vector(const Output& y, std::int64_t i,
                                                 const float (&values)[kVector]) {
  visit_row_type(y.dtype,
                 [&](auto tag) { detail::store_words<float, decltype(tag)>(y.data, i, values); });
}

/// The part of one thread in a stretch of a row.
struct RowShare {
  std::int64_t first;  // element of the array, of its first vector
  int left;            // vectors from its first on in the stretch
  int threads;

  __device__ bool has(int k) const { return k * threads < left; }
  __device__ std::int64_t at(int k) const { return first + k * threads * kVector; }
};

/// Vectors of a thread as they lie in memory. Loads are put under way by the constructor, and
/// awaited by who unpacks them: so several arrays may be asked for before.
template <int Kept>
struct RowWords {
  uint4 words[Kept][2];

  RowWords() = default;

  template <class Share>
  __device__ __forceinline__ RowWords(const Input& x, const Share& share) {
    const auto* const bytes = static_cast<const unsigned char*>(x.data);
    const bool wide = x.dtype == kFloat32;
    AMP_UNROLL
    for (int k = 0; k < Kept; ++k) {
      words[k][0] = words[k][1] = uint4{0, 0, 0, 0};
      if (!share.has(k)) continue;
      const auto* const from = reinterpret_cast<const uint4*>(bytes + share.at(k) * (wide ? 4 : 2));
      words[k][0] = load_word(from);
      if (wide) words[k][1] = load_word(from + 1);
    }
  }
  /// 0 where the thread has no more vectors.
  __device__ __forceinline__ void unpack(DType dtype, float (&values)[Kept][kVector]) const {
    visit_row_type(dtype, [&](auto tag) {
      using T = decltype(tag);
      AMP_UNROLL
      for (int k = 0; k < Kept; ++k) {
        T elements[kVector];
        std::memcpy(elements, words[k], sizeof elements);
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) values[k][l] = number<float>(elements[l]);
      }
    });
  }
};

/// Vectors of a thread, as floats.
template <int Kept>
struct RowPart {
  float values[Kept][kVector];

  __device__ __forceinline__ void load(const Input& x, const RowShare& share) {
    RowWords<Kept>(x, share).unpack(x.dtype, values);
  }
};

/// The threads that have a row together.
struct RowTeam {
  std::int64_t row;
  std::int64_t vectors;  // of the row; 0 for a team that has none left
  int lane, threads;

  __device__ bool is_leader() const { return lane == 0 && vectors != 0; }
  template <class Function, class T>
  __device__ T reduce(T value) const {
    return team_reduce<Function>(value, static_cast<unsigned>(threads));
  }
};

template <int Kept>
struct Rows {
  static constexpr int kKept = Kept;

  std::int64_t count, vectors;
  int threads;  // of a team

  Rows(std::int64_t rows, std::int64_t length, int most_threads)
      : count(rows), vectors(length / kVector), threads(1) {
    if (vectors <= 32 * Kept) {
      // Half of what they could hold, so that they read more of a row side by side.
      while (threads < 32 && threads * (Kept + 1) / 2 < vectors) threads *= 2;
    } else {
      threads = static_cast<int>((std::min)(ceil_div(vectors, std::int64_t{32 * Kept}) * 32,
                                            static_cast<std::int64_t>(most_threads)));
    }
  }
  unsigned block_threads() const {
    return threads <= 32 ? kThreads : static_cast<unsigned>(threads);
  }
  std::int64_t rows_per_block() const { return block_threads() / static_cast<unsigned>(threads); }
  std::int64_t blocks() const { return grid_for(count, static_cast<unsigned>(rows_per_block())); }

  // Blocks take rows begin(), begin() + step(), ... and as many after each as they have teams.
  __device__ std::int64_t teams() const { return blockDim.x / static_cast<unsigned>(threads); }
  __device__ std::int64_t begin() const { return blockIdx.x * teams(); }
  __device__ std::int64_t step() const { return gridDim.x * teams(); }
  __device__ RowTeam team(std::int64_t first, std::int64_t end) const {
    const int t = static_cast<int>(threadIdx.x);
    const std::int64_t row = first + t / threads;
    return {row, row < end ? vectors : 0, t % threads, threads};
  }

  /// Stretches of a row are numbered 0 to last().
  AMP_HOST_DEVICE int last() const { return static_cast<int>((vectors - 1) / (threads * Kept)); }
  __device__ RowShare share(const RowTeam& team, int stretch) const {
    const std::int64_t first = std::int64_t{stretch} * (threads * Kept) + team.lane;
    const std::int64_t left = team.vectors - first;
    return {(team.row * vectors + first) * kVector,
            left < threads * Kept ? static_cast<int>(left) : threads * Kept, threads};
  }
};

}  // namespace amp::inline v0::kernels::cuda
