// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/precision/initialize.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// When destroyed, gives tensors back the data and the gradients they had, unless `done` was set.
/// That allocates nothing, so that it cannot fail.
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

AMP_LAZY_DEFINITION Precision initialize(const nn::Module& model, Optimizer& optimizer,
                                         const VisitGroups& visit_groups, OptLevel level,
                                         const PrecisionOptions& options) try {
  constexpr std::string_view kCall = "initialize";
  const NamedTensors named = model.named_parameters();
  AMP_CHECK(!named.empty(), kCall, ": `model` has no parameters");
  const Device device = named.front().second.device();
  const PrecisionSettings settings = settings_of(level, options, autocast_dtype(device.type));

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
  std::vector<StateChoice> choices;
  visit_groups([&](WeightStorage& storage, std::optional<DType>& moments) {
    choices.push_back({storage, moments});
  });
  RestoreData data(tensors);
  try {
    if (settings.cast_model && settings.keep_norms_float32) model.to_mixed(settings.dtype);
    if (settings.cast_model && !settings.keep_norms_float32) model.to(settings.dtype);
    visit_groups([&](WeightStorage& storage, std::optional<DType>& moments) {
      storage = settings.storage;
      if (settings.moments) moments = settings.moments;
    });
    optimizer.set_master_weights(masters);
  } catch (...) {
    visit_groups(
        [before = choices.begin()](WeightStorage& storage, std::optional<DType>& moments) mutable {
          storage = before->storage;
          moments = before++->moments;
        });
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
  throw OutOfMemory();
}

}  // namespace amp::inline v0::detail
