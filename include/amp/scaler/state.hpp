// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The options of a GradScaler, its state, and the state as text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "amp/device/device.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0 {

class Tensor;

using kernels::ScalePolicy;

/// What a scaler does with gradients that are not finite. The scale backs off in either case.
enum class OverflowPolicy : std::uint8_t {
  /// The step is skipped.
  kSkip,
  /// The gradients are made finite by nan_to_num_, before they are unscaled, and the step is taken.
  /// A step is still skipped if unscaling or the norm overflows.
  kSanitize [[deprecated("call amp::nan_to_num_ on the gradients before the step")]],
};

/// The number of optimizer steps applied and skipped, and how many updates in a row had a gradient
/// that was not finite.
struct GradScalerCounters {
  std::int64_t applied = 0, skipped = 0, consecutive_skips = 0;
  /// The number of passes in which OverflowPolicy::kSanitize changed a gradient, since the scaler
  /// was constructed. Not part of GradScalerState. The updates of such passes are included in
  /// consecutive_skips, because the scale backed off.
  std::int64_t sanitized = 0;
};

/// Called with the counters after many skipped steps in a row.
using SkipCallback = std::function<void(const GradScalerCounters&)>;

/// Makes found_inf the same on all processes that train one model. The argument is a 0-dimensional
/// float32 on the gradients' device; the callback sets it to a value other than 0 if it is not 0 on
/// one of the processes (NaN counts). All processes make these calls in the same order, each
/// between the pass over the gradients and the step. The callback enqueues its work on the current
/// stream, which orders it before the step and lets a graph record it.
using AgreeCallback = std::function<void(const Tensor& found_inf)>;

/// Prints a warning that training makes no progress. The default of GradScalerOptions::on_skips.
void warn_of_skips(const GradScalerCounters& counters);

/// The options of a GradScaler. The defaults are those of torch.amp.GradScaler.
struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;
  bool enabled = true;
  double min_scale = 0x1p-64;
  double max_scale = 0x1p126;
  /// The scale backs off at this many bad steps, counted as ScalePolicy says.
  int hysteresis = 1;
  /// The device of the scaler; if unset, that of the first loss or gradient.
  std::optional<Device> device = {};
  ScalePolicy policy = ScalePolicy::kRefillAtGrowth;
  /// The share of bad updates at which ScalePolicy::kOverflowShare backs off, in [0, 1].
  double overflow_share = 0;
  /// `on_skips` is called after this many skips in a row, and again after as many more, but only if
  /// the scaler is on the host.
  std::int64_t skips_in_a_row = 50;
  SkipCallback on_skips = warn_of_skips;  // may be empty
  /// Collects what GradScaler::statistics returns. The gradients of an optimizer must then lie on
  /// one device.
  bool statistics = false;
  /// The number of passes that GradScaler::ledger keeps for each optimizer; 0 for none. Losses and
  /// gradients must then lie on the scaler's device.
  int ledger = 0;
  /// With kSanitize, the gradients must lie on the scaler's device.
  OverflowPolicy on_overflow = OverflowPolicy::kSkip;
  /// For training on several ranks: amp::agreement(communicator) of <amp/distributed.hpp>, or your
  /// own function, which must outlive the scaler's cycles. Parameters of an amp::DataParallel need
  /// it.
  AgreeCallback agree = {};
};

/// Everything that a scaler remembers between steps. Trivially copyable.
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

/// The state as text: a line "name value" per field. Floating-point numbers are hexadecimal, so
/// that parse_grad_scaler_state() restores every bit.
std::string to_string(const GradScalerState& state);
/// The inverse of to_string(). Throws amp::Error, naming the line, if `text` has another form, or
/// if the state is not valid.
GradScalerState parse_grad_scaler_state(std::string_view text);

namespace detail {

/// Throws if the scale, or the state, is not valid.
void check_scale(std::string_view call, std::string_view what, double value);
void check_state(const GradScalerState& state);

GradScalerState initial_state(const GradScalerOptions& options);
kernels::ScaleRule rule_of(const GradScalerState& state);

/// The part of the state that changes from step to step, as it is stored on the device.
kernels::ScaleState live_part(const GradScalerState& state);
void set_live_part(GradScalerState& state, const kernels::ScaleState& live);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/scaler/state.ipp"
#endif
