// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ledger of passes over gradients, as it lies on a device: a ring of passes. The device moves
// its cursor, so that the replay of a graph, which runs no host code, records its passes, too.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/device.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// The summary of one gradient in one pass. Scaled values are those that backward computed.
/// Unscaled values are those that the step reads, in its dtype. The same bits on every device.
struct GradientSummary {
  std::int64_t elements = 0;
  /// The index of the first element that is not finite when unscaled; -1 if there is none.
  std::int64_t first_bad = -1;
  /// The number of unscaled elements that are infinite, and that are NaN.
  std::int64_t infs = 0, nans = 0;
  /// The number of scaled elements that are 0.
  std::int64_t zeros = 0;
  /// The number of scaled elements that are not 0, but below 2^-14: subnormal in float16.
  std::int64_t underflows = 0;
  /// The number of scaled elements that are not 0, but below 2^-24, the smallest float16.
  std::int64_t lost = 0;
  /// The largest magnitude of the finite unscaled elements.
  double max_abs = 0;
  /// The L2 norm of the finite unscaled elements, rounded to float32 unless the gradient is
  /// float64.
  double norm = 0;

  /// Returns whether an element was not finite.
  bool is_bad() const { return first_bad >= 0; }
  friend bool operator==(const GradientSummary&, const GradientSummary&) = default;
};

namespace kernels {

/// The losses that a cycle scaled.
struct LossRecord {
  double value;        // the last, or the first one that is not finite, scaled or not
  std::int64_t count;  // of losses
  bool bad;            // whether one was not finite
  bool scaled_bad;     // whether one was not finite once scaled
};

/// Shared by the ledgers of a scaler.
struct LedgerClock {
  std::int64_t cycle;  // the number of cycles that tested gradients
  LossRecord loss;
};

struct LedgerRing {
  std::int64_t passes;  // recorded so far
};

/// The header of one pass; a GradientSummary of each gradient follows it.
struct LedgerHeader {
  std::int64_t cycle, gradients;
  std::int64_t names;  // the number of the list of their names, which the host keeps
  LossRecord loss;
  double scale;
  bool found_inf, sanitized;
};

/// A ring begins with a LedgerRing; `depth` slots follow, each a LedgerHeader and `capacity`
/// summaries.
struct LedgerLayout {
  std::int64_t depth, capacity;

  AMP_HOST_DEVICE std::int64_t slot_bytes() const {
    return static_cast<std::int64_t>(sizeof(LedgerHeader)) +
           capacity * static_cast<std::int64_t>(sizeof(GradientSummary));
  }
  AMP_HOST_DEVICE std::int64_t bytes() const {
    return static_cast<std::int64_t>(sizeof(LedgerRing)) + depth * slot_bytes();
  }
  /// The offset in bytes of pass n, counted from 0.
  AMP_HOST_DEVICE std::int64_t offset(std::int64_t n) const {
    return static_cast<std::int64_t>(sizeof(LedgerRing)) + n % depth * slot_bytes();
  }
};

/// Where a pass is recorded; it is not if `ring` is null.
struct LedgerArgs {
  LedgerRing* ring = nullptr;
  LedgerLayout layout = {1, 0};
  std::int64_t names = 0;
  const float* scale = nullptr;
  const float* sanitized = nullptr;  // not 0 if the gradients were sanitized; may be null
  LedgerClock* clock = nullptr;
  bool first = false;      // whether it is the first pass of its cycle
  bool with_loss = false;  // whether the cycle scaled a loss

  AMP_HOST_DEVICE LedgerHeader* header(std::int64_t n) const {
    return reinterpret_cast<LedgerHeader*>(reinterpret_cast<char*>(ring) + layout.offset(n));
  }
  /// The summaries of the pass that began last.
  AMP_HOST_DEVICE GradientSummary* summaries() const {
    return reinterpret_cast<GradientSummary*>(header(ring->passes - 1) + 1);
  }
  /// Begins a pass. To be called by one thread, before the summaries are written.
  AMP_HOST_DEVICE void begin_pass(std::int64_t gradients, bool found_inf) const {
    if (first) ++clock->cycle;
    LedgerHeader& pass = *header(ring->passes);
    pass.cycle = clock->cycle;
    pass.gradients = gradients;
    pass.names = names;
    pass.loss = with_loss ? clock->loss : LossRecord{};
    pass.scale = static_cast<double>(*scale);
    pass.found_inf = found_inf;
    pass.sanitized = sanitized != nullptr && *sanitized != 0;
    ++ring->passes;
  }
};

/// Adds a loss and the scaled loss to *record, which the `first` loss of a cycle overwrites. Both
/// are dense arrays of `numel` elements; the value of the loss is its first element.
struct RecordLossArgs {
  Device device;
  const void* loss;
  DType loss_dtype;
  const void* scaled;
  DType scaled_dtype;
  std::int64_t numel;
  LossRecord* record;
  bool first;

  AMP_HOST_DEVICE void add(double value, bool bad, bool scaled_bad) const {
    LossRecord sum = first ? LossRecord{} : *record;
    if (!sum.bad && !sum.scaled_bad) sum.value = value;
    ++sum.count;
    sum.bad |= bad;
    sum.scaled_bad |= scaled_bad;
    *record = sum;
  }
};

}  // namespace kernels
}  // namespace amp::inline v0
