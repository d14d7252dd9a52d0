// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"
#include "amp/scaler/device_scale.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_INLINE DeviceScale::DeviceScale(Device device, const GradScalerState& initial) {
  const auto bytes = static_cast<std::int64_t>(sizeof(kernels::ScaleState));
  state_ = empty({bytes}, {.dtype = kUInt8, .device = device});
  words_ = {
      .scale = Tensor(make_ref<TensorImpl>(state_.impl().storage, Shape(), Strides(), 0, kFloat32)),
      .one = ones({}, {.device = device})};
  write(initial);
}

AMP_COLD const ScaleTensors& DeviceScale::copy_on(Device device) {
  if (in_recording())
    refuse("Graph: a GradScaler on ", this->device(), " is used for ", device,
           ", but each replay would read the scale of the recording there; give the scaler the "
           "device of the losses and gradients (GradScalerOptions::device)");
  for (ScaleCopy& copy : copies_) {
    if (copy.device() == device) return copy.use(state_);
  }
  return copies_.emplace_back(device).use(state_);
}

AMP_INLINE void DeviceScale::read(GradScalerState& state) const {
  kernels::ScaleState live;
  copy_bytes(kCPU, &live, device(), data(), sizeof live);
  set_live_part(state, live);
}

AMP_INLINE void DeviceScale::write(const GradScalerState& state) {
  const kernels::ScaleState live = live_part(state);
  copy_bytes(device(), data(), kCPU, &live, sizeof live);
  mark_modified();
}

}  // namespace amp::inline v0::detail
