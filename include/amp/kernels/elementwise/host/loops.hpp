// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A function of elements (kernels/functions.hpp) over arrays: floats, and bools, which are bytes of
// 0 or 1, in vectors of the widest instruction set; other types one element at a time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/inverse.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/power.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/types/format_vectors.hpp"

namespace amp::inline v0::kernels::host::detail {

template <class T>
concept SixteenBits = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

/// Functions that take less time than the passes over a block that convert it.
using LightFunctions = functions::List<
    functions::Add, functions::Sub, functions::Mul, functions::Div, functions::Maximum,
    functions::Minimum, functions::AddRelu, functions::Neg, functions::Abs, functions::Square,
    functions::Relu, functions::LeakyRelu, functions::Hardtanh, functions::Relu6,
    functions::Hardsigmoid, functions::Hardswish, functions::Softshrink, functions::Softsign,
    functions::Sqrt, functions::Rsqrt, functions::Reciprocal, functions::Floor, functions::Ceil,
    functions::Round, functions::Trunc, functions::Sign, functions::Derivative<functions::Abs>,
    functions::Derivative<functions::Square>, functions::Derivative<functions::Relu>,
    functions::Derivative<functions::LeakyRelu>, functions::Derivative<functions::Hardtanh>,
    functions::Derivative<functions::Relu6>, functions::Derivative<functions::Hardsigmoid>,
    functions::Derivative<functions::Hardswish>, functions::Derivative<functions::Softshrink>,
    functions::Derivative<functions::Softsign>, functions::Derivative<functions::Sqrt>,
    functions::Derivative<functions::Rsqrt>, functions::Derivative<functions::Reciprocal>,
    functions::Derivative<functions::Exp>, functions::Derivative<functions::Tanh>,
    functions::Derivative<functions::Sigmoid>>;
/// Functions whose result is in the format of the operands, so that nothing is rounded.
using ExactFunctions = functions::List<
    functions::Maximum, functions::Minimum, functions::Neg, functions::Abs, functions::Relu,
    functions::Floor, functions::Ceil, functions::Round, functions::Trunc, functions::Sign,
    functions::Derivative<functions::Abs>, functions::Derivative<functions::Relu>,
    functions::Derivative<functions::Hardtanh>, functions::Derivative<functions::Relu6>,
    functions::Derivative<functions::Softshrink>>;
template <class Function, class... Functions>
consteval bool is_in(functions::List<Functions...>) {
  return (std::is_same_v<Function, Functions> || ...);
}

/// An operand of a block: an array; or a number, which is in memory as often as a vector has lanes,
/// and, beside formats of 16 bits, as floats.
template <class X>
struct Values {
  const X* at;
  std::int64_t step = 1;  // 0 of a number
};
/// n elements of an operand in the compute type, in place or in the buffer of kBlock elements.
template <class C>
Values<C> fetch_values(const Operand& x, std::int64_t offset, std::int64_t stride, std::int64_t n,
                       C* buffer) {
  if (x.immediate || stride == 0) return {fetch(x, offset, 0, simd::kMostLanes, buffer), 0};
  return {fetch(x, offset, stride, n, buffer)};
}
/// Whether that needs no buffer for arrays.
template <class C>
bool is_in_place(const Operand& x, std::int64_t stride) {
  return x.immediate || stride == 0 || (x.dtype == dtype_of<C> && stride == 1);
}
/// The elements of a block whose operands are all in place, so that the caches do not limit it.
inline constexpr std::int64_t kBlockInPlace = 16 * kBlock;

/// y[i] = f(x[i]..., parameters...) for whole vectors. y may be one of x, since the last vector,
/// which overlaps the one before it, is read before anything is written.
template <class Function>
struct OfVectors {
  template <class Isa, class C, class Result, class... X>
  AMP_ALWAYS_INLINE static void run(functions::Bound<Function, C> f, Result* y, std::int64_t n,
                                    Values<X>... x) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    constexpr bool kRounds =
        !(is_in<Function>(ExactFunctions{}) && (std::is_same_v<X, Result> && ...));
    if constexpr (SixteenBits<Result> && !Isa::kHasHalf) {
      // Not called: see has_vectors_of_16_bits().
    } else {
      const bool is_short = n < kLanes;
      const std::int64_t rest = is_short ? 0 : n - kLanes;
      const auto last = f((is_short ? get_first<Isa>(x, n) : get<Isa>(x, rest))...);
      for (std::int64_t i = 0; i < rest; i += kLanes, ((x.at += kLanes * x.step), ...))
        put<kRounds>(f(get<Isa>(x, 0)...), y + i);
      is_short ? put_first<kRounds>(last, y, n) : put<kRounds>(last, y + rest);
    }
  }

