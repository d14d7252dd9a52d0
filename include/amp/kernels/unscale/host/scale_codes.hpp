// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Multiplies 16-bit numbers by a factor in place. Infinity and NaN are detected in the codes, as
// integers; the results are not tested.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/core/config.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/types/dtype.hpp"
#include "amp/types/format_vectors.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// x *= factor, each rounded once. Returns whether one x is not finite.
struct ScaleCodes {
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static bool run(T* x, std::int64_t n, float factor) {
    using Codes = amp::detail::Codes<T, Isa>;
    // Added to the magnitude of infinity, and to those above, it gives the highest bit.
    constexpr std::uint16_t kToSign = 0x8000 - std::numeric_limits<T>::infinity().bits();
    Codes sums = 0;
    std::int64_t i = 0;
    for (; i + simd::kLanes<Isa> <= n; i += simd::kLanes<Isa>) {
      Codes codes;
      codes.low = simd::in_memory<std::uint16_t, sizeof codes.low>(x + i).value;
      sums |= (codes & 0x7fff) + kToSign;
      codes = amp::detail::encode<T>(amp::detail::decode<T>(codes) * factor);
      simd::in_memory<std::uint16_t, sizeof codes.low>(x + i).value = codes.low;
    }
    bool bad = simd::any(sums & 0x8000);
    for (; i < n; ++i) {
      bad |= !is_finite(x[i]);
      x[i] = T(static_cast<float>(x[i]) * factor);
    }
    return bad;
  }
};

}  // namespace detail

/// Whether scale_codes() can be used for a format and a factor. A factor above 1 could make finite
/// numbers overflow.
inline bool can_scale_codes(DType dtype, double factor) {
  return (dtype == kFloat16 || dtype == kBFloat16) && factor >= 0 && factor <= 1;
}

/// x *= factor for n numbers of an array, from `first` on, each rounded once. Returns whether one
/// of them is not finite. Requires can_scale_codes().
inline bool scale_codes(void* data, DType dtype, std::int64_t first, std::int64_t n, float factor) {
  using simd::on_widest;
  if (dtype == kFloat16)
    return on_widest<detail::ScaleCodes>(static_cast<half*>(data) + first, n, factor);
  return on_widest<detail::ScaleCodes>(static_cast<bfloat16*>(data) + first, n, factor);
}

}  // namespace amp::inline v0::kernels::host
