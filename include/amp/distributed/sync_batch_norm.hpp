// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batch norm over the batches of all ranks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "amp/core/not_options.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/nn/module.hpp"
#include "amp/nn/norm.hpp"

namespace amp::inline v0::nn {

/// Options of SyncBatchNorm.
using SyncBatchNormOptions = BatchNormOptions;

namespace detail {

/// Makes the batch norms within the module, and itself if it is one, compute over all ranks.
AMP_LAZY void synchronize_batch_norms(const Module& module, Communicator& communicator);

}  // namespace detail

/// Normalises each channel of x [N, C, ...] as BatchNorm2d does, but in training with the
/// statistics of the batches of all ranks, which may be of different sizes. So the result is that
/// of one process with the whole batch. All ranks must call it, and backward, in the same order;
/// each sends 2 C + 1 numbers in forward, and 2 C in backward. Gradients of weight and bias are
/// those of this rank's part, as of other layers: DataParallel averages them. The communicator must
/// outlive the module. Under autocast: unchanged.
///
/// ```cpp
/// amp::ThreadGroup::run(2, [](amp::Communicator& world) {
///   const amp::nn::SyncBatchNorm norm(1, world, {.affine = false});
///   const amp::Tensor y = norm(amp::full({4, 1}, world.rank()));  // the mean of all is 1/2
///   assert(y.to_vector<float>()[0] * (2 * world.rank() - 1) > 0.99F);
/// });
/// ```
class SyncBatchNorm : public detail::BatchNorm<SyncBatchNorm, 0> {
 public:
  SyncBatchNorm(std::nullptr_t = nullptr) : ChannelNormLayer(nullptr) {}  // empty
  /// For [N, channels, ...].
  AMP_LAZY SyncBatchNorm(std::int64_t channels, Communicator& communicator,
                         const SyncBatchNormOptions& options = {})
      : ChannelNormLayer(channels, options) {
    detail::synchronize_batch_norms(*this, communicator);
  }
  template <amp::detail::NotOptions<SyncBatchNormOptions> ByPlace, class... More>
  SyncBatchNorm(std::int64_t, Communicator&, ByPlace, More...) = delete;  // write {.eps = 1e-3}
};

/// Makes all batch norms of the model SyncBatchNorms, and returns the model. The layers stay the
/// same objects, with the same parameters and handles. It may be called before or after the model
/// is moved, and again with another communicator.
template <std::derived_from<Module> M>
M convert_sync_batchnorm(const M& model, Communicator& communicator) {
  detail::synchronize_batch_norms(model, communicator);
  return model;
}

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/distributed/sync_batch_norm.ipp"
#endif
