// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What work on one device reads of the scale. On the scaler's device these are words of its state
// itself; on every other device they are a copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/device/stream_mark.hpp"
#include "amp/kernels/unscale/scale_state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

inline float* word(const Tensor& tensor) { return static_cast<float*>(tensor.raw_data()); }

/// Scale and inverse on one device. Their addresses never change.
struct ScaleTensors {
  Device device() const { return scale.device(); }
  const float* inverse() const { return word(scale) + 1; }

  Tensor scale;  // 0-dimensional float32; the inverse lies behind it in memory
  Tensor one;    // 1: the inverse for gradients that are unscaled already
};
/// Bytes that scale and inverse take together, in a copy as in the state.
inline constexpr std::int64_t kScaleWordsBytes = 2 * sizeof(float);
static_assert(offsetof(kernels::ScaleState, scale) == 0 &&
              offsetof(kernels::ScaleState, inverse) == sizeof(float));

/// The words on another device than the scaler's. They are copied there when they are used and the
/// scale has changed since. A copy from one CUDA device to another is ordered by streams; for a
/// copy to the host, the host waits.
class ScaleCopy {
 public:
  explicit ScaleCopy(Device device);

  Device device() const { return words_.device(); }
  /// Those of `state`, a ScaleState on its device.
  const ScaleTensors& use(const Tensor& state);

 private:
  ScaleTensors words_;
  std::uint64_t version_ = ~std::uint64_t{0};  // of the state that was copied
  StreamMark copied_;  // losses and gradients of one device may come on several streams
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/scale_words.ipp"
#endif
