// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data parallel training: every rank has the model, computes the gradients of its own part of the
// batch, and steps with the average of all.
#pragma once

#include <cstdint>

#include "amp/distributed/communicator.hpp"
#include "amp/distributed/data_parallel_options.hpp"
#include "amp/nn/module.hpp"
#include "amp/scaler/state.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {
class GradientReducer;
}

/// Makes the ranks of a communicator train one model. From then on backward() stores the average of
/// all ranks' gradients in `.grad`, and sends gradients while it computes the next ones.
///
/// The constructor copies parameters and buffers of rank 0 to all ranks. All ranks then run the
/// same loop, each with its part of the batch: forward, backward, step. They step with the same
/// gradients, bit for bit, so their parameters stay the same. A GradScaler needs
/// GradScalerOptions::agree.
///
/// Gradients: the loss of a rank should be a mean over its samples, with the same number of samples
/// on each rank; else see weigh(). If a gradient has the dtype that is sent, `.grad` is a view of a
/// buffer of this object: the next pass that sends overwrites it.
/// Accumulation: within NoSyncGuard backward only adds, and the next pass sends the sum.
/// Errors: the constructor throws amp::Error if ranks have different parameters or options, or if a
/// parameter is in another DataParallel; backward() throws it if a parameter has no gradient and
/// find_unused is false. CommunicationError if another rank fails, or if the ranks enter the
/// backward passes of several DataParallels in another order. It names them by their numbers, from
/// 1, in the order in which they were made on the communicator; NCCL cannot tell. After an error
/// within backward the ranks are out of step: end the job, and resume it from a checkpoint.
/// Synchronisation: training does not synchronise on a GPU, apart from the options that say so.
/// Lifetime: the communicator must outlive it. The parameters must keep their memory, dtype and
/// device as long as it exists.
///
/// ```cpp
/// amp::ThreadGroup::run(2, [](amp::Communicator& world) {
///   amp::nn::Linear model(4, 2);
///   amp::DataParallel parallel(model, world);
///   amp::SGD optimizer(model.parameters(), {.lr = 0.1});
///   amp::GradScaler scaler({.agree = amp::agreement(world)});
///   const amp::Tensor x = amp::full({8, 4}, world.rank());  // this rank's part of the batch
///   scaler.scale(amp::mean(model(x))).backward();
///   scaler.step(optimizer);
///   scaler.update();
///   parallel.check_parameters();  // throws if ranks differ
/// });
/// ```
///
/// Source: Li et al. 2020, arXiv 2006.15704; torch.nn.parallel.DistributedDataParallel.
class DataParallel {
 public:
  /// Trains the parameters of `model`, and broadcasts its buffers. All ranks call it. Synchronises.
  DataParallel(const nn::Module& model, Communicator& communicator,
               const DataParallelOptions& options = {});
  /// Trains the given leaves. The gradients of tensors that do not require gradients are not sent.
  DataParallel(const NamedTensors& parameters, Communicator& communicator,
               const DataParallelOptions& options = {});
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;
  ~DataParallel();

  /// The communicator that it was made with.
  Communicator& communicator() const;

  /// Returns loss * own * ranks / total, to call backward() on, for ranks with different numbers of
  /// samples: `loss` is the mean over the `own` samples of this rank, and all ranks together have
  /// `total`. The average over ranks is then the gradient of the mean over the whole batch.
  /// Throws unless 0 < own <= total.
  Tensor weigh(const Tensor& loss, std::int64_t own, std::int64_t total) const;
  /// Replaces backward() on a rank without samples while other ranks have some: contributes
  /// gradients of 0, or those accumulated before. Within NoSyncGuard it does nothing. With a
  /// GradScaler, the rank must call scale() with any scalar first, since that starts the cycle.
  void backward_without_samples();

  /// Throws, on all ranks, if a parameter differs between ranks in any bit. The message names the
  /// ranks and the first such parameter. All ranks call it. Synchronises.
  void check_parameters();

  /// The counts of this rank since construction.
  DataParallelStatistics statistics() const;

  /// For ShardedOptimizer.
  detail::GradientReducer& reducer() const { return *reducer_; }

 private:
  Ref<detail::GradientReducer> reducer_;
};

/// As long as a guard exists, backward adds to gradients and sends nothing. Use it for all but the
/// last of several batches whose gradients are accumulated for one step, on all ranks.
class NoSyncGuard {
 public:
  /// Stops the exchange of gradients by `parallel`.
  [[nodiscard]] explicit NoSyncGuard(DataParallel& parallel);
  NoSyncGuard(const NoSyncGuard&) = delete;
  NoSyncGuard& operator=(const NoSyncGuard&) = delete;
  ~NoSyncGuard();

 private:
  Ref<detail::GradientReducer> reducer_;
};

/// Returns a callback for GradScalerOptions::agree: it makes found_inf nonzero on all ranks if it
/// is nonzero on one, by an all_reduce of 4 bytes. The callback does not synchronise on a GPU. The
/// communicator must outlive the scaler.
AgreeCallback agreement(Communicator& communicator);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/data_parallel.ipp"
#endif
