// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Eight neighbours in float32, float16 or bfloat16 (plain formats: each converts to float in one
// instruction), in 16-byte accesses and without a call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "amp/kernels/traversal/cuda/vectors.cuh"

namespace amp::inline v0::kernels::cuda {

/// Whether the array is absent, or memory of a plain format.
inline bool is_plain(const Operand& array) {
  return !array.present ||
         (!array.immediate &&
          (array.dtype == kFloat32 || array.dtype == kFloat16 || array.dtype == kBFloat16));
}
/// Whether rows of `length` elements of all these arrays are whole 16-byte packets.
template <class... Operands>
bool are_rows_of_vectors(std::int64_t length, const Operands&... operands) {
  const auto fits = [](const Operand& array) {
    return is_plain(array) && (!array.present || is_aligned_for_vectors(array.data, array.dtype));
  };
  return length > 0 && length % kVector == 0 && (fits(operands) && ...);
}

/// Calls visitor(T{}) with the type of a plain dtype.
template <class Visitor>
__device__ __forceinline__ void visit_plain_type(DType dtype, Visitor&& visitor) {
  if (dtype == kFloat32) return visitor(float{});
  if (dtype == kFloat16) return visitor(half{});
  visitor(bfloat16{});
}
/// Loads an element of a plain array.
__device__ __forceinline__ float load_plain(const Input& x, std::int64_t i) {
  float value = 0;
  visit_plain_type(x.dtype, [&](auto tag) {
    value = convert_to<float>(static_cast<const decltype(tag)*>(x.data)[i]);
  });
  return value;
}
/// Loads elements [i, i + 8) of a plain array.
__device__ __forceinline__ void load_plain_vector(const Input& x, std::int64_t i,
                                                  float (&values)[kVector]) {
  visit_plain_type(x.dtype,
                   [&](auto tag) { detail::load_words<float, decltype(tag)>(x.data, i, values); });
}
__device__ __forceinline__ void store_plain_vector(const Output& y, std::int64_t i,
                                                   const float (&values)[kVector]) {
  visit_plain_type(y.dtype,
                   [&](auto tag) { detail::store_words<float, decltype(tag)>(y.data, i, values); });
}

/// Vectors of a plain array as they lie in memory. The constructor starts the loads, unpack() waits
/// for them, so the loads of several arrays may be under way together. `Part` says which vectors a
/// thread has: has(k), and at(k), the first element of vector k.
template <int Kept>
struct Packets {
  uint4 words[Kept][2];

  Packets() = default;

  template <class Part>
  __device__ __forceinline__ Packets(const Input& x, const Part& part) {
    const auto* const bytes = static_cast<const unsigned char*>(x.data);
    const bool wide = x.dtype == kFloat32;
    AMP_UNROLL
    for (int k = 0; k < Kept; ++k) {
      words[k][0] = words[k][1] = uint4{0, 0, 0, 0};
      if (!part.has(k)) continue;
      const auto* const from = reinterpret_cast<const uint4*>(bytes + part.at(k) * (wide ? 4 : 2));
      words[k][0] = load_word(from);
      if (wide) words[k][1] = load_word(from + 1);
    }
  }
  /// Unpacks the vectors; 0 if the thread has no vector k.
  __device__ __forceinline__ void unpack(DType dtype, float (&values)[Kept][kVector]) const {
    visit_plain_type(dtype, [&](auto tag) {
      using T = decltype(tag);
      AMP_UNROLL
      for (int k = 0; k < Kept; ++k) {
        T elements[kVector];
        std::memcpy(elements, words[k], sizeof elements);
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) values[k][l] = convert_to<float>(elements[l]);
      }
    });
  }
};

}  // namespace amp::inline v0::kernels::cuda
