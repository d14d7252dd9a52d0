// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A kernel's view of a tensor: trivially copyable, without ownership, history or policy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "amp/device/device.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// The largest number of dimensions of a tensor; fixed, so that no shape allocates.
inline constexpr int kMaxDims = 8;

namespace kernels {

/// A strided array, or one number (`immediate`) that stands for an array of any shape. Absent if it
/// is neither, as an optional bias.
struct Operand {
  void* data = nullptr;
  double value = 0;          // of an immediate
  std::int64_t integer = 0;  // of an immediate: exact if it is int64 and a double is not
  DType dtype = kFloat32;
  Device device = {};
  bool immediate = false;
  bool present = false;
  int dims = 0;
  std::int64_t sizes[kMaxDims] = {};
  std::int64_t strides[kMaxDims] = {};  // in elements

  std::int64_t numel() const {
    std::int64_t n = 1;
    AMP_NO_UNROLL
    for (int d = 0; d < dims; ++d) n *= sizes[d];
    return n;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }

  /// Makes an array on the host.
  static Operand array(void* data, DType dtype, std::initializer_list<std::int64_t> sizes,
                       std::initializer_list<std::int64_t> strides, Device device = {}) {
    Operand operand;
    operand.data = data;
    operand.device = device;
    operand.dtype = dtype;
    operand.present = true;
    for (const std::int64_t size : sizes) operand.sizes[operand.dims++] = size;
    int d = 0;
    for (const std::int64_t stride : strides) operand.strides[d++] = stride;
    return operand;
  }
  /// Makes an immediate of a C++ number: of dtype bool, int64 or float64.
  template <class Number>
  static Operand scalar(Number value, Device device) {
    Operand operand;
    operand.value = static_cast<double>(value);
    operand.dtype = std::is_same_v<Number, bool> ? kBool
                    : std::is_integral_v<Number> ? kInt64
                                                 : kFloat64;
    if constexpr (std::is_integral_v<Number>) {
      operand.integer = static_cast<std::int64_t>(value);
    } else {
      operand.integer = amp::detail::to_integer<std::int64_t>(value);
    }
    operand.device = device;
    operand.immediate = operand.present = true;
    return operand;
  }
};
static_assert(std::is_trivially_copyable_v<Operand>);

/// Returns the number of an immediate, or of a device's form of it.
template <class C, class Number>
AMP_HOST_DEVICE C immediate(const Number& number) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(number.integer);
  } else {
    return number.dtype == kInt64 ? static_cast<C>(number.integer) : static_cast<C>(number.value);
  }
}

}  // namespace kernels
}  // namespace amp::inline v0
