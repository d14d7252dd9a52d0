// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Vectors of numbers. Vec<T, Isa> has kLanes<Isa> lanes, whatever T is, so that a formula may go
// from one type to another; types of 64 bits take two registers. It is written in the vector
// extensions of g++ and clang, which the compilers turn into the instructions of the set. A formula
// of single numbers serves vectors too, if it chooses by select().
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"

namespace amp::inline v0::simd {

/// A register, or a part of one. For g++, which notes with more that the ABI for passing it has
/// changed, the alignment of 16 bytes suffices; clang expects the whole size of what a reference
/// names. Spelled out, since some compilers allow no template parameter in the attribute.
template <class T, int kBytes>
struct Register;
// clang-format off
#if defined(__clang__)
#define AMP_REGISTER(T, bytes) template <> struct Register<T, bytes> { using type [[gnu::vector_size(bytes)]] = T; };
#else
#define AMP_REGISTER(T, bytes) template <> struct Register<T, bytes> { using type [[gnu::vector_size(bytes), gnu::aligned(bytes < 16 ? bytes : 16)]] = T; };
#endif
#define AMP_REGISTERS(T) AMP_REGISTER(T, 8) AMP_REGISTER(T, 16) AMP_REGISTER(T, 32) AMP_REGISTER(T, 64)
AMP_REGISTER(std::int8_t, 4) AMP_REGISTERS(std::int8_t) AMP_REGISTER(std::uint8_t, 4) AMP_REGISTERS(std::uint8_t)
AMP_REGISTERS(std::int16_t) AMP_REGISTERS(std::uint16_t) AMP_REGISTERS(std::int32_t) AMP_REGISTERS(std::uint32_t)
AMP_REGISTERS(std::int64_t) AMP_REGISTERS(std::uint64_t) AMP_REGISTERS(float) AMP_REGISTERS(double)
#undef AMP_REGISTERS
#undef AMP_REGISTER
    // clang-format on

