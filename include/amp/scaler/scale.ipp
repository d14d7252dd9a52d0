// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "amp/autograd/function.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/scaler/scale.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// Memory for a scale, with its inverse behind it.
AMP_COLD Tensor new_scale(Device device) { return empty({2}, {.device = device}).alias({}, {}, 0); }

AMP_COLD ScaleCopy::ScaleCopy(Device device)
    : tensors_{.scale = new_scale(device), .one = ones({}, {.device = device})} {}

AMP_COLD const ScaleTensors& ScaleCopy::refresh(const Tensor& state) {
  const bool is_elsewhere = copied_.wait(device());  // on another stream than the copy was made
  const std::uint64_t version = state.version();
  if (version == version_ && !is_elsewhere) return tensors_;
  // The stream of the old copy may still read it.
  if (is_elsewhere) tensors_.scale = new_scale(device());
  copy_bytes(device(), tensors_.scale.raw_data(), state.device(), state.raw_data(), kScaleBytes);
  tensors_.scale.mark_modified();
  copied_.record(device());
  version_ = version;
  return tensors_;
}

AMP_INLINE DeviceScale::DeviceScale(Device device, const GradScalerState& initial) {
  const auto bytes = static_cast<std::int64_t>(sizeof(kernels::ScaleState));
  state_ = empty({bytes}, {.dtype = kUInt8, .device = device});
  own_ = {
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
    if (copy.device() == device) return copy.refresh(state_);
  }
  return copies_.emplace_back(device).refresh(state_);
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

/// The backward function of loss * scale: d(loss * scale) / d(loss) = scale.
class ScaleNode final : public autograd::Node {
 public:
  ScaleNode(const Tensor& output, const Tensor& loss, const Tensor& scale, const Tensor& own_scale)
      : Node("GradScaler::scale", output),
        input_{Ref<autograd::Node>(autograd::node_of(loss))},
        loss_dtype_(loss.dtype()),
        scale_(scale),
        own_scale_(own_scale) {}

  std::span<const Ref<autograd::Node>> inputs() const override { return {&input_, 1}; }
  void backward(const Tensor& gradient, std::span<Tensor> gradients,
                const autograd::NodeSet*) override {
    (void)own_scale_.get("GradScaler::scale");  // throws if it has changed
    gradients[0] =
        binary_kernel<kernels::functions::Mul>(gradient, scale_, gradient.shape(), loss_dtype_);
  }
  bool scales_gradient() const override { return true; }

 private:
  Ref<autograd::Node> input_;
  DType loss_dtype_;
  Tensor scale_;
  autograd::SavedTensor own_scale_;
};

AMP_INLINE Tensor scale_loss(const Tensor& loss, const Tensor& scale, const Tensor& own_scale) {
  const DType dtype = loss.dtype() == kFloat64 ? kFloat64 : kFloat32;
  const Tensor scaled = binary_kernel<kernels::functions::Mul>(loss, scale, loss.shape(), dtype);
  if (autograd::recording(loss))
    scaled.impl().history = make_ref<ScaleNode>(scaled, loss, scale, own_scale);
  return scaled;
}

}  // namespace amp::inline v0::detail
