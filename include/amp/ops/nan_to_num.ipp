// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <string_view>

#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/nan_to_num.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY double largest_number(DType dtype) {
  double largest = 0;
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    largest = static_cast<double>((std::numeric_limits<T>::max)());
  });
  return largest;
}

AMP_LAZY Tensor nan_to_num(std::string_view call, const Tensor& input, double nan,
                           std::optional<double> posinf, std::optional<double> neginf) {
  const double largest = largest_number(input.dtype());
  const double above = posinf.value_or(largest), below = neginf.value_or(-largest);
  check_holds(call, "nan", nan, input.dtype());
  check_holds(call, "posinf", above, input.dtype());
  check_holds(call, "neginf", below, input.dtype());
  const Tensor numbers = amp::where(ne(input, input), nan, input);
  const Tensor bounded = amp::where(gt(input, largest), above, numbers);
  return amp::where(lt(input, -largest), below, bounded);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor nan_to_num(const Tensor& input, double nan, std::optional<double> posinf,
                                      std::optional<double> neginf) {
  detail::check_defined("nan_to_num", "input", input);
  if (!is_floating_point(input.dtype())) return input.clone();
  return detail::nan_to_num("nan_to_num", input, nan, posinf, neginf);
}

AMP_LAZY_DEFINITION const Tensor& nan_to_num_(const Tensor& input, double nan,
                                              std::optional<double> posinf,
                                              std::optional<double> neginf) {
  detail::check_defined("nan_to_num_", "input", input);
  detail::check_writable("nan_to_num_", input);
  if (!is_floating_point(input.dtype())) return input;
  return detail::in_place("nan_to_num_", input, {}, [&](const Tensor& x) {
    return detail::nan_to_num("nan_to_num_", x, nan, posinf, neginf);
  });
}

}  // namespace amp::inline v0