    /// A signed integer as large as a number, of which vectors are masks: all bits are set, or
    /// none.
    template <int kBytes>
    struct IntegerOf;
// clang-format off
template <> struct IntegerOf<1> { using type = std::int8_t; };
template <> struct IntegerOf<2> { using type = std::int16_t; };
template <> struct IntegerOf<4> { using type = std::int32_t; };
template <> struct IntegerOf<8> { using type = std::int64_t; };
// clang-format on

// g++ compares registers of 512 bits lane by lane, unless it can join the comparison with what uses
// the mask. So it is given the instructions, whose predicates are those numbers. The mask becomes a
// vector by a move that sets the other lanes to 0: vpmovm2d waits for the register that it writes.
#if AMP_X86 && !defined(__clang__)
template <int kBytes>
inline constexpr bool kComparesByName = kBytes == 64;
#define AMP_COMPARE_BY_NAME(text, bits, predicate, a, b, set, mask)       \
  __asm__(text " %3, %2, %1, %%k1\n\tvmovdqa" bits " %4, %0%{%%k1%}%{z%}" \
          : "=v"(mask)                                                    \
          : "v"(a), "v"(b), "i"(predicate), "v"(set)                      \
          : "k1")
#define AMP_SELECT_BY_NAME(mask, a, b) \
  __asm__("vpternlogd $0xca, %2, %1, %0" : "+v"(mask) : "v"(a), "v"(b))
#else
template <int kBytes>
inline constexpr bool kComparesByName = false;
#define AMP_COMPARE_BY_NAME(text, bits, predicate, a, b, set, mask) static_cast<void>(0)
#define AMP_SELECT_BY_NAME(mask, a, b) static_cast<void>(0)
#endif
enum Predicate {
  kEqual = 0,
  kLess = 1,
  kLessEqual = 2,
  kNotEqual = 4,
  kGreaterEqual = 13,
  kGreater = 14
};

template <class T, Predicate kPredicate>
AMP_ALWAYS_INLINE void compare_by_name(
    [[maybe_unused]] const typename Register<T, 64>::type& a,
    [[maybe_unused]] const typename Register<T, 64>::type& b,
    [[maybe_unused]] typename Register<typename IntegerOf<sizeof(T)>::type, 64>::type& mask) {
  using Native = typename Register<typename IntegerOf<sizeof(T)>::type, 64>::type;
  [[maybe_unused]] Native set{};
  set = ~set;  // not an initialiser, which nvcc folds, and fails
  // The predicates of integers, which have no NaN, end with those that mean "not less or equal".
  [[maybe_unused]] constexpr int kOfIntegers = kPredicate > 4 ? kPredicate - 8 : kPredicate;
  static_assert(!std::is_same_v<T, std::uint64_t>);
  if constexpr (std::is_same_v<T, float>)
    AMP_COMPARE_BY_NAME("vcmpps", "32", kPredicate, a, b, set, mask);
  if constexpr (std::is_same_v<T, double>)
    AMP_COMPARE_BY_NAME("vcmppd", "64", kPredicate, a, b, set, mask);
  if constexpr (std::is_same_v<T, std::int32_t>)
    AMP_COMPARE_BY_NAME("vpcmpd", "32", kOfIntegers, a, b, set, mask);
  if constexpr (std::is_same_v<T, std::uint32_t>)
    AMP_COMPARE_BY_NAME("vpcmpud", "32", kOfIntegers, a, b, set, mask);
  if constexpr (std::is_same_v<T, std::int64_t>)
    AMP_COMPARE_BY_NAME("vpcmpq", "64", kOfIntegers, a, b, set, mask);
}

template <class T, class Isa>
struct Vec;
template <class T, class Isa>
using Mask = Vec<typename IntegerOf<sizeof(T)>::type, Isa>;

/// A number as a lane of T; a bool as that of a mask.
template <class T, class N>
AMP_ALWAYS_INLINE T lane_of(N x) {
  if constexpr (std::is_same_v<N, bool>)
    return static_cast<T>(x ? -1 : 0);
  else
    return static_cast<T>(x);
}

/// The registers of a vector: one, or, for types of 64 bits, two. (Not an array, which g++ keeps in
/// memory.)
template <class T, class Isa, bool kTwo = sizeof(T) == 8>
struct Registers {
  using Native = typename Register<T, kLanes<Isa>* static_cast<int>(sizeof(T))>::type;

  Native low;

  Registers() = default;
  AMP_ALWAYS_INLINE Registers(const Native& v) : low(v) {}
  /// A negative zero becomes 0. The sum with 0, which may do that, is one that g++ does not fold to
  /// an initialiser, which it would store in pieces.
  AMP_ALWAYS_INLINE Registers(T x) : low(x + Native{}) {}
};
template <class T, class Isa>
struct Registers<T, Isa, true> {
  using Native = typename Register<T, Isa::kBytes>::type;

  Native low, high;

  Registers() = default;
  AMP_ALWAYS_INLINE Registers(T x) : low(x + Native{}), high(x + Native{}) {}
};

// clang-format off
/// Operators work lane by lane. A number stands for a vector whose lanes all are that number. As an
/// operand, it needs no vector of its own, which g++ makes lane by lane of integers that vary.
template <class T, class Isa>
struct Vec : Registers<T, Isa> {
  using typename Registers<T, Isa>::Native;
  static constexpr bool kTwo = sizeof(T) == 8;

  Vec() = default;
  AMP_ALWAYS_INLINE Vec(const Native& v) requires (!kTwo) : Registers<T, Isa>(v) {}
  template <class N> requires std::is_arithmetic_v<N>
  AMP_ALWAYS_INLINE Vec(N x) : Registers<T, Isa>(lane_of<T>(x)) {}

