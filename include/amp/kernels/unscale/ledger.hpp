// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ledger of passes over gradients: how it lies on a device. A ring of passes, whose cursor the
// device moves, so that the replay of a graph, which runs no host code, records as well.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/device.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// What one pass saw of one gradient. Scaled: as backward left it. Unscaled: as the step reads it,
/// in the dtype in which it does. The same bits on every device.
struct GradientSummary {
  std::int64_t elements = 0;
  std::int64_t first_bad = -1;      // the first element that is not finite unscaled; -1: none
  std::int64_t infs = 0, nans = 0;  // unscaled
  std::int64_t zeros = 0;           // scaled
  std::int64_t underflows = 0;      // not 0, but below 2^-14 while scaled: subnormal in float16
  std::int64_t lost = 0;            // not 0, but below 2^-24, the least that float16 has
  double max_abs = 0;               // of those that are finite, unscaled
  double norm = 0;  // L2, of those that are finite, unscaled; rounded to float32 unless the
                    // gradient is float64

  /// Whether an element was not finite.
  bool is_bad() const { return first_bad >= 0; }
  friend bool operator==(const GradientSummary&, const GradientSummary&) = default;
};

namespace kernels {

/// What was seen of the losses that a cycle scaled.
struct LossRecord {
  double value;        // the last, or the first one that is not finite, scaled or not
  std::int64_t count;  // of losses
  bool bad;            // whether one was not finite
  bool scaled_bad;     // whether one was not finite once scaled
};

/// What the ledgers of a scaler share.
struct LedgerClock {
  std::int64_t cycle;  // that began to look at gradients, from 1 on
  LossRecord loss;
};

struct LedgerRing {
  std::int64_t passes;  // recorded so far
};

/// Of one pass; a GradientSummary of each gradient follows.
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
  /// Where pass n lies, counted from 0, in bytes from the beginning.
  AMP_HOST_DEVICE std::int64_t offset(std::int64_t n) const {
    return static_cast<std::int64_t>(sizeof(LedgerRing)) + n % depth * slot_bytes();
  }
};

/// Where a pass is to be recorded; nowhere if `ring` is null.
struct LedgerArgs {
  LedgerRing* ring = nullptr;
  LedgerLayout layout = {1, 0};
  std::int64_t names = 0;
  const float* scale = nullptr;
  const float* sanitized = nullptr;  // not 0 if the gradients were; null: they were not
  LedgerClock* clock = nullptr;
  bool first = false;      // of its cycle
  bool with_loss = false;  // whether the cycle scaled a loss

  AMP_HOST_DEVICE LedgerHeader* header(std::int64_t n) const {
    return reinterpret_cast<LedgerHeader*>(reinterpret_cast<char*>(ring) + layout.offset(n));
  }
  /// Of the pass that began last.
  AMP_HOST_DEVICE GradientSummary* summaries() const {
    return reinterpret_cast<GradientSummary*>(header(ring->passes - 1) + 1);
  }
  /// By one thread, before the summaries are written.
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

/// Adds a loss, and what it became scaled, to *record; instead of what lies there if it is the
/// `first` of its cycle. Both dense, of `numel` elements; the value is that of the first one.
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
