// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An optimizer whose state is spread over the ranks: each keeps moments and master weights of a
// part of the parameters only, and steps with that.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "amp/distributed/data_parallel.hpp"
#include "amp/distributed/gradient_buckets.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/optim/param_group.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

class LAMB;

namespace detail {

/// The part of each parameter that is this rank's, beside the whole.
class ParameterShards {
 public:
  explicit ParameterShards(DataParallel& parallel);
  ParameterShards(const ParameterShards&) = delete;
  ParameterShards& operator=(const ParameterShards&) = delete;
  ~ParameterShards();

  /// The parts of `params`, which must be of the DataParallel; of all if it is empty.
  std::vector<ParameterView> views(const std::vector<Tensor>& params = {}) const;
  /// Throws if a parameter has other memory than when this was made.
  void require_memory() const;

  bool has_gradients() const;
  bool gradients_are_scaled() const;
  void note_unscaled();
  /// After a step with the parts: makes the parameters whole again, on all ranks.
  void gather();
  void zero_grad();
  Tensor gather_norms(const Tensor& norm) const;

  /// The state of an optimizer of whole parameters, from that of the parts, and the parts of one.
  NamedTensors whole(const NamedTensors& parts) const;
  NamedTensors parts(const NamedTensors& whole) const;

 private:
  struct Shard {
    std::string name;
    Tensor parameter;
    const void* data;  // its memory
    ParameterView view;
    std::vector<ElementRange> of_ranks;  // the elements that each rank has
  };

  /// The shard to whose state an entry belongs; null if it is of the whole optimizer.
  const Shard* shard_of(const std::string& entry) const;
  const ElementRange& own(const Shard& shard) const;

  Ref<GradientReducer> reducer_;
  std::vector<Shard> shards_;
};

}  // namespace detail

/// The optimizer O (SGD, Adam, AdamW, Lion) of a DataParallel's parameters, its state spread over
/// the ranks (ZeRO, stage 1): moments and master weights take 1/size() of their memory on each.
/// Every rank gets the sum of its part of the gradients (reduce_scatter instead of all_reduce),
/// steps with that, and gets the other parts of the parameters from the ranks that have them
/// (all_gather): as many bytes as without it.
///
/// The results are those of O, bit for bit if the engine adds in the same order; with
/// WeightStorage::kStochastic the random bits are others. Gradients come in the dtype that
/// is sent (DataParallelOptions::wire). After backward() `.grad` of the parameters is undefined.
/// Options: those of O. LAMB is not supported, as its rate is one of a whole parameter, nor is
/// DataParallelOptions::find_unused.
/// Use: as any optimizer of a GradScaler, which needs GradScalerOptions::agree. Clip with its
/// unscale_and_clip, whose norm is that of all ranks: clip_grad_norm_ would see no gradients.
/// Statistics and ledger are of this rank's part. Each backward() that sends is followed by a step,
/// or by zero_grad() of this optimizer.
/// step() without a scaler too is a call of all ranks. Synchronises no more than O.
/// Lifetime: the DataParallel outlives it, and has one ShardedOptimizer only.
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
      !std::is_same_v<O, LAMB>,
      "LAMB cannot be sharded: its learning rate depends on the norm of a whole parameter");

 public:
  using Options = typename O::Options;
  using Group = ParamGroup<Options>;

  /// Over all parameters of the DataParallel, in one group.
  explicit ShardedOptimizer(DataParallel& parallel, const Options& options = {})
      : shards_(parallel), local_(shards_.views(), options) {}
  /// Groups of parameters of the DataParallel, with options of their own. Names are those that the
  /// DataParallel has.
  template <std::same_as<std::vector<Group>> Groups>  // deduced, so that {...} are options
  ShardedOptimizer(DataParallel& parallel, const Groups& groups)
      : shards_(parallel), local_(groups_of(groups)) {}
  ShardedOptimizer(const ShardedOptimizer&) = delete;
  ShardedOptimizer& operator=(const ShardedOptimizer&) = delete;

  /// Those of this rank's part that no step has used yet.
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
  /// Forgets all gradients of the DataParallel's parameters.
  void zero_grad() { shards_.zero_grad(); }

  /// For a GradScaler: the norms of the parts that all ranks have.
  Tensor gather_norms(const Tensor& norm) const { return shards_.gather_norms(norm); }

  /// The optimizer of this rank's part, whose options may be changed between steps, on all ranks.
  O& local() { return local_; }
  const O& local() const { return local_; }

  /// The state as O would have it of whole parameters, so that it can be loaded with another number
  /// of ranks, or by O. All ranks call it, and all get it. Synchronises.
  NamedTensors state_dict() const { return shards_.whole(local_.state_dict()); }
  /// Takes this rank's part of such a state. Errors: those of O.
  void load_state_dict(const NamedTensors& tensors) {
    local_.load_state_dict(shards_.parts(tensors));
  }

 private:
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
