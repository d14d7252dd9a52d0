// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// C++ numbers beside tensors.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "amp/device/device.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0 {

/// A number of C++: an integer, a float or a bool.
template <class Number>
concept Arithmetic = std::is_arithmetic_v<Number>;

/// A number, as an argument of a member of Tensor. It remembers whether it was an integer, a float
/// or a bool, and an int64 stays exact.
class Scalar {
 public:
  /// This number.
  template <Arithmetic N>
  Scalar(N number)
      : number_(kernels::Operand::scalar(number, Device())), is_signed_(std::signed_integral<N>) {}

  /// The number as an operand of kernels on a device.
  kernels::Operand operand(Device device) const {
    kernels::Operand operand = number_;
    operand.device = device;
    return operand;
  }
  /// The number as a double.
  double value() const { return number_.value; }
  /// Whether it was a signed integer.
  bool is_signed() const { return is_signed_; }

 private:
  kernels::Operand number_;
  bool is_signed_;
};

/// A bound of clamp(): a number, or none.
class Bound {
 public:
  Bound() = default;
  /// None.
  Bound(std::nullopt_t) {}
  /// A number.
  template <Arithmetic N>
  Bound(N number) : number_(kernels::Operand::scalar(number, Device())) {}

  /// The number as an operand of kernels; absent if there is none.
  const kernels::Operand& operand() const { return number_; }

 private:
  kernels::Operand number_;
};

}  // namespace amp::inline v0
