// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How far numbers are from what they should be, in units of a format, and the line that says so.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace conformance {

struct Format {
  int digits;        // of the significand, the implied one included
  int min_exponent;  // of the smallest normal number
};

inline Format format_of(amp::DType dtype) {
  switch (dtype) {
    case amp::kFloat64:
      return {.digits = 53, .min_exponent = -1022};
    case amp::kFloat16:
      return {.digits = 11, .min_exponent = -14};
    case amp::kBFloat16:
      return {.digits = 8, .min_exponent = -126};
    default:
      return {.digits = 24, .min_exponent = -126};
  }
}

/// The largest error: over the epsilon of the largest expected magnitude, and over each element's
/// own ulp. Infinite where a number is not finite and should be, or the other way round.
struct Error {
  double relative = 0;
  double ulps = 0;
};

inline Error operator|(const Error& a, const Error& b) {
  return {.relative = std::max(a.relative, b.relative), .ulps = std::max(a.ulps, b.ulps)};
}

inline Error error_of(std::span<const double> actual, std::span<const double> expected,
                      const Format& format) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (actual.size() != expected.size()) return {kInfinity, kInfinity};
  double largest = 0;
  for (const double value : expected) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const double unit = std::max(largest * std::ldexp(1.0, 1 - format.digits),
                               std::ldexp(1.0, format.min_exponent - format.digits + 1));
  Error error;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i] || (std::isnan(actual[i]) && std::isnan(expected[i]))) continue;
    const double difference = std::abs(actual[i] - expected[i]);
    if (!std::isfinite(difference)) return {kInfinity, kInfinity};
    const int exponent = std::max(expected[i] == 0 ? format.min_exponent : std::ilogb(expected[i]),
                                  format.min_exponent);
    const double ulp = std::ldexp(1.0, exponent - format.digits + 1);
    error = error | Error{.relative = difference / unit, .ulps = difference / ulp};
  }
  return error;
}

/// The worst errors of an op.
struct Worst {
  Error value, gradient;
};

inline void print(std::string_view op, const amp::Device& device, amp::DType dtype,
                  const Worst& worst) {
  std::printf("%-38.*s %-4s %-8s value %8.3g eps of max, %8.3g ulp", static_cast<int>(op.size()),
              op.data(), to_string(device.type).c_str(), std::string(amp::name(dtype)).c_str(),
              worst.value.relative, worst.value.ulps);
  std::printf("   gradient %8.3g eps of max, %8.3g ulp\n", worst.gradient.relative,
              worst.gradient.ulps);
}

}  // namespace conformance
