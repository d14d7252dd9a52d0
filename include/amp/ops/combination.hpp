// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise functions of three tensors, each in one pass. Shapes broadcast, and dtypes promote:
// 0-dimensional tensors change the dtype of the others only if they are of a higher category.
#pragma once

#include <initializer_list>
#include <string_view>

#include "amp/kernels/combination/args.hpp"
#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of addcmul and addcdiv.
struct AddcmulOptions {
  double value = 1;
};

/// input + value tensor1 tensor2, rounded once. Of any dtypes but bool; beside integers `value` is
/// truncated, and must be one of int64. Under autocast: the widest dtype of the three.
AMP_LAZY [[nodiscard]] Tensor addcmul(const Tensor& input, const Tensor& tensor1,
                                      const Tensor& tensor2, const AddcmulOptions& options = {});

/// input + value tensor1 / tensor2, rounded once. The result must be floating point. Under
/// autocast: the widest dtype of the three.
AMP_LAZY [[nodiscard]] Tensor addcdiv(const Tensor& input, const Tensor& tensor1,
                                      const Tensor& tensor2, const AddcmulOptions& options = {});

/// input + weight (end - input), rounded once; `end` itself for a weight of 1. All must be floating
/// point. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);
/// The same for a number, which is not differentiated.
AMP_LAZY [[nodiscard]] Tensor lerp(const Tensor& input, const Tensor& end, double weight);

namespace detail {

/// A combination (kernels/combination/formula.hpp) of operands that broadcast to `shape`, without
/// history. It is written over `over` if that is given.
AMP_LAZY Tensor combine(void (*launch)(Device, const kernels::CombinationArgs&), Device device,
                        std::initializer_list<kernels::Operand> inputs, const Shape& shape,
                        DType dtype, const kernels::Parameters& parameters = {},
                        const Tensor& over = {});

/// scale a + value b c in `dtype`, with history. An undefined a is 0, and so is its part for a
/// scale of 0; an undefined c is 1. If `overwrites`, the result may take the memory of b, which is
/// not read afterwards.
AMP_LAZY Tensor add_product(std::string_view op, const Tensor& a, const Tensor& b, const Tensor& c,
                            double value, double scale, const Shape& shape, DType dtype,
                            bool overwrites = false);

/// Throws unless all three are defined, on one device. `a` is `input`.
AMP_LAZY void check_three(std::string_view op, const Tensor& a, std::string_view name_b,
                          const Tensor& b, std::string_view name_c, const Tensor& c);

/// A number beside tensors.
AMP_LAZY kernels::Operand number_on(double value, Device device);

/// The dtype in which the gradient of an operand is computed: its own, unless broadcasting is to be
/// undone.
AMP_LAZY DType dtype_before_sum(const Tensor& grad, const Shape& shape, DType dtype);

/// The dtype of a result of some tensors.
AMP_LAZY DType result_type_of(std::initializer_list<const Tensor*> tensors);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/combination.ipp"
#endif
