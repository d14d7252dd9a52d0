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

/// The settings that initialize() made of a level, for the training loop.
struct Precision {
  OptLevel level = OptLevel::kO0;
  DType dtype = kFloat16;  // that of 16 bits, if the level has one
  bool cast_model = false;
  bool keep_norms_float32 = false;
  WeightStorage storage = WeightStorage::kParameter;
  Device device = {};             // that of the model
  AutocastOptions autocast = {};  // enabled at O1
  GradScalerOptions scaler = {};

  /// Returns model.forward(inputs...), in the autocast scope of the level. If the model was cast,
  /// so are floating-point inputs. A 16-bit result is cast to float32, so that the loss is float32.
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

/// A function that calls its argument with the storage and the moments of each group of an
/// optimizer.
using VisitGroups =
    FunctionRef<void(const FunctionRef<void(WeightStorage&, std::optional<DType>&)>&)>;

AMP_LAZY AMP_COLD Precision initialize(const nn::Module& model, Optimizer& optimizer,
                                       const VisitGroups& visit_groups, OptLevel level,
                                       const PrecisionOptions& options);

}  // namespace detail

/// Makes `model` and `optimizer`, which holds its parameters, train at `level`. Parameters are
/// converted in place: the handles of model and optimizer stay valid, and gradients are dropped. To
/// be called before the first step, with float32 parameters, from which the masters are copied bit
/// for bit. Load a float32 checkpoint of the model before: if it is loaded afterwards, training
/// goes on from the values that Module::load_state_dict rounded to 16 bits, unless
/// optimizer.set_master_weights() gives all bits. Synchronises. Throws amp::Error, changing
/// nothing, if options contradict each other or the level, if a parameter is not float32, if the
/// optimizer has no parameter of the model, and if a step was taken.
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
