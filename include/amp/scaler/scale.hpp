// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loss scale on its devices. Scale, inverse, trackers and counters of a scaler lie on one
// device, at addresses that never change. Other devices that have losses or gradients get a copy of
// scale and inverse.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/object_pool.hpp"
#include "amp/device/stream_mark.hpp"
#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/scaler/state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// The address of a 0-dimensional float32. Unlike data<float>(), it does not count as a write.
inline float* scalar_data(const Tensor& scalar) { return static_cast<float*>(scalar.raw_data()); }

/// Scale and inverse on one device.
struct ScaleTensors {
  Device device() const { return scale.device(); }
  const float* inverse() const { return scalar_data(scale) + 1; }

  Tensor scale;  // 0-dimensional float32; the inverse follows it in memory
  Tensor one;    // 1: the inverse scale of gradients that are unscaled already
};
/// The bytes of scale and inverse, in a copy as in the state.
inline constexpr std::int64_t kScaleBytes = 2 * sizeof(float);
static_assert(offsetof(kernels::ScaleState, scale) == 0 &&
              offsetof(kernels::ScaleState, inverse) == sizeof(float));

/// A copy of scale and inverse on another device than the scaler's. It is made again if it is used
/// after the scale has changed, and in new memory if it is used on another stream than before, which
/// may still read the old one. A copy from one CUDA device to another is ordered by streams; a copy
/// to the host synchronises.
class ScaleCopy {
 public:
  explicit ScaleCopy(Device device);

  Device device() const { return tensors_.device(); }
  /// Returns the copy, refreshed from `state`, the bytes of a ScaleState on the scaler's device.
  const ScaleTensors& refresh(const Tensor& state);

 private:
  ScaleTensors tensors_;
  std::uint64_t version_ = ~std::uint64_t{0};  // of the state that was copied
  StreamMark copied_;  // losses and gradients of one device may come on several streams
};

/// The state of a scaler on its device, and the copies on other devices.
class DeviceScale {
 public:
  DeviceScale() = default;
  DeviceScale(Device device, const GradScalerState& initial);

  bool exists() const { return state_.defined(); }
  Device device() const { return state_.device(); }
  kernels::ScaleState* data() const { return static_cast<kernels::ScaleState*>(state_.raw_data()); }

  /// Scale and inverse on the scaler's own device. Their addresses never change.
  const ScaleTensors& own() const { return own_; }
  /// Scale and inverse on `device`: a copy if that is not the scaler's device, and then this throws
  /// while a graph is recorded. The reference is valid until the next call.
  const ScaleTensors& on(Device device) {
    return device == this->device() ? own_ : copy_on(device);
  }

  /// Reads the part of the state that lies on the device. Synchronises.
  void read(GradScalerState& state) const;
  void write(const GradScalerState& state);
  /// To be called after a kernel wrote the state.
  void mark_modified() const { state_.mark_modified(); }

 private:
  const ScaleTensors& copy_on(Device device);

  Tensor state_;  // the bytes of a ScaleState, which begins with scale and inverse
  ScaleTensors own_;
  PoolVector<ScaleCopy> copies_;
};

/// loss * scale in float32, or in float64 for a float64 loss; differentiable. The gradients of the
/// loss, and those computed from them, carry a mark until they are unscaled. `scale` lies on the
/// device of `loss`. Backward throws if `own_scale`, the scaler's own, has changed by then.
Tensor scale_loss(const Tensor& loss, const Tensor& scale, const Tensor& own_scale);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/scale.ipp"
#endif
