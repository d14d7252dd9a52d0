// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A C++ number beside a tensor.
#pragma once

#include "amp/kernels/operand.hpp"
#include "amp/tensor/scalar.hpp"

namespace amp::inline v0 {

namespace detail {

/// The number as an operand of kernels. The op sets its device, which is that of the tensor beside
/// it.
template <Arithmetic Number>
kernels::Operand number_operand(Number value) {
  return kernels::Operand::scalar(value, Device());
}

}  // namespace detail
}  // namespace amp::inline v0
