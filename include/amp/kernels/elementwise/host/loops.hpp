// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A function of elements (kernels/functions.hpp) over arrays: floats, and bools, which are bytes of 0
// or 1, in vectors of the widest instruction set; other types one element at a time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/inverse.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/power.hpp"
#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::host::detail {

/// y[i] = f(x[i]..., parameters...) for whole vectors. y may be one of x, since the last vector,
/// which overlaps the one before it, is read before anything is written.
template <class Function>
struct OfVectors {
  template <class Isa, class C, class Result, class... X>
  AMP_ALWAYS_INLINE static void run(functions::Bound<Function, C> f, Result* y, std::int64_t n,
                                    const X*... x) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    if (n < kLanes) {
      put_first(f(simd::load_first<Isa>(x, n)...), y, n);
      return;
    }
    const auto last = f(simd::load<Isa>(x + n - kLanes)...);
    for (std::int64_t i = 0; i + kLanes < n; i += kLanes) put(f(simd::load<Isa>(x + i)...), y + i);
    put(last, y + n - kLanes);
  }

 private:
  template <class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<float, Isa>& v, float* y) {
    simd::store(v, y);
  }
  template <class Isa>
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
  template <class M, class Isa>
  AMP_ALWAYS_INLINE static void put(const simd::Vec<M, Isa>& mask, bool* y) {
    simd::store(as_bools(mask), reinterpret_cast<std::uint8_t*>(y));
  }
  template <class M, class Isa>
  AMP_ALWAYS_INLINE static void put_first(const simd::Vec<M, Isa>& mask, bool* y, std::int64_t n) {
    simd::store_first(as_bools(mask), reinterpret_cast<std::uint8_t*>(y), n);
  }
};

/// The same for arrays of any type.
template <class Function, class C, class Result, class... X>
void loop(const Parameters& parameters, Result* y, std::int64_t n, const X*... x) {
  const auto f = bound<Function, C>(parameters);
  if constexpr (std::is_same_v<C, float>) {
    simd::on_widest<OfVectors<Function>>(f, y, n, x...);
  } else if constexpr (std::is_same_v<C, bool>) {
    const functions::Bound<Function, std::uint8_t> of_bytes{};
    simd::on_widest<OfVectors<Function>>(of_bytes, y, n,
                                         reinterpret_cast<const std::uint8_t*>(x)...);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]...);
  }
}

}  // namespace amp::inline v0::kernels::host::detail
