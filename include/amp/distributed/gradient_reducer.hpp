// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a DataParallel does during backward: it sends a bucket of gradients as soon as all of them
// are complete, and puts what comes back in their place.
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

class AMP_EXPORT GradientReducer final : public autograd::GradientListener {
 public:
  GradientReducer(const NamedTensors& parameters, const NamedTensors& buffers,
                  Communicator& communicator, const DataParallelOptions& options);

  /// Leaves hold a reference to this: they give it back.
  void detach() noexcept;

  AMP_INLINE void accumulated(std::size_t index) override;
  AMP_INLINE void backward_ends() override;
  AMP_INLINE void backward_fails() noexcept override;
  bool joins_ranks() const override { return true; }

  void end_without_samples();

  void pause() { ++paused_; }
  void go_on() { --paused_; }
  void check_parameters() const { compare_parameters(communicator_, parameters_); }

  Communicator& communicator() const { return communicator_; }
  /// Those that are trained.
  const NamedTensors& parameters() const { return parameters_; }
  const DataParallelStatistics& statistics() const { return statistics_; }
  Device device() const { return parameters_[0].second.device(); }

  // --- for a ShardedOptimizer
  /// From now on, until unshard(), this rank gets only its part of each bucket, and `.grad` becomes
  /// undefined.
  void shard();
  void unshard() { shards_ = has_shard_ = false; }
  /// Whether there is a part that no step has used yet.
  bool has_shard() const { return has_shard_; }
  void forget_shard() { has_shard_ = false; }
  bool shard_is_scaled() const { return shard_is_scaled_; }
  void note_unscaled() { shard_is_scaled_ = false; }
  std::vector<GradientBucket>& buckets() { return buckets_; }
  /// Takes the parameters from the ranks in whose parts they lie.
  void gather_parameters();

 private:
  void check(const NamedTensors& all) const;
  void broadcast(const NamedTensors& tensors) const;

  void begin();
  void end_pass(bool needs_gradients);
  /// Sends all gradients that are not sent yet, and puts what comes back in their place.
  void send_all();
  void send(std::size_t bucket);
  /// Waits for messages of a pass that failed, which use the buckets' memory.
  void settle() noexcept;
  void receive(std::size_t bucket);
  void receive_shard();
  void require_gradients() const;
  /// Sets used_, from what all ranks have.
  void find_used();
  void send_buffers();
  PoolVector<Tensor> gradients_of(const GradientBucket& bucket) const;

  const float* factor() const { return static_cast<const float*>(words_.raw_data()); }
  const float* one() const { return factor() + 1; }
  float* found() const { return static_cast<float*>(words_.raw_data()) + 2; }

  Communicator& communicator_;
  DataParallelOptions options_;
  NamedTensors parameters_, frozen_;
  std::vector<GradientBucket> buckets_, buffer_buckets_;
  NamedTensors buffers_;  // floating-point ones
  std::vector<std::size_t> bucket_of_;
  Tensor words_;  // 1 / ranks, 1, and a found_inf that is not read
  DataParallelStatistics statistics_;
  int paused_ = 0;
  bool shards_ = false, has_shard_ = false, shard_is_scaled_ = false;

  // Of the pass under way.
  bool under_way_ = false;
  std::vector<bool> added_;
  std::vector<std::size_t> missing_;  // for each bucket, gradients that are not complete
  std::size_t next_ = 0;              // the bucket to be sent next
  std::vector<Collective> sent_;
  std::vector<bool> used_;  // for each parameter, whether it has a gradient on any rank
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/distributed/gradient_reducer.ipp"
#endif
