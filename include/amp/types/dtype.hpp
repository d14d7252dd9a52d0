// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The element type as a run-time value: names, sizes, the promotion lattice, and the way back to a
// C++ type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"

namespace amp::inline v0 {

/// The element types of tensors.
enum class DType : std::uint8_t {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat8E4M3,
  kFloat8E5M2,
  kInt64,
  kInt32,
  kUInt8,
  kBool,
};
using enum DType;
inline constexpr int kDTypeCount = 10;

namespace detail {

template <class T>
struct dtype_of_type;
template <DType D>
struct dtype_constant {
  static constexpr DType value = D;
};
// clang-format off
template <> struct dtype_of_type<double> : dtype_constant<kFloat64> {};
template <> struct dtype_of_type<float> : dtype_constant<kFloat32> {};
template <> struct dtype_of_type<half> : dtype_constant<kFloat16> {};
template <> struct dtype_of_type<bfloat16> : dtype_constant<kBFloat16> {};
template <> struct dtype_of_type<float8_e4m3fn> : dtype_constant<kFloat8E4M3> {};
template <> struct dtype_of_type<float8_e5m2> : dtype_constant<kFloat8E5M2> {};
template <> struct dtype_of_type<std::int64_t> : dtype_constant<kInt64> {};
template <> struct dtype_of_type<long long> : dtype_constant<kInt64> {};
template <> struct dtype_of_type<std::int32_t> : dtype_constant<kInt32> {};
template <> struct dtype_of_type<std::uint8_t> : dtype_constant<kUInt8> {};
template <> struct dtype_of_type<bool> : dtype_constant<kBool> {};
// clang-format on

struct DTypeInfo {
  std::string_view name;
  std::uint8_t size;  // bytes
};
inline constexpr DTypeInfo kDTypeInfo[kDTypeCount] = {
    {"float64", 8},     {"float32", 4}, {"float16", 2}, {"bfloat16", 2}, {"float8_e4m3fn", 1},
    {"float8_e5m2", 1}, {"int64", 8},   {"int32", 4},   {"uint8", 1},    {"bool", 1},
};

}  // namespace detail

/// The DType of a C++ element type.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of_type<std::remove_cv_t<T>>::value;

/// A C++ type that is the element type of a DType.
template <class T>
concept Element = requires {
  detail::dtype_of_type<std::remove_cv_t<T>>::value;
};

/// The bytes of an element.
constexpr std::int64_t item_size(DType dtype) {
  return detail::kDTypeInfo[static_cast<int>(dtype)].size;
}
/// The name: "float32", "bfloat16".
constexpr std::string_view name(DType dtype) {
  return detail::kDTypeInfo[static_cast<int>(dtype)].name;
}
/// The same as a std::string.
std::string to_string(DType dtype);

/// Whether it is float64, float32, or one of the small formats.
constexpr bool is_floating_point(DType dtype) { return dtype <= kFloat8E5M2; }
/// Whether `dtype` is float16 or bfloat16.
AMP_HOST_DEVICE constexpr bool is_low_precision(DType dtype) {
  return dtype == kFloat16 || dtype == kBFloat16;
}

/// Returns the dtype that holds values of both, as in torch. Floating point wins over integers,
/// integers over bool, the wider over the narrower. Two different formats of 16 bits or fewer give
/// float32.
constexpr DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_floating_point(a) != is_floating_point(b)) return is_floating_point(a) ? a : b;
  if (is_floating_point(a)) {
    if (a == kFloat64 || b == kFloat64) return kFloat64;
    return kFloat32;
  }
  if (a == kBool) return b;
  if (b == kBool) return a;
  return item_size(a) > item_size(b) ? a : b;
}

/// Stands for the type T, without a value of it.
template <class T>
struct type_tag {
  using type = T;
};

namespace detail {

[[noreturn]] void refuse_dtype(DType dtype);

/// visit_dtype(), always inlined, for functions that do little else.
template <class Visitor>
AMP_ALWAYS_INLINE constexpr decltype(auto) visit_dtype_inlined(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case kFloat64:
      return visitor(type_tag<double>{});
    case kFloat32:
      return visitor(type_tag<float>{});
    case kFloat16:
      return visitor(type_tag<half>{});
    case kBFloat16:
      return visitor(type_tag<bfloat16>{});
    case kFloat8E4M3:
      return visitor(type_tag<float8_e4m3fn>{});
    case kFloat8E5M2:
      return visitor(type_tag<float8_e5m2>{});
    case kInt64:
      return visitor(type_tag<std::int64_t>{});
    case kInt32:
      return visitor(type_tag<std::int32_t>{});
    case kUInt8:
      return visitor(type_tag<std::uint8_t>{});
    case kBool:
      return visitor(type_tag<bool>{});
  }
  refuse_dtype(dtype);
}

}  // namespace detail

/// Calls `visitor` with a value-less tag whose `type` is the C++ type of `dtype`.
template <class Visitor>
constexpr decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  return detail::visit_dtype_inlined(dtype, visitor);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/types/dtype.ipp"
#endif
