// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "amp/core/error.hpp"
#include "amp/ops/checks.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_INLINE void check_defined(std::string_view op, std::string_view argument,
                              const Tensor& tensor) {
  AMP_CHECK(tensor.defined(), op, ": `", argument,
            "` is undefined; give it a value before using it");
}
AMP_INLINE void check_floating(std::string_view op, std::string_view argument,
                               const Tensor& tensor) {
  check_defined(op, argument, tensor);
  AMP_CHECK(is_floating_point(tensor.dtype()), op, ": `", argument,
            "` must be floating point, but is ", describe(tensor), "; convert it with to()");
}
AMP_INLINE void check_not_bool(std::string_view op, const Tensor& input) {
  check_defined(op, "input", input);
  AMP_CHECK(input.dtype() != kBool, op, ": `input` must be a number, but is ", describe(input),
            "; convert it with to()");
}
AMP_INLINE void check_same_device(std::string_view op, std::string_view name_a, const Tensor& a,
                                  std::string_view name_b, const Tensor& b) {
  AMP_CHECK(a.device() == b.device(), op, ": `", name_a, "` and `", name_b,
            "` must be on one device, but `", name_a, "` ", describe(a), " is on ", a.device(),
            " and `", name_b, "` ", describe(b), " on ", b.device(), "; move one with to(device)");
}
AMP_INLINE void check_operands(std::string_view op, const Tensor& a, const Tensor& b,
                               std::string_view name_a, std::string_view name_b) {
  check_defined(op, name_a, a);
  check_defined(op, name_b, b);
  check_same_device(op, name_a, a, name_b, b);
}

AMP_INLINE void check_two_floating(std::string_view op, const Tensor& a, std::string_view name_a,
                                   const Tensor& b, std::string_view name_b) {
  check_operands(op, a, b, name_a, name_b);
  check_floating(op, name_a, a);
  check_floating(op, name_b, b);
}
AMP_INLINE void check_coefficient(std::string_view op, std::string_view argument, double number,
                                  DType dtype) {
  if (!is_floating_point(dtype)) check_holds(op, argument, number, kInt64);
}

}  // namespace amp::inline v0::detail
