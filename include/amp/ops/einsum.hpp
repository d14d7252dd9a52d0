// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums of products over subscripts.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Sums products of elements as the equation says, in Einstein's notation: "ij,jk->ik" multiplies
/// matrices. Each operand has a letter for each of its dimensions. Letters that are not behind the
/// arrow are summed over; without an arrow, the result has those that appear once, in alphabetical
/// order, capitals first. A letter twice in an operand takes its diagonal. `...` stands for any
/// further dimensions, which broadcast. Each pair of operands, the cheapest first, is one matmul.
/// The operands have one floating-point dtype, which is that of the result. Under autocast: low
/// precision.
AMP_LAZY [[nodiscard]] Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
template <std::same_as<Tensor>... Tensors>
[[nodiscard]] Tensor einsum(std::string_view equation, const Tensor& operand,
                            const Tensors&... operands) {
  const Tensor all[] = {operand, operands...};
  return einsum(equation, std::span<const Tensor>(all));
}

/// Sums products over the last `dims` dimensions of `a` and the first of `b`: an outer product for
/// 0. Of floating point; dtypes promote. Under autocast: the wider dtype of the two.
AMP_LAZY [[nodiscard]] Tensor tensordot(const Tensor& a, const Tensor& b, std::int64_t dims = 2);
/// The same over pairs of dimensions: dims_a[i] of `a` with dims_b[i] of `b`. The result has the
/// other dimensions of `a`, then those of `b`.
AMP_LAZY [[nodiscard]] Tensor tensordot(const Tensor& a, const Tensor& b, const Dims& dims_a,
                                        const Dims& dims_b);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/einsum.ipp"
#endif
