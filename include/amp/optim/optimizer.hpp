// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every optimizer shares: its parameters, their gradients, and the two ways to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/optim/parameter_view.hpp"
#include "amp/optim/weight_storage.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Base of amp's optimizers. Scale-aware: step(const GradScale&) reads scaled gradients once and
/// unscales, clips, skips and updates in that pass. Known to a GradScaler by address, so neither
/// copied nor moved.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  AMP_INLINE virtual ~Optimizer();

  /// Of all groups, in order.
  const std::vector<Tensor>& parameters() const { return parameters_; }
  /// Their names, or numbers where they were given without.
  const std::vector<std::string>& parameter_names() const { return names_; }

  /// Throws if `loss` depends on a leaf that requires gradients and is a parameter neither of this
  /// optimizer nor among `others`: it would never be stepped. To be called once, after the first
  /// forward pass: it walks the graph.
  void check_trains(const Tensor& loss, const std::vector<Tensor>& others = {}) const;

  /// How many steps were applied: what schedules count. Synchronises.
  std::int64_t applied_steps() const;

  /// Forgets all gradients; the next backward makes new ones. Those in memory of the user's become
  /// 0 there, a launch each: options.zero_grad does so within the step.
  void zero_grad();

  /// body(view) for each gradient that exists now, and a list of them. Views have the name of the
  /// parameter if it was given one.
  template <class Body>
  void visit_gradients(Body&& body) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (const Tensor g = parameters_[i].grad(); g.defined())
        body(TensorView{g.raw_data(), g.numel(), g.dtype(), g.device(), given_name(i)});
    }
  }
  std::vector<TensorView> gradients() const;

  /// Says that the float32 and float64 gradients were unscaled in place. 16-bit ones stay scaled,
  /// and marked, until step(const GradScale&).
  void mark_unscaled();

  /// One step with the gradients as they are. Throws where a gradient still carries the scale of a
  /// scaled loss. Of gradients in memory of the user's that is known only from GradScaler::unscale_
  /// on, which leaves 16-bit ones scaled. Does not synchronise.
  void step();
  /// One step with gradients that `scale` corrects; changes nothing where *scale.found_inf is not
  /// 0. Does not synchronise.
  void step(const GradScale& scale);

  /// The weights of all parameters as the next step will see them, in float32 (float64 where the
  /// parameter is): copies, on its device. Throws where a parameter has another shape or device
  /// than what is kept beside it. Synchronises where something is.
  std::vector<Tensor> master_weights() const;
  /// Makes these the weights, for each parameter of its shape, float32 (float64 where the parameter
  /// is), on any device. Bit for bit in kMaster and kRemainder; kKahan keeps 16 bits of
  /// significand, kParameter and kStochastic what the parameter holds, rounded to nearest.
  /// Throws, changing nothing, where a tensor does not fit. Synchronises where a storage is split,
  /// or the device another.
  void set_master_weights(std::span<const Tensor> weights);

  /// A copy of everything that changes: per parameter what the optimizer remembers,
  /// "weight.exp_avg" (parameters without names go by their number), the number of applied steps,
  /// and each group's numbers, "groups.0.lr". Weights that are not in the parameter alone are part
  /// of it ("weight.master", "weight.remainder", "weight.compensation"); other options, as the
  /// storage and its seed, are not. Synchronises.
  NamedTensors state_dict() const;
  /// Throws, changing nothing, where a name is unknown, missing or there twice, or a shape or dtype
  /// differs. What a parameter has no entry for starts anew. Synchronises.
  void load_state_dict(const NamedTensors& tensors);

 protected:
  using State = detail::OptimizerState;
  using StateChoice = detail::StateChoice;

  explicit Optimizer(std::string_view name);

  /// Adds a parameter. Throws where it cannot be trained.
  void adopt(const Tensor& p, std::string_view called);
  void adopt(const ParameterView& view);
  /// Makes the user's 16-bit copy of parameter i equal to it, if there is one.
  void write_low_precision(std::size_t i) const;
  /// The copies of parameter i that its step writes as well.
  kernels::LowPrecisionCopies copies_to_write(std::size_t i) const;
  /// Forgets all parameters but the first `count`.
  void forget_after(std::size_t count);
  /// Throws where what is remembered of parameter i is not what it should be by now.
  void check_state(std::size_t i, const StateChoice& choice,
                   const detail::PoolVector<State*>& remembered) const;
  /// Throws where parameter i cannot be stepped with this gradient and what is remembered of it.
  void check_gradient(std::size_t i, const Tensor& grad, const StateChoice& choice,
                      const detail::PoolVector<State*>& remembered) const;
  /// What a step reads and writes of parameter i beside it.
  void* state_of(State& state, std::size_t i, const StateChoice& choice);
  kernels::StoredWeight stored_weight(std::size_t i, const StateChoice& choice);
  detail::PoolVector<State*> all_states();
  std::string_view name() const { return name_; }
  const Tensor& applied() const { return applied_; }

  virtual void apply(const GradScale& scale) = 0;
  /// Throws where options cannot work.
  virtual void check_options() = 0;
  /// What the formula remembers; the rest of the weights is not part of it.
  virtual detail::PoolVector<State*> states() = 0;
  /// What the options of parameter i say.
  virtual StateChoice choice(std::size_t i) const = 0;
  /// The options that a schedule or a user may change while training, by name.
  using Numbers = std::vector<std::pair<std::string, double*>>;
  virtual Numbers numbers() = 0;

 private:
  static void exchange(const Numbers& numbers, std::vector<double>& values) noexcept;
  std::string entry_name(std::size_t i, const State& state) const;
  /// A parameter that was stepped has all entries. Weights alone may be there before: those that
  /// set_master_weights gave.
  void check_complete(std::size_t i, const detail::PoolVector<State*>& all,
                      const detail::PoolVector<detail::PoolVector<Tensor>>& loaded) const;
  void check_known(std::string_view entry, const detail::PoolVector<State*>& all);
  WeightStorage storage_of(std::size_t i) const;
  /// What weights in this storage keep beside the parameter; null where that is nothing.
  State* aux_state_in(WeightStorage storage);
  State* aux_state_of(std::size_t i);
  const State* aux_state_of(std::size_t i) const;

  /// Empty for a parameter that goes by its number.
  std::string_view given_name(std::size_t i) const {
    return has_name_[i] ? std::string_view(names_[i]) : std::string_view();
  }

  bool is_view(std::size_t i) const { return i < views_.size() && views_[i].has_value(); }

  std::string_view name_;
  std::vector<Tensor> parameters_;
  detail::PoolVector<std::optional<ParameterView>> views_;  // of parameters that are, without names
  std::vector<std::string> names_;
  std::vector<bool> has_name_;  // for each, whether it was given
  Tensor applied_;              // int64, on the device
  State rests_[3] = {{"master", State::kRest, WeightStorage::kMaster},
                     {"remainder", State::kRest, WeightStorage::kRemainder},
                     {"compensation", State::kRest, WeightStorage::kKahan}};
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/optimizer.ipp"
#endif
