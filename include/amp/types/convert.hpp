// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Bulk conversion between number formats, in vectors if the processor has the instructions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>  // std::size and std::data
#include <type_traits>

#include "amp/core/simd/isa.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"

namespace amp::inline v0 {

/// Converts one element as a cast does. To bool: whether it is not zero. Floating-point numbers
/// become integers by truncation toward zero; values beyond the integer's range become the nearest
/// end of the range, and NaN becomes 0, on every device.
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
/// The formats that have a DType. convert_listed() converts between any two of them.
template <class T>
inline constexpr bool is_listed_format =
    is_one_of<T, double, float, half, bfloat16, float8_e4m3fn, float8_e5m2, std::int64_t,
              std::int32_t, std::uint8_t, bool>;

/// convert_n between two listed formats, with the given instructions.
template <class From, class To>
void convert_listed(InstructionSet set, const From* from, To* to, std::size_t n);

/// convert_n with the given instructions, which the processor must have. Every set gives the same
/// bits.
template <class From, class To>
void convert_n(InstructionSet set, const From* from, To* to, std::size_t n) {
  if constexpr (is_listed_format<From> && is_listed_format<To>)
    convert_listed(set, from, to, n);
  else
    for (std::size_t i = 0; i < n; ++i) to[i] = convert_one<To>(from[i]);
}
template <class T>
void convert_n(InstructionSet, const T* from, T* to, std::size_t n) {
  if (n != 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
}

/// Throws amp::Error if two ranges have different lengths or overlap. Sizes are those of the
/// elements.
void check_convertible(const void* from, std::size_t from_count, std::size_t from_size,
                       const void* to, std::size_t to_count, std::size_t to_size);

}  // namespace detail

/// Computes to[i] = from[i] for i < n. The ranges must not overlap.
template <class From, class To>
void convert_n(const From* from, To* to, std::size_t n) {
  detail::convert_n(detail::instruction_set(), from, to, n);
}

/// A number of C++ or one of the small formats.
template <class T>
concept Number = std::is_arithmetic_v<T> || is_small_float<T>;

/// Converts each element, rounded once to nearest even. Takes any two contiguous ranges of numeric
/// formats. Throws amp::Error if the lengths differ or the ranges overlap. O(n), allocates nothing.
template <class FromRange, class ToRange>
  requires requires(const FromRange& from, ToRange&& to) {
    requires Number<std::remove_cvref_t<decltype(*std::data(from))>>;
    requires Number<std::remove_reference_t<decltype(*std::data(to))>>;
  }
void convert(const FromRange& from, ToRange&& to) {
  const auto* const source = std::data(from);
  auto* const target = std::data(to);
  detail::check_convertible(source, std::size(from), sizeof *source, target, std::size(to),
                            sizeof *target);
  convert_n(source, target, std::size(from));
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/types/convert.ipp"
#endif
