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

/// Makes the ranks of a communicator train one model. From now on backward() leaves the average of
/// all ranks' gradients in `.grad`, and sends them while it goes on computing.
///
/// When it is made, parameters and buffers become those of rank 0. All ranks then do the same, each
/// with its part of the batch: forward, backward, step. As they step with the same gradients, bit
/// for bit, their parameters remain the same. A GradScaler needs GradScalerOptions::agree.
///
/// Gradients: of a loss that is a mean over the rank's samples, when ranks have as many; else see
/// weigh(). With gradients in the dtype that is sent, `.grad` is a view of a buffer of this object:
/// the next pass that sends overwrites it.
/// Accumulation: within NoSyncGuard backward only adds, and the pass after it sends the sum.
/// Errors: amp::Error if ranks have different parameters, if a parameter is in another
/// DataParallel, and from backward(), if a parameter has no gradient and find_unused is not set.
/// CommunicationError if another rank fails. After an error within backward the ranks are out of
/// step: end the job, and resume it from a checkpoint.
/// Synchronisation: on a GPU none, apart from the options that say so.
/// Lifetime: the communicator outlives it. The parameters keep their memory, dtype and device as
/// long as it exists.
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
  /// Over the parameters and buffers of a model.
  DataParallel(const nn::Module& model, Communicator& communicator,
               const DataParallelOptions& options = {});
  /// Over tensors of one's own. Parameters that do not require gradients are not sent.
  DataParallel(const NamedTensors& parameters, Communicator& communicator,
               const DataParallelOptions& options = {});
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;
  ~DataParallel();

  /// The communicator that it was made with.
  Communicator& communicator() const;

  /// loss * own * ranks / total: what to start backward from if the loss is a mean over `own`
  /// samples of a batch of which all ranks together have `total`. So the average of the gradients
  /// is that of the mean over the whole batch, also if ranks have different numbers of samples.
  /// Throws unless 0 < own <= total.
  Tensor weigh(const Tensor& loss, std::int64_t own, std::int64_t total) const;
  /// In place of backward() on a rank that has no sample while others have some: takes part with
  /// gradients of 0. What was accumulated before is sent; within NoSyncGuard nothing happens. With
  /// a scaler such a rank still calls scale() first, of any number, as the scaler starts with it.
  void backward_without_samples();

  /// Throws, on all ranks, if a parameter is not the same on all, bit for bit: names a rank and the
  /// first such parameter. All ranks call it. Waits for the device.
  void check_parameters();

  /// What it has sent so far.
  DataParallelStatistics statistics() const;

  /// For the layers above.
  detail::GradientReducer& reducer() const { return *reducer_; }

 private:
  Ref<detail::GradientReducer> reducer_;
};

/// While one exists, backward adds to gradients and sends nothing: for all but the last of several
/// batches whose gradients are added up before a step. All ranks do the same.
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

/// For GradScalerOptions::agree: found_inf becomes not 0 on all ranks if it is on one, by one
/// all_reduce of 4 bytes. Does not synchronise on a GPU. The communicator outlives the scaler.
AgreeCallback agreement(Communicator& communicator);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/data_parallel.ipp"
#endif
