// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Vectors of floats for three instruction sets, and the functions that elementwise ops, norms and
// softmax need of them. A kernel is a template over the set, compiled for each by OnWidest and
// chosen at run time. NaN and infinity are decided on integers, which -ffast-math leaves alone, and
// masks are made by arithmetic: g++ takes comparisons of the widest vectors apart.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels::host::lanes {

// Vector types are spelled out: a compiler attribute cannot depend on a template parameter
// everywhere.
// clang-format off
struct Generic { using F [[gnu::vector_size(16)]] = float; using I [[gnu::vector_size(16)]] = std::int32_t; using U [[gnu::vector_size(16)]] = std::uint32_t; };
struct Avx2 { using F [[gnu::vector_size(32)]] = float; using I [[gnu::vector_size(32)]] = std::int32_t; using U [[gnu::vector_size(32)]] = std::uint32_t; };
struct Avx512 { using F [[gnu::vector_size(64)]] = float; using I [[gnu::vector_size(64)]] = std::int32_t; using U [[gnu::vector_size(64)]] = std::uint32_t; };
// clang-format on

template <class Isa>
inline constexpr std::int64_t kLanes = sizeof(typename Isa::F) / sizeof(float);

enum class IsaName : std::uint8_t { kGeneric, kAvx2, kAvx512 };

/// The widest that the processor has.
inline IsaName widest_isa() {
#if AMP_X86
  if (__builtin_cpu_supports("avx512f")) return IsaName::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return IsaName::kAvx2;
#endif
  return IsaName::kGeneric;
}

/// A function `Body::run<Isa>(arguments...)`, compiled for each instruction set and called for the
/// widest that the processor has. Whatever run calls must be AMP_ALWAYS_INLINE, so that it is
/// compiled for the same set. Arguments are scalars and pointers.
template <class Body>
struct OnWidest {
  template <class... Arguments>
  static auto run(Arguments... arguments) {
#if AMP_X86
    switch (widest_isa()) {
      case IsaName::kAvx512:
        return avx512(arguments...);
      case IsaName::kAvx2:
        return avx2(arguments...);
      default:
        break;
    }
#endif
    return Body::template run<Generic>(arguments...);
  }

 private:
#if AMP_X86
  template <class... Arguments>
  __attribute__((target("avx512f,avx2,fma"))) static auto avx512(Arguments... arguments) {
    return Body::template run<Avx512>(arguments...);
  }
  template <class... Arguments>
  __attribute__((target("avx2,fma"))) static auto avx2(Arguments... arguments) {
    return Body::template run<Avx2>(arguments...);
  }
#endif
};

template <class V>
AMP_ALWAYS_INLINE void load(V& v, const float* x) {
  __builtin_memcpy(&v, x, sizeof v);
}
template <class V>
AMP_ALWAYS_INLINE void store(const V& v, float* x) {
  __builtin_memcpy(x, &v, sizeof v);
}
template <class Isa>
AMP_ALWAYS_INLINE float sum_of(const typename Isa::F& v) {
  float sum = 0;
  for (std::int64_t l = 0; l < kLanes<Isa>; ++l) sum += v[l];
  return sum;
}

/// All ones where x is NaN.
template <class Isa>
AMP_ALWAYS_INLINE void nan_mask(const typename Isa::F& x, typename Isa::I& mask) {
  using I = typename Isa::I;
  const I magnitude = __builtin_bit_cast(I, x) & 0x7fff'ffff;
  mask = (0x7f80'0000 - magnitude) >> 31;
}

/// x = e^x: within 2 units in the last place, 0 below about -87.3 (where it would be subnormal),
/// infinity above 88.7; NaN stays. With n = round(x / ln 2) and r = x - n ln 2, e^x = 2^n e^r;
/// |r| <= ln 2 / 2, so that r^8 / 8!, the first term left out of e^r's series, is below 2^-27.
template <class Isa>
AMP_ALWAYS_INLINE void exponential(typename Isa::F& x) {
  using F = typename Isa::F;
  using I = typename Isa::I;
  I is_nan;
  nan_mask<Isa>(x, is_nan);
  const F lowest = F{} - 100.0F, highest = F{} + 89.0F;
  F bounded = x > lowest ? x : lowest;
  bounded = bounded < highest ? bounded : highest;
  // Rounded to nearest by adding 1.5 * 2^23, whose unit in the last place is 1.
  const F shifted = bounded * 1.44269504F + 0x1.8p23F;
  const I n = __builtin_bit_cast(I, shifted) - __builtin_bit_cast(std::int32_t, 0x1.8p23F);
  const F whole = shifted - 0x1.8p23F;
  // ln 2 in two parts, of which the first has so few digits that its multiple is exact.
  const F r = (bounded - whole * 0x1.62e4p-1F) - whole * 0x1.7f7d1cp-20F;
  F e = r * (1.0F / 5040) + 1.0F / 720;
  e = e * r + 1.0F / 120;
  e = e * r + 1.0F / 24;
  e = e * r + 1.0F / 6;
  e = e * r + 0.5F;
  e = e * r + 1.0F;
  e = e * r + 1.0F;
  // 2^n as a product of two powers, so that 2^128 is one too.
  const I half = n >> 1, rest = n - half;
  I first = half + 127, second = rest + 127;
  first = (first & ~(first >> 31)) << 23;
  second = (second & ~(second >> 31)) << 23;
  const I subnormal = (n + 126) >> 31;  // all ones where 2^n is below the normal numbers
  e = e * __builtin_bit_cast(F, first) * __builtin_bit_cast(F, second);
  const I bits = (__builtin_bit_cast(I, e) & ~subnormal) | is_nan;
  x = __builtin_bit_cast(F, bits);
}

}  // namespace amp::inline v0::kernels::host::lanes
