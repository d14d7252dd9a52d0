// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The optimizer that steps with a rule: parameters in groups, each with its own options, and the
// states that the rule needs for each parameter.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "amp/core/not_options.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"
#include "amp/optim/param_group.hpp"
#include "amp/optim/saved_state.hpp"

namespace amp::inline v0 {

namespace kernels {

template <class Rule>
struct OptimizerParameter;
template <class Rule>
struct OptimizerGroup;
template <class Rule>
struct OptimizerArgs;

}  // namespace kernels

namespace detail {

/// The names that options have in torch and elsewhere, for a deleted constructor.
struct OptionsOfOthers {
  struct Value {
    template <class T>
    constexpr Value(const T&) {}
    constexpr Value(std::initializer_list<double> = {}) {}
  };
  Value lr = {}, learning_rate = {}, alpha = {}, rho = {}, lr_decay = {}, beta2_decay = {},
        momentum = {}, dampening = {}, betas = {}, beta1 = {}, beta2 = {}, eps = {}, epsilon = {},
        weight_decay = {}, initial_accumulator_value = {}, momentum_decay = {}, nesterov = {},
        centered = {}, decoupled_weight_decay = {}, amsgrad = {}, foreach = {}, maximize = {},
        capturable = {}, differentiable = {}, fused = {};
};

template <class T>
concept Parameters = std::same_as<T, std::vector<Tensor>> || std::same_as<T, NamedTensors> ||
    std::same_as<T, std::vector<ParameterView>>;

}  // namespace detail

/// An optimizer whose parameters come in groups, each stepped with a rule of kernels/optim. A
/// Formula defines one optimizer:
/// - Options of a group, set by the user: lr, schedule, storage, moments, seed, zero_grad and more.
/// - Rule, read by the kernels: rule(options) makes it from complete options.
/// - kName and kStates: the names of the optimizer and of the rule's states.
/// - complete(options) fills in unset options, and throws if options contradict each other.
/// - visit(options, f) calls f(name, number, below) for each number that may change while training.
///   The number must lie in [0, below), or in [0, infinity) if `below` is not given.
/// It may have a class Preparation, which computes what takes the gradients' place in the step, as
/// Muon's does; check_parameter(i, parameter), which throws if it cannot; and kShapes, the shapes of
/// states that only the preparation uses (detail::OptimizerState::shape_of).
/// The members are defined in rule_optimizer.ipp, which the file that defines the formula includes.
template <class Formula>
class RuleOptimizer : public Optimizer {
  using Rule = typename Formula::Rule;
  static constexpr bool kPrepares = requires { typename Formula::Preparation; };

 public:
  using Options = typename Formula::Options;
  using Group = ParamGroup<Options>;

  /// One group. Parameters must be contiguous leaves that require gradients, on one device, without
  /// repetition. Throws if they are not, or if an option is invalid.
  explicit RuleOptimizer(std::vector<Tensor> params, const Options& options = {});
  explicit RuleOptimizer(const NamedTensors& params, const Options& options = {});
  /// One group of parameters in the user's memory. Throws if the parts of a view do not fit each
  /// other or share memory.
  explicit RuleOptimizer(const std::vector<ParameterView>& views, const Options& options = {});
  template <detail::Parameters Params = std::vector<Tensor>, detail::NotOptions<Options> ByPlace,
            class... More>
  RuleOptimizer(const Params&, ByPlace, More...) = delete;  // write {.lr = 3e-4}
  template <detail::Parameters Params = std::vector<Tensor>,
            std::same_as<detail::OptionsOfOthers> Others = detail::OptionsOfOthers>
  RuleOptimizer(const Params&, const Others&) = delete;  // names are .lr, .beta1, .weight_decay ...
  /// Several groups, each with its own options. No name may be in two of them.
  explicit RuleOptimizer(std::vector<Group> groups);
  ~RuleOptimizer() override;

  /// The groups, in the order in which they were given. Options may be changed between steps;
  /// params may not.
  std::vector<Group>& param_groups() { return groups_; }
  const std::vector<Group>& param_groups() const { return groups_; }
  /// The options of the first group.
  Options& options() { return groups_[0].options; }
  const Options& options() const { return groups_[0].options; }

  /// Returns the learning rate of the next step: options.lr after its schedule. Synchronises,
  /// because the device counts the steps.
  double lr(std::size_t group = 0) const;

  /// Adds a group. Throws, adding nothing, if an option or a parameter is invalid.
  void add_param_group(Group group);

 private:
  /// One group, in a list.
  static std::vector<Group> one(std::vector<Tensor> params, const Options& options);
  static std::vector<Group> one(const NamedTensors& params, const Options& options);
  static std::vector<Group> one(const std::vector<ParameterView>& views, const Options& options);
  static StateChoice choice_of(const Options& options);
  static bool maximizes(const Options& options);
  static void complete(Options& options);

  void check_options() override;
  void apply(const GradScale& scale) override;
  static void launch(const kernels::OptimizerArgs<Rule>& args);
  detail::PoolVector<State*> states() override;
  StateChoice choice(std::size_t i) const override;
  Hyperparameters hyperparameters() override;

  /// The index of the first parameter of a group among parameters().
  std::size_t begin_of(std::size_t group) const;
  /// Calls f(i, gradient) for each parameter of a group that has a gradient.
  template <class F>
  void for_each_gradient(std::size_t group, F&& f) const;

  /// Lists the parameters that have a gradient, and their groups, for the kernel.
  void list();
  void list(std::size_t i, const Tensor& grad, const StateChoice& choice, const Rule& rule);
  /// The device memory from which a recorded step reads the learning rates, one for each group.
  /// Null outside of a recording.
  const double* rates_of_graph() const;
  class GraphRates;

  State steps_{.name = "step", .kind = State::kCount};
  State products_{.name = "mu_product", .kind = State::kProduct};
  State states_[std::size(Formula::kStates)];
  std::vector<Group> groups_;
  std::vector<std::size_t> ends_;  // for each group, one past its last index in parameters()
  // Rebuilt in each step; the memory is reused.
  detail::PoolVector<kernels::OptimizerGroup<Rule>> groups_list_;
  detail::PoolVector<kernels::OptimizerParameter<Rule>> parameters_list_;
  kernels::DescriptorTable table_, preparation_table_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/rule_optimizer.ipp"
#endif
