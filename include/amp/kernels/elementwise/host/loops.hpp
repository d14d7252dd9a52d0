// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A function of elements (kernels/functions.hpp) over arrays: floats, and bools, which are bytes of
// 0 or 1, in vectors of the widest instruction set; other types one element at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/core/simd/ends.hpp"
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
    functions::Relu, functions::LeakyRelu, functions::Hardtanh, functions::Clamp, functions::Relu6,
    functions::Hardsigmoid, functions::Hardswish, functions::Softshrink, functions::Softsign,
    functions::Sqrt, functions::Rsqrt, functions::Reciprocal, functions::Floor, functions::Ceil,
    functions::Round, functions::Trunc, functions::Sign, functions::Derivative<functions::Abs>,
    functions::Derivative<functions::Square>, functions::Derivative<functions::Relu>,
    functions::Derivative<functions::LeakyRelu>, functions::Derivative<functions::Hardtanh>,
    functions::Derivative<functions::Clamp>, functions::Derivative<functions::Relu6>,
    functions::Derivative<functions::Hardsigmoid>, functions::Derivative<functions::Hardswish>,
    functions::Derivative<functions::Softshrink>, functions::Derivative<functions::Softsign>,
    functions::Derivative<functions::Sqrt>, functions::Derivative<functions::Rsqrt>,
    functions::Derivative<functions::Reciprocal>, functions::Derivative<functions::Exp>,
    functions::Derivative<functions::Tanh>, functions::Derivative<functions::Sigmoid>>;
/// Functions whose result is in the format of the operands, so that nothing is rounded.
using ExactFunctions = functions::List<
    functions::Maximum, functions::Minimum, functions::Neg, functions::Abs, functions::Relu,
    functions::Floor, functions::Ceil, functions::Round, functions::Trunc, functions::Sign,
    functions::Derivative<functions::Abs>, functions::Derivative<functions::Relu>,
    functions::Derivative<functions::Hardtanh>, functions::Derivative<functions::Clamp>,
    functions::Derivative<functions::Relu6>, functions::Derivative<functions::Softshrink>>;
template <class Function, class... Functions>
consteval bool is_in(functions::List<Functions...>) {
  return (std::is_same_v<Function, Functions> || ...);
}

/// The lanes of a vector of bools: as many as AVX2 takes, since loads and stores limit these loops.
template <class Isa>
struct OfBytes : Isa {
  static constexpr int kBytes = 4 * (Isa::kBytes < 32 ? Isa::kBytes : 32);
};
/// As many elements as any vector has.
inline constexpr std::int64_t kEnough = simd::kLanes<OfBytes<simd::Avx512>>;

/// An operand of a block: an array; or a number, which is in memory kEnough times, and, beside
/// formats of 16 bits, as floats.
template <class X>
struct Values {
  const X* at;
  std::int64_t step = 1;  // 0 of a number
};
/// n elements of an operand in the compute type, in place or in the buffer of kBlock elements.
template <class C>
Values<C> fetch_values(const Operand& x, std::int64_t offset, std::int64_t stride, std::int64_t n,
                       C* buffer) {
  if (x.immediate || stride == 0) return {fetch(x, offset, 0, kEnough, buffer), 0};
  return {fetch(x, offset, stride, n, buffer)};
}
/// Whether that needs no buffer for arrays.
template <class C>
bool is_in_place(const Operand& x, std::int64_t stride) {
  return x.immediate || stride == 0 || (x.dtype == dtype_of<C> && stride == 1);
}
/// The elements of a block whose operands are all in place, so that the caches do not limit it.
inline constexpr std::int64_t kBlockInPlace = 16 * kBlock;

/// Whether fewer elements than a vector has are read and written by masks.
template <class... X>
bool has_masks() {
  return (simd::native::kHasMasks<X, simd::Avx2> && ...) &&
         simd::instruction_set() >= simd::InstructionSet::kAvx2;
}

