// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The base of all optimizers: the parameters, their gradients, and the two ways to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "amp/core/address_set.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/optim/parameter_view.hpp"
#include "amp/optim/weight_storage.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

class Optimizer;

namespace detail {

class GivenTensors;

/// What follows each step of an optimizer, such as an average of its weights.
struct StepFollower {
  /// `found_inf` is the step's: null, or on the device and not 0 if the step changed nothing.
  void (*after_step)(StepFollower& self, const Optimizer& optimizer, const float* found_inf);
};

/// Warns that a step reads a gradient which a step has read before, and to which a scaled loss was
/// added. `call` is the step's, or the name of its optimizer.
[[gnu::cold]] void warn_of_sum(std::string_view call, std::string_view parameter) noexcept;

}  // namespace detail

/// Base of amp's optimizers. An optimizer is scale-aware: step(const GradScale&) reads scaled
/// gradients once and unscales, clips, skips and updates in that pass. A GradScaler knows it by its
/// address, so it can be neither copied nor moved.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  AMP_INLINE virtual ~Optimizer();

  /// The parameters of all groups, in order.
  const std::vector<Tensor>& parameters() const { return parameters_; }
  /// The names of parameters(); a parameter without a name has its index.
  const std::vector<std::string>& parameter_names() const { return names_; }

  /// Throws if `loss` depends on a leaf that requires gradients but is neither a parameter of this
  /// optimizer nor one of `others`: it would never be stepped. Call it once, after the first
  /// forward pass: it walks the graph.
  AMP_LAZY void check_trains(const Tensor& loss, const std::vector<Tensor>& others = {}) const;

  /// Returns the number of steps applied; schedules count these. Synchronises.
  AMP_LAZY std::int64_t applied_steps() const;

  /// Returns the learning rate of each group, before its schedule: addresses of options.lr, until a
  /// group is added. For schedulers of your own.
  AMP_LAZY std::vector<double*> learning_rates();

  /// Drops all gradients; the next backward makes new ones. Gradients in the user's memory are set
  /// to 0 in place, with a launch each; options.zero_grad does so within the step.
  AMP_LAZY void zero_grad();

  /// Calls body(view) for each gradient that exists now. A view has the name of its parameter, if
  /// the parameter was given one.
  template <class Body>
  void visit_gradients(Body&& body) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (const Tensor g = parameters_[i].grad(); g.defined())
        body(TensorView{g.raw_data(), g.numel(), g.dtype(), g.device(), given_name(i)});
    }
  }
  /// Returns a view of each gradient that exists now.
  AMP_LAZY std::vector<TensorView> gradients() const;

  /// Records that the float32 and float64 gradients were unscaled in place. 16-bit gradients stay
  /// scaled, and marked as scaled, until step(const GradScale&).
  AMP_LAZY void mark_unscaled();

  /// Makes one step with the gradients as they are. Throws if a gradient still carries the scale of
  /// a scaled loss. For gradients in the user's memory this is known only after
  /// GradScaler::unscale_, which leaves 16-bit ones scaled. Does not synchronise.
  AMP_LAZY void step();
  /// Makes one step with the gradients multiplied by `scale`; changes no weight if
  /// *scale.found_inf is not 0. Warns, once for each optimizer, if zero_grad() was forgotten: a
  /// scaled loss was added to a gradient that a step had read (on the host, one that was not
  /// skipped). Throws if a gradient does not fit its parameter or an option is invalid. Does not
  /// synchronise.
  AMP_LAZY void step(const GradScale& scale);

  /// Returns copies of the weights of all parameters as the next step will read them, in float32
  /// (float64 if the parameter is float64), on the device of the parameters. Throws if a parameter
  /// and its auxiliary state have different shapes or devices. Synchronises if there is auxiliary
  /// state.
  AMP_LAZY std::vector<Tensor> master_weights() const;
  /// Returns the tensor that holds the weights of parameter i best: its float32 master if there is
  /// one (kMaster), else the parameter.
  AMP_LAZY Tensor stored_weights(std::size_t i) const;
  /// Calls follower->after_step at the end of each step in which a parameter has a gradient, as
  /// long as the follower lives.
  AMP_LAZY void add_follower(std::weak_ptr<detail::StepFollower> follower);
  /// Sets the weights of all parameters: one tensor for each, of its shape, in float32 (float64 if
  /// the parameter is float64), on any device. kMaster and kRemainder store them bit for bit,
  /// kKahan with 16 bits of significand; kParameter and kStochastic round them to nearest in the
  /// parameter's dtype. Throws, changing nothing, if a tensor does not fit. Synchronises if a
  /// storage is kRemainder or kKahan, or if a tensor is on another device.
  AMP_LAZY void set_master_weights(std::span<const Tensor> weights);

  /// Returns copies of everything that changes in training: the states of each parameter, as
  /// "weight.exp_avg" (a parameter without a name has its index: "0.exp_avg"), the number of
  /// applied steps, and the numeric options of each group, as "groups.0.lr". The auxiliary state of
  /// weights is included ("weight.master", "weight.remainder", "weight.compensation"); other
  /// options, such as `storage` and `seed`, are not. Synchronises.
  AMP_LAZY NamedTensors state_dict() const;
  /// Restores what state_dict() returned. A parameter without any entry starts anew. Throws,
  /// changing nothing, if names are unknown or missing or shapes or dtypes differ, listing all of
  /// these, if a name is given twice, or if an option is invalid. Synchronises.
  AMP_LAZY void load_state_dict(const NamedTensors& tensors);

 protected:
  using State = detail::OptimizerState;
  using StateChoice = detail::StateChoice;

  explicit Optimizer(std::string_view name);

  /// Adds a parameter. Throws if it cannot be trained.
  AMP_LAZY void adopt(const Tensor& p, std::string_view called);
  AMP_LAZY void adopt(const ParameterView& view);
  /// Makes the user's 16-bit copy of parameter i equal to it, if there is one.
  AMP_LAZY void write_low_precision(std::size_t i) const;
  /// Returns the low-precision copies of parameter i, which its step writes as well.
  AMP_LAZY kernels::LowPrecisionCopies copies_to_write(std::size_t i) const;
  /// Forgets all parameters but the first `count`.
  AMP_LAZY void forget_after(std::size_t count);
  /// Throws if a state of parameter i has not the dtype, shape and device that it should have now.
  AMP_LAZY void check_state(std::size_t i, const StateChoice& choice,
                            const detail::PoolVector<State*>& remembered) const;
  /// Throws if parameter i cannot be stepped with this gradient and these states.
  AMP_LAZY void check_gradient(std::size_t i, const Tensor& grad, const StateChoice& choice,
                               const detail::PoolVector<State*>& remembered) const;
  /// Returns the memory of a state of parameter i, created if there is none.
  AMP_LAZY void* state_of(State& state, std::size_t i, const StateChoice& choice);
  /// Returns how the weights of parameter i are stored; creates their auxiliary state if it is
  /// missing.
  AMP_LAZY kernels::StoredWeight stored_weight(std::size_t i, const StateChoice& choice);
  /// states(), and the auxiliary states of the weights.
  AMP_LAZY detail::PoolVector<State*> all_states();
  std::string_view name() const { return name_; }
  const Tensor& applied() const { return applied_; }

  /// Steps all parameters that have a gradient.
  virtual void apply(const GradScale& scale) = 0;
  /// Throws if an option is invalid.
  virtual void check_options() = 0;
  /// The states of the formula, without the auxiliary states of the weights.
  virtual detail::PoolVector<State*> states() = 0;
  /// The storage and the dtype of the moments that the options of parameter i ask for.
  virtual StateChoice choice(std::size_t i) const = 0;
  /// The options that a schedule or a user may change while training, by name.
  using Hyperparameters = std::vector<std::pair<std::string, double*>>;
  virtual Hyperparameters hyperparameters() = 0;

 private:
  static void exchange(const Hyperparameters& hyperparameters,
                       std::vector<double>& values) noexcept;
  AMP_LAZY std::string entry_name(std::size_t i, const State& state) const;
  /// Returns the entries of all states, each for all parameters; undefined if there is none. Throws
  /// if a state was saved with another storage.
  AMP_LAZY detail::PoolVector<detail::PoolVector<Tensor>> find_states(
      detail::GivenTensors& given, const detail::PoolVector<State*>& all) const;
  /// Notes the entries that a parameter which was stepped lacks. Before its first step, a parameter
  /// may have auxiliary state only: set_master_weights creates it.
  AMP_LAZY void check_complete(std::size_t i, detail::GivenTensors& given,
                               const detail::PoolVector<State*>& all,
                               const detail::PoolVector<detail::PoolVector<Tensor>>& found) const;
  AMP_LAZY WeightStorage storage_of(std::size_t i) const;
  /// The auxiliary state of weights in this storage, or null if the storage has none.
  AMP_LAZY State* aux_state_in(WeightStorage storage);
  AMP_LAZY State* aux_state_of(std::size_t i);
  AMP_LAZY const State* aux_state_of(std::size_t i) const;

  /// The name of parameter i; empty if it was given none.
  std::string_view given_name(std::size_t i) const {
    return has_name_[i] ? std::string_view(names_[i]) : std::string_view();
  }

  /// The same for messages, in quotes after a blank.
  AMP_LAZY std::string quoted_name(std::size_t i) const;
  /// Notes that this step reads the gradients, and warns of sums.
  AMP_LAZY void note_step();
  /// Moves the counts to the parameters, if these were moved after the optimizer was made.
  AMP_LAZY void follow_parameters();

  bool is_view(std::size_t i) const { return i < views_.size() && views_[i].has_value(); }

  std::string_view name_;
  std::vector<Tensor> parameters_;
  detail::PoolVector<std::optional<ParameterView>> views_;  // set for views; without names
  std::vector<std::string> names_;
  std::vector<bool> has_name_;  // false: the name is the index
  detail::AddressSet known_;    // of the parameters
  std::unordered_set<std::string> known_names_;
  Tensor applied_;  // int64, on the device
  bool warns_of_sums_ = true;
  std::vector<std::weak_ptr<detail::StepFollower>> followers_;
  State rests_[3] = {{"master", State::kRest, WeightStorage::kMaster},
                     {"remainder", State::kRest, WeightStorage::kRemainder},
                     {"compensation", State::kRest, WeightStorage::kKahan}};
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/optimizer.ipp"
#endif
