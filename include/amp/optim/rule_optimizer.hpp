// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The optimizer that steps with a rule: parameters in groups, each with options of its own, and
// what the rule keeps beside each parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/optim/host.hpp"
#include "amp/optim/param_group.hpp"
#include "amp/optim/saved_state.hpp"

namespace amp::inline v0 {

/// An optimizer whose parameters come in groups, each stepped with a rule of kernels/optim. Formula
/// says what is its own:
/// - Options of a group, which users write: lr, schedule, storage, moments, seed, zero_grad and
/// more.
/// - Rule, which the kernels read: rule(options) makes it of options that are complete.
/// - kName and kStates: the optimizer's name, and the names of what the rule keeps.
/// - kDevice: its kernel among those of a Backend.
/// - complete(options) fills in what the user left open, and throws if options do not go together.
/// - visit(options, f) calls f(name, number, below) for the numbers that may change while training:
///   each lies in [0, below), without a bound if `below` is not given.
template <class Formula>
class RuleOptimizer : public Optimizer {
  using Rule = typename Formula::Rule;
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();

 public:
  using Options = typename Formula::Options;
  using Group = ParamGroup<Options>;

  explicit RuleOptimizer(std::vector<Tensor> params, const Options& options = {})
      : RuleOptimizer(one(std::move(params), options)) {}
  explicit RuleOptimizer(const NamedTensors& params, const Options& options = {})
      : RuleOptimizer(one(params, options)) {}
  explicit RuleOptimizer(std::vector<Group> groups) : Optimizer(Formula::kName) {
    for (int s = 0; s < Rule::kStates; ++s) {
      states_[s].name = Formula::kStates[s];
      states_[s].may_lack = kernels::kMayLackStates<Rule>;
    }
    AMP_CHECK(!groups.empty(), name(), detail::kNoParams);
    for (Group& group : groups) add_param_group(std::move(group));
  }

  /// In the order in which they were given. Options may be changed between steps; params may not.
  std::vector<Group>& param_groups() { return groups_; }
  const std::vector<Group>& param_groups() const { return groups_; }
  /// Those of the first group.
  Options& options() { return groups_[0].options; }
  const Options& options() const { return groups_[0].options; }

  /// The learning rate of the next step: options.lr as the schedule has it by now. Synchronises:
  /// the steps are counted on the device.
  double lr(std::size_t group = 0) const {
    AMP_CHECK(group < groups_.size(), name(), "::lr: there are ", groups_.size(),
              " groups, but `group` is ", group);
    const Options& options = groups_[group].options;
    return scheduled_rate(options.schedule, options.lr, this->applied_steps());
  }

  /// Adds a group; throws, adding nothing, where its options or parameters cannot work.
  void add_param_group(Group group) try {
    complete(group.options);
    AMP_CHECK(!group.params.empty(), name(), detail::kNoParams);
    AMP_CHECK(group.names.empty() || group.names.size() == group.params.size(), name(),
              ": a group has ", group.params.size(), " params, but ", group.names.size(), " names");
    const std::size_t before = parameters().size();
    groups_.reserve(groups_.size() + 1);
    ends_.reserve(groups_.size() + 1);
    try {
      for (std::size_t k = 0; k < group.params.size(); ++k)
        adopt(group.params[k], group.names.empty() ? std::string_view() : group.names[k]);
      for (std::size_t i = before; i < parameters().size(); ++i)
        detail::check_choice(name(), i, parameters()[i], choice_of(group.options));
      for (std::size_t i = steps_.tensors.size(); Rule::kCountsSteps && i < parameters().size();
           ++i)
        steps_.tensors.push_back(zeros({}, {.dtype = kInt64, .device = parameters()[i].device()}));
    } catch (...) {
      forget_after(before);
      throw;
    }
    ends_.push_back(parameters().size());
    groups_.push_back(std::move(group));
  } catch (const std::bad_alloc&) {
    throw detail::OutOfMemory();
  }

 private:
  static std::vector<Group> one(std::vector<Tensor> params, const Options& options) {
    return detail::or_out_of_memory([&] {
      std::vector<Group> groups(1);
      groups[0] = {.params = std::move(params), .options = options};
      return groups;
    });
  }
  static std::vector<Group> one(const NamedTensors& params, const Options& options) try {
    std::vector<Group> groups(1);
    Group& group = groups[0];
    group.options = options;
    for (const auto& [name, tensor] : params) {
      group.names.push_back(name);
      group.params.push_back(tensor);
    }
    return groups;
  } catch (const std::bad_alloc&) {
    throw detail::OutOfMemory();
  }
  static StateChoice choice_of(const Options& options) {
    return {options.storage, options.moments};
  }
  static void complete(Options& options) {
    Formula::complete(options);
    Formula::visit(options, [](const char* option, double value, double below = kUnbounded) {
      AMP_CHECK(value >= 0 && value < below, Formula::kName, ": `", option, "` must lie in [0, ",
                below, "), but is ", value);
    });
    detail::check_schedule(Formula::kName, options.schedule);
  }

