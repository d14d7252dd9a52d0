// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements as unsigned integers that have their order, and the bin of a number.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

/// An unsigned integer as large as T.
template <class T>
using KeyOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// The bits of the largest number of a floating-point format, which may be infinite: those of NaN
/// are larger.
template <class T>
inline constexpr KeyOf<T> kLargestBits = __builtin_bit_cast(KeyOf<T>,
                                                            std::numeric_limits<T>::has_infinity
                                                                ? std::numeric_limits<T>::infinity()
                                                                : (std::numeric_limits<T>::max)());

/// The key of an element of type T by its bits: keys have the order of elements.
template <class T>
AMP_HOST_DEVICE constexpr KeyOf<T> order_key(KeyOf<T> bits) {
  using Key = KeyOf<T>;
  constexpr auto kSign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  if constexpr (std::is_unsigned_v<T>) {  // bool, too
    return bits;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Key>(bits ^ kSign);
  } else {
    constexpr Key kLargest = kLargestBits<T>;
    const auto magnitude = static_cast<Key>(bits & static_cast<Key>(~kSign));
    const auto key = static_cast<Key>(bits > kSign ? ~bits : magnitude | kSign);
    return magnitude > kLargest ? static_cast<Key>(~Key{0}) : key;
  }
}

/// Equal bins between two numbers.
template <class C>
struct Bins {
  C low, high;
  std::int64_t count;

  AMP_HOST_DEVICE Bins(C from, C to, std::int64_t bins)
      : low(from == to ? from - 1 : from), high(from == to ? to + 1 : to), count(bins) {}
  /// Returns the bin of x; -1 if it is in none.
  AMP_HOST_DEVICE std::int64_t operator()(C x) const {
    if (!(x >= low && x <= high)) return -1;
    // Halves, of which the differences are finite.
    const C part = (x / 2 - low / 2) / (high / 2 - low / 2);
    const auto bin = static_cast<std::int64_t>(part * static_cast<C>(count));
    return bin < count ? bin : count - 1;
  }
};

}  // namespace amp::inline v0::kernels
