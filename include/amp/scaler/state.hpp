// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a scaler is told, what it remembers, and which of it can work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "amp/device/device.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0 {

class Tensor;

using kernels::ScalePolicy;

/// What becomes of a step if a gradient is not finite as backward left it. The scale backs off in
/// either case.
enum class OverflowPolicy : std::uint8_t {
  /// The step is skipped.
  kSkip,
  /// Before anything else, NaN becomes 0 in the gradients, in place, and an infinity the largest
  /// finite number of the gradient's dtype, with its sign; then the step is taken. For gradients
  /// that are small parts of a whole, and best with clipping by value or norm: the largest float32,
  /// divided by the scale, still is a large number, whose square overflows; a norm of that leaves
  /// the step out. Reads all gradients once more.
  kSanitize,
};

/// Optimizer steps applied and skipped, and how many updates in a row saw a non-finite gradient.
struct GradScalerCounters {
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
  /// Looks at an optimizer's gradients that OverflowPolicy::kSanitize changed, since the scaler was
  /// made. Not part of GradScalerState. Their updates are among consecutive_skips, as the scale
  /// backed off.
  std::int64_t sanitized = 0;
};

/// Called with the counters, where a run of skips became long.
using SkipCallback = std::function<void(const GradScalerCounters&)>;

/// Makes found_inf the same on all processes that train one model: a 0-dimensional float32 that is
/// to become not 0 if it is not 0 on one of them; NaN counts. Called on each of them in the same
/// order, between the pass over the gradients and the step, with a word on the gradients' device.
/// What it enqueues on the current stream is waited for there, and recorded by a graph.
using AgreeCallback = std::function<void(const Tensor& found_inf)>;

/// Warns that training does not move.
void warn_of_skips(const GradScalerCounters& counters);

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  bool enabled = true;
  double min_scale = 0x1p-64;
  double max_scale = 0x1p126;
  int hysteresis = 1;                 // bad steps per backoff: see ScalePolicy
  std::optional<Device> device = {};  // unset: that of the first loss or gradient
  ScalePolicy policy = ScalePolicy::kRefillAtGrowth;
  double overflow_share = 0;              // of ScalePolicy::kOverflowShare, in [0, 1]
  std::int64_t skips_in_a_row = 50;       // after so many, and as many again, `on_skips` is called
  SkipCallback on_skips = warn_of_skips;  // may be empty
  bool statistics = false;  // GradScaler::statistics may be asked; of gradients on one device
  int ledger = 0;           // passes that GradScaler::ledger keeps; 0: none. On the scaler's device
  OverflowPolicy on_overflow = OverflowPolicy::kSkip;  // kSanitize: on the scaler's device
  /// Of training on several ranks: amp::agreement(communicator) of <amp/distributed.hpp>, or a
  /// function of one's own. It must outlive the scaler's cycles. Parameters of an amp::DataParallel
  /// need it.
  AgreeCallback agree = {};
};

/// Everything a scaler remembers between steps. Trivially copyable.
struct GradScalerState {
  double scale = 65536, growth_factor = 2, backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  double min_scale = 0x1p-64, max_scale = 0x1p126;
  std::int32_t hysteresis = 1, hysteresis_left = 1, growth_tracker = 0;
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
  ScalePolicy policy = ScalePolicy::kRefillAtGrowth;
  double overflow_share = 0;
  std::int64_t updates_since_change = 0, bad_since_backoff = 0;

  friend bool operator==(const GradScalerState&, const GradScalerState&) = default;
};

namespace detail {

/// Throws for a scale, and for a state, that cannot work.
void check_scale(std::string_view call, std::string_view what, double value);
void check_state(const GradScalerState& state);

GradScalerState initial_state(const GradScalerOptions& options);
kernels::ScaleRule rule_of(const GradScalerState& state);

/// The part of the state that changes, as it lies on the device.
kernels::ScaleState live_part(const GradScalerState& state);
void set_live_part(GradScalerState& state, const kernels::ScaleState& live);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/state.ipp"
#endif
