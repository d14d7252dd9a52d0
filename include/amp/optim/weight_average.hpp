// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Averages of weights over the steps of a training: exponential moving averages (EMA), and equal
// ones (SWA: Izmailov et al. 2018, arXiv 1803.05407), as torch.optim.swa_utils.AveragedModel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "amp/optim/optimizer.hpp"
#include "amp/optim/param_group.hpp"

namespace amp::inline v0 {

namespace kernels {
struct AverageRule;
}
namespace detail {
class AverageOfTensors;
}

/// Averages of weights, in float32 (float64 of float64), on their device: 16 bits would lose what
/// an update adds. The first update copies the weights.
///
/// An average made of an optimizer is updated at the end of each of its steps. Nothing
/// synchronises; a step that is skipped updates nothing; a captured step replays the update as
/// well. If the optimizer keeps float32 masters (WeightStorage::kMaster), these are averaged.
/// Parameters that are added to the optimizer later are not: see add().
///
/// An average made of tensors is updated by update(). After a scaler's step, before its update():
///   ema.update(scaler.step(optimizer).skipped_data());
///
/// ```cpp
/// amp::Tensor w = amp::zeros({2}, {.requires_grad = true});
/// amp::SGD optimizer({w}, {.lr = 1});
/// amp::ExponentialMovingAverage ema(optimizer, {.decay = 0.5});
/// for (int step = 0; step < 2; ++step) {
///   optimizer.zero_grad();
///   amp::sum(w).backward();
///   optimizer.step();
/// }
/// {
///   const amp::AverageGuard guard(ema);  // for evaluation
///   assert(w.to_vector<float>()[0] == -1.5F);
/// }
/// assert(w.to_vector<float>()[0] == -2);
/// ```
class WeightAverage {
 public:
  /// Averages other tensors as well, such as net.named_buffers(), the statistics of batch norm
  /// (AveragedModel with use_buffers). Tensors of integers are left out. Call it before the first
  /// update. Throws, adding nothing, if a tensor cannot be averaged.
  AMP_LAZY void add(const GroupParams& tensors);

  /// Takes the weights into the averages, unless *found_inf, on their device, is not 0. Throws if a
  /// tensor has another shape than before, or inside an AverageGuard. Does not synchronise.
  AMP_LAZY void update(const float* found_inf = nullptr);

  /// The averages: one for each tensor that is averaged, in order.
  AMP_LAZY const std::vector<Tensor>& averages() const;
  /// Returns the number of updates. Synchronises.
  AMP_LAZY std::int64_t n_averaged() const;

  /// Returns copies of the averages, as "module.weight" (torch's names; a tensor without a name has
  /// its index), and n_averaged. Synchronises.
  AMP_LAZY NamedTensors state_dict() const;
  /// Restores what state_dict() returned. Throws, changing nothing, if it does not fit.
  AMP_LAZY void load_state_dict(const NamedTensors& tensors);

 protected:
  AMP_LAZY WeightAverage(Optimizer& optimizer, const kernels::AverageRule& rule);
  AMP_LAZY WeightAverage(const GroupParams& tensors, const kernels::AverageRule& rule);
  ~WeightAverage() = default;

 private:
  friend class AverageGuard;
  std::shared_ptr<detail::AverageOfTensors> self_;
};

/// Options of ExponentialMovingAverage.
struct ExponentialMovingAverageOptions {
  double decay = 0.999;
  /// Uses (1 + n) / (10 + n) as the decay of update n, counted from 0, while that is smaller: so
  /// the first weights are soon forgotten.
  bool warmup = false;
};

/// average <- decay * average + (1 - decay) * weight (torch: AveragedModel with
/// get_ema_multi_avg_fn).
class ExponentialMovingAverage final : public WeightAverage {
 public:
  using Options = ExponentialMovingAverageOptions;

  /// Of the parameters of an optimizer, updated by its steps. Throws if the decay does not lie in
  /// [0, 1].
  AMP_LAZY explicit ExponentialMovingAverage(Optimizer& optimizer, const Options& options = {});
  /// Of tensors on one device, such as net.named_parameters(), updated by update().
  AMP_LAZY explicit ExponentialMovingAverage(const GroupParams& tensors,
                                             const Options& options = {});
};

/// The mean of the weights of all updates (torch: AveragedModel). Update it once in an epoch, say,
/// after the learning rate has come down to the constant one of the averaging:
/// sequence_schedule({..., cosine_schedule(anneal_steps, swa_lr)}, {swa_start}), which is torch's
/// SWALR. Afterwards batch norm needs statistics for the averaged weights: run the training data
/// through the network inside an AverageGuard.
class StochasticWeightAverage final : public WeightAverage {
 public:
  /// Of the parameters of an optimizer, updated by its steps.
  AMP_LAZY explicit StochasticWeightAverage(Optimizer& optimizer);
  /// Of tensors on one device, updated by update().
  AMP_LAZY explicit StochasticWeightAverage(const GroupParams& tensors);
};

/// Puts the averages in the place of the weights, for evaluation, and the weights back at its end.
/// Low-precision copies for autocast follow, except those in the user's memory
/// (ParameterView::low_precision). The weights are kept aside: this needs as much memory as they
/// have. No step may be made meanwhile.
class AverageGuard {
 public:
  /// Throws if there is no memory, or if the averages are there already.
  AMP_LAZY [[nodiscard]] explicit AverageGuard(WeightAverage& average);
  ~AverageGuard() { put_back(); }
  AverageGuard(const AverageGuard&) = delete;
  AverageGuard& operator=(const AverageGuard&) = delete;

 private:
  AMP_LAZY void put_back() noexcept;

  std::shared_ptr<detail::AverageOfTensors> average_;
  std::vector<Tensor> weights_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/weight_average.ipp"
#endif