  AMP_ALWAYS_INLINE T operator[](int lane) const {
    if constexpr (kTwo) return lane < kLanes<Isa> / 2 ? this->low[lane] : this->high[lane - kLanes<Isa> / 2];
    else return this->low[lane];
  }
#define AMP_UNARY(op) \
  friend AMP_ALWAYS_INLINE Vec operator op(const Vec& a) { \
    Vec y; \
    y.low = op a.low; \
    if constexpr (kTwo) y.high = op a.high; \
    return y; \
  }
#define AMP_BINARY(op) \
  friend AMP_ALWAYS_INLINE Vec operator op(const Vec& a, const Vec& b) { \
    Vec y; \
    y.low = a.low op b.low; \
    if constexpr (kTwo) y.high = a.high op b.high; \
    return y; \
  } \
  template <class N> requires std::is_arithmetic_v<N> \
  friend AMP_ALWAYS_INLINE Vec operator op(const Vec& a, N b) { \
    Vec y; \
    y.low = a.low op lane_of<T>(b); \
    if constexpr (kTwo) y.high = a.high op lane_of<T>(b); \
    return y; \
  } \
  template <class N> requires std::is_arithmetic_v<N> \
  friend AMP_ALWAYS_INLINE Vec operator op(N a, const Vec& b) { \
    Vec y; \
    y.low = lane_of<T>(a) op b.low; \
    if constexpr (kTwo) y.high = lane_of<T>(a) op b.high; \
    return y; \
  } \
  friend AMP_ALWAYS_INLINE Vec& operator op##=(Vec& a, const Vec& b) { \
    a.low op##= b.low; \
    if constexpr (kTwo) a.high op##= b.high; \
    return a; \
  }
#define AMP_COMPARISON(op, predicate) \
  friend AMP_ALWAYS_INLINE Mask<T, Isa> operator op(const Vec& a, const Vec& b) { \
    Mask<T, Isa> y; \
    if constexpr (kComparesByName<sizeof(Native)>) { \
      compare_by_name<T, predicate>(a.low, b.low, y.low); \
      if constexpr (kTwo) compare_by_name<T, predicate>(a.high, b.high, y.high); \
    } else { \
      y.low = a.low op b.low; \
      if constexpr (kTwo) y.high = a.high op b.high; \
    } \
    return y; \
  }
  AMP_UNARY(-) AMP_UNARY(~)
  AMP_BINARY(+) AMP_BINARY(-) AMP_BINARY(*) AMP_BINARY(/)
  AMP_BINARY(&) AMP_BINARY(|) AMP_BINARY(^) AMP_BINARY(<<) AMP_BINARY(>>)
  AMP_COMPARISON(<, kLess) AMP_COMPARISON(<=, kLessEqual) AMP_COMPARISON(>, kGreater) AMP_COMPARISON(>=, kGreaterEqual)
  AMP_COMPARISON(==, kEqual) AMP_COMPARISON(!=, kNotEqual)
#undef AMP_COMPARISON
#undef AMP_BINARY
#undef AMP_UNARY
  // Of masks.
  friend AMP_ALWAYS_INLINE Vec operator!(const Vec& a) { return ~a; }
  friend AMP_ALWAYS_INLINE Vec operator&&(const Vec& a, const Vec& b) { return a & b; }
  friend AMP_ALWAYS_INLINE Vec operator||(const Vec& a, const Vec& b) { return a | b; }
};
// clang-format on

/// The same bits as numbers of another type of the same size. (g++ copies a vector of 32 bytes in
/// two pieces if its structure is cast.)
template <class To, class T, class Isa>
AMP_ALWAYS_INLINE Vec<To, Isa> as(const Vec<T, Isa>& x) {
  using Native = typename Vec<To, Isa>::Native;
  Vec<To, Isa> result;
  result.low = reinterpret_cast<Native>(x.low);
  if constexpr (Vec<T, Isa>::kTwo) result.high = reinterpret_cast<Native>(x.high);
  return result;
}

