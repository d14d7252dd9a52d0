// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/device/memory.hpp"
#include "amp/scaler/results.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_COLD bool StepResult::skipped() const {
  return found_inf_.defined() && found_inf_.item<float>() != 0;
}
AMP_COLD const float* StepResult::skipped_data() const {
  return found_inf_.defined() ? found_inf_.const_data<float>() : nullptr;
}

AMP_INLINE GradientStatistics StatisticsResult::get() const {
  GradientStatistics values;
  if (bytes_.defined())
    copy_bytes(kCPU, &values, bytes_.device(), bytes_.raw_data(), sizeof values);
  return values;
}

AMP_INLINE Tensor StatisticsResult::allocate(Device device) {
  Tensor bytes = empty({sizeof(GradientStatistics)}, {.dtype = kUInt8, .device = device});
  bytes.mark_modified();  // a graph that is recorded owns what it writes
  return bytes;
}

}  // namespace amp::inline v0
