// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers whose parameters come in groups, each with options of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/optim/saved_state.hpp"

namespace amp::inline v0 {

/// Parameters that are trained with the same options.
template <class Options>
struct ParamGroup {
  std::vector<Tensor> params = {};
  Options options = {};
  std::vector<std::string> names = {};  // of params, for state_dict; their numbers if empty
};

namespace detail {

inline constexpr std::string_view kNoParams =
    ": `params` is empty (a module knows the layers that went through register_module)";

inline void check_schedule(std::string_view name, const Schedule& s) {
  AMP_CHECK(s.steps >= 1 && s.warmup_steps >= 0, name,
            ": a `schedule` must take at least 1 step, but has `steps` ", s.steps,
            " and `warmup_steps` ", s.warmup_steps);
  const auto usable = [](double number) { return number >= 0 && number <= 0x1p1000; };
  AMP_CHECK(usable(s.gamma) && usable(s.final_rate) && usable(s.warmup_start) &&
                usable(s.peak_factor) && s.peak_factor > 0 && s.rising >= 0 && s.rising <= 1,
            name,
            ": a `schedule` must consist of finite numbers from 0 on, its `peak_factor` above "
            "0 and `rising` at most 1, but has gamma ",
            s.gamma, ", final_rate ", s.final_rate, ", warmup_start ", s.warmup_start,
            ", peak_factor ", s.peak_factor, ", rising ", s.rising);
}

inline void check_rate(std::string_view name, std::string_view what, double value, double below) {
  AMP_CHECK(value >= 0 && value < below, name, ": `", what, "` must lie in [0, ", below,
            "), but is ", value);
}

}  // namespace detail

/// An optimizer whose parameters come in groups. Options hold storage, moments, seed and
/// zero_grad, as those of SGD do. Derived::validate(Options&) completes and checks a
/// group's options, Derived::visit(options, f) calls f(name, number) for those that may change.
/// Args are those of its kernel, which run(args) calls; group_of(options) and
/// parameter_of(i, gradient, options) say what they hold.
template <class Derived, class Options, class Args>
class GroupedOptimizer : public Optimizer {
 public:
  using Group = ParamGroup<Options>;

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
    Derived::validate(name(), group.options);
    detail::check_schedule(name(), group.options.schedule);
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
      static_cast<Derived*>(this)->grown();
    } catch (...) {
      forget_after(before);
      throw;
    }
    ends_.push_back(parameters().size());
    groups_.push_back(std::move(group));
  } catch (const std::bad_alloc&) {
    throw detail::OutOfMemory();
  }

 protected:
  explicit GroupedOptimizer(std::string_view name) : Optimizer(name) {}

  void add(std::vector<Group> groups) {
    AMP_CHECK(!groups.empty(), name(), detail::kNoParams);
    for (Group& group : groups) add_param_group(std::move(group));
  }
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
  /// Called where parameters were added.
  void grown() {}

  void check_options() override {
    for (Group& group : groups_) {
      Derived::validate(name(), group.options);
      detail::check_schedule(name(), group.options.schedule);
    }
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
      const Args args{.device = any.device(),
                      .groups = groups_list_.data(),
                      .count = static_cast<std::int64_t>(groups_list_.size()),
                      .applied = static_cast<std::int64_t*>(applied().raw_data()),
                      .scale = scale,
                      .table = &table_};
      Derived::run(args);
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
  StateChoice choice(std::size_t i) const override {
    std::size_t g = 0;
    while (ends_[g] <= i) ++g;
    return choice_of(groups_[g].options);
  }
  Numbers numbers() override {
    Numbers all;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::string prefix = "groups." + std::to_string(g) + ".";
      Derived::visit(groups_[g].options, [&](const char* option, double& number) {
        all.emplace_back(prefix + option, &number);
      });
    }
    return all;
  }

 private:
  using KernelGroup = std::remove_cvref_t<decltype(*Args::groups)>;
  using KernelParameter = std::remove_cvref_t<decltype(*KernelGroup::parameters)>;

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
    auto* const derived = static_cast<Derived*>(this);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::size_t before = parameters_list_.size();
      const StateChoice choice = choice_of(groups_[g].options);
      for_each_gradient(g, [&](std::size_t i, const Tensor& grad) {
        parameters_list_.push_back(derived->parameter_of(i, grad, groups_[g].options));
        KernelParameter& row = parameters_list_.back();
        row.copies = detail::copies_to_write(parameters()[i]);
        row.state_dtype = detail::moment_dtype(choice, parameters()[i].dtype());
        row.weight = stored_weight(i, choice);
      });
      if (parameters_list_.size() == before) continue;
      groups_list_.push_back(derived->group_of(groups_[g].options));
      groups_list_.back().zero_grad = groups_[g].options.zero_grad;
      groups_list_.back().seed = groups_[g].options.seed;
      if (rates != nullptr) groups_list_.back().lr.current = rates + g;
      groups_list_.back().parameters = parameters_list_.data() + before;
      groups_list_.back().count = static_cast<std::int64_t>(parameters_list_.size() - before);
    }
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

  std::vector<Group> groups_;
  Tensor rates_;                   // of the graph recorded last
  std::vector<std::size_t> ends_;  // of each group among parameters()
  // Rebuilt each step, their memory kept.
  detail::PoolVector<KernelGroup> groups_list_;
  detail::PoolVector<KernelParameter> parameters_list_;
  kernels::KeptTable table_;
};

}  // namespace amp::inline v0
