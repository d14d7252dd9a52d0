// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An optimizer whose state is divided over the ranks: each rank stores moments and master weights
// of its part of the parameters only, and steps that part.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "amp/core/not_options.hpp"
#include "amp/distributed/data_parallel.hpp"
#include "amp/distributed/gradient_buckets.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/optim/param_group.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

class LAMB;
class Adafactor;

namespace detail {

/// The parameters of a DataParallel, and this rank's part of each.
class ParameterShards {
 public:
  explicit ParameterShards(DataParallel& parallel);
  ParameterShards(const ParameterShards&) = delete;
  ParameterShards& operator=(const ParameterShards&) = delete;
  ~ParameterShards();

  /// Returns this rank's parts of `params`, which must be parameters of the DataParallel, or of all
  /// parameters if `params` is empty.
  std::vector<ParameterView> views(const std::vector<Tensor>& params = {}) const;
  /// Throws if the memory of a parameter has changed since construction.
  void require_memory() const;

  bool has_gradients() const;
  bool gradients_are_scaled() const;
  void note_unscaled();
  /// After a step of the parts: copies the parts of all ranks to all ranks.
  void gather();
  void zero_grad();
  /// Returns the norms of all ranks' parts, in float64.
  Tensor gather_norms(const Tensor& norm) const;

  /// Returns the state of an optimizer of whole parameters, from the states of all ranks' parts.
  NamedTensors whole(const NamedTensors& parts) const;
  /// Returns this rank's part of the state of an optimizer of whole parameters.
  NamedTensors parts(const NamedTensors& whole) const;

 private:
  struct Shard {
    std::string name;
    Tensor parameter;
    const void* data;  // its memory
    ParameterView view;
    std::vector<ElementRange> of_ranks;  // the elements in the part of each rank
  };

  /// Returns the shard to whose state an entry belongs, or null for an entry of no parameter.
  const Shard* shard_of(const std::string& entry) const;
  const ElementRange& own(const Shard& shard) const;

  Ref<GradientReducer> reducer_;
  std::vector<Shard> shards_;
};

}  // namespace detail

/// The optimizer O (SGD, Adam, AdamW, Lion) of a DataParallel's parameters, with its state divided
/// over the ranks (ZeRO, stage 1): on each, moments and master weights take 1/size() of the memory.
/// Each rank receives the averages of its part of the gradients (reduce_scatter instead of
/// all_reduce), steps that part, and receives the other parts of the parameters from the other
/// ranks (all_gather). The number of bytes sent is the same as without it.
///
/// Results: those of O, bit for bit if the engine adds in the same order, with two exceptions. The
/// random bits of WeightStorage::kStochastic and of moments = kBFloat16 are others. The norm that
/// unscale_and_clip returns is computed from those of the ranks' parts, so its last bits may
/// differ, and with them a step that it clips. Gradients have the dtype that is sent
/// (DataParallelOptions::wire). After backward() `.grad` of the parameters is undefined.
/// Options: those of O, but for moments = kUInt8. LAMB and Adafactor are not supported, since their
/// rates depend on the norm of a whole parameter, nor is DataParallelOptions::find_unused.
/// Use: like any optimizer of a GradScaler, with GradScalerOptions::agree set. Clip with the
/// scaler's unscale_and_clip, which computes the norm over all ranks: clip_grad_norm_ would find no
/// gradients. The scaler's statistics and ledger cover this rank's part. After each backward() that
/// sends, call step or zero_grad() of this optimizer before the next one. All ranks call step(),
/// also without a scaler. Synchronises no more than O.
/// Lifetime: the DataParallel must outlive it, and can have only one ShardedOptimizer.
///
/// ```cpp
/// amp::ThreadGroup::run(2, [](amp::Communicator& world) {
///   amp::nn::Linear model(4, 2);
///   amp::DataParallel parallel(model, world);
///   amp::ShardedOptimizer<amp::AdamW> optimizer(parallel, {.lr = 0.1});
///   amp::GradScaler scaler({.agree = amp::agreement(world)});
///   scaler.scale(amp::mean(model(amp::ones({8, 4})))).backward();
///   scaler.step(optimizer);
///   scaler.update();
/// });
/// ```
///
/// Source: Rajbhandari et al. 2020, arXiv 1910.02054, section 5.1.
template <class O>
class ShardedOptimizer {
  static_assert(
      !std::is_same_v<O, LAMB> && !std::is_same_v<O, Adafactor>,
      "LAMB and Adafactor cannot be sharded: their rates depend on the norm of a whole parameter");

