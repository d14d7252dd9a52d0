// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/device/memory.hpp"
#include "amp/scaler/scale_words.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_COLD ScaleCopy::ScaleCopy(Device device)
    : words_{.scale = empty({2}, {.device = device}).alias({}, {}, 0),
             .one = ones({}, {.device = device})} {}

AMP_COLD const ScaleTensors& ScaleCopy::use(const Tensor& state) {
  // Also before it is written anew, since the last copy may still be under way on another stream.
  if (copied_.wait(device())) share(device(), words_.scale.raw_data());
  const std::uint64_t version = state.version();
  if (version == version_) return words_;
  copy_bytes(device(), words_.scale.raw_data(), state.device(), state.raw_data(), kScaleWordsBytes);
  words_.scale.mark_modified();
  copied_.record(device());
  version_ = version;
  return words_;
}

}  // namespace amp::inline v0::detail