 private:
  template <class Isa, class X>
  AMP_ALWAYS_INLINE static auto get(Values<X> x, std::int64_t i) {
    return simd::load<Isa>(x.at + i * x.step);
  }
  template <class Isa, class X>
  AMP_ALWAYS_INLINE static auto get_first(Values<X> x, std::int64_t n) {
    return simd::load_first<Isa>(x.at, n);
  }
  // Formats of 16 bits are widened and rounded in registers.
  template <class Isa, SixteenBits X>
  AMP_ALWAYS_INLINE static auto get(Values<X> x, std::int64_t i) {
    if (x.step == 0) return simd::load<Isa>(reinterpret_cast<const float*>(x.at));
    return amp::detail::decode<X>(
        simd::load<Isa>(reinterpret_cast<const std::uint16_t*>(x.at + i)));
  }
  template <class Isa, SixteenBits X>
  AMP_ALWAYS_INLINE static auto get_first(Values<X> x, std::int64_t n) {
    if (x.step == 0) return get<Isa>(x, 0);
    return amp::detail::decode<X>(
        simd::load_first<Isa>(reinterpret_cast<const std::uint16_t*>(x.at), n));
  }
  template <bool kRounds, SixteenBits Y, class Isa>
  AMP_ALWAYS_INLINE static auto codes_of(const simd::Vec<float, Isa>& v) {
    if constexpr (!kRounds && std::is_same_v<Y, bfloat16>)
      return simd::narrow<std::uint16_t>(simd::as<std::uint32_t>(v) >> 16);
    else
      return amp::detail::encode<Y>(v);
  }
  template <bool kRounds, class Isa, SixteenBits Y>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<float, Isa>& v, Y* y) {
    simd::store(codes_of<kRounds, Y>(v), reinterpret_cast<std::uint16_t*>(y));
  }
  template <bool kRounds, class Isa, SixteenBits Y>
  AMP_ALWAYS_INLINE static void put_first(const simd::Vec<float, Isa>& v, Y* y, std::int64_t n) {
    simd::store_first(codes_of<kRounds, Y>(v), reinterpret_cast<std::uint16_t*>(y), n);
  }
  template <bool, class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<float, Isa>& v, float* y) {
    simd::store(v, y);
  }
  template <bool, class Isa>
  AMP_ALWAYS_INLINE static void put_first(const simd::Vec<float, Isa>& v, float* y,
                                          std::int64_t n) {
    simd::store_first(v, y, n);
  }
  template <class Isa>
  AMP_ALWAYS_INLINE static auto as_bools(const simd::Vec<std::int32_t, Isa>& mask) {
    return simd::narrow<std::uint8_t>(simd::as<std::uint32_t>(mask) & 1);
  }
  template <class Isa>
  AMP_ALWAYS_INLINE static auto as_bools(const simd::Vec<std::int8_t, Isa>& mask) {
    return simd::as<std::uint8_t>(mask) & 1;
  }
  template <bool, class M, class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<M, Isa>& mask, bool* y) {
    simd::store(as_bools(mask), reinterpret_cast<std::uint8_t*>(y));
  }
  template <bool, class M, class Isa>
  AMP_ALWAYS_INLINE static void put_first(const simd::Vec<M, Isa>& mask, bool* y, std::int64_t n) {
    simd::store_first(as_bools(mask), reinterpret_cast<std::uint8_t*>(y), n);
  }
};

/// The same for operands of any type.
template <class Function, class C, class Result, class... X>
void loop(const Parameters& parameters, Result* y, std::int64_t n, Values<X>... x) {
  const auto f = bound<Function, C>(parameters);
  if constexpr (std::is_same_v<C, float>) {
    simd::on_widest<OfVectors<Function>>(f, y, n, x...);
  } else if constexpr (std::is_same_v<C, bool>) {
    const functions::Bound<Function, std::uint8_t> of_bytes{};
    simd::on_widest<OfVectors<Function>>(
        of_bytes, y, n,
        Values<std::uint8_t>{reinterpret_cast<const std::uint8_t*>(x.at), x.step}...);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x.at[i * x.step]...);
  }
}

}  // namespace amp::inline v0::kernels::host::detail
