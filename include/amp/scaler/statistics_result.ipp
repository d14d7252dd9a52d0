// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/device/memory.hpp"
#include "amp/scaler/statistics_result.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_INLINE GradientStatistics StatisticsResult::get() const {
  GradientStatistics values;
  if (words_.defined())
    copy_bytes(kCPU, &values, words_.device(), words_.raw_data(), sizeof values);
  return values;
}

AMP_INLINE Tensor StatisticsResult::make_words(Device device) {
  Tensor words = empty({sizeof(GradientStatistics)}, {.dtype = kUInt8, .device = device});
  words.mark_modified();  // a graph keeps what it writes
  return words;
}

}  // namespace amp::inline v0
