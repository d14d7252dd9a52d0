// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/math.hpp"
#include "amp/kernels/optim/block_moments.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/weight_storage.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_COLD std::string_view name(WeightStorage storage) {
  constexpr std::string_view kNames[] = {"kParameter", "kMaster", "kRemainder", "kStochastic",
                                         "kKahan"};
  return kNames[static_cast<std::size_t>(storage)];
}

namespace detail {

AMP_INLINE WeightStorage storage_of(const StateChoice& choice, DType parameter) {
  const bool own_master = parameter == kFloat32 || parameter == kFloat64;
  return own_master ? WeightStorage::kParameter : choice.storage;
}
AMP_INLINE DType moment_dtype(const StateChoice& choice, const Tensor& parameter) {
  if (parameter.dtype() == kFloat64) return kFloat64;
  if (choice.moments == kUInt8)
    return parameter.numel() < kernels::kFewestForBlocks ? kFloat32 : kUInt8;
  if (choice.moments) return *choice.moments;
  return choice.storage == WeightStorage::kParameter ? parameter.dtype() : kFloat32;
}

AMP_COLD void check_choice(std::string_view optimizer, std::size_t i, const Tensor& p,
                           const StateChoice& choice) {
  const WeightStorage storage = storage_of(choice, p.dtype());
  const bool takes = storage == WeightStorage::kParameter || storage == WeightStorage::kMaster ||
                     (storage == WeightStorage::kStochastic ? is_low_precision(p.dtype())
                                                            : p.dtype() == kBFloat16);
  AMP_CHECK(takes, optimizer, ": `storage` ", name(storage), " is for parameters in bfloat16",
            storage == WeightStorage::kStochastic ? " and float16" : "", ", but params[", i,
            "] is ", describe(p), "; use kMaster");
  AMP_CHECK(!choice.moments || *choice.moments == kFloat32 || *choice.moments == kBFloat16 ||
                *choice.moments == p.dtype() || (*choice.moments == kUInt8 && choice.takes_blocks),
            optimizer, ": `moments` must be float32, bfloat16",
            choice.takes_blocks ? ", uint8" : "", " or the dtype of the parameter, but are ",
            *choice.moments, " for params[", i, "], ", describe(p));
}

AMP_INLINE std::optional<DType> OptimizerState::dtype(const StateChoice& choice,
                                                      const Tensor& parameter) const {
  if (kind == kCount) return kInt64;
  if (kind == kProduct) return kFloat64;
  if (kind == kMoment) return moment_dtype(choice, parameter);
  if (storage_of(choice, parameter.dtype()) != storage) return std::nullopt;
  if (storage == WeightStorage::kMaster) return kFloat32;
  return storage == WeightStorage::kKahan ? kBFloat16 : kUInt8;
}
AMP_INLINE Shape OptimizerState::shape(const Tensor& parameter, DType dtype) const {
  if (is_scalar()) return {};
  if (shape_of != nullptr) return *shape_of(parameter.shape());
  if (dtype != kUInt8) return parameter.shape();
  if (kind == kRest) return {parameter.numel(), 2};
  return {ceil_div(parameter.numel(), kernels::kMomentBlock), kernels::kMomentBlockBytes};
}

AMP_COLD void OptimizerState::replace(const PoolVector<Tensor>& loaded) {
  tensors.resize(loaded.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    Tensor& own = tensors[i];
    const Tensor& value = loaded[i];
    if (is_scalar() && own.defined() && !value.defined()) {
      own.fill_(kind == kProduct ? 1 : 0);
    } else if (own.defined() && value.defined() && own.dtype() == value.dtype() &&
               own.shape() == value.shape() && own.device() == value.device()) {
      own.copy_(value);
    } else {
      own = value;
    }
  }
}
AMP_INLINE void* OptimizerState::of(std::size_t i, const Tensor& parameter,
                                    const StateChoice& choice, std::size_t count) {
  tensors.resize(count);
  if (tensors[i].defined()) return tensors[i].raw_data();
  const DType dtype = *this->dtype(choice, parameter);
  Tensor first = make_tensor(shape(parameter, dtype), dtype, parameter.device());
  if (kind == kRest && storage == WeightStorage::kMaster) {
    copy_elements(parameter, first);
  } else {
    fill(first, kind == kMoment ? choice.first : 0);
  }
  return created.emplace_back(i, std::move(first)).second.raw_data();
}
AMP_INLINE void OptimizerState::keep_created() {
  for (auto& [i, tensor] : created) tensors[i] = std::move(tensor);
  created.clear();
}

/// Returns a converted copy without history.
AMP_COLD Tensor copy_as(const Tensor& source, DType dtype) {
  const Tensor copy = make_tensor(source.shape(), dtype, source.device());
  copy_elements(source, copy);
  return copy;
}

AMP_COLD Tensor join_weights(WeightStorage storage, const Tensor& parameter,
                             const Tensor& aux_state) {
  const DType dtype = parameter.dtype() == kFloat64 ? kFloat64 : kFloat32;
  if (!aux_state.defined()) return copy_as(parameter, dtype);
  const Tensor host = parameter.detach().to(kCPU).contiguous(), host_aux = aux_state.to(kCPU);
  const Tensor weights = make_tensor(parameter.shape(), kFloat32, kCPU);
  auto* const to = static_cast<float*>(weights.raw_data());
  if (storage == WeightStorage::kMaster) {
    const Tensor shown = copy_as(host, kFloat32);
    const auto* const from = static_cast<const float*>(shown.raw_data());
    const auto* const masters = static_cast<const float*>(host_aux.raw_data());
    for (std::int64_t i = 0; i < weights.numel(); ++i)
      to[i] = kernels::join_master(masters[i], from[i], parameter.dtype());
  } else {
    const auto* const high = static_cast<const std::uint16_t*>(host.raw_data());
    const auto* const low = static_cast<const std::uint16_t*>(host_aux.raw_data());
    for (std::int64_t i = 0; i < weights.numel(); ++i)
      to[i] = kernels::join(storage, {high[i], low[i]});
  }
  return weights.to(parameter.device());
}

AMP_COLD std::pair<Tensor, Tensor> split_weights(WeightStorage storage, const Tensor& weights,
                                                 const Tensor& parameter) {
  const Device device = parameter.device();
  const bool split = kernels::is_split(storage);
  const Tensor here = weights.detach().to(split ? Device(kCPU) : device).contiguous();
  if (!split) {
    const bool master = storage == WeightStorage::kMaster;
    return {copy_as(here, parameter.dtype()), master ? copy_as(here, kFloat32) : Tensor()};
  }
  const bool bytes = storage == WeightStorage::kRemainder;
  const Tensor high = make_tensor(here.shape(), kBFloat16, kCPU);
  const Tensor low =
      make_tensor(bytes ? Shape{here.numel(), 2} : here.shape(), bytes ? kUInt8 : kBFloat16, kCPU);
  const auto* const from = static_cast<const float*>(here.raw_data());
  auto* const to_high = static_cast<std::uint16_t*>(high.raw_data());
  auto* const to_low = static_cast<std::uint16_t*>(low.raw_data());
  for (std::int64_t i = 0; i < here.numel(); ++i) {
    const kernels::SplitWeight parts = kernels::split(storage, from[i]);
    to_high[i] = parts.parameter;
    to_low[i] = parts.aux_state;
  }
  return {high.to(device), low.to(device)};
}

}  // namespace detail
}  // namespace amp::inline v0
