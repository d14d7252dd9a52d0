// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The replacement of a non-finite number, computed from the codes of a format.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels {

/// A format whose codes are Words with the sign first; larger codes are larger numbers.
template <class Word>
struct FiniteCodes {
  Word largest, infinity;  // codes between and above them are NaN

  AMP_HOST_DEVICE Word magnitude(Word code) const {
    return static_cast<Word>(code & static_cast<Word>(~kSign));
  }
  AMP_HOST_DEVICE bool is_finite(Word code) const { return magnitude(code) <= largest; }
  /// Returns the replacement of a code that is not finite.
  AMP_HOST_DEVICE Word replacement(Word code) const {
    if (magnitude(code) != infinity) return 0;
    return static_cast<Word>((code & kSign) | largest);
  }

 private:
  static constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
};

/// Returns the codes of a floating-point dtype of the size of Word.
template <class Word>
FiniteCodes<Word> finite_codes(DType dtype) {
  const auto codes = [](std::uint64_t largest, std::uint64_t infinity) {
    return FiniteCodes<Word>{static_cast<Word>(largest), static_cast<Word>(infinity)};
  };
  switch (dtype) {
    case kFloat64:
      return codes(0x7fef'ffff'ffff'ffff, 0x7ff0'0000'0000'0000);
    case kFloat32:
      return codes(0x7f7f'ffff, 0x7f80'0000);
    case kFloat16:
      return codes(0x7bff, 0x7c00);
    case kBFloat16:
      return codes(0x7f7f, 0x7f80);
    case kFloat8E5M2:
      return codes(0x7b, 0x7c);
    default:  // float8_e4m3fn, which has no infinity: no magnitude is 0xff
      return codes(0x7e, 0xff);
  }
}

/// Calls body(word) with a value of the type of the codes.
template <class Body>
decltype(auto) visit_code_type(DType dtype, Body&& body) {
  switch (item_size(dtype)) {
    case 8:
      return body(std::uint64_t{});
    case 4:
      return body(std::uint32_t{});
    case 2:
      return body(std::uint16_t{});
    default:
      return body(std::uint8_t{});
  }
}

}  // namespace amp::inline v0::kernels
