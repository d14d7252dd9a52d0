// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Device memory in words of 16 or 8 bytes, with one instruction for each. A plain assignment of
// such a word promises less: nvcc may split it into stores of 4 bytes, each of which is a separate
// request to the cache. If an address was itself read from memory, nvcc does not know which memory
// it points to. Stores are therefore written as PTX. (__stwb and __ldca name the width too, but the
// disassembly shows that they become ordered accesses, STRONG.SM.) Nothing is marked to leave the
// caches early: a step reads gradients again that were unscaled, and the next forward pass reads
// weights.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "amp/device/cuda/launch.cuh"

namespace amp::inline v0::kernels::cuda {

/// Loads the word at an address of device memory that is a multiple of the word's size.
template <class Word>
__device__ __forceinline__ Word load_word(const Word* from) {
#if defined(__CUDACC__)
  __builtin_assume(__isGlobal(from));
  return *from;
#else  // the stand-in toolkit's, which checks the address
  return __ldca(from);
#endif
}
template <class Word>
__device__ __forceinline__ void store_word(Word* to, Word value) {
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Word, uint4>) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
  } else if constexpr (std::is_same_v<Word, uint2>) {
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(value.x), "r"(value.y)
                 : "memory");
  } else {
    __builtin_assume(__isGlobal(to));
    *to = value;
  }
#else
  __stwb(to, value);
#endif
}

/// N neighbours that fill whole words.
template <class T, int N>
struct Pack {
  static constexpr std::size_t kBytes = N * sizeof(T);
  static_assert(kBytes == 8 || kBytes % 16 == 0);
  using Word = std::conditional_t<kBytes == 8, uint2, uint4>;
  static constexpr int kWords = static_cast<int>(kBytes / sizeof(Word));

  T element[N];
};

/// Loads neighbours from an address that is a multiple of the word's size.
template <class T, int N>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
  using P = Pack<T, N>;
  typename P::Word words[P::kWords];
  AMP_UNROLL
  for (int w = 0; w < P::kWords; ++w)
    words[w] = load_word(reinterpret_cast<const typename P::Word*>(from) + w);
  P pack;
  std::memcpy(&pack, words, sizeof pack);
  return pack;
}
template <class T, int N>
__device__ __forceinline__ void store_pack(T* to, const Pack<T, N>& pack) {
  using P = Pack<T, N>;
  typename P::Word words[P::kWords];
  std::memcpy(words, &pack, sizeof pack);
  AMP_UNROLL
  for (int w = 0; w < P::kWords; ++w)
    store_word(reinterpret_cast<typename P::Word*>(to) + w, words[w]);
}

}  // namespace amp::inline v0::kernels::cuda
