// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Bulk conversion between number formats, at the speed of memory where the processor has the
// instructions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/core/instruction_set.hpp"
#include "amp/types/convert_avx2.hpp"
#include "amp/types/convert_avx512.hpp"

namespace amp::inline v0 {

/// One element, as a cast: to bool, whether it is not zero. Floating-point numbers become integers
/// toward zero, beyond the range of these the nearest there is, and NaN becomes 0, on every device.
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
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    return detail::to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

namespace detail {

template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);
template <class T>
inline constexpr bool is_vector_format =
    is_one_of<T, half, bfloat16, float8_e4m3fn, float8_e5m2>;  // others have the portable path

/// Whether avx2::convert and avx512::convert exist for the pair.
template <class From, class To>
inline constexpr bool has_vectors = AMP_X86 &&
                                    ((std::is_same_v<From, float> && is_vector_format<To>) ||
                                     (std::is_same_v<To, float> && is_vector_format<From>));

/// convert_n by the given instructions, which the processor must have: the same bits by each.
template <class From, class To>
void convert_n(InstructionSet set, const From* from, To* to, std::size_t n) {
  std::size_t i = 0;
  if constexpr (has_vectors<From, To>) {
#if AMP_X86
    if (set == InstructionSet::kAvx512) i = avx512::convert(from, to, n);
    if (set != InstructionSet::kPortable) i += avx2::convert(from + i, to + i, n - i);
#endif
  } else if constexpr (is_vector_format<From> && is_vector_format<To>) {
    // Through float, which is exact, by pieces that stay in the nearest cache.
    constexpr std::size_t kPiece = 256;
    float piece[kPiece];
    for (; set != InstructionSet::kPortable && i < n; i += kPiece) {
      const std::size_t count = n - i < kPiece ? n - i : kPiece;
      convert_n(set, from + i, piece, count);
      convert_n(set, piece, to + i, count);
    }
  }
  for (; i < n; ++i) to[i] = convert_one<To>(from[i]);
}
template <class T>
void convert_n(InstructionSet, const T* from, T* to, std::size_t n) {
  if (n != 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
}

}  // namespace detail

/// to[i] = from[i] for i < n. The ranges do not overlap.
template <class From, class To>
void convert_n(const From* from, To* to, std::size_t n) {
  detail::convert_n(detail::instruction_set(), from, to, n);
}

template <class T>
concept Number = std::is_arithmetic_v<T> || is_small_float<T>;

/// Converts element by element, each rounded once to nearest even: any two contiguous ranges of
/// numeric formats. Throws amp::Error where the lengths differ or the ranges overlap. O(n),
/// allocates nothing.
template <class FromRange, class ToRange>
  requires requires(const FromRange& from, ToRange&& to) {
    requires Number<std::remove_cvref_t<decltype(*std::data(from))>>;
    requires Number<std::remove_reference_t<decltype(*std::data(to))>>;
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
