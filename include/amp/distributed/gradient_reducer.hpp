// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The work of a DataParallel during backward: it sends a bucket of gradients as soon as all of them
// are complete, and replaces them by the averages that it receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/distributed/comparison.hpp"
#include "amp/distributed/data_parallel_options.hpp"
#include "amp/distributed/gradient_buckets.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Sends the gradients of one DataParallel. The leaves call it during backward.
class AMP_EXPORT GradientReducer final : public autograd::GradientListener {
 public:
  GradientReducer(const NamedTensors& parameters, const NamedTensors& buffers,
                  Communicator& communicator, const DataParallelOptions& options);

  /// Removes the references that the leaves hold to this object.
  void detach() noexcept;

  AMP_INLINE void accumulated(std::size_t index) override;
  AMP_INLINE void backward_ends() override;
  AMP_INLINE void backward_fails() noexcept override;
  bool joins_ranks() const override { return true; }

  /// Ends a pass on a rank that has no samples.
  void end_without_samples();

  void pause() { ++paused_; }
  void go_on() { --paused_; }
  void check_parameters() const {
    const CallsOf calls = marked_calls();
    compare_parameters(communicator_, parameters_);
  }
  /// Marks the calls of the communicator, as long as the result exists, as those of this
  /// DataParallel, and of `bucket`, which counts from 1.
  [[nodiscard]] CallsOf marked_calls(std::size_t bucket = 0) const {
    return {communicator_, {.parallel = number_, .bucket = static_cast<std::int64_t>(bucket)}};
  }

  Communicator& communicator() const { return communicator_; }
  /// The parameters that require gradients.
  const NamedTensors& parameters() const { return parameters_; }
  const DataParallelStatistics& statistics() const { return statistics_; }
  Device device() const { return parameters_[0].second.device(); }

  // --- for a ShardedOptimizer
  /// From now on, until unshard(), this rank receives only its part of each bucket, and `.grad` is
  /// undefined after a pass.
  void shard();
  void unshard() { shards_ = has_shard_ = false; }
  /// Returns whether this rank has received gradients that no step has used yet.
  bool has_shard() const { return has_shard_; }
  void forget_shard() { has_shard_ = false; }
  bool shard_is_scaled() const { return shard_is_scaled_; }
  void note_unscaled() { shard_is_scaled_ = false; }
  std::vector<GradientBucket>& buckets() { return buckets_; }
  /// Copies each element of the parameters from the rank whose part contains it.
  void gather_parameters();

 private:
  void check_parameters(const NamedTensors& all) const;
  void broadcast(const NamedTensors& tensors) const;

  void begin();
  void end_pass(bool needs_gradients);
  /// Sends all gradients that are not sent yet, and replaces all of them by the averages.
  void send_all();
  void send(std::size_t bucket);
  /// Waits for messages of a failed pass: they use the buckets' memory.
  void settle() noexcept;
  void receive(std::size_t bucket);
  void receive_shard();
  void require_gradients() const;
  /// Sets used_, from the gradients of all ranks.
  void find_used();
  void send_buffers();
  PoolVector<Tensor> gradients_of(const GradientBucket& bucket) const;

  const float* factor() const { return static_cast<const float*>(words_.raw_data()); }
  const float* one() const { return factor() + 1; }
  float* found() const { return static_cast<float*>(words_.raw_data()) + 2; }

  Communicator& communicator_;
  std::int64_t number_ = 0;  // of this DataParallel, among those of the communicator
  DataParallelOptions options_;
  NamedTensors parameters_, frozen_;
  std::vector<GradientBucket> buckets_, buffer_buckets_;
  NamedTensors buffers_;  // floating-point buffers only
  std::vector<std::size_t> bucket_of_;
  Tensor words_;  // 1 / ranks, 1, and a found_inf that is not read
  DataParallelStatistics statistics_;
  int paused_ = 0;
  bool shards_ = false, has_shard_ = false, shard_is_scaled_ = false;

  // The state of the current pass.
  bool under_way_ = false;
  std::vector<bool> added_;
  std::vector<std::size_t> missing_;  // for each bucket, the number of incomplete gradients
  std::size_t next_ = 0;              // the bucket to be sent next
  std::vector<Collective> sent_;
  std::vector<bool> used_;  // for each parameter, whether it has a gradient on any rank
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/distributed/gradient_reducer.ipp"
#endif
