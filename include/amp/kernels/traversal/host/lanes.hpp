// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Vectors of floats for three instruction sets, and the functions of them that elementwise ops,
// norms and softmax need. A kernel is a template over the set, compiled for each by OnWidest and
// chosen at run time. NaN and infinity are tested on integers, which -ffast-math leaves alone.
// Masks are made by arithmetic, because g++ splits comparisons of the widest vectors.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/instruction_set.hpp"

namespace amp::inline v0::kernels::host::lanes {

// Vector types are spelled out, since some compilers allow no template parameter in the attribute.
// F is the type of computation, D and Q are half as many doubles and 64-bit integers, and H as many
// floats as D has doubles.
// clang-format off
struct Generic { using F [[gnu::vector_size(16)]] = float; using I [[gnu::vector_size(16)]] = std::int32_t; using U [[gnu::vector_size(16)]] = std::uint32_t; using H [[gnu::vector_size(8)]] = float; using D [[gnu::vector_size(16)]] = double; using Q [[gnu::vector_size(16)]] = std::int64_t; };
struct Avx2 { using F [[gnu::vector_size(32)]] = float; using I [[gnu::vector_size(32)]] = std::int32_t; using U [[gnu::vector_size(32)]] = std::uint32_t; using H [[gnu::vector_size(16)]] = float; using D [[gnu::vector_size(32)]] = double; using Q [[gnu::vector_size(32)]] = std::int64_t; };
struct Avx512 { using F [[gnu::vector_size(64)]] = float; using I [[gnu::vector_size(64)]] = std::int32_t; using U [[gnu::vector_size(64)]] = std::uint32_t; using H [[gnu::vector_size(32)]] = float; using D [[gnu::vector_size(64)]] = double; using Q [[gnu::vector_size(64)]] = std::int64_t; };
/// For float64 kernels that use the same templates, without OnWidest.
struct Float64 { using F [[gnu::vector_size(16)]] = double; using D [[gnu::vector_size(16)]] = double; using Q [[gnu::vector_size(16)]] = std::int64_t; };
// clang-format on

template <class Isa>
using Element = std::remove_cvref_t<decltype(typename Isa::F{}[0])>;
template <class Isa>
inline constexpr std::int64_t kLanes = sizeof(typename Isa::F) / sizeof(Element<Isa>);

/// Calls `Body::run<Isa>(arguments...)`, which is compiled for each instruction set, for the widest
/// set that instruction_set() allows. Every function that run calls must be AMP_ALWAYS_INLINE, so
/// that it is compiled for the same set. Arguments are scalars and pointers.
template <class Body>
struct OnWidest {
  template <class... Arguments>
  static auto run(Arguments... arguments) {
#if AMP_X86
    if (amp::detail::has_avx512()) return avx512(arguments...);
    if (amp::detail::has_avx2()) return avx2(arguments...);
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

template <class V, class T>
AMP_ALWAYS_INLINE void load(V& v, const T* x) {
  __builtin_memcpy(&v, x, sizeof v);
}
template <class V, class T>
AMP_ALWAYS_INLINE void store(const V& v, T* x) {
  __builtin_memcpy(x, &v, sizeof v);
}
/// A vector for the formulas shared by host and device (softmax/formula.hpp): nvcc refuses bare
/// vectors there, even if only the host calls them.
template <class F>
struct Vector {
  using Number = std::remove_cvref_t<decltype(F{}[0])>;

  F value;

  // clang-format off
  friend AMP_ALWAYS_INLINE Vector operator-(const Vector& a, const Vector& b) { return {a.value - b.value}; }
  friend AMP_ALWAYS_INLINE Vector operator-(const Vector& a, Number b) { return {a.value - b}; }
  friend AMP_ALWAYS_INLINE Vector operator*(const Vector& a, const Vector& b) { return {a.value * b.value}; }
  friend AMP_ALWAYS_INLINE Vector operator*(const Vector& a, Number b) { return {a.value * b}; }
  // clang-format on
};
// Structs instead of lambdas, because nvcc does not always inline those.
struct Add {
  template <class T>
  AMP_ALWAYS_INLINE T operator()(T a, T b) const {
    return a + b;
  }
};
struct Larger {
  template <class T>
  AMP_ALWAYS_INLINE T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};
/// Combines halves of the lanes until one lane is left.
template <int Count, class V, class Combine>
AMP_ALWAYS_INLINE auto fold(const V& v, const Combine& combine, int first = 0) {
  if constexpr (Count == 1) {
    return v[first];
  } else {
    const auto low = fold<Count / 2>(v, combine, first);
    return combine(low, fold<Count / 2>(v, combine, first + Count / 2));
  }
}
template <class Isa>
AMP_ALWAYS_INLINE float sum_of(const typename Isa::F& v) {
  return fold<kLanes<Isa>>(v, Add{});
}

/// Converts both halves of v to double, exactly. Each half is copied by itself: a struct of both
/// would go through the stack.
template <class Isa>
AMP_ALWAYS_INLINE void widen(const typename Isa::F& v, typename Isa::D& low,
                             typename Isa::D& high) {
  using D = typename Isa::D;
  if constexpr (std::is_same_v<Isa, Float64>) {
    low = v;
    high = D{};
  } else {
    typename Isa::H first, second;
    __builtin_memcpy(&first, &v, sizeof first);
    __builtin_memcpy(&second, reinterpret_cast<const char*>(&v) + sizeof first, sizeof second);
    if constexpr (std::is_same_v<Isa, Generic> || !AMP_SPLITS_WIDE_CONVERSIONS) {
      low = __builtin_convertvector(first, D);
      high = __builtin_convertvector(second, D);
    } else {
      AMP_WIDEN_FLOATS(first, low);
      AMP_WIDEN_FLOATS(second, high);
    }
  }
}

/// to[l] += first or second[l].
template <class Isa>
AMP_ALWAYS_INLINE void add_to(double* to, const typename Isa::D& first,
                              const typename Isa::D& second) {
  constexpr std::int64_t kHalf = sizeof first / sizeof(double);
  typename Isa::D low, high;
  load(low, to);
  load(high, to + kHalf);
  low += first;
  high += second;
  store(low, to);
  store(high, to + kHalf);
}

/// Sets the lanes from `count` on to 0, whatever they hold.
template <class Isa>
AMP_ALWAYS_INLINE void keep_first(typename Isa::D& low, typename Isa::D& high, std::int64_t count) {
  using D = typename Isa::D;
  using Q = typename Isa::Q;
  static constexpr std::int64_t kMasks[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                              -1, -1, -1, -1, -1, -1, -1, -1};
  if (count >= kLanes<Isa>) return;
  Q first, second;
  load(first, kMasks + 16 - count);
  load(second, kMasks + 16 - count + sizeof(D) / sizeof(double));
  low = __builtin_bit_cast(D, __builtin_bit_cast(Q, low) & first);
  high = __builtin_bit_cast(D, __builtin_bit_cast(Q, high) & second);
}

/// A sum in double. Each addition takes as many terms as there are lanes.
template <class Isa>
struct Sum {
  typename Isa::D low{}, high{};

  AMP_ALWAYS_INLINE void add(const typename Isa::D& first, const typename Isa::D& second) {
    low += first;
    high += second;
  }
  /// Adds the first `count` of the terms.
  AMP_ALWAYS_INLINE void add(const typename Isa::F& terms, std::int64_t count) {
    typename Isa::D first, second;
    widen<Isa>(terms, first, second);
    keep_first<Isa>(first, second, count);
    add(first, second);
  }
  AMP_ALWAYS_INLINE double total() const {
    const typename Isa::D all = low + high;
    return fold<sizeof(all) / sizeof(double)>(all, Add{});
  }
};

/// Sets the mask to all ones if x is NaN.
template <class Isa>
AMP_ALWAYS_INLINE void nan_mask(const typename Isa::F& x, typename Isa::I& mask) {
  using I = typename Isa::I;
  const I magnitude = __builtin_bit_cast(I, x) & 0x7fff'ffff;
  mask = (0x7f80'0000 - magnitude) >> 31;
}

/// Returns n as floats; `sum` is n + 1.5 * 2^23. A compiler with -ffast-math must not see that the
/// constant is added and subtracted again: it would remove both, and with them the rounding.
template <class Isa>
AMP_ALWAYS_INLINE void rounded(const typename Isa::I& n, const typename Isa::F& sum,
                               typename Isa::F& whole) {
  using F = typename Isa::F;
  if constexpr (std::is_same_v<Isa, Generic> || !AMP_SPLITS_WIDE_CONVERSIONS) {
    whole = __builtin_convertvector(n, F);
  } else {  // it is positive, which the compiler does not know
    const typename Isa::I magnitude = __builtin_bit_cast(typename Isa::I, sum) & 0x7fff'ffff;
    whole = __builtin_bit_cast(F, magnitude) - 0x1.8p23F;
  }
}

/// x = e^x: within 2 units in the last place, 0 below about -87 (near the subnormal results),
/// infinity above 88.7; NaN stays. With n = round(x / ln 2) and r = x - n ln 2, e^x = 2^n e^r. |r|
/// <= ln 2 / 2, so r^8 / 8!, the first omitted term of e^r's series, is below 2^-27. With
/// -ffast-math fewer digits are correct.
template <class Isa>
AMP_ALWAYS_INLINE void exponential(typename Isa::F& x) {
  using F = typename Isa::F;
  using I = typename Isa::I;
  I is_nan;
  nan_mask<Isa>(x, is_nan);
  F lowest{}, highest{};  // no constants: nvcc's compiler of 13.0 crashes on those of 64 bytes
  lowest -= 87.4F;        // n is -126 to 128
  highest += 89.0F;
  F bounded = x > lowest ? x : lowest;
  bounded = bounded < highest ? bounded : highest;
  // Rounds to nearest by adding 1.5 * 2^23, whose unit in the last place is 1.
  const F sum = bounded * 1.44269504F + 0x1.8p23F;
  const I n = __builtin_bit_cast(I, sum) - __builtin_bit_cast(std::int32_t, 0x1.8p23F);
  F whole;
  rounded<Isa>(n, sum, whole);
  // ln 2 in two parts. The first has so few digits that its multiple is exact.
  const F r = (bounded - whole * 0x1.62e4p-1F) - whole * 0x1.7f7d1cp-20F;
  // 2 e^r times 2^(n - 1). 2^(n - 1) is finite even if n is 128, and 0 if n is -126.
  F e = r * (2.0F / 5040) + 2.0F / 720;
  e = e * r + 2.0F / 120;
  e = e * r + 2.0F / 24;
  e = e * r + 2.0F / 6;
  e = e * r + 1.0F;
  e = e * r + 2.0F;
  e = e * r + 2.0F;
  const I power = (n + 126) << 23;
  e = e * __builtin_bit_cast(F, power);
  x = __builtin_bit_cast(F, __builtin_bit_cast(I, e) | is_nan);
}

}  // namespace amp::inline v0::kernels::host::lanes