/// y[i] = f(x[i]..., parameters...) for at least as many elements as a vector has, or any number if
/// has_masks(). y may be one of x, since the last vector, which overlaps the one before it, is read
/// before anything is written.
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
      constexpr bool kMasks =
          simd::native::kHasMasks<Result, Isa> && (simd::native::kHasMasks<X, Isa> && ...);
      const bool is_short = kMasks && n < kLanes;
      const std::int64_t rest = is_short ? 0 : n - kLanes;
      const auto last = f(get_last<kMasks, Isa>(x, rest, n)...);
      for (std::int64_t i = 0; i < rest; i += kLanes, ((x.at += kLanes * x.step), ...))
        put<kRounds>(f(get<Isa>(x, 0)...), y + i);
      if constexpr (kMasks) {
        if (is_short) return simd::store_first(last, y, n);
      }
      put<kRounds>(last, y + rest);
    }
  }

 private:
  template <class Isa, class X>
  AMP_ALWAYS_INLINE static auto get(Values<X> x, std::int64_t i) {
    return simd::load<Isa>(x.at + i * x.step);
  }
  template <bool kMasks, class Isa, class X>
  AMP_ALWAYS_INLINE static auto get_last(Values<X> x, std::int64_t rest, std::int64_t n) {
    if constexpr (kMasks) {
      if (n < simd::kLanes<Isa> && x.step != 0) return simd::load_first<Isa>(x.at, n);
    }
    return get<Isa>(x, rest);
  }
  // Formats of 16 bits are widened and rounded in registers.
  template <class Isa, SixteenBits X>
  AMP_ALWAYS_INLINE static auto get(Values<X> x, std::int64_t i) {
    if (x.step == 0) return simd::load<Isa>(reinterpret_cast<const float*>(x.at));
    return amp::detail::decode<X>(
        simd::load<Isa>(reinterpret_cast<const std::uint16_t*>(x.at + i)));
  }
  template <bool kRounds, class Isa, SixteenBits Y>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<float, Isa>& v, Y* y) {
    auto* const codes = reinterpret_cast<std::uint16_t*>(y);
    if constexpr (!kRounds && std::is_same_v<Y, bfloat16>)
      simd::store(simd::upper_halves(simd::as<std::uint32_t>(v)), codes);
    else
      simd::store(amp::detail::encode<Y>(v), codes);
  }
  template <bool, class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<float, Isa>& v, float* y) {
    simd::store(v, y);
  }
  template <bool, class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<std::int32_t, Isa>& mask, bool* y) {
    put_bools(simd::narrow<std::uint8_t>(simd::as<std::uint32_t>(mask) & 1), y);
  }
  template <bool, class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<std::int8_t, Isa>& mask, bool* y) {
    put_bools(simd::as<std::uint8_t>(mask) & 1, y);
  }
  template <class Isa>
  AMP_ALWAYS_INLINE static void put_bools(const simd::Vec<std::uint8_t, Isa>& bools, bool* y) {
    simd::store(bools, reinterpret_cast<std::uint8_t*>(y));
  }
};

/// The same of bools, as bytes.
template <class Function>
struct OfBools {
  template <class Isa, class... Arguments>
  AMP_ALWAYS_INLINE static void run(Arguments... arguments) {
    OfVectors<Function>::template run<OfBytes<Isa>>(arguments...);
  }
};

template <class Result, class... X>
using FunctionLoop = void (*)(const Parameters& parameters, Result* y, std::int64_t n,
                              Values<X>... x);
/// A copy of n elements of an operand, and zeros behind them.
template <class T>
class Padded {
 public:
  Padded(const Values<T>& x, std::size_t n) : values_(x) {
    if (x.step == 0) return;
    std::memcpy(elements_.data(), x.at, n * sizeof(T));
    values_.at = elements_.data();
  }
  const Values<T>& values() const { return values_; }

 private:
  std::array<T, kEnough> elements_{};
  Values<T> values_;
};
/// Calls the loop of vectors for fewer elements than a vector has. It is compiled once for all
/// functions.
template <class Result, class... X>
[[gnu::noinline]] void loop_of_few(FunctionLoop<Result, X...> loop, const Parameters& parameters,
                                   Result* y, std::size_t n, Values<X>... x) {
  std::array<Result, kEnough> results;
  loop(parameters, results.data(), kEnough, Padded<X>(x, n).values()...);
  std::memcpy(y, results.data(), n * sizeof(Result));
}

/// The same for operands of any type, and any number of elements.
template <class Function, class C, class Result, class... X>
void loop(const Parameters& parameters, Result* y, std::int64_t n, Values<X>... x) {
  const auto f = bound<Function, C>(parameters);
  if constexpr (std::is_same_v<C, float> || std::is_same_v<C, bool>) {
    constexpr std::int64_t kFewest = std::is_same_v<C, bool> ? kEnough : simd::kMostLanes;
    if (n < kFewest && !has_masks<Result, X...>())
      return loop_of_few<Result, X...>(loop<Function, C, Result, X...>, parameters, y,
                                       static_cast<std::size_t>(n), x...);
  }
  if constexpr (std::is_same_v<C, float>) {
    simd::on_widest<OfVectors<Function>>(f, y, n, x...);
  } else if constexpr (std::is_same_v<C, bool>) {
    const functions::Bound<Function, std::uint8_t> of_bytes{};
    simd::on_widest<OfBools<Function>>(
        of_bytes, y, n,
        Values<std::uint8_t>{reinterpret_cast<const std::uint8_t*>(x.at), x.step}...);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x.at[i * x.step]...);
  }
}

}  // namespace amp::inline v0::kernels::host::detail
