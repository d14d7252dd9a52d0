// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Text output and input of the formats. Values are printed as the float they are, and read with one
// rounding. Only the stream operators need <istream> and <ostream>.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

namespace detail {

/// A non-negative decimal number, 0.d1 d2 d3 ... * 10^point with d1 != 0. Zero has no digits. The
/// digits may contain one '.', which is ignored.
struct Decimal {
  std::string_view digits;
  std::int64_t point = 0;
};

/// Returns -1, 0 or 1 if a is below, equal to or above b.
constexpr int compare(Decimal a, Decimal b) {
  if (a.digits.empty() || b.digits.empty()) {
    return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
  }
  if (a.point != b.point) return a.point < b.point ? -1 : 1;
  std::size_t i = 0, j = 0;
  while (i < a.digits.size() || j < b.digits.size()) {
    if (i < a.digits.size() && a.digits[i] == '.') ++i;
    if (j < b.digits.size() && b.digits[j] == '.') ++j;
    const char x = i < a.digits.size() ? a.digits[i++] : '0';
    const char y = j < b.digits.size() ? b.digits[j++] : '0';
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/// The exact decimal digits of significand * 2^exponent; every such number has finitely many. The
/// array is wide enough for the midpoints of formats with float's exponents: 2^129 has 39 digits
/// and m * 2^-134, which is m * 5^134 * 10^-134, has 97 for m < 2^10.
class ExactDecimal {
 public:
  constexpr ExactDecimal(std::uint32_t significand, int exponent) {
    words_[0] = significand;
    multiply(exponent < 0 ? 5 : 2, exponent < 0 ? -exponent : exponent);
    std::size_t word = words_.size();
    while (word > 0 && words_[word - 1] == 0) --word;
    for (; word > 0; --word) {
      for (std::uint32_t unit = kBase / 10; unit != 0; unit /= 10) {
        const auto digit = static_cast<char>('0' + words_[word - 1] / unit % 10);
        if (length_ != 0 || digit != '0') digits_[length_++] = digit;
      }
    }
    point_ = static_cast<int>(length_) + (exponent < 0 ? exponent : 0);
  }

  constexpr Decimal get() const { return {std::string_view(digits_.data(), length_), point_}; }

 private:
  static constexpr std::uint32_t kBase = 1'000'000'000;

  /// Multiplies by base^count, twelve factors at a time: 5^12 < 2^28 leaves room for a word and a
  /// carry.
  constexpr void multiply(std::uint32_t base, int count) {
    while (count > 0) {
      std::uint64_t factor = 1;
      for (int i = 0; i < 12 && count > 0; ++i, --count) factor *= base;
      std::uint64_t carry = 0;
      for (std::uint32_t& word : words_) {
        carry += word * factor;
        word = static_cast<std::uint32_t>(carry % kBase);
        carry /= kBase;
      }
    }
  }

  std::array<std::uint32_t, 12> words_{};  // the lowest first
  std::array<char, 12 * 9> digits_{};
  std::size_t length_ = 0;
  int point_ = 0;
};

/// Returns the magnitude nearest to a decimal number, ties to the even code. The code is the number
/// of midpoints below the number, found by bisection; each comparison is exact.
template <class T>
constexpr typename T::bits_type nearest_code(Decimal value) {
  using bits_type = typename T::bits_type;
  unsigned low = 0, high = T::kMaxFinite + 1u;  // the code is in [low, high]
  while (low < high) {
    const unsigned code = (low + high) / 2;
    const unsigned exponent = code >> T::mantissa_bits;
    const unsigned fraction = code & T::kMantissaMask;
    // The midpoint between `code` and the next: the significand plus one half.
    const ExactDecimal middle(
        2 * (exponent != 0 ? fraction + (1u << T::mantissa_bits) : fraction) + 1,
        static_cast<int>(exponent != 0 ? exponent : 1) - T::bias - T::mantissa_bits - 1);
    const int order = compare(value, middle.get());
    if (order > 0 || (order == 0 && code % 2 != 0))
      low = code + 1;
    else
      high = code;
  }
  return low > T::kMaxFinite ? T::kOverflow : static_cast<bits_type>(low);
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads one number, character by character: pass characters to accept() while it returns true.
/// Grammar: [+-] (digits with at most one '.') [e [+-] digits], or [+-] inf | infinity | nan in
/// either case.
class NumberScanner {
 public:
  /// Returns whether c continues the text so far. The caller keeps the text itself.
  constexpr bool accept(char c) {
    if (c == '+' || c == '-') return accept_sign();
    if (c == '.') return accept_point();
    if (is_digit(c)) return accept_digit();
    return accept_letter(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }

  constexpr bool is_word() const { return state_ == kWord; }
  constexpr bool complete() const {
    if (state_ == kWord) return matched_ == 3 || matched_ == word_.size();
    return state_ == kInteger || state_ == kFraction || state_ == kExponentDigits;
  }

 private:
  enum State {
    kStart,
    kSign,
    kInteger,
    kPoint,
    kFraction,
    kExponent,
    kExponentSign,
    kExponentDigits,
    kWord
  };
  constexpr bool to(State next) {
    state_ = next;
    return true;
  }

  constexpr bool accept_sign() {
    if (state_ == kExponent) return to(kExponentSign);
    return state_ == kStart && to(kSign);
  }
  constexpr bool accept_point() {
    if (state_ == kInteger) return to(kFraction);
    return before_number() && to(kPoint);
  }
  constexpr bool accept_digit() {
    if (before_number()) return to(kInteger);
    if (state_ == kPoint) return to(kFraction);
    if (state_ == kExponent || state_ == kExponentSign) return to(kExponentDigits);
    return state_ != kWord;
  }
  constexpr bool accept_letter(char lower) {
    if (lower == 'e') {  // part of no word
      return (state_ == kInteger || state_ == kFraction) && to(kExponent);
    }
    const bool begins = before_number();
    const std::string_view word = !begins ? word_ : lower == 'i' ? "infinity" : "nan";
    if (!begins && state_ != kWord) return false;
    if (matched_ == word.size() || word[matched_] != lower) return false;
    word_ = word;
    ++matched_;
    return to(kWord);
  }
  constexpr bool before_number() const { return state_ == kStart || state_ == kSign; }

  State state_ = kStart;
  std::string_view word_{};
  std::size_t matched_ = 0;
};

/// Parses digits with at most one '.' and perhaps an exponent. Exponents saturate beyond the length
/// of any text.
constexpr Decimal to_decimal(std::string_view text) {
  constexpr std::int64_t kBeyond = std::int64_t{1} << 48;
  std::size_t end = text.find_first_of("eE");
  std::int64_t exponent = 0;
  if (end == std::string_view::npos) {
    end = text.size();
  } else {
    const bool negative = text[end + 1] == '-';
    for (const char c : text.substr(end + 1)) {
      if (is_digit(c) && exponent < kBeyond) exponent = 10 * exponent + (c - '0');
    }
    if (negative) exponent = -exponent;
  }
  const std::string_view digits = text.substr(0, end);
  const std::size_t first = digits.find_first_not_of("0.");
  if (first == std::string_view::npos) return {};
  const std::size_t dot = digits.find('.') < end ? digits.find('.') : end;
  const auto before_dot = static_cast<std::int64_t>(dot) - static_cast<std::int64_t>(first);
  return {digits.substr(first), exponent + (before_dot < 0 ? before_dot + 1 : before_dot)};
}

}  // namespace detail

/// Returns the number that the whole text spells, or nothing if the text is not a number. Takes
/// decimal numbers with or without an exponent, inf, infinity and nan, each with or without a sign.
/// Rounds once to nearest even, however many digits there are, and overflows as T(double) does.
/// Does not depend on the locale, allocates nothing.
///
///   amp::parse<amp::half>("6.1e-5");   // an std::optional<amp::half>
template <class T>
  requires is_small_float<T>
[[nodiscard]] constexpr std::optional<T> parse(std::string_view text) {
  detail::NumberScanner scanner;
  for (const char c : text) {
    if (!scanner.accept(c)) return std::nullopt;
  }
  if (!scanner.complete()) return std::nullopt;
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  typename T::bits_type code = 0;
  if (scanner.is_word())
    code = text[0] == 'i' || text[0] == 'I' ? T::kOverflow : T::kQuietNan;
  else
    code = detail::nearest_code<T>(detail::to_decimal(text));
  return T::from_bits(static_cast<typename T::bits_type>(code | (negative ? T::kSignBit : 0)));
}

/// Prints what the float would print, with the flags, precision and locale of the stream. Every
/// value survives printing and reading at a stream's initial precision.
template <class Char, class Traits, int E, int M, NonFinite S>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             small_float<E, M, S> value) {
  return stream << static_cast<float>(value);
}

/// Reads the longest text that can begin a number for parse(). Sets failbit, and leaves `value` as
/// it is, if parse() does not take that text as a whole.
template <class Char, class Traits, int E, int M, NonFinite S>
std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& stream,
                                             small_float<E, M, S>& value) {
  using Stream = std::basic_istream<Char, Traits>;
  if (!typename Stream::sentry(stream)) return stream;
  detail::NumberScanner scanner;
  std::basic_string<char> text;
  for (auto next = stream.peek(); !Traits::eq_int_type(next, Traits::eof()); next = stream.peek()) {
    const char c = stream.narrow(Traits::to_char_type(next), '\0');
    if (!scanner.accept(c)) break;
    text.push_back(c);
    stream.ignore();
  }
  if (const auto parsed = parse<small_float<E, M, S>>(text))
    value = *parsed;
  else
    stream.setstate(Stream::failbit);
  return stream;
}

}  // namespace amp::inline v0
