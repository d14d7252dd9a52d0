// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Bulk conversion between number formats, at the speed of memory where the processor has the
// instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/half.hpp"

#if AMP_X86
#include <immintrin.h>
#endif

namespace amp::inline v0 {

/// One element, as a cast: to bool, whether it is not zero.
template <class To, class From>
AMP_HOST_DEVICE constexpr To convert_one(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (is_small_float<From>)
      return static_cast<float>(value) != 0;
    else
      return value != From{};
  } else if constexpr (std::is_same_v<From, bool>) {
    return static_cast<To>(static_cast<int>(value));
  } else {
    return static_cast<To>(value);
  }
}

namespace detail {

#if AMP_X86
inline bool has_f16c() {
  static const bool found = __builtin_cpu_supports("avx2");  // every processor with AVX2 has F16C
  return found;
}

// The instructions round to nearest even and quieten NaNs exactly as small_float does; they convert
// whole vectors and leave the tail to the caller. Both return how many elements they converted.
__attribute__((target("avx2,f16c"))) inline std::size_t convert_f16c(const half* from, float* to,
                                                                     std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i codes;
    std::memcpy(&codes, from + i, sizeof codes);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(codes));
  }
  return i;
}
__attribute__((target("avx2,f16c"))) inline std::size_t convert_f16c(const float* from, half* to,
                                                                     std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i codes = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(static_cast<void*>(to + i), &codes, sizeof codes);
  }
  return i;
}
#endif

}  // namespace detail

/// to[i] = from[i] for i < n. The ranges do not overlap.
template <class From, class To>
void convert_n(const From* from, To* to, std::size_t n) {
  if constexpr (std::is_same_v<From, To>) {
    if (n != 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(From));
  } else {
    std::size_t i = 0;
#if AMP_X86
    if constexpr ((std::is_same_v<From, half> && std::is_same_v<To, float>) ||
                  (std::is_same_v<From, float> && std::is_same_v<To, half>)) {
      if (detail::has_f16c()) i = detail::convert_f16c(from, to, n);
    }
#endif
    for (; i < n; ++i) to[i] = convert_one<To>(from[i]);
  }
}

/// Converts element by element, each rounded once to nearest even: any two contiguous ranges of
/// numeric formats. Throws amp::Error where the lengths differ or the ranges overlap. O(n),
/// allocates nothing.
template <class FromRange, class ToRange>
  requires requires(const FromRange& from, ToRange&& to) {
    std::data(from);
    std::data(to);
  }
void convert(const FromRange& from, ToRange&& to) {
  const std::size_t n = std::size(from);
  AMP_CHECK(n == std::size(to), "convert: `to` must have the length of `from`, ", n, ", but has ",
            std::size(to));
  const auto* source = std::data(from);
  auto* target = std::data(to);
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  AMP_CHECK(
      n == 0 || address(source + n) <= address(target) || address(target + n) <= address(source),
      "convert: `from` and `to` overlap; convert into separate memory");
  convert_n(source, target, n);
}

}  // namespace amp::inline v0
