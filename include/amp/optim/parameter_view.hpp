// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Parameters in the user's memory, for programs without amp's tensors.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "amp/kernels/optim/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A parameter in the user's memory, which must outlive the optimizer: it is neither copied nor
/// freed. All parts are on one device, have the same number of elements, are aligned for their
/// dtypes, and overlap no other part of any parameter of the optimizer. `weight.name` is the
/// parameter's name, and is copied; other names are not read.
///
/// ```cpp
/// float weights[4] = {1, 2, 3, 4};
/// amp::half gradients[4] = {}, forward[4];  // your kernels write and read these
/// amp::Adam optimizer({{.weight = {weights, 4, amp::kFloat32, amp::kCPU, "w"},
///                       .gradient = {gradients, 4, amp::kFloat16},
///                       .low_precision = {forward, 4, amp::kFloat16}}},
///                     {.lr = 0.5});
/// gradients[0] = amp::half(1024.0F);
/// amp::GradScaler scaler({.init_scale = 1024});
/// (void)scaler.scale_data(amp::kCPU);  // by which the loss is multiplied
/// scaler.step(optimizer);
/// scaler.update();
/// assert(weights[0] == 0.5F && forward[0] == amp::half(0.5F) && weights[1] == 2);
/// ```
struct ParameterView {
  TensorView weight;    ///< of any floating-point dtype
  TensorView gradient;  ///< of any floating-point dtype; the step writes it only if `zero_grad`
  /// Optional (if it has data): a float16 or bfloat16 copy of a float32 weight. The optimizer
  /// writes it when the parameter is added, in each step that is applied, and in
  /// set_master_weights.
  TensorView low_precision = {};
};

namespace detail {

/// Throws, naming the optimizer and parameter `i`, if the parts do not fit each other.
void check_parts(std::string_view optimizer, std::size_t i, const ParameterView& view);
/// Throws if parts of two parameters, or two parts of one, share memory.
void check_apart(std::string_view optimizer, std::size_t i, const ParameterView& view,
                 std::size_t other_i, const ParameterView& other);

/// Returns a leaf over the weight, with the gradient as its `.grad`.
Tensor leaf_over(const ParameterView& view);
kernels::LowPrecisionCopies copies_in(const ParameterView& view);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/parameter_view.ipp"
#endif
