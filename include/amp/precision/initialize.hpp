// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One call that makes a model and its optimizer train at an opt level.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/nn/module.hpp"
#include "amp/optim/param_group.hpp"
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

/// Gives tensors back the data and the gradients they had, unless told that all went well. That
/// takes no memory, so that it cannot fail.
class RestoreData {
 public:
  explicit RestoreData(const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors)
      before_.push_back({Ref<TensorImpl>(&tensor.impl()), tensor.impl(), tensor.impl().history});
  }
  ~RestoreData() {
    if (done) return;
    for (const Before& before : before_) {
      static_cast<TensorData&>(*before.impl) = before.data;
      before.impl->history = before.history;
    }
  }
  RestoreData(const RestoreData&) = delete;
  RestoreData& operator=(const RestoreData&) = delete;

  bool done = false;

 private:
  struct Before {
    Ref<TensorImpl> impl;
    TensorData data;
    Ref<RefCounted> history;  // holds the gradient
  };
  PoolVector<Before> before_;
};

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
template <class Optimizer>
Precision initialize(const nn::Module& model, Optimizer& optimizer, OptLevel level,
                     const PrecisionOptions& options = {}) try {
  constexpr std::string_view kCall = "initialize";
  const NamedTensors named = model.named_parameters();
  AMP_CHECK(!named.empty(), kCall, ": `model` has no parameters");
  const Device device = named.front().second.device();
  const detail::PrecisionSettings settings =
      detail::settings_of(level, options, autocast_dtype(device.type));

  bool holds_any = false;
  for (const auto& [parameter_name, parameter] : named) {
    AMP_CHECK(parameter.dtype() == kFloat32, kCall, ": parameter \"", parameter_name, "\", ",
              describe(parameter), ", must be float32; the level converts it");
    for (const Tensor& known : optimizer.parameters()) holds_any |= known.is_same(parameter);
  }
  AMP_CHECK(holds_any, kCall,
            ": `optimizer` holds no parameter of `model`; make it of model.parameters()");
  const std::int64_t steps = optimizer.applied_steps();
  AMP_CHECK(steps == 0, kCall, ": `optimizer` took ", steps,
            " steps already; a level is chosen before the first");

  const std::vector<Tensor> masters = optimizer.master_weights();
  std::vector<Tensor> tensors = model.parameters();
  for (const Tensor& buffer : model.buffers()) tensors.push_back(buffer);
  auto groups = optimizer.param_groups();
  detail::RestoreData data(tensors);
  try {
    if (settings.cast_model && settings.keep_norms_float32) model.to_mixed(settings.dtype);
    if (settings.cast_model && !settings.keep_norms_float32) model.to(settings.dtype);
    for (auto& group : optimizer.param_groups()) {
      group.options.storage = settings.storage;
      if (settings.moments) group.options.moments = settings.moments;
    }
    optimizer.set_master_weights(masters);
  } catch (...) {
    optimizer.param_groups() = std::move(groups);
    throw;
  }
  data.done = true;
  return {.level = level,
          .dtype = settings.dtype,
          .cast_model = settings.cast_model,
          .keep_norms_float32 = settings.keep_norms_float32,
          .storage = settings.storage,
          .device = device,
          .autocast = {.dtype = settings.dtype, .enabled = settings.autocast},
          .scaler = settings.scaler};
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

}  // namespace amp::inline v0
