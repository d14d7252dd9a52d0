// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Eight neighbours at a time, in 16-byte accesses (8-byte ones for 8-bit formats). The dtype is
// tested once for all eight, which is cheap in kernels that wait for memory. So operands of any
// dtypes meet in one kernel, and nothing needs a cast beforehand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/words.cuh"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

inline constexpr int kVector = 8;

namespace detail {

/// Loads the eight elements at an address that is a multiple of their total size, or of 16 bytes.
template <class C, class T>
__device__ __forceinline__ void load_words(const void* data, std::int64_t i, C (&values)[kVector]) {
  const auto pack = load_pack<T, kVector>(static_cast<const T*>(data) + i);
  for (int l = 0; l < kVector; ++l) values[l] = convert_to<C>(pack.element[l]);
}
template <class C, class T>
__device__ __forceinline__ void store_words(void* data, std::int64_t i,
                                            const C (&values)[kVector]) {
  Pack<T, kVector> pack;
  for (int l = 0; l < kVector; ++l) pack.element[l] = convert_to<T>(values[l]);
  store_pack(static_cast<T*>(data) + i, pack);
}

}  // namespace detail

/// Loads elements [i, i + 8) of memory of any dtype; see Vectors for valid `i`.
template <class C>
__device__ __forceinline__ void load_vector(const void* data, DType dtype, std::int64_t i,
                                            C (&values)[kVector]) {
  if constexpr (std::is_same_v<C, float>) {
    if (dtype == kFloat32) return detail::load_words<C, float>(data, i, values);
    if (dtype == kFloat16) return detail::load_words<C, half>(data, i, values);
    if (dtype == kBFloat16) return detail::load_words<C, bfloat16>(data, i, values);
  } else if constexpr (std::is_same_v<C, bool>) {
    if (dtype == kBool) return detail::load_words<C, bool>(data, i, values);
  }
  for (int l = 0; l < kVector; ++l) values[l] = load<C>(data, dtype, i + l);
}
template <class C>
__device__ __forceinline__ void store_vector(void* data, DType dtype, std::int64_t i,
                                             const C (&values)[kVector]) {
  if constexpr (std::is_same_v<C, float>) {
    if (dtype == kFloat32) return detail::store_words<C, float>(data, i, values);
    if (dtype == kFloat16) return detail::store_words<C, half>(data, i, values);
    if (dtype == kBFloat16) return detail::store_words<C, bfloat16>(data, i, values);
  } else if constexpr (std::is_same_v<C, bool>) {
    if (dtype == kBool) return detail::store_words<C, bool>(data, i, values);
  }
  for (int l = 0; l < kVector; ++l) store<C>(data, dtype, i + l, values[l]);
}
/// Loads from an operand that may be one number, or repeat one element.
template <class C>
__device__ __forceinline__ void load_vector(const Input& x, std::int64_t i, bool repeats,
                                            C (&values)[kVector]) {
  if (!x.immediate && !repeats) return load_vector<C>(x.data, x.dtype, i, values);
  const C value = load<C>(x, i);
  for (int l = 0; l < kVector; ++l) values[l] = value;
}

/// Whether an array may be read and written in vectors that begin at every eighth element.
inline bool is_aligned_for_vectors(const void* data, DType dtype) {
  const std::int64_t bytes = kVector * item_size(dtype);
  return reinterpret_cast<std::uintptr_t>(data) % (bytes < 16 ? 8 : 16) == 0;
}

/// The shape that operands share, first in vectors, then element by element for those that fill no
/// vector.
template <int N>
struct Vectors {
  Strided<N> elements;
  Strided<N> by_vector;
  std::int64_t vectors = 0;  // whole ones, which come first
  std::int64_t n = 0;

  static Vectors over(const Operand& shape, const std::array<const Operand*, N>& operands) {
    Vectors result;
    result.elements = Strided<N>::over(shape, operands);
    result.n = shape.numel();
    const Strided<N>& s = result.elements;
    bool fits = s.dims == 1 || s.inner_size() % kVector == 0;
    for (int k = 0; k < N; ++k) {
      const Operand& operand = *operands[static_cast<std::size_t>(k)];
      if (s.inner_stride(k) == 0) continue;
      fits = fits && s.inner_stride(k) == 1 && is_aligned_for_vectors(operand.data, operand.dtype);
      for (int d = 0; d + 1 < s.dims; ++d) fits = fits && s.strides[k][d] % kVector == 0;
    }
    if (!fits || s.inner_stride(N - 1) == 0) return result;  // the output is the last
    result.vectors = result.n / kVector;
    result.by_vector = s;
    result.by_vector.sizes[s.dims - 1] /= kVector;
    result.by_vector.dividers[s.dims - 1] = Divider(s.inner_size() / kVector);
    for (int k = 0; k < N; ++k) result.by_vector.strides[k][s.dims - 1] *= kVector;
    return result;
  }

  std::int64_t blocks() const {
    const std::int64_t tail = n - vectors * kVector;
    return grid_for(vectors > tail ? vectors : tail);
  }
  /// The first element that is not in a vector.
  AMP_HOST_DEVICE std::int64_t tail() const { return vectors * kVector; }
  /// Whether operand k is one element along a vector.
  AMP_HOST_DEVICE bool repeats(int k) const {
    return by_vector.strides[k][by_vector.dims - 1] == 0;
  }
};

}  // namespace amp::inline v0::kernels::cuda