 public:
  using Options = typename O::Options;
  using Group = ParamGroup<Options>;

  /// One group: all parameters of the DataParallel.
  explicit ShardedOptimizer(DataParallel& parallel, const Options& options = {})
      : shards_(parallel), local_(shards_.views(), options) {
    require_elements();
  }
  template <detail::NotOptions<Options> ByPlace, class... More>
  ShardedOptimizer(DataParallel&, const ByPlace&, More...) = delete;  // write {.lr = 3e-4}
  /// Several groups of parameters of the DataParallel, each with its own options. The names of the
  /// parameters are those of the DataParallel.
  template <std::same_as<std::vector<Group>> Groups>  // deduced, so that {...} are options
  ShardedOptimizer(DataParallel& parallel, const Groups& groups)
      : shards_(parallel), local_(groups_of(groups)) {
    require_elements();
  }
  ShardedOptimizer(const ShardedOptimizer&) = delete;
  ShardedOptimizer& operator=(const ShardedOptimizer&) = delete;

  /// Returns the gradients of this rank's part, if no step has used them yet.
  std::vector<TensorView> gradients() const {
    return shards_.has_gradients() ? local_.gradients() : std::vector<TensorView>();
  }
  void mark_unscaled() {
    local_.mark_unscaled();
    shards_.note_unscaled();
  }
  void step() {
    AMP_CHECK(shards_.has_gradients(), "step: there are no gradients; call backward() first");
    AMP_CHECK(!shards_.gradients_are_scaled(),
              "step: the gradients are those of a scaled loss; call scaler.step(optimizer)");
    shards_.require_memory();
    local_.step();
    shards_.gather();
  }
  void step(const GradScale& scale) {
    shards_.require_memory();
    local_.step(scale);
    shards_.gather();
  }
  /// Drops all gradients of the DataParallel's parameters.
  void zero_grad() { shards_.zero_grad(); }

  /// For a GradScaler: returns the norms of all ranks' parts, in float64, of shape [size()].
  Tensor gather_norms(const Tensor& norm) const { return shards_.gather_norms(norm); }

  /// The optimizer of this rank's part. Its options may be changed between steps, on all ranks
  /// alike.
  O& local() { return local_; }
  const O& local() const { return local_; }

  /// Returns the state that O would have for whole parameters, so that it can be loaded with
  /// another number of ranks, or by O. All ranks call it and get the same state. Synchronises.
  NamedTensors state_dict() const { return shards_.whole(local_.state_dict()); }
  /// Loads this rank's part of such a state. Throws as load_state_dict of O does.
  void load_state_dict(const NamedTensors& tensors) {
    local_.load_state_dict(shards_.parts(tensors));
  }

 private:
  /// Throws unless the moments have elements that the ranks can divide.
  void require_elements() const {
    for (const Group& group : local_.param_groups())
      AMP_CHECK(group.options.moments != kUInt8,
                "ShardedOptimizer: `moments` of uint8 are blocks, which it cannot divide over the "
                "ranks; use bfloat16");
  }
  std::vector<Group> groups_of(const std::vector<Group>& groups) const {
    std::vector<Group> parts;
    for (const Group& group : groups) {
      AMP_CHECK(!group.params.empty() && group.views.empty(),
                "ShardedOptimizer: a group must have `params`, and no `views`");
      parts.push_back({.options = group.options, .views = shards_.views(group.params)});
    }
    return parts;
  }

  detail::ParameterShards shards_;
  O local_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/sharded_optimizer.ipp"
#endif