/// mask ? a : b
template <class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> select(const Mask<T, Isa>& mask, const Vec<T, Isa>& a,
                                     const Vec<T, Isa>& b) {
  constexpr bool kTwo = Vec<T, Isa>::kTwo;
  if constexpr (kComparesByName<sizeof(a.low)>) {
    Mask<T, Isa> result = mask;
    AMP_SELECT_BY_NAME(result.low, a.low, b.low);
    if constexpr (kTwo) AMP_SELECT_BY_NAME(result.high, a.high, b.high);
    return as<T>(result);
  } else {
    Vec<T, Isa> result;
    result.low = mask.low ? a.low : b.low;
    if constexpr (kTwo) result.high = mask.high ? a.high : b.high;
    return result;
  }
}

/// The larger lanes, or those of b if one is NaN.
template <class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> larger(const Vec<T, Isa>& a, const Vec<T, Isa>& b) {
  Vec<T, Isa> result;
  result.low = a.low > b.low ? a.low : b.low;
  if constexpr (Vec<T, Isa>::kTwo) result.high = a.high > b.high ? a.high : b.high;
  return result;
}
template <class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> smaller(const Vec<T, Isa>& a, const Vec<T, Isa>& b) {
  Vec<T, Isa> result;
  result.low = a.low < b.low ? a.low : b.low;
  if constexpr (Vec<T, Isa>::kTwo) result.high = a.high < b.high ? a.high : b.high;
  return result;
}

template <class T, class Isa>
AMP_ALWAYS_INLINE Mask<T, Isa> magnitude_bits(const Vec<T, Isa>& x) {
  using I = typename IntegerOf<sizeof(T)>::type;
  return as<I>(x) & (std::numeric_limits<I>::max)();
}
/// The bits of infinity.
template <class T>
inline constexpr auto kInfinityBits = __builtin_bit_cast(typename IntegerOf<sizeof(T)>::type,
                                                         std::numeric_limits<T>::infinity());
template <class T, class Isa>
AMP_ALWAYS_INLINE Mask<T, Isa> is_nan(const Vec<T, Isa>& x) {
#if __FINITE_MATH_ONLY__  // without NaN, as -ffast-math says, x would equal itself
  return (kInfinityBits<T> - magnitude_bits(x)) >> static_cast<int>(8 * sizeof(T) - 1);
#else
  return x != x;
#endif
}

/// A register in memory, at any address. Copied as such, it takes one instruction: memcpy() becomes
/// several of 16 bytes if g++ compiles the whole program for AVX2 or more.
template <class T, int kBytes>
struct [[gnu::packed, gnu::may_alias]] InMemory {
  typename Register<T, kBytes>::type value;
};
template <class T, int kBytes>
AMP_ALWAYS_INLINE const InMemory<T, kBytes>& in_memory(const void* x) {
  return *static_cast<const InMemory<T, kBytes>*>(x);
}
template <class T, int kBytes>
AMP_ALWAYS_INLINE InMemory<T, kBytes>& in_memory(void* x) {
  return *static_cast<InMemory<T, kBytes>*>(x);
}

/// The elements from x on, one in each lane.
template <class Isa, class T>
AMP_ALWAYS_INLINE Vec<T, Isa> load(const T* x) {
  constexpr int kBytes = sizeof(typename Vec<T, Isa>::Native);
  Vec<T, Isa> v;
  v.low = in_memory<T, kBytes>(x).value;
  if constexpr (Vec<T, Isa>::kTwo) v.high = in_memory<T, kBytes>(x + kLanes<Isa> / 2).value;
  return v;
}
template <class T, class Isa>
AMP_ALWAYS_INLINE void store(const Vec<T, Isa>& v, T* x) {
  constexpr int kBytes = sizeof v.low;
  in_memory<T, kBytes>(x).value = v.low;
  if constexpr (Vec<T, Isa>::kTwo) in_memory<T, kBytes>(x + kLanes<Isa> / 2).value = v.high;
}
/// to[l] += terms[l]
template <class T, class Isa>
AMP_ALWAYS_INLINE void add_to(T* to, const Vec<T, Isa>& terms) {
  store(load<Isa>(to) + terms, to);
}

}  // namespace amp::inline v0::simd
