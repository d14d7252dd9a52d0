// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The words of a scaler on its device: made when first needed, at addresses that stay.
#pragma once

#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/scaler/state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

inline float* word(const Tensor& tensor) { return static_cast<float*>(tensor.raw_data()); }

class DeviceScale {
 public:
  DeviceScale() = default;
  DeviceScale(Device device, const GradScalerState& initial);

  bool exists() const { return state_.defined(); }
  Device device() const { return state_.device(); }
  kernels::ScaleState* data() const { return static_cast<kernels::ScaleState*>(state_.raw_data()); }
  /// The scale as a 0-dimensional float32 tensor, whose version moves with every change.
  const Tensor& scale() const { return scale_; }
  const float* inverse() const { return &data()->inverse; }
  const float* one() const { return word(one_); }
  void mark_modified() const { state_.mark_modified(); }

  /// Synchronises.
  void read(GradScalerState& state) const;
  void write(const GradScalerState& state);

 private:
  Tensor state_;  // bytes of a ScaleState, which begins with the scale
  Tensor scale_;  // these first bytes as a float
  Tensor one_;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/device_scale.ipp"
#endif
