// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The checks that ops share. Each throws amp::Error with a message that begins with the op's name
// and says which argument it is, what was expected, and what was given.
#pragma once

#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Throws if `tensor` is undefined.
void check_defined(std::string_view op, std::string_view argument, const Tensor& tensor);
/// Throws unless `tensor` is defined and floating point.
void check_floating(std::string_view op, std::string_view argument, const Tensor& tensor);
/// Throws if `input` is undefined or bool.
void check_not_bool(std::string_view op, const Tensor& input);
/// Throws unless `a` and `b`, which are defined, are on one device.
void check_same_device(std::string_view op, std::string_view name_a, const Tensor& a,
                       std::string_view name_b, const Tensor& b);
/// Throws unless both operands of a binary op are defined, on one device.
void check_operands(std::string_view op, const Tensor& a, const Tensor& b,
                    std::string_view name_a = "a", std::string_view name_b = "b");

/// The same, and that both are floating point.
void check_two_floating(std::string_view op, const Tensor& a, std::string_view name_a,
                        const Tensor& b, std::string_view name_b);
/// Throws if the op computes in integers, since `dtype` is not floating point, and int64 does not
/// hold the number.
void check_coefficient(std::string_view op, std::string_view argument, double number, DType dtype);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/checks.ipp"
#endif
