// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The words of a scaler on its device: made when first needed, at addresses that stay.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/scaler/state.hpp"

namespace amp::inline v0::detail {

inline float* word(const Tensor& tensor) { return static_cast<float*>(tensor.raw_data()); }

/// As an error says it where the words are wanted and do not exist yet.
inline constexpr std::string_view kNotStarted =
    ": nothing was scaled yet; call scale(loss) before backward first (one's own gradients: "
    "scale_data(device), which starts the scaler; get_scale() does not)";

class DeviceScale {
 public:
  DeviceScale() = default;
  DeviceScale(Device device, const GradScalerState& initial) {
    const auto bytes = static_cast<std::int64_t>(sizeof(kernels::ScaleState));
    state_ = empty({bytes}, {.dtype = kUInt8, .device = device});
    scale_ = Tensor(make_ref<TensorImpl>(state_.impl().storage, Shape(), Strides(), 0, kFloat32));
    one_ = ones({}, {.device = device});
    write(initial);
  }

  bool exists() const { return state_.defined(); }
  Device device() const { return state_.device(); }
  kernels::ScaleState* data() const { return static_cast<kernels::ScaleState*>(state_.raw_data()); }
  /// The scale as a 0-dimensional float32 tensor, whose version moves with every change.
  const Tensor& scale() const { return scale_; }
  const float* inverse() const { return &data()->inverse; }
  const float* one() const { return word(one_); }
  void mark_modified() const { state_.mark_modified(); }

  /// Synchronises.
  void read(GradScalerState& state) const {
    kernels::ScaleState live;
    copy_bytes(kCPU, &live, device(), data(), sizeof live);
    set_live_part(state, live);
  }
  void write(const GradScalerState& state) {
    const kernels::ScaleState live = live_part(state);
    copy_bytes(device(), data(), kCPU, &live, sizeof live);
    mark_modified();
  }

 private:
  Tensor state_;  // bytes of a ScaleState, which begins with the scale
  Tensor scale_;  // these first bytes as a float
  Tensor one_;
};

}  // namespace amp::inline v0::detail
