// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of dynamic loss scaling and its one transition, a pure function that host and device
// share.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/device.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

/// When the scale backs off. All dynamic policies grow it after `growth_interval` good steps in a
/// row, and keep it between min_scale and max_scale. A bad step is one with a gradient that is not
/// finite.
enum class ScalePolicy : std::uint8_t {
  /// At a bad step, if at least `hysteresis` bad steps came since the scale last grew. This is
  /// PyTorch's rule if hysteresis is 1, and Megatron-LM's otherwise.
  kRefillAtGrowth,
  /// At a bad step, if at least `hysteresis` bad steps came in a row (apex,
  /// update_scale_hysteresis).
  kRefillAtGoodStep,
  /// At every hysteresis-th bad step in a row (Paddle, decr_every_n_nan_or_inf).
  kEveryNth,
  /// At a bad step, if the bad steps since the last backoff are at least `overflow_share` of the
  /// updates since the scale last changed (fairseq, --fp16-scale-tolerance).
  kOverflowShare,
  /// Never, and the scale never grows; bad steps are still skipped.
  kStatic,
  /// As kStatic with a scale of 1, for bfloat16.
  kNone,
};

/// The state of loss scaling, on the device at an address that never changes.
struct ScaleState {
  float scale;
  float inverse;                      // 1 / scale, rounded from double
  std::int32_t growth_tracker;        // good steps in a row
  std::int32_t hysteresis_left;       // bad steps until backoff
  std::int64_t applied;               // optimizer steps applied
  std::int64_t skipped;               // optimizer steps skipped
  std::int64_t consecutive_skips;     // updates in a row that saw a non-finite gradient
  std::int64_t updates_since_change;  // of the scale
  std::int64_t bad_since_backoff;
};

struct ScaleRule {
  double growth_factor, backoff_factor;
  std::int64_t growth_interval;
  double min_scale, max_scale;
  std::int32_t hysteresis;
  ScalePolicy policy = ScalePolicy::kRefillAtGrowth;
  double overflow_share = 0;
};

AMP_HOST_DEVICE constexpr void set_scale(ScaleState& state, double scale) {
  state.scale = static_cast<float>(scale);
  state.inverse = static_cast<float>(1.0 / static_cast<double>(state.scale));
}

/// Whether a bad step, which is counted already, lowers the scale. Updates hysteresis_left.
AMP_HOST_DEVICE constexpr bool backs_off(ScaleState& state, const ScaleRule& rule) {
  if (rule.policy == ScalePolicy::kOverflowShare) {
    return static_cast<double>(state.bad_since_backoff) /
               static_cast<double>(state.updates_since_change) >=
           rule.overflow_share;
  }
  if (--state.hysteresis_left > 0) return false;
  state.hysteresis_left = rule.policy == ScalePolicy::kEveryNth ? rule.hysteresis : 1;
  return true;
}

/// The transition of dynamic loss scaling: a pure function of state, rule and found_inf. The scale
/// is multiplied by a factor in double and rounded to float once, as in PyTorch.
AMP_HOST_DEVICE constexpr void update_scale(ScaleState& state, const ScaleRule& rule,
                                            bool found_inf) {
  const double scale = static_cast<double>(state.scale);
  const bool fixed = rule.policy == ScalePolicy::kStatic || rule.policy == ScalePolicy::kNone;
  ++state.updates_since_change;
  if (found_inf) {
    state.growth_tracker = 0;
    ++state.consecutive_skips;
    ++state.bad_since_backoff;
    if (fixed || !backs_off(state, rule)) return;
    state.updates_since_change = 0;
    state.bad_since_backoff = 0;
    const double lowered = scale * rule.backoff_factor;
    const double bounded = lowered < rule.min_scale ? rule.min_scale : lowered;
    if (bounded < scale) set_scale(state, bounded);
  } else {
    state.consecutive_skips = 0;
    if (rule.policy == ScalePolicy::kRefillAtGoodStep || rule.policy == ScalePolicy::kEveryNth)
      state.hysteresis_left = rule.hysteresis;
    if (state.growth_tracker < 0x7fff'ffff) ++state.growth_tracker;
    if (fixed || state.growth_tracker < rule.growth_interval) return;
    state.growth_tracker = 0;
    state.hysteresis_left = rule.hysteresis;
    state.updates_since_change = 0;
    const double grown = scale * rule.growth_factor;
    const double bounded = grown > rule.max_scale ? rule.max_scale : grown;
    if (bounded > scale) set_scale(state, bounded);
  }
}

/// How update() counts an optimizer of the cycle.
enum class StepOutcome : std::uint8_t {
  kNone,     ///< Not at all: it was unscaled, but not stepped.
  kStepped,  ///< As applied, or as skipped if its found_inf is not 0.
  kSkipped,  ///< As skipped: skip_step was called.
};

/// The counts of all optimizers of a cycle.
struct CycleCounts {
  std::int64_t applied, skipped;
  bool found;

  AMP_HOST_DEVICE constexpr void add(const float* found_inf, StepOutcome outcome) {
    const bool bad = found_inf != nullptr && *found_inf != 0;
    found |= bad;
    if (outcome == StepOutcome::kNone) return;
    ++(bad || outcome == StepOutcome::kSkipped ? skipped : applied);
  }
  /// Updates the state; the scale only if any gradients were `tested`.
  AMP_HOST_DEVICE constexpr void apply_to(ScaleState& state, const ScaleRule& rule,
                                          bool tested) const {
    state.applied += applied;
    state.skipped += skipped;
    if (tested) update_scale(state, rule, found);
  }
};

/// Updates the state from found_inf of each optimizer of a cycle, null if its gradients were not
/// tested. If none were tested, the scale stays as it is.
struct UpdateScaleArgs {
  Device device;
  ScaleState* state;
  ScaleRule rule;
  const float* const* found_inf;
  const StepOutcome* outcomes;
  std::int64_t count;
  float* clears = nullptr;  // set to 0 afterwards, if not null
};

}  // namespace amp::inline v0::kernels
