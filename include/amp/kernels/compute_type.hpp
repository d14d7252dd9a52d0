// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The types that kernels compute in, by the dtypes of their operands, on every device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Calls visitor(tag) with the type for floating-point operands: double for float64, else float.
template <class Visitor>
void visit_compute_type(DType dtype, Visitor&& visitor) {
  if (dtype == kFloat64) {
    visitor(type_tag<double>{});
  } else if (is_floating_point(dtype)) {
    visitor(type_tag<float>{});
  } else {
    visitor(type_tag<std::int64_t>{});
  }
}
template <class Visitor>
void visit_float_type(DType dtype, Visitor&& visitor) {
  if (dtype == kFloat64) {
    visitor(type_tag<double>{});
  } else {
    visitor(type_tag<float>{});
  }
}

/// The type for floating-point elements of type T.
template <class T>
using ComputeOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Calls visitor(tag of T) with the type T of a floating-point dtype.
template <class Visitor>
void visit_floating(DType dtype, Visitor&& visitor) {
  visit_dtype(dtype, [&](auto tag) {
    if constexpr (!std::is_integral_v<typename decltype(tag)::type>) visitor(tag);
  });
}

/// Calls visitor(tag) with an unsigned integer as large as an element, for kernels that only move
/// bits.
template <class Visitor>
void visit_bits(DType dtype, Visitor&& visitor) {
  switch (item_size(dtype)) {
    case 1:
      return visitor(type_tag<std::uint8_t>{});
    case 2:
      return visitor(type_tag<std::uint16_t>{});
    case 4:
      return visitor(type_tag<std::uint32_t>{});
    default:
      return visitor(type_tag<std::uint64_t>{});
  }
}

/// Returns the type in which a binary op computes. A number takes the dtype of the other operand,
/// except for a fraction beside integers.
inline DType common_dtype(const Operand& a, const Operand& b) {
  if (!a.immediate && !b.immediate) return promote_types(a.dtype, b.dtype);
  const DType array = a.immediate ? b.dtype : a.dtype, number = a.immediate ? a.dtype : b.dtype;
  return is_floating_point(array) || !is_floating_point(number) ? array : kFloat64;
}

}  // namespace amp::inline v0::kernels
