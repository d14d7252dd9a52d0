// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of a scaler on its device, at addresses that never change, and copies of the scale on
// the other devices that have losses or gradients.
#pragma once

#include "amp/core/object_pool.hpp"
#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/scaler/scale_words.hpp"
#include "amp/scaler/state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

class DeviceScale {
 public:
  DeviceScale() = default;
  DeviceScale(Device device, const GradScalerState& initial);

  bool exists() const { return state_.defined(); }
  Device device() const { return state_.device(); }
  kernels::ScaleState* data() const { return static_cast<kernels::ScaleState*>(state_.raw_data()); }
  /// What work on `device` reads, as the scale is now. That is a copy if `device` is not the
  /// scaler's; then this throws while a graph is recorded. The reference is valid until the next
  /// call.
  const ScaleTensors& on(Device device) {
    return device == this->device() ? words_ : copy_on(device);
  }
  /// The words on the scaler's own device.
  const ScaleTensors& own() const { return words_; }
  void mark_modified() const { state_.mark_modified(); }

  /// Synchronises.
  void read(GradScalerState& state) const;
  void write(const GradScalerState& state);

 private:
  const ScaleTensors& copy_on(Device device);

  Tensor state_;  // bytes of a ScaleState, which begins with scale and inverse
  ScaleTensors words_;
  PoolVector<ScaleCopy> copies_;  // on the other devices that work was done on
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/device_scale.ipp"
#endif
