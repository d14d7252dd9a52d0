// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ends of arrays: vectors of fewer elements than they have lanes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// Masks of which the first n are set, in memory.
template <class T>
AMP_ALWAYS_INLINE const typename IntegerOf<sizeof(T)>::type* first_lanes(std::int64_t n) {
  using I = typename IntegerOf<sizeof(T)>::type;
  static constexpr I kMasks[2 * kMostLanes] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                               -1, -1, -1, -1, -1, -1, -1, -1};
  return kMasks + kMostLanes - n;
}

namespace native {

/// Whether the set reads and writes some lanes only. Otherwise they are copied one by one.
template <class T, class Isa>
inline constexpr bool kHasMasks = sizeof(T) == 4 && !std::is_same_v<Isa, Baseline>;

void load_first();  // so that these names are known on other processors
void store_first();

// Not AMP_ALWAYS_INLINE: kernels, which call them, are templates without a target. They become a few
// instructions, since a kernel is inlined into functions with a target.
#if AMP_X86
using Aligned [[gnu::vector_size(32)]] = float;  // which the builtins do not require
using Shorts [[gnu::vector_size(32)]] = std::int16_t;
AMP_WITH_AVX2_WITHOUT_FMA inline void load_first(const float* x, std::int64_t n,
                                                 Register<float, 32>::type& y) {
  Register<std::int32_t, 32>::type mask;
  mask = in_memory<std::int32_t, 32>(first_lanes<float>(n)).value;
  y = __builtin_ia32_maskloadps256(reinterpret_cast<const Aligned*>(x), mask);
}
AMP_WITH_AVX2_WITHOUT_FMA inline void store_first(const Register<float, 32>::type& x,
                                                  std::int64_t n, float* y) {
  Register<std::int32_t, 32>::type mask;
  mask = in_memory<std::int32_t, 32>(first_lanes<float>(n)).value;
  __builtin_ia32_maskstoreps256(reinterpret_cast<Aligned*>(y), mask, x);
}
AMP_WITH_AVX512 inline void load_first(const float* x, std::int64_t n,
                                       Register<float, 64>::type& y) {
  const auto mask = static_cast<std::uint16_t>((1U << n) - 1);
#if defined(__clang__)  // whose AddressSanitizer rewrites memory operands of assembly, wrongly
  y = __builtin_ia32_loadups512_mask(x, Register<float, 64>::type{}, mask);
#else
  __asm__("vmovups %1, %0%{%2%}%{z%}"
          : "=v"(y)
          : "m"(*reinterpret_cast<const Register<float, 64>::type*>(x)), "Yk"(mask));
#endif
}
AMP_WITH_AVX512 inline void store_first(const Register<float, 64>::type& x, std::int64_t n,
                                        float* y) {
  const auto mask = static_cast<std::uint16_t>((1U << n) - 1);
#if defined(__clang__)
  __builtin_ia32_storeups512_mask(y, x, mask);
#else
  __asm__("vmovups %1, %0%{%2%}"
          : "+m"(*reinterpret_cast<Register<float, 64>::type*>(y))
          : "v"(x), "Yk"(mask));
#endif
}
/// From two numbers of 64 bits: g++ makes a vector of an array by a load that waits for its stores.
AMP_WITH_AVX2_WITHOUT_FMA inline void load_first(const std::uint16_t* x, std::int64_t n,
                                                 Register<std::uint16_t, 16>::type& y) {
  std::uint64_t low = 0, high = 0;
  if (n >= 4) {
    __builtin_memcpy(&low, x, sizeof low);
    __builtin_memcpy(&high, x + n - 4, sizeof high);
    high = high >> (8 * (8 - n)) >> (8 * (8 - n));  // without what is in low; by up to 64
  } else if (n >= 2) {
    std::uint32_t first, last;
    __builtin_memcpy(&first, x, sizeof first);
    __builtin_memcpy(&last, x + n - 2, sizeof last);
    low = first | std::uint64_t{last} << (16 * (n - 2));
  } else if (n == 1) {
    low = *x;
  }
  y = reinterpret_cast<Register<std::uint16_t, 16>::type>(
      Register<std::uint64_t, 16>::type{low, high});
}
AMP_WITH_AVX512 inline void load_first(const std::uint16_t* x, std::int64_t n,
                                       Register<std::uint16_t, 32>::type& y) {
  const auto mask = static_cast<std::uint16_t>((1U << n) - 1);
#if defined(__clang__)
  y = reinterpret_cast<Register<std::uint16_t, 32>::type>(
      __builtin_ia32_loaddquhi256_mask(reinterpret_cast<const Shorts*>(x), Shorts{}, mask));
#else
  __asm__("vmovdqu16 %1, %0%{%2%}%{z%}"
          : "=v"(y)
          : "m"(*reinterpret_cast<const Register<std::uint16_t, 32>::type*>(x)), "Yk"(mask));
#endif
}
#endif

}  // namespace native

/// The first n <= kLanes elements; the other lanes are 0.
template <class Isa, class T>
AMP_ALWAYS_INLINE Vec<T, Isa> load_first(const T* x, std::int64_t n) {
  if constexpr (native::kHasMasks<T, Isa>) {
    Vec<float, Isa> v;
    native::load_first(reinterpret_cast<const float*>(x), n, v.low);
    return as<T>(v);
  } else if constexpr (std::is_same_v<T, std::uint16_t> && !std::is_same_v<Isa, Baseline>) {
    Vec<T, Isa> v;
    native::load_first(x, n, v.low);
    return v;
  } else {
    T padded[kLanes<Isa>] = {};
    for (std::int64_t l = 0; l < n; ++l) padded[l] = x[l];
    return load<Isa>(padded);
  }
}
template <class T, class Isa>
AMP_ALWAYS_INLINE void store_first(const Vec<T, Isa>& v, T* x, std::int64_t n) {
  if constexpr (native::kHasMasks<T, Isa>) {
    native::store_first(as<float>(v).low, n, reinterpret_cast<float*>(x));
  } else {
    T padded[kLanes<Isa>];
    store(v, padded);
    for (std::int64_t l = 0; l < n; ++l) x[l] = padded[l];
  }
}

/// Sets the lanes from n on to 0, whatever they hold.
template <class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> keep_first(const Vec<T, Isa>& v, std::int64_t n) {
  if (n >= kLanes<Isa>) return v;
  return as<T>(as<typename IntegerOf<sizeof(T)>::type>(v) & load<Isa>(first_lanes<T>(n)));
}

}  // namespace amp::inline v0::simd
