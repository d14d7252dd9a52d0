// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Opt levels: one choice of which parts of a training program are 16 bits wide, in which each field
// can be overridden. Source: NVIDIA apex, amp.initialize.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/kernels/optim/weight_storage.hpp"
#include "amp/scaler/state.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// In which precision a model and its optimizer train.
///
///                            O0         O1         O2            O3
///   autocast                 no         yes        no            no
///   cast_model               no         no         yes           yes
///   keep_norms_float32       -          -          yes           no
///   storage                  -          -          kMaster       kParameter
///   loss scale, float16      none       dynamic    dynamic       1
///   loss scale, bfloat16     none       1          1             1
///
/// With a scale of 1 the scaler still skips steps with gradients that are not finite; with none it
/// does not test them. O0 is float32. O1 casts at each op, by the op list. O2 keeps the weights in
/// 16 bits beside float32 masters, normalisation layers in float32. O3 is 16 bits throughout: the
/// upper bound of speed, seldom the best loss.
enum class OptLevel : std::uint8_t { kO0, kO1, kO2, kO3 };

/// "O0" to "O3".
inline constexpr std::string_view name(OptLevel level) {
  constexpr std::string_view kNames[] = {"O0", "O1", "O2", "O3"};
  return kNames[static_cast<int>(level)];
}

/// Overrides of a level; unset fields are those of the level.
struct PrecisionOptions {
  std::optional<DType> dtype = {};      // of 16 bits; unset: autocast's on the model's device
  std::optional<bool> autocast = {};    // whether forward() enters a scope
  std::optional<bool> cast_model = {};  // whether the parameters become 16 bits wide
  std::optional<bool> keep_norms_float32 = {};  // except in normalisation layers
  std::optional<WeightStorage> storage = {};    // of 16-bit parameters, in the optimizer
  std::optional<DType> moments = {};            // unset: the storage's
  std::optional<double> loss_scale = {};        // a fixed one; 1 scales nothing
};

namespace detail {

/// A level with its overrides: every field has a value.
struct PrecisionSettings {
  DType dtype;
  bool autocast, cast_model, keep_norms_float32;
  WeightStorage storage;
  std::optional<DType> moments;
  GradScalerOptions scaler;
};

/// Throws, naming the field, if two of them contradict each other.
PrecisionSettings settings_of(OptLevel level, const PrecisionOptions& options, DType default_dtype);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/precision/opt_level.ipp"
#endif
