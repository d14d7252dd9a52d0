// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A learning rate that falls when a value, such as the loss on held-out data, improves no more.
#pragma once

#include <cstdint>

#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

/// Which values are better: lower or higher ones.
enum class PlateauMode : std::uint8_t { kMin, kMax };
/// What `threshold` is: a part of the best value, or a difference from it.
enum class PlateauThreshold : std::uint8_t { kRel, kAbs };

/// Options of ReduceLROnPlateau, with torch's meaning and defaults.
struct ReduceLROnPlateauOptions {
  PlateauMode mode = PlateauMode::kMin;
  double factor = 0.1;         // of each reduction; below 1
  std::int64_t patience = 10;  // bad values that are borne
  double threshold = 1e-4;     // by which a value must be better
  PlateauThreshold threshold_mode = PlateauThreshold::kRel;
  std::int64_t cooldown = 0;  // values that count for nothing after
  double min_lr = 0;          // no rate becomes smaller
  double eps = 1e-8;          // smaller reductions are left out
};

/// Reduces options.lr of every group of an optimizer, which must outlive it
/// (torch.optim.lr_scheduler.ReduceLROnPlateau). A schedule in the options goes on from the lower
/// rate, and a captured graph reads it at its next replay.
///
/// ```cpp
/// amp::Tensor w = amp::ones({2}, {.requires_grad = true});
/// amp::SGD optimizer({w}, {.lr = 1});
/// amp::ReduceLROnPlateau plateau(optimizer, {.factor = 0.5, .patience = 1});
/// for (const double loss : {3.0, 2.0, 2.5, 2.5}) plateau.step(loss);
/// assert(optimizer.options().lr == 0.5);
/// ```
class ReduceLROnPlateau {
 public:
  using Options = ReduceLROnPlateauOptions;

  /// Throws if an option cannot work.
  AMP_LAZY explicit ReduceLROnPlateau(Optimizer& optimizer, const Options& options = {});

  /// Takes the next value, on the host. NaN is worse than every number.
  AMP_LAZY void step(double metric);

  /// The options that it was made with.
  const Options& options() const { return options_; }
  /// The best value so far: an infinity before the first one.
  double best() const { return best_; }
  std::int64_t num_bad_epochs() const { return num_bad_epochs_; }

  /// Returns what changes: best, num_bad_epochs, cooldown_counter and last_epoch. The learning
  /// rates are in the optimizer's state.
  AMP_LAZY NamedTensors state_dict() const;
  /// Restores what state_dict() returned. Throws, changing nothing, if it does not fit.
  AMP_LAZY void load_state_dict(const NamedTensors& tensors);

 private:
  AMP_LAZY bool is_better(double metric) const;
  AMP_LAZY void reduce();

  Optimizer& optimizer_;
  Options options_;
  double best_;
  std::int64_t num_bad_epochs_ = 0, cooldown_counter_ = 0, last_epoch_ = 0;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/reduce_lr_on_plateau.ipp"
#endif
