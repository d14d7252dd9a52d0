// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Learning rates by a function of the program's own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

/// Sets options.lr of every group of an optimizer, which must outlive it, to factor(t) times the
/// rate that the group had at first (torch.optim.lr_scheduler.LambdaLR). Here t is the number of
/// calls of step(): a function of the program cannot run on the device, which alone knows at once
/// whether a step was skipped. So t counts skipped steps too, unless the program asks, which
/// synchronises:
///   if (!scaler.step(optimizer).skipped()) scheduler.step();
/// The schedules of schedule.hpp count applied steps and need no call; combine them if they can
/// express the function (warm-ups, decays, sequences and products of these). A captured graph reads
/// options.lr at each replay: call step() between replays, outside of the recorded function.
class LambdaLR {
 public:
  using Factor = std::function<double(std::int64_t t)>;

  /// One function for all groups; sets the rates to factor(0) times theirs.
  AMP_LAZY LambdaLR(Optimizer& optimizer, Factor factor);
  /// A function for each group.
  AMP_LAZY LambdaLR(Optimizer& optimizer, std::vector<Factor> factors);

  /// Sets the rates of the next step. Throws, changing nothing, if a factor is no finite number
  /// from 0 on.
  AMP_LAZY void step();

  /// The number of calls of step().
  std::int64_t last_epoch() const { return last_epoch_; }

  /// Returns last_epoch and base_lrs, the rates of the groups at first. Those of the next step are
  /// in the optimizer's state.
  AMP_LAZY NamedTensors state_dict() const;
  /// Restores what state_dict() returned. Throws, changing nothing, if it does not fit.
  AMP_LAZY void load_state_dict(const NamedTensors& tensors);

 private:
  /// Sets the rates to those after `t` calls.
  AMP_LAZY void set_rates(std::int64_t t);

  Optimizer& optimizer_;
  std::vector<Factor> factors_;
  std::vector<double> base_lrs_;
  std::int64_t last_epoch_ = 0;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/lambda_lr.ipp"
#endif
