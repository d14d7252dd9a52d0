// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/types/convert.hpp"
#include "amp/types/format_vectors.hpp"

namespace amp::inline v0 {
namespace detail {

/// The formats that are converted to and from float in vectors.
template <class T>
inline constexpr bool is_vector_format = is_one_of<T, half, bfloat16, float8_e4m3fn, float8_e5m2>;

/// Converts at least as many elements as a vector has. The last vector overlaps the one before it.
struct ConvertVectors {
  template <class Isa, class From, class To>
  AMP_ALWAYS_INLINE static void run(const From* from, To* to, std::size_t n) {
    if constexpr (Isa::kShiftsLanes || std::is_same_v<To, float> || std::is_same_v<To, bfloat16>) {
      const std::size_t last = n - simd::kLanes<Isa>;
      std::size_t i = 0;
      if constexpr (std::is_same_v<From, bfloat16>) {
        // Two in a turn: if the numbers come from memory, a loop of one can take twice as long.
        for (; i + simd::kLanes<Isa> < last; i += 2 * simd::kLanes<Isa>) {
          convert<Isa>(from + i, to + i);
          convert<Isa>(from + i + simd::kLanes<Isa>, to + i + simd::kLanes<Isa>);
        }
      }
      for (; i < last; i += simd::kLanes<Isa>) convert<Isa>(from + i, to + i);
      convert<Isa>(from + last, to + last);
    } else {
      for (std::size_t i = 0; i < n; ++i) to[i] = convert_one<To>(from[i]);
    }
  }

 private:
  template <class Isa, class Format>
  AMP_ALWAYS_INLINE static void convert(const Format* from, float* to) {
    Codes<Format, Isa> codes;
    codes.low = simd::in_memory<typename Format::bits_type, sizeof codes.low>(from).value;
    simd::store(decode<Format>(codes), to);
  }
  template <class Isa, class Format>
  AMP_ALWAYS_INLINE static void convert(const float* from, Format* to) {
    const simd::Vec<float, Isa> x = simd::load<Isa>(from);
    if constexpr (std::is_same_v<Format, half> && Isa::kHasHalf) {
      simd::store_half(x, reinterpret_cast<std::uint16_t*>(to));
    } else {
      const Codes<Format, Isa> codes = encode<Format>(x);
      simd::in_memory<typename Format::bits_type, sizeof codes.low>(to).value = codes.low;
    }
  }
};

template <class From, class To>
void convert_listed(InstructionSet set, const From* from, To* to, std::size_t n) {
  if constexpr ((std::is_same_v<From, float> && is_vector_format<To>) ||
                (std::is_same_v<To, float> && is_vector_format<From>)) {
    if (n >= simd::kMostLanes)
      simd::on_set<ConvertVectors>(set, from, to, n);
    else
      for (std::size_t i = 0; i < n; ++i) to[i] = convert_one<To>(from[i]);
  } else if constexpr (is_vector_format<From> && is_vector_format<To>) {
    // By way of float, which is exact, in blocks that stay in the nearest cache.
    constexpr std::size_t kPiece = 256;
    float piece[kPiece];
    for (std::size_t i = 0; i < n; i += kPiece) {
      const std::size_t count = n - i < kPiece ? n - i : kPiece;
      convert_listed(set, from + i, piece, count);
      convert_listed(set, piece, to + i, count);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = convert_one<To>(from[i]);
  }
}

AMP_COLD void check_convertible(const void* from, std::size_t from_count, std::size_t from_size,
                                const void* to, std::size_t to_count, std::size_t to_size) {
  AMP_CHECK(from_count == to_count, "convert: `to` must have the length of `from`, ", from_count,
            ", but has ", to_count);
  const auto source = reinterpret_cast<std::uintptr_t>(from),
             target = reinterpret_cast<std::uintptr_t>(to);
  AMP_CHECK(from_count == 0 || source + from_count * from_size <= target ||
                target + to_count * to_size <= source,
            "convert: `from` and `to` overlap; convert into separate memory");
}

// The pairs of one format with itself are missing: that conversion is a copy.
#if !AMP_HEADER_ONLY
#define AMP_CONVERT(From, To) \
  template void convert_listed(InstructionSet, const From*, To*, std::size_t)
#define AMP_CONVERT_BOTH(A, B) \
  AMP_CONVERT(A, B);           \
  AMP_CONVERT(B, A)
AMP_CONVERT_BOTH(double, float);
AMP_CONVERT_BOTH(double, half);
AMP_CONVERT_BOTH(double, bfloat16);
AMP_CONVERT_BOTH(double, float8_e4m3fn);
AMP_CONVERT_BOTH(double, float8_e5m2);
AMP_CONVERT_BOTH(double, std::int64_t);
AMP_CONVERT_BOTH(double, std::int32_t);
AMP_CONVERT_BOTH(double, std::uint8_t);
AMP_CONVERT_BOTH(double, bool);
AMP_CONVERT_BOTH(float, half);
AMP_CONVERT_BOTH(float, bfloat16);
AMP_CONVERT_BOTH(float, float8_e4m3fn);
AMP_CONVERT_BOTH(float, float8_e5m2);
AMP_CONVERT_BOTH(float, std::int64_t);
AMP_CONVERT_BOTH(float, std::int32_t);
AMP_CONVERT_BOTH(float, std::uint8_t);
AMP_CONVERT_BOTH(float, bool);
AMP_CONVERT_BOTH(half, bfloat16);
AMP_CONVERT_BOTH(half, float8_e4m3fn);
AMP_CONVERT_BOTH(half, float8_e5m2);
AMP_CONVERT_BOTH(half, std::int64_t);
AMP_CONVERT_BOTH(half, std::int32_t);
AMP_CONVERT_BOTH(half, std::uint8_t);
AMP_CONVERT_BOTH(half, bool);
AMP_CONVERT_BOTH(bfloat16, float8_e4m3fn);
AMP_CONVERT_BOTH(bfloat16, float8_e5m2);
AMP_CONVERT_BOTH(bfloat16, std::int64_t);
AMP_CONVERT_BOTH(bfloat16, std::int32_t);
AMP_CONVERT_BOTH(bfloat16, std::uint8_t);
AMP_CONVERT_BOTH(bfloat16, bool);
AMP_CONVERT_BOTH(float8_e4m3fn, float8_e5m2);
AMP_CONVERT_BOTH(float8_e4m3fn, std::int64_t);
AMP_CONVERT_BOTH(float8_e4m3fn, std::int32_t);
AMP_CONVERT_BOTH(float8_e4m3fn, std::uint8_t);
AMP_CONVERT_BOTH(float8_e4m3fn, bool);
AMP_CONVERT_BOTH(float8_e5m2, std::int64_t);
AMP_CONVERT_BOTH(float8_e5m2, std::int32_t);
AMP_CONVERT_BOTH(float8_e5m2, std::uint8_t);
AMP_CONVERT_BOTH(float8_e5m2, bool);
AMP_CONVERT_BOTH(std::int64_t, std::int32_t);
AMP_CONVERT_BOTH(std::int64_t, std::uint8_t);
AMP_CONVERT_BOTH(std::int64_t, bool);
AMP_CONVERT_BOTH(std::int32_t, std::uint8_t);
AMP_CONVERT_BOTH(std::int32_t, bool);
AMP_CONVERT_BOTH(std::uint8_t, bool);
#undef AMP_CONVERT_BOTH
#undef AMP_CONVERT
#endif

}  // namespace detail
}  // namespace amp::inline v0