  void check_options() override {
    for (Group& group : groups_) complete(group.options);
  }
  void apply(const GradScale& scale) override {
    check_options();
    const detail::PoolVector<State*> remembered = all_states();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for_each_gradient(g, [&](std::size_t i, const Tensor& grad) {
        check_gradient(i, grad, choice_of(groups_[g].options), remembered);
      });
    }
    try {
      list();
      if (parameters_list_.empty()) return;
      const Tensor& any = parameters()[0];
      const kernels::OptimizerArgs<Rule> args{
          .device = any.device(),
          .groups = groups_list_.data(),
          .count = static_cast<std::int64_t>(groups_list_.size()),
          .applied = static_cast<std::int64_t*>(applied().raw_data()),
          .scale = scale,
          .table = &table_};
      kernels::dispatch<Formula::kDevice, kernels::host::optimizer_step<Rule>>(any.device(), args);
    } catch (...) {
      for (State* state : remembered) state->created.clear();
      throw;
    }
    for (State* state : remembered) state->keep_created();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].options.zero_grad) continue;
      for_each_gradient(g, [&](std::size_t i, const Tensor& grad) {
        grad.impl().storage->bump_version();
        autograd::leaf_of(parameters()[i])->is_scaled = false;  // 0 carries no scale
      });
    }
  }
  detail::PoolVector<State*> states() override {
    detail::PoolVector<State*> all;
    if (Rule::kCountsSteps) all.push_back(&steps_);
    for (State& state : states_) all.push_back(&state);
    return all;
  }
  StateChoice choice(std::size_t i) const override {
    std::size_t g = 0;
    while (ends_[g] <= i) ++g;
    return choice_of(groups_[g].options);
  }
  Numbers numbers() override {
    Numbers all;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::string prefix = "groups." + std::to_string(g) + ".";
      Formula::visit(groups_[g].options, [&](const char* option, double& number, double = 0) {
        all.emplace_back(prefix + option, &number);
      });
    }
    return all;
  }

  std::size_t begin_of(std::size_t group) const { return group == 0 ? 0 : ends_[group - 1]; }

  /// f(i, gradient) for the parameters of a group that have a gradient.
  template <class F>
  void for_each_gradient(std::size_t group, F&& f) const {
    for (std::size_t i = begin_of(group); i < ends_[group]; ++i) {
      if (const Tensor grad = parameters()[i].grad(); grad.defined()) f(i, grad);
    }
  }

  /// What the kernel is to read: the parameters that have a gradient, and their groups.
  void list() {
    groups_list_.clear();
    parameters_list_.clear();
    const double* const rates = rates_of_graph();
    parameters_list_.reserve(parameters().size());  // groups point into it
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::size_t before = parameters_list_.size();
      const Options& options = groups_[g].options;
      const Rule rule = Formula::rule(options);
      for_each_gradient(
          g, [&](std::size_t i, const Tensor& grad) { list(i, grad, choice_of(options), rule); });
      if (parameters_list_.size() == before) continue;
      groups_list_.push_back(
          {.parameters = parameters_list_.data() + before,
           .count = static_cast<std::int64_t>(parameters_list_.size() - before),
           .settings = {
               .lr = {options.lr, options.schedule, rates != nullptr ? rates + g : nullptr},
               .rule = rule,
               .seed = options.seed,
               .zero_grad = options.zero_grad,
               .stochastic_state = Rule::kStochasticState >= 0 && options.moments == kBFloat16}});
    }
  }
  void list(std::size_t i, const Tensor& grad, const StateChoice& choice, const Rule& rule) {
    const Tensor& p = parameters()[i];
    kernels::OptimizerParameter<Rule>& row = parameters_list_.emplace_back();
    row.parameter = p.raw_data();
    row.gradient = grad.raw_data();
    for (int s = 0; s < Rule::kStates && rule.keeps_states(); ++s)
      row.states[s] = state_of(states_[s], i, choice);
    if (Rule::kCountsSteps) row.step = static_cast<std::int64_t*>(steps_.tensors[i].raw_data());
    row.numel = p.numel();
    row.dtype = p.dtype();
    row.gradient_dtype = grad.dtype();
    row.state_dtype = detail::moment_dtype(choice, p.dtype());
    row.copies = detail::copies_to_write(p);
    row.weight = stored_weight(i, choice);
  }

  /// Where a recorded step finds the learning rates: each replay begins with those of then. Each
  /// warm-up asks for the same memory. Null outside of a graph.
  const double* rates_of_graph() {
    detail::Capture* const capture = detail::current_capture();
    const Device device = parameters()[0].device();
    if (capture == nullptr || device.type == kCPU) return nullptr;
    rates_ = Tensor();
    rates_ =
        empty({static_cast<std::int64_t>(groups_.size())}, {.dtype = kFloat64, .device = device});
    if (!capture->is_recording()) return nullptr;
    capture->before_replay([this, rates = rates_, sent = std::vector<double>()]() mutable {
      const bool first = sent.empty();
      sent.resize(static_cast<std::size_t>(rates.numel()));
      for (std::size_t g = 0; g < sent.size(); ++g) {
        const double lr = groups_[g].options.lr;
        if (first || sent[g] != lr) rates.select(0, static_cast<std::int64_t>(g)).fill_(lr);
        sent[g] = lr;
      }
    });
    return rates_.const_data<double>();
  }

  State steps_{.name = "step", .kind = State::kCount}, states_[Rule::kStates];
  std::vector<Group> groups_;
  Tensor rates_;                   // of the graph recorded last
  std::vector<std::size_t> ends_;  // of each group among parameters()
  // Rebuilt each step, their memory kept.
  detail::PoolVector<kernels::OptimizerGroup<Rule>> groups_list_;
  detail::PoolVector<kernels::OptimizerParameter<Rule>> parameters_list_;
  kernels::KeptTable table_;
};

}  // namespace amp::inline v0
