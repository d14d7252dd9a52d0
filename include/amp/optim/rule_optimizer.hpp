// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The optimizer that steps with a rule: parameters in groups, each with options of its own, and
// what the rule keeps beside each parameter.
#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

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

/// An optimizer whose parameters come in groups, each stepped with a rule of kernels/optim. Formula
/// says what is its own:
/// - Options of a group, which users write: lr, schedule, storage, moments, seed, zero_grad and
/// more.
/// - Rule, which the kernels read: rule(options) makes it of options that are complete.
/// - kName and kStates: the optimizer's name, and the names of what the rule keeps.
/// - step(device, args) is its kernel on that device.
/// - complete(options) fills in what the user left open, and throws if options do not go together.
/// - visit(options, f) calls f(name, number, below) for the numbers that may change while training:
///   each lies in [0, below), without a bound if `below` is not given.
/// The members are defined in rule_optimizer.ipp, for the file that has the formula.
template <class Formula>
class RuleOptimizer : public Optimizer {
  using Rule = typename Formula::Rule;

 public:
  using Options = typename Formula::Options;
  using Group = ParamGroup<Options>;

  explicit RuleOptimizer(std::vector<Tensor> params, const Options& options = {});
  explicit RuleOptimizer(const NamedTensors& params, const Options& options = {});
  /// Over memory of one's own. Throws if the parts of a view do not fit each other.
  explicit RuleOptimizer(const std::vector<ParameterView>& views, const Options& options = {});
  explicit RuleOptimizer(std::vector<Group> groups);
  ~RuleOptimizer() override;

  /// In the order in which they were given. Options may be changed between steps; params may not.
  std::vector<Group>& param_groups() { return groups_; }
  const std::vector<Group>& param_groups() const { return groups_; }
  /// Those of the first group.
  Options& options() { return groups_[0].options; }
  const Options& options() const { return groups_[0].options; }

  /// The learning rate of the next step: options.lr as the schedule has it by now. Synchronises:
  /// the steps are counted on the device.
  double lr(std::size_t group = 0) const;

  /// Adds a group; throws, adding nothing, where its options or parameters cannot work.
  void add_param_group(Group group);

 private:
  static std::vector<Group> one(std::vector<Tensor> params, const Options& options);
  static std::vector<Group> one(const NamedTensors& params, const Options& options);
  static std::vector<Group> one(const std::vector<ParameterView>& views, const Options& options);
  static StateChoice choice_of(const Options& options);
  static void complete(Options& options);

  void check_options() override;
  void apply(const GradScale& scale) override;
  detail::PoolVector<State*> states() override;
  StateChoice choice(std::size_t i) const override;
  Numbers numbers() override;

  std::size_t begin_of(std::size_t group) const;
  /// f(i, gradient) for the parameters of a group that have a gradient.
  template <class F>
  void for_each_gradient(std::size_t group, F&& f) const;

  /// What the kernel is to read: the parameters that have a gradient, and their groups.
  void list();
  void list(std::size_t i, const Tensor& grad, const StateChoice& choice, const Rule& rule);
  /// Where a recorded step finds the learning rates; null outside of a recording.
  const double* rates_of_graph() const;
  class GraphRates;

  State steps_{.name = "step", .kind = State::kCount}, states_[std::size(Formula::kStates)];
  std::vector<Group> groups_;
  std::vector<std::size_t> ends_;  // of each group among parameters()
  // Rebuilt each step, their memory kept.
  detail::PoolVector<kernels::OptimizerGroup<Rule>> groups_list_;
  detail::PoolVector<kernels::OptimizerParameter<Rule>> parameters_list_;
  kernels::DescriptorTable table_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/rule_optimizer.ipp"
#endif
