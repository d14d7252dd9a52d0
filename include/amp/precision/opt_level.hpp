// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Opt levels: what of a training program is 16 bits wide, as one choice that can be changed field
// by field. Source: NVIDIA apex, amp.initialize.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "amp/autocast/state.hpp"
#include "amp/optim/weight_storage.hpp"
#include "amp/scaler/state.hpp"

namespace amp::inline v0 {

///                            O0         O1         O2            O3
///   autocast                 no         yes        no            no
///   cast_model               no         no         yes           yes
///   keep_norms_float32       -          -          yes           no
///   storage                  -          -          kMaster       kParameter
///   loss scale, float16      none       dynamic    dynamic       1
///   loss scale, bfloat16     none       1          1             1
///
/// With a scale of 1 the scaler still leaves out steps with gradients that are not finite; with
/// none it does not look. O0 is float32. O1 casts at each op, by the op list. O2 keeps the weights
/// in 16 bits beside float32 masters, normalisation layers in float32. O3 is 16 bits throughout:
/// the bound of the speed, seldom of the loss.
enum class OptLevel : std::uint8_t { kO0, kO1, kO2, kO3 };

inline constexpr std::string_view name(OptLevel level) {
  constexpr std::string_view kNames[] = {"O0", "O1", "O2", "O3"};
  return kNames[static_cast<int>(level)];
}

/// What differs from the level; what is unset is the level's.
struct PrecisionOptions {
  std::optional<DType> dtype = {};      // of 16 bits; unset: autocast's on the model's device
  std::optional<bool> autocast = {};    // whether forward() enters a scope
  std::optional<bool> cast_model = {};  // whether the parameters become 16 bits wide
  std::optional<bool> keep_norms_float32 = {};  // but for those of normalisation layers
  std::optional<WeightStorage> storage = {};    // of 16-bit parameters, in the optimizer
  std::optional<DType> moments = {};            // unset: the storage's
  std::optional<double> loss_scale = {};        // a fixed one; 1 scales nothing
};

namespace detail {

/// A level with what differs from it: every field has its value.
struct PrecisionSettings {
  DType dtype;
  bool autocast, cast_model, keep_norms_float32;
  WeightStorage storage;
  std::optional<DType> moments;
  GradScalerOptions scaler;
};

/// Throws, naming the field, where two of them contradict each other.
inline PrecisionSettings settings_of(OptLevel level, const PrecisionOptions& options,
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

}  // namespace detail
}  // namespace amp::inline v0
