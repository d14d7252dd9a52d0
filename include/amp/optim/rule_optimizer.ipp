// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Templates: a file that defines a formula includes this one and instantiates its optimizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/block_moments.hpp"
#include "amp/kernels/optim/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/rule_optimizer.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/cast_cache.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

template <class Formula>
AMP_COLD RuleOptimizer<Formula>::RuleOptimizer(std::vector<Tensor> params, const Options& options)
    : RuleOptimizer(one(std::move(params), options)) {}

template <class Formula>
AMP_COLD RuleOptimizer<Formula>::RuleOptimizer(const NamedTensors& params, const Options& options)
    : RuleOptimizer(one(params, options)) {}

template <class Formula>
AMP_COLD RuleOptimizer<Formula>::RuleOptimizer(const std::vector<ParameterView>& views,
                                               const Options& options)
    : RuleOptimizer(one(views, options)) {}

template <class Formula>
AMP_COLD RuleOptimizer<Formula>::RuleOptimizer(std::vector<Group> groups)
    : Optimizer(Formula::kName) {
  static_assert(Rule::kStates == std::size(Formula::kStates));
  Options defaults;
  Formula::complete(defaults);
  const Rule usual = Formula::rule(defaults);
  for (int s = 0; s < Rule::kStates; ++s) {
    states_[s].name = Formula::kStates[s];
    states_[s].may_lack = !usual.keeps_state(s);
    if constexpr (requires { Formula::kShapes; }) {
      states_[s].may_lack = false;
      states_[s].shape_of = Formula::kShapes[s];
    }
  }
  steps_.may_lack = !kernels::counts_steps(usual);
  AMP_CHECK(!groups.empty(), name(), detail::kNoParams);
  for (Group& group : groups) add_param_group(std::move(group));
}

template <class Formula>
RuleOptimizer<Formula>::~RuleOptimizer() = default;

template <class Formula>
AMP_COLD double RuleOptimizer<Formula>::lr(std::size_t group) const {
  AMP_CHECK(group < groups_.size(), name(), "::lr: there are ", groups_.size(),
            " groups, but `group` is ", group);
  const Options& options = groups_[group].options;
  return scheduled_rate(options.schedule, options.lr, this->applied_steps());
}

template <class Formula>
AMP_COLD void RuleOptimizer<Formula>::add_param_group(Group group) try {
  complete(group.options);
  AMP_CHECK(!group.params.empty() || !group.views.empty(), name(), detail::kNoParams);
  AMP_CHECK(group.params.empty() || group.views.empty(), name(),
            ": a group has both `params` and `views`; make it two groups");
  if (group.names.empty()) group.names = group.params.names();
  AMP_CHECK(group.names.empty() || group.names.size() == group.params.size(), name(),
            ": a group has ", group.params.size(), " params, but ", group.names.size(),
            " names (a view has its own)");
  const std::size_t before = parameters().size();
  groups_.reserve(groups_.size() + 1);
  ends_.reserve(groups_.size() + 1);
  try {
    for (const ParameterView& view : group.views) adopt(view);
    for (std::size_t k = 0; k < group.params.size(); ++k)
      adopt(group.params[k], group.names.empty() ? std::string_view() : group.names[k]);
    for (std::size_t i = before; i < parameters().size(); ++i) {
      detail::check_choice(name(), i, parameters()[i], choice_of(group.options));
      if constexpr (requires { Formula::check_parameter(i, parameters()[i]); })
        Formula::check_parameter(i, parameters()[i]);
    }
    for (std::size_t i = before; i < parameters().size(); ++i) {
      const Device device = parameters()[i].device();
      if (!steps_.may_lack)
        steps_.tensors.push_back(zeros({}, {.dtype = kInt64, .device = device}));
      if (kernels::kKeepsProduct<Rule>)
        products_.tensors.push_back(ones({}, {.dtype = kFloat64, .device = device}));
    }
    for (std::size_t i = before; i < parameters().size() && !group.views.empty(); ++i)
      group.params.push_back(parameters()[i]);
    for (std::size_t i = before; i < parameters().size(); ++i) write_low_precision(i);
  } catch (...) {
    forget_after(before);
    throw;
  }
  ends_.push_back(parameters().size());
  groups_.push_back(std::move(group));
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

template <class Formula>
AMP_COLD auto RuleOptimizer<Formula>::one(std::vector<Tensor> params, const Options& options)
    -> std::vector<Group> {
  return detail::or_out_of_memory([&] {
    std::vector<Group> groups(1);
    groups[0] = {.params = std::move(params), .options = options};
    return groups;
  });
}

template <class Formula>
AMP_COLD auto RuleOptimizer<Formula>::one(const NamedTensors& params, const Options& options)
    -> std::vector<Group> {
  return detail::or_out_of_memory([&] {
    std::vector<Group> groups(1);
    groups[0] = {.params = params, .options = options};
    return groups;
  });
}

template <class Formula>
AMP_COLD auto RuleOptimizer<Formula>::one(const std::vector<ParameterView>& views,
                                          const Options& options) -> std::vector<Group> {
  return detail::or_out_of_memory([&] {
    std::vector<Group> groups(1);
    groups[0].options = options;
    groups[0].views = views;
    return groups;
  });
}

template <class Formula>
auto RuleOptimizer<Formula>::choice_of(const Options& options) -> StateChoice {
  StateChoice choice{.storage = options.storage,
                     .moments = options.moments,
                     .takes_blocks = kernels::kTakesBlocks<Rule>};
  if constexpr (requires { options.initial_accumulator_value; })
    choice.first = options.initial_accumulator_value;
  return choice;
}

template <class Formula>
bool RuleOptimizer<Formula>::maximizes(const Options& options) {
  if constexpr (requires { options.maximize; }) return options.maximize;
  return false;
}

template <class Formula>
AMP_COLD void RuleOptimizer<Formula>::complete(Options& options) {
  Formula::complete(options);
  Formula::visit(options, [](const char* option, double value,
                             double below = std::numeric_limits<double>::infinity()) {
    if (!(value >= 0 && value < below)) [[unlikely]]
      detail::refuse_option(Formula::kName, option, value, below);
  });
  detail::check_schedule(Formula::kName, options.schedule);
}

template <class Formula>
AMP_COLD void RuleOptimizer<Formula>::check_options() {
  for (Group& group : groups_) complete(group.options);
}

template <class Formula>
std::size_t RuleOptimizer<Formula>::begin_of(std::size_t group) const {
  return group == 0 ? 0 : ends_[group - 1];
}

template <class Formula>
template <class F>
void RuleOptimizer<Formula>::for_each_gradient(std::size_t group, F&& f) const {
  for (std::size_t i = begin_of(group); i < ends_[group]; ++i) {
    if (const Tensor grad = parameters()[i].grad(); grad.defined()) f(i, grad);
  }
}

template <class Formula>
void RuleOptimizer<Formula>::apply(const GradScale& scale) {
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
    if constexpr (kPrepares) {
      const typename Formula::Preparation prepared(args, &preparation_table_, parameters());
      launch(prepared.args());
    } else {
      launch(args);
    }
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

template <class Formula>
void RuleOptimizer<Formula>::launch(const kernels::OptimizerArgs<Rule>& args) {
  kernels::dispatch_step<Rule, kernels::host::optimizer_step<Rule>>(args.device, args,
                                                                    Formula::kName);
}

template <class Formula>
auto RuleOptimizer<Formula>::states() -> detail::PoolVector<State*> {
  detail::PoolVector<State*> all;
  if (Rule::kCountsSteps) all.push_back(&steps_);
  if (kernels::kKeepsProduct<Rule>) all.push_back(&products_);
  for (State& state : states_) all.push_back(&state);
  return all;
}

template <class Formula>
auto RuleOptimizer<Formula>::choice(std::size_t i) const -> StateChoice {
  std::size_t g = 0;
  while (ends_[g] <= i) ++g;
  return choice_of(groups_[g].options);
}

template <class Formula>
AMP_COLD auto RuleOptimizer<Formula>::hyperparameters() -> Hyperparameters {
  Hyperparameters all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::string prefix = "groups." + std::to_string(g) + ".";
    Formula::visit(groups_[g].options, [&](const char* option, double& value, double = 0) {
      all.emplace_back(prefix + option, &value);
    });
  }
  return all;
}

template <class Formula>
void RuleOptimizer<Formula>::list() {
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
             .stochastic_state = Rule::kStochasticState >= 0 && options.moments == kBFloat16,
             .maximize = maximizes(options)}});
  }
}

