// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/precision/opt_level.hpp"

namespace amp::inline v0::detail {

AMP_COLD PrecisionSettings settings_of(OptLevel level, const PrecisionOptions& options,
                                       DType default_dtype) {
  constexpr std::string_view kCall = "initialize";
  const bool casts = level == OptLevel::kO2 || level == OptLevel::kO3;
  PrecisionSettings s{.dtype = options.dtype.value_or(default_dtype),
                      .autocast = options.autocast.value_or(level == OptLevel::kO1),
                      .cast_model = options.cast_model.value_or(casts),
                      .keep_norms_float32 = false,
                      .storage = WeightStorage::kParameter,
                      .moments = options.moments,
                      .scaler = {}};
  AMP_CHECK(is_low_precision(s.dtype), kCall, ": `dtype` must be kFloat16 or kBFloat16, but is ",
            s.dtype);
  AMP_CHECK(s.cast_model || !options.keep_norms_float32, kCall,
            ": `keep_norms_float32` was given, but at ", name(level),
            " all parameters stay float32; set `cast_model`, or leave it out");
  AMP_CHECK(s.cast_model || options.storage.value_or(s.storage) == s.storage, kCall,
            ": `storage` was given, but at ", name(level),
            " all parameters stay float32, which are their own masters; set `cast_model`, or "
            "leave it out");
  if (s.cast_model) {
    s.keep_norms_float32 = options.keep_norms_float32.value_or(level != OptLevel::kO3);
    s.storage = options.storage.value_or(level == OptLevel::kO3 ? WeightStorage::kParameter
                                                                : WeightStorage::kMaster);
  }
  const bool scales = s.dtype == kFloat16 && (s.autocast || s.cast_model) && level != OptLevel::kO3;
  const bool fixed = options.loss_scale.has_value();
  const double scale = fixed ? *options.loss_scale : 1;
  check_scale(kCall, "loss_scale", scale);
  if (fixed || !scales) {
    s.scaler.init_scale = scale;
    s.scaler.policy = scale == 1 ? ScalePolicy::kNone : ScalePolicy::kStatic;
  }
  s.scaler.enabled = fixed || s.autocast || s.cast_model;
  return s;
}

}  // namespace amp::inline v0::detail
