// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One call that makes a model and its optimizer train at an opt level.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "amp/autocast/state.hpp"
#include "amp/core/function_ref.hpp"
#include "amp/nn/module.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/precision/opt_level.hpp"

namespace amp::inline v0 {

/// What initialize made of a level: everything the training loop needs to know.
struct Precision {
  OptLevel level = OptLevel::kO0;
  DType dtype = kFloat16;  // of 16 bits, where there are any
  bool cast_model = false;
  bool keep_norms_float32 = false;
  WeightStorage storage = WeightStorage::kParameter;
  Device device = {};             // the model's
  AutocastOptions autocast = {};  // enabled at O1
  GradScalerOptions scaler = {};

  /// model.forward of the inputs, in the level's scope. Floating-point inputs are cast to what the
  /// model takes, a floating-point result to float32, so that the loss is.
  template <class Model, class... Inputs>
  auto forward(const Model& model, const Inputs&... inputs) const {
    const AutocastGuard scope(device.type, autocast);
    return output(model.forward(input(inputs)...));
  }

  /// The value as forward() gives it to the model.
  template <class Input>
  decltype(auto) input(const Input& value) const {
    if constexpr (std::is_same_v<Input, Tensor>) {
      return cast_model && is_floating_point(value.dtype()) ? value.to(dtype) : value;
    } else {
      return (value);
    }
  }

 private:
  template <class Output>
  static Output output(Output value) {
    if constexpr (std::is_same_v<Output, Tensor>) {
      return is_low_precision(value.dtype()) ? value.to(kFloat32) : value;
    } else {
      return value;
    }
  }
};

namespace detail {

/// Calls its argument with the storage and the moments of each group of an optimizer.
using VisitGroups =
    FunctionRef<void(const FunctionRef<void(WeightStorage&, std::optional<DType>&)>&)>;

Precision initialize(const nn::Module& model, Optimizer& optimizer, const VisitGroups& visit_groups,
                     OptLevel level, const PrecisionOptions& options);

}  // namespace detail

/// Makes `model` and `optimizer`, which holds its parameters, train at `level`. Parameters are
/// converted in place: the handles that model and optimizer have stay good, gradients are dropped.
/// To be called before the first step, with parameters in float32, which masters are made of bit
/// for bit: a float32 checkpoint of the model is loaded before. (After, training goes on from what
/// Module::load_state_dict left in the 16-bit parameters; optimizer.set_master_weights gives all
/// bits.) Synchronises. Errors: amp::Error, nothing changed, where options contradict each other
/// or the level, where a parameter is not float32 or the optimizer has none of the model's, and
/// where steps were taken.
///
/// ```cpp
/// const amp::nn::Linear model(4, 2);
/// amp::AdamW optimizer(model.named_parameters(), {.lr = 1e-2});
/// const amp::Precision precision =
///     amp::initialize(model, optimizer, amp::OptLevel::kO2, {.dtype = amp::kBFloat16});
/// amp::GradScaler scaler(precision.scaler);
/// const amp::Tensor x = amp::randn({8, 4}), y = amp::randn({8, 2});
/// for (int step = 0; step < 3; ++step) {
///   optimizer.zero_grad();
///   scaler.scale(amp::mse_loss(precision.forward(model, x), y)).backward();
///   scaler.step(optimizer);
///   scaler.update();
/// }
/// assert(model.weight.dtype() == amp::kBFloat16 && scaler.counters().applied == 3);
/// ```
template <std::derived_from<Optimizer> AnyOptimizer>
Precision initialize(const nn::Module& model, AnyOptimizer& optimizer, OptLevel level,
                     const PrecisionOptions& options = {}) {
  const auto visit_groups = [&](const auto& visit) {
    for (auto& group : optimizer.param_groups())
      visit(group.options.storage, group.options.moments);
  };
  return detail::initialize(model, optimizer, visit_groups, level, options);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/precision/initialize.ipp"
#endif