template <class Formula>
void RuleOptimizer<Formula>::list(std::size_t i, const Tensor& grad, const StateChoice& choice,
                                  const Rule& rule) {
  const Tensor& p = parameters()[i];
  kernels::OptimizerParameter<Rule>& row = parameters_list_.emplace_back();
  row.parameter = p.raw_data();
  row.gradient = grad.raw_data();
  for (int s = 0; s < Rule::kStates; ++s) {
    const bool has_shape = states_[s].shape_of != nullptr && !states_[s].is_none_of(p.shape());
    if (has_shape || rule.keeps_state(s)) row.states[s] = state_of(states_[s], i, choice);
  }
  if (kernels::counts_steps(rule))
    row.step = static_cast<std::int64_t*>(state_of(steps_, i, choice));
  if (kernels::kKeepsProduct<Rule>)
    row.product = static_cast<double*>(state_of(products_, i, choice));
  row.numel = p.numel();
  row.dtype = p.dtype();
  row.gradient_dtype = grad.dtype();
  row.state_dtype = detail::moment_dtype(choice, p);
  row.copies = copies_to_write(i);
  row.weight = stored_weight(i, choice);
}

/// The learning rates that a recorded step reads. Each replay begins with those of then; only what
/// has changed is sent.
template <class Formula>
class RuleOptimizer<Formula>::GraphRates final : public detail::Replayable {
 public:
  GraphRates(const RuleOptimizer& optimizer, void* memory)
      : optimizer_(optimizer),
        rates_(from_blob(memory, {optimizer.groups_.size()},
                         {.dtype = kFloat64, .device = optimizer.parameters()[0].device()})) {}

  const double* data() const { return rates_.template const_data<double>(); }
  void before_replay() override {
    const bool first = sent_.empty();
    sent_.resize(static_cast<std::size_t>(rates_.numel()));
    for (std::size_t g = 0; g < sent_.size(); ++g) {
      const double lr = optimizer_.groups_[g].options.lr;
      if (first || sent_[g] != lr) rates_.select(0, static_cast<std::int64_t>(g)).fill_(lr);
      sent_[g] = lr;
    }
  }

 private:
  const RuleOptimizer& optimizer_;
  Tensor rates_;
  std::vector<double> sent_ = {};
};

template <class Formula>
const double* RuleOptimizer<Formula>::rates_of_graph() const {
  detail::Capture* const call = detail::Capture::current();
  const Device device = parameters()[0].device();
  if (call == nullptr || device.type == kCPU) return nullptr;
  const auto bytes = static_cast<std::int64_t>(groups_.size() * sizeof(double));
  void* const memory =
      call->memory(device, bytes, "steps optimizers more often than its warm-ups did");
  if (!call->is_recording()) return nullptr;  // a warm-up's rates are those of its options
  return call->template make<GraphRates>(*this, memory).data();
}

}  // namespace amp::inline v0
