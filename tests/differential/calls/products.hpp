// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls of sums of products, distances, and functions of three tensors that do not follow from the
// table of forms.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "differential/case.hpp"

namespace differential {

// clang-format off
/// Of einsum, the numbers are the characters of the equation.
inline void add_sums_of_products(Calls& calls) {
  calls["einsum"] = [](const Case& c) -> Results {
    std::string equation;
    for (const Number& n : c.numbers) equation += static_cast<char>(n.integer);
    return {amp::einsum(equation, std::span<const amp::Tensor>(c.tensors))};
  };
  calls["tensordot.lists"] = [](const Case& c) -> Results {
    std::vector<std::int64_t> of_a, of_b;
    for (std::size_t i = 0; i < c.numbers.size(); ++i) (i < c.numbers.size() / 2 ? of_a : of_b).push_back(c.integer(i));
    return {amp::tensordot(c[0], c[1], of_a, of_b)};
  };
  calls["lerp.number"] = [](const Case& c) -> Results { return {amp::lerp(c[0], c[1], c.real(0))}; };
  calls["linalg_matrix_norm.fro"] = [](const Case& c) -> Results { return {amp::linalg_matrix_norm(c[0])}; };
}
// clang-format on

}  // namespace differential
