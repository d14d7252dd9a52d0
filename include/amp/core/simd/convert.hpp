// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Vectors of one type from those of another, and what the vector extensions lack on x86: half
// precision, square roots and whole numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// Directions of rounding to whole numbers, as x86 encodes them. Inexact results raise no flag.
enum Direction { kToNearest = 8, kDown = 9, kUp = 10, kTowardsZero = 11 };

namespace native {

template <class T, int kBytes>
using R = typename Register<T, kBytes>::type;

// Not AMP_ALWAYS_INLINE: kernels, which call them, are templates without a target. They become one
// instruction, since a kernel is inlined into functions with a target. The builtins of AVX-512 take
// masks, whose types differ between compilers, so these instructions are named.
void from_half();  // so that these names are known on other processors
void to_half();
void store_half();
void round_upper_half();
template <int kDirection>
void round();
#if AMP_X86
AMP_WITH_AVX2_WITHOUT_FMA inline void from_half(const R<std::int16_t, 16>& x, R<float, 32>& y) {
  y = __builtin_ia32_vcvtph2ps256(x);
}
AMP_WITH_AVX2_WITHOUT_FMA inline void to_half(const R<float, 32>& x, R<std::int16_t, 16>& y) {
  y = __builtin_ia32_vcvtps2ph256(x, 0);  // 0: to nearest
}
AMP_WITH_AVX2_WITHOUT_FMA inline void square_root(const R<float, 32>& x, R<float, 32>& y) {
  y = __builtin_ia32_sqrtps256(x);
}
template <int kDirection>
AMP_WITH_AVX2_WITHOUT_FMA inline void round(const R<float, 32>& x, R<float, 32>& y) {
  y = __builtin_ia32_roundps256(x, kDirection);
}
AMP_WITH_AVX512 inline void from_half(const R<std::int16_t, 32>& x, R<float, 64>& y) {
  __asm__("vcvtph2ps %1, %0" : "=v"(y) : "v"(x));
}
AMP_WITH_AVX512 inline void to_half(const R<float, 64>& x, R<std::int16_t, 32>& y) {
  __asm__("vcvtps2ph $0, %1, %0" : "=v"(y) : "v"(x));
}
/// To memory. On Zen 4 a separate store took 2.5 to 3.6 ms for 16 million numbers, depending on the
/// place of its loop; this takes 2.5 to 2.6.
AMP_WITH_AVX512 inline void store_half(const R<float, 64>& x, std::uint16_t* to) {
  __asm__("vcvtps2ph $0, %1, %0" : "=m"(*reinterpret_cast<char(*)[32]>(to)) : "v"(x));
}
/// Rounds the upper half of each number to nearest even, or makes it quiet if the number is a NaN.
/// The lower half means nothing. Masks take half of the instructions of the formula for all sets.
AMP_WITH_AVX512 inline void round_upper_half(const R<float, 64>& x, R<std::uint32_t, 64>& y) {
  using Bits = Vec<std::uint32_t, Avx512>;
  __asm__ __inline__(
      "vptestmd %[last_bit], %[x], %%k1\n\t"
      "vpaddd %[below_half], %[x], %[y]\n\t"
      "vpaddd %[half], %[x], %[y]%{%%k1%}\n\t"
      "vcmpunordps %[x], %[x], %%k1\n\t"
      "vpord %[quiet], %[x], %[y]%{%%k1%}"
      : [y] "=&v"(y)
      : [x] "v"(x), [last_bit] "v"(Bits(0x1'0000).low), [below_half] "v"(Bits(0x7fff).low),
        [half] "v"(Bits(0x8000).low), [quiet] "v"(Bits(0x40'0000).low)
      : "k1");
}
AMP_WITH_AVX512 inline void square_root(const R<float, 64>& x, R<float, 64>& y) {
  __asm__("vsqrtps %1, %0" : "=v"(y) : "v"(x));
}
template <int kDirection>
AMP_WITH_AVX512 inline void round(const R<float, 64>& x, R<float, 64>& y) {
  __asm__("vrndscaleps %2, %1, %0" : "=v"(y) : "v"(x), "i"(kDirection));
}
#endif
inline void square_root(const R<float, 16>& x, R<float, 16>& y) {
  y = R<float, 16>{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}

// g++ converts vectors of this kind in two halves and joins them. It takes the instruction's word
// in a template without a target; clang would not, and needs no help.
#if AMP_X86 && !defined(__clang__)
template <class Isa>
inline constexpr bool kByName = !std::is_same_v<Isa, Baseline>;
#define AMP_WIDEN_BY_NAME(text, x, y) __asm__(text " %1, %0" : "=v"(y) : "vm"(x))
#define AMP_REGISTER_BY_NAME(text, x, y) __asm__(text : "=v"(y) : "v"(x))
// Of the first 16 registers, since vinsertf128 knows no others.
#define AMP_JOIN_BY_NAME(text, a, b, y) __asm__(text : "=&x"(y) : "x"(a), "x"(b))
#define AMP_BINARY_BY_NAME(text, a, b, y) __asm__(text : "=v"(y) : "v"(a), "v"(b))
#else
template <class Isa>
inline constexpr bool kByName = false;
#define AMP_WIDEN_BY_NAME(text, x, y) static_cast<void>(0)
#define AMP_REGISTER_BY_NAME(text, x, y) static_cast<void>(0)
#define AMP_JOIN_BY_NAME(text, a, b, y) static_cast<void>(0)
#define AMP_BINARY_BY_NAME(text, a, b, y) static_cast<void>(0)
#endif

}  // namespace native

template <class To, class T, class Isa>
AMP_ALWAYS_INLINE Vec<To, Isa> convert_lanes(const Vec<T, Isa>& x) {
  return __builtin_convertvector(x.low, typename Vec<To, Isa>::Native);
}
/// Widens unsigned integers.
template <class To, class T, class Isa>
AMP_ALWAYS_INLINE Vec<To, Isa> widen(const Vec<T, Isa>& x) {
  static_assert(std::is_unsigned_v<T> && sizeof(T) < sizeof(To));
  if constexpr (native::kByName<Isa>) {
    Vec<To, Isa> y;
    if constexpr (sizeof(T) == 2)
      AMP_WIDEN_BY_NAME("vpmovzxwd", x.low, y.low);
    else if constexpr (sizeof(To) == 2)
      AMP_WIDEN_BY_NAME("vpmovzxbw", x.low, y.low);
    else
      AMP_WIDEN_BY_NAME("vpmovzxbd", x.low, y.low);
    return y;
  } else {
    return convert_lanes<To>(x);
  }
}
/// Integers that fit.
template <class To, class Isa>
AMP_ALWAYS_INLINE Vec<To, Isa> narrow(const Vec<std::uint32_t, Isa>& x) {
  if constexpr (native::kByName<Isa> && (std::is_same_v<Isa, Avx512> || sizeof(To) == 2)) {
    Vec<To, Isa> y;
    if constexpr (std::is_same_v<Isa, Avx2>)
      AMP_REGISTER_BY_NAME("vpackusdw %1, %1, %t0\n\tvpermq $0xd8, %t0, %t0", x.low, y.low);
    else if constexpr (sizeof(To) == 2)
      AMP_REGISTER_BY_NAME("vpmovdw %1, %0", x.low, y.low);
    else
      AMP_REGISTER_BY_NAME("vpmovdb %1, %0", x.low, y.low);
    return y;
  } else if constexpr (sizeof(To) == 1) {
    return convert_lanes<To>(convert_lanes<std::uint16_t>(x));
  } else {
    return convert_lanes<To>(x);
  }
}

/// The products of the lower 32 bits of each lane.
template <class Isa>
AMP_ALWAYS_INLINE Vec<std::uint64_t, Isa> multiply_lower_halves(const Vec<std::uint64_t, Isa>& a,
                                                                const Vec<std::uint64_t, Isa>& b) {
  if constexpr (native::kByName<Isa>) {
    Vec<std::uint64_t, Isa> product;
    AMP_BINARY_BY_NAME("vpmuludq %2, %1, %0", a.low, b.low, product.low);
    AMP_BINARY_BY_NAME("vpmuludq %2, %1, %0", a.high, b.high, product.high);
    return product;
  } else {
    return (a & 0xffff'ffff) * (b & 0xffff'ffff);
  }
}

/// The numbers from x on as doubles.
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> load_doubles(const float* x) {
  native::R<float, Isa::kBytes / 2> first, second;
  Vec<double, Isa> doubles;
  first = in_memory<float, Isa::kBytes / 2>(x).value;
  second = in_memory<float, Isa::kBytes / 2>(x + kLanes<Isa> / 2).value;
  if constexpr (native::kByName<Isa>) {
    AMP_WIDEN_BY_NAME("vcvtps2pd", first, doubles.low);
    AMP_WIDEN_BY_NAME("vcvtps2pd", second, doubles.high);
  } else {
    doubles.low = __builtin_convertvector(first, typename Vec<double, Isa>::Native);
    doubles.high = __builtin_convertvector(second, typename Vec<double, Isa>::Native);
  }
  return doubles;
}
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> load_doubles(const double* x) {
  return load<Isa>(x);
}
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> to_double(const Vec<float, Isa>& x) {
  if constexpr (native::kByName<Isa>) {  // %x and %t are the lower 128 and 256 bits of a register
    Vec<double, Isa> y;
    if constexpr (std::is_same_v<Isa, Avx512>) {
      AMP_REGISTER_BY_NAME("vcvtps2pd %t1, %0", x.low, y.low);
      AMP_REGISTER_BY_NAME("vextractf64x4 $1, %1, %t0\n\tvcvtps2pd %t0, %0", x.low, y.high);
    } else {
      AMP_REGISTER_BY_NAME("vcvtps2pd %x1, %0", x.low, y.low);
      AMP_REGISTER_BY_NAME("vpermpd $0xee, %1, %0\n\tvcvtps2pd %x0, %0", x.low, y.high);
    }
    return y;
  } else {
    return load_doubles<Isa>(reinterpret_cast<const float*>(&x.low));
  }
}
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> to_double(const Vec<double, Isa>& x) {
  return x;
}

template <class Isa>
AMP_ALWAYS_INLINE Vec<float, Isa> to_float(const Vec<double, Isa>& x) {
  Vec<float, Isa> y;
  if constexpr (native::kByName<Isa>) {
    native::R<float, Isa::kBytes / 2> upper;
    if constexpr (std::is_same_v<Isa, Avx512>) {
      AMP_REGISTER_BY_NAME("vcvtpd2ps %1, %0", x.high, upper);
      AMP_JOIN_BY_NAME("vcvtpd2ps %1, %t0\n\tvinsertf64x4 $1, %t2, %0, %0", x.low, upper, y.low);
    } else {
      AMP_REGISTER_BY_NAME("vcvtpd2ps %1, %0", x.high, upper);
      AMP_JOIN_BY_NAME("vcvtpd2ps %1, %x0\n\tvinsertf128 $1, %x2, %0, %0", x.low, upper, y.low);
    }
  } else {
    const auto low = __builtin_convertvector(x.low, native::R<float, Isa::kBytes / 2>);
    const auto high = __builtin_convertvector(x.high, native::R<float, Isa::kBytes / 2>);
    if constexpr (kLanes<Isa> == 4) {  // whose load would wait for the two stores
      y.low = __builtin_shufflevector(low, high, 0, 1, 2, 3);
    } else {
      float halves[kLanes<Isa>];
      in_memory<float, Isa::kBytes / 2>(halves).value = low;
      in_memory<float, Isa::kBytes / 2>(halves + kLanes<Isa> / 2).value = high;
      y = load<Isa>(halves);
    }
  }
  return y;
}

/// Requires Isa::kHasHalf.
template <class Isa>
AMP_ALWAYS_INLINE Vec<float, Isa> from_half(const Vec<std::uint16_t, Isa>& x) {
  Vec<float, Isa> y;
  native::from_half(as<std::int16_t>(x).low, y.low);
  return y;
}
/// Rounds to nearest even.
template <class Isa>
AMP_ALWAYS_INLINE Vec<std::uint16_t, Isa> to_half(const Vec<float, Isa>& x) {
  Vec<std::int16_t, Isa> y;
  native::to_half(x.low, y.low);
  return as<std::uint16_t>(y);
}
template <class Isa>
AMP_ALWAYS_INLINE void store_half(const Vec<float, Isa>& x, std::uint16_t* to) {
  if constexpr (native::kByName<Isa> && std::is_same_v<Isa, Avx512>)
    native::store_half(x.low, to);
  else
    store(to_half(x), to);
}

/// The upper half of each lane.
template <class Isa>
AMP_ALWAYS_INLINE Vec<std::uint16_t, Isa> upper_halves(const Vec<std::uint32_t, Isa>& x) {
  if constexpr (native::kByName<Isa>) {
    Vec<std::uint16_t, Isa> y;
    if constexpr (std::is_same_v<Isa, Avx512>) {
      static constexpr std::uint16_t kPlaces[32] = {1,  3,  5,  7,  9,  11, 13, 15,
                                                    17, 19, 21, 23, 25, 27, 29, 31};
      [[maybe_unused]] native::R<std::uint16_t, 64> places;
      places = in_memory<std::uint16_t, 64>(kPlaces).value;
      AMP_BINARY_BY_NAME("vpermw %1, %2, %g0", x.low, places, y.low);
    } else {
      static constexpr std::uint8_t kPlaces[32] = {2, 3, 6, 7, 10, 11, 14, 15, 0,  0,  0,  0,
                                                   0, 0, 0, 0, 2,  3,  6,  7,  10, 11, 14, 15};
      [[maybe_unused]] native::R<std::uint8_t, 32> places;
      places = in_memory<std::uint8_t, 32>(kPlaces).value;
      AMP_BINARY_BY_NAME("vpshufb %2, %1, %t0\n\tvpermq $8, %t0, %t0", x.low, places, y.low);
    }
    return y;
  } else {
    return narrow<std::uint16_t>(x >> 16);
  }
}
/// The upper half of each number, rounded to nearest even; of a NaN, made quiet.
template <class Isa>
AMP_ALWAYS_INLINE Vec<std::uint16_t, Isa> to_bfloat16(const Vec<float, Isa>& x) {
  Vec<std::uint32_t, Isa> rounded;
  if constexpr (std::is_same_v<Isa, Avx512>) {
    native::round_upper_half(x.low, rounded.low);
  } else {
    const Vec<std::uint32_t, Isa> bits = as<std::uint32_t>(x);
    rounded = select(is_nan(x), bits | 0x40'0000, bits + ((bits >> 16) & 1) + 0x7fff);
  }
  return upper_halves(rounded);
}

/// A function of C, for each lane.
template <double (*kFunction)(double), class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> by_lane(const Vec<double, Isa>& x) {
  Vec<double, Isa> y;
  for (int l = 0; l < kLanes<Isa> / 2; ++l) {
    y.low[l] = kFunction(x.low[l]);
    y.high[l] = kFunction(x.high[l]);
  }
  return y;
}

template <class Isa>
AMP_ALWAYS_INLINE Vec<float, Isa> sqrt(const Vec<float, Isa>& x) {
  Vec<float, Isa> root;
  native::square_root(x.low, root.low);
  return root;
}
template <class Isa>
AMP_ALWAYS_INLINE Vec<double, Isa> sqrt(const Vec<double, Isa>& x) {
  return by_lane<::sqrt>(x);
}

}  // namespace amp::inline v0::simd
