// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Learning rates that follow a schedule: value types, evaluated by the kernel from the device's
// count of applied steps. So they do not advance if a step is skipped, and a captured graph replays
// them.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The learning rate as a function of t, the number of steps applied before. The functions in
/// schedule.hpp make schedules and combine them; the default is constant. A schedule has at most
/// kMaxPieces pieces, from any of which another formula may hold.
class Schedule {
 public:
  /// The formulas of a piece, with t counted from its origin (kernels/optim/scheduled_rate.hpp).
  enum class Kind : std::uint8_t {
    kFactor,      ///< rate * first
    kPower,       ///< rate * first^floor(t / steps)
    kLinear,      ///< rate * (from `first` to `last` over `steps`)
    kPolynomial,  ///< rate * (1 - t / steps)^shape, 0 from t = steps on
    kCosine,      ///< half a cosine from the rate to `last` over `steps`
    kRestarts,    ///< the same again and again, each time `shape` times as long
    kOneCycle,    ///< from rate / first over the rate to rate / first * last; `shape` of it rises
    kCyclic,      ///< to `last` in `steps`, back in `shape`; the nth time first^(n - 1) as high
    kDecaying,    ///< the same, but first^t as high
  };
  struct Piece {
    Kind kind = Kind::kFactor;
    std::int64_t begin = 0;   // the step from which it holds, until another piece begins
    std::int64_t origin = 0;  // the step that it counts from
    std::int64_t steps = 1;
    double first = 1, last = 0, shape = 1;

    /// Whether it gives every rate back.
    constexpr bool does_nothing() const { return kind == Kind::kFactor && first == 1; }
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  /// Why a schedule cannot work, if it cannot. The optimizer that it is given to throws.
  enum class Fault : std::uint8_t { kNone, kPieces, kMilestones, kWarmup };

  static constexpr int kMaxPieces = 12;

  /// Constant.
  constexpr Schedule() = default;
  /// One formula.
  constexpr explicit Schedule(const Piece& piece) { add(piece); }

  /// The number of pieces.
  AMP_HOST_DEVICE constexpr int count() const { return count_; }
  AMP_HOST_DEVICE constexpr const Piece& operator[](int i) const { return pieces_[i]; }
  /// Why the schedule cannot work: kNone if it can.
  constexpr Fault fault() const { return fault_; }
  /// Makes it a schedule that cannot work.
  constexpr void set_fault(Fault fault) { fault_ = fault; }

  /// Adds a formula. Those that begin at the same step act one after the other, each on the rate
  /// that the one before gives.
  constexpr void add(const Piece& piece) {
    if (count_ == kMaxPieces) {
      fault_ = Fault::kPieces;
    } else {
      pieces_[count_++] = piece;
    }
  }
  /// Returns the step at which the formulas of step t began; -1 if there are none.
  AMP_HOST_DEVICE constexpr std::int64_t begin_of(std::int64_t t) const {
    std::int64_t begin = -1;
    for (int i = 0; i < count_; ++i) {
      if (pieces_[i].begin <= t && pieces_[i].begin > begin) begin = pieces_[i].begin;
    }
    return begin;
  }
  /// Adds another schedule, which counts from step `from` on and ends before step `end`.
  constexpr void add(const Schedule& other, std::int64_t from, std::int64_t end = INT64_MAX) {
    if (other.fault_ != Fault::kNone) fault_ = other.fault_;
    if (other.begin_of(0) < 0 && from > 0) add(Piece{.begin = from});
    for (int i = 0; i < other.count_; ++i) {
      Piece piece = other.pieces_[i];
      if (piece.begin >= end - from) continue;
      piece.begin += from;
      piece.origin += from;
      add(piece);
    }
  }

  /// Returns the same schedule after a warm-up of `count` steps that rise linearly from `start`
  /// times the rate: a third of it by default (torch: LinearLR, then this). after_warmup(count, 0)
  /// rises from 0, as in nanoGPT and most transformers.
  constexpr Schedule after_warmup(std::int64_t count, double start = 1.0 / 3) const {
    Schedule schedule;
    if (count < 0) schedule.fault_ = Fault::kWarmup;
    if (count > 0) {
      schedule.add(Piece{.kind = Kind::kLinear, .steps = count, .first = start, .last = 1});
      schedule.add(*this, count);
    } else {
      schedule.add(*this, 0);
    }
    return schedule;
  }

  friend constexpr bool operator==(const Schedule& a, const Schedule& b) {
    if (a.count_ != b.count_ || a.fault_ != b.fault_) return false;
    for (int i = 0; i < a.count_; ++i) {
      if (!(a.pieces_[i] == b.pieces_[i])) return false;
    }
    return true;
  }

 private:
  Piece pieces_[kMaxPieces] = {};
  int count_ = 0;
  Fault fault_ = Fault::kNone;
};

namespace kernels {

/// The learning rate of a step, as a function of the steps applied before.
struct LearningRate {
  double rate;
  Schedule schedule;
  const double* current = nullptr;  // on the device, in place of `rate`: what a graph reads

  friend bool operator==(const LearningRate&, const LearningRate&) = default;
};

}  // namespace kernels
}  // namespace amp::inline v0
