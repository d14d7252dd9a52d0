// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp's fused steps as optimizers of torch: amp::libtorch::Adam replaces torch::optim::Adam.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/interop/libtorch/convert.hpp"
#include "amp/optim/adam.hpp"
#include "amp/optim/sgd.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::libtorch {
namespace detail {

/// How a fused optimizer reads the options and the states of torch's optimizer.
struct AdamTraits {
  static constexpr bool kCounts = true;  // torch saves the number of steps of each parameter
  static constexpr std::string_view kName = "libtorch::Adam";
  using Torch = torch::optim::Adam;
  using TorchOptions = torch::optim::AdamOptions;
  using TorchState = torch::optim::AdamParamState;
  using Fused = amp::Adam;

  template <class Options>
  static void copy_options(const Options& from, AdamOptions& to) {
    if (from.amsgrad()) fail("libtorch::Adam: `amsgrad` is not supported");
    to.lr = from.lr();
    to.beta1 = std::get<0>(from.betas());
    to.beta2 = std::get<1>(from.betas());
    to.eps = from.eps();
    to.weight_decay = from.weight_decay();
  }
  /// Calls f(name, tensor) for each state that has the parameter's shape.
  template <class State, class F>
  static void visit(State& state, const F& f) {
    f("exp_avg", state.exp_avg());
    f("exp_avg_sq", state.exp_avg_sq());
  }
};

struct AdamWTraits : AdamTraits {
  static constexpr std::string_view kName = "libtorch::AdamW";
  using Torch = torch::optim::AdamW;
  using TorchOptions = torch::optim::AdamWOptions;
  using TorchState = torch::optim::AdamWParamState;
  using Fused = amp::AdamW;
};

struct SGDTraits {
  static constexpr bool kCounts = false;
  static constexpr std::string_view kName = "libtorch::SGD";
  using Torch = torch::optim::SGD;
  using TorchOptions = torch::optim::SGDOptions;
  using TorchState = torch::optim::SGDParamState;
  using Fused = amp::SGD;

  static void copy_options(const TorchOptions& from, SGDOptions& to) {
    if (from.dampening() != 0) fail("libtorch::SGD: `dampening` is not supported");
    to.lr = from.lr();
    to.momentum = from.momentum();
    to.weight_decay = from.weight_decay();
    to.nesterov = from.nesterov();
  }
  template <class F>
  static void visit(TorchState& state, const F& f) {
    f("momentum", state.momentum_buffer());
  }
};

/// Returns a flat tensor over the memory of a dense tensor, with its elements in memory order.
inline Tensor flat(const at::Tensor& tensor) {
  return from_blob(
      tensor.data_ptr(), {tensor.numel()},
      {.dtype = dtype_of(tensor.scalar_type()), .device = device_of("libtorch", tensor.device())});
}

/// Returns the key by which torch finds the state of a parameter.
template <class Map>
typename Map::key_type key_of(const at::Tensor& parameter) {
  if constexpr (std::is_same_v<typename Map::key_type, std::string>) {  // torch 1.13
    std::ostringstream text;
    text << parameter.unsafeGetTensorImpl();
    return text.str();
  } else {
    return parameter.unsafeGetTensorImpl();
  }
}

}  // namespace detail

/// Options of amp's optimizers that torch's do not have.
struct FusedOptions {
  WeightStorage storage = WeightStorage::kParameter;  ///< of parameters below 32 bits
  std::optional<DType> moments = {};                  ///< as in amp::AdamOptions
  std::uint64_t seed = 0;                             ///< of stochastic rounding
};

/// An optimizer of torch that steps with amp's fused kernel.
///
/// Meaning: it has the formula, the options and the parameter groups of the torch optimizer of the
/// same name, so that torch's schedulers work. With amp::GradScaler the gradients stay scaled: one
/// pass tests them (and computes the norm), and one unscales, clips, skips and updates.
/// Synchronisation: scaler.step does not synchronise. With torch's own optimizers it reads a scalar
/// from the device.
/// Dtypes: parameters and gradients of 16, 32 or 64 bits; FusedOptions::storage selects float32
/// masters for 16-bit parameters.
/// Errors: throws amp::Error, before anything is written, if `amsgrad` or `dampening` is set, a
/// gradient is sparse, or a parameter is not dense.
template <class Traits>
class FusedOptimizer : public Traits::Torch {
  using Torch = typename Traits::Torch;
  using TorchOptions = typename Traits::TorchOptions;
  using Fused = typename Traits::Fused;

 public:
  /// Over one group of parameters.
  explicit FusedOptimizer(std::vector<at::Tensor> parameters,
                          const TorchOptions& options = TorchOptions(1e-3),
                          const FusedOptions& fused = {})
      : FusedOptimizer(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))},
                       options, fused) {}
  /// Over groups with options of their own.
  explicit FusedOptimizer(std::vector<torch::optim::OptimizerParamGroup> groups,
                          const TorchOptions& options = TorchOptions(1e-3),
                          const FusedOptions& fused = {})
      : Torch(std::move(groups), options), choice_(fused) {
    follow_groups();
  }
  FusedOptimizer(const FusedOptimizer&) = delete;
  FusedOptimizer& operator=(const FusedOptimizer&) = delete;

  /// Makes one step with the gradients as they are. Returns the loss of `closure`, if there is one.
  at::Tensor step(torch::optim::Optimizer::LossClosure closure = nullptr) override {
    at::Tensor loss;
    if (closure) {
      const at::AutoGradMode with_gradients(true);
      loss = closure();
    }
    follow();
    fused_->step();
    written();
    return loss;
  }
  /// Makes one step with the gradients multiplied by `scale`. GradScaler::step calls it.
  void step(const GradScale& scale) {
    follow();
    fused_->step(scale);
    written();
  }

  /// Returns a view of each gradient that exists.
  std::vector<TensorView> gradients() {
    follow();
    return fused_->gradients();
  }
  /// Records that the gradients were unscaled in place, and bumps their versions in torch.
  void mark_unscaled() {
    fused_->mark_unscaled();
    for (const auto& known : known_)
      if (known.torch.grad().defined()) known.torch.grad().unsafeGetTensorImpl()->bump_version();
  }

  /// torch::save and torch::load call these functions. The file has the format of torch's
  /// optimizer, which can read it. Throws unless all weights are in the parameters
  /// (WeightStorage::kParameter); use fused().state_dict() for other storages. Synchronises.
  void save(torch::serialize::OutputArchive& archive) const override {
    // torch saves its state() member, which is updated here.
    const_cast<FusedOptimizer*>(this)->publish();
    Torch::save(archive);
  }
  void load(torch::serialize::InputArchive& archive) override {
    check_storage("load");
    Torch::load(archive);
    adopt();
  }

  /// Returns the number of steps applied. Synchronises.
  std::int64_t applied_steps() const { return fused_->applied_steps(); }
  /// The amp optimizer that does the steps. Its state_dict() contains the masters as well.
  Fused& fused() { return *fused_; }

 private:
  struct Parameter {
    at::Tensor torch;
    Tensor alias;  // over the same memory
  };

  /// Copies the current groups, options and gradients of torch's optimizer to the fused one.
  void follow() {
    follow_groups();
    for (const Parameter& parameter : known_)
      if (parameter.torch.grad().defined()) check(parameter.torch.grad(), "a gradient");
    for (const Parameter& parameter : known_) follow_gradient(parameter);
  }

  void follow_groups() {
    auto& groups = this->param_groups();
    std::size_t i = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto& parameters = groups[g].params();
      if (g >= group_count_) add_group(parameters, options_of(g));
      Traits::copy_options(static_cast<const TorchOptions&>(groups[g].options()),
                           fused_->param_groups()[g].options);
      for (const at::Tensor& parameter : parameters)
        if (i == known_.size() || !known_[i++].torch.is_same(parameter))
          detail::fail(Traits::kName, ": the parameters of a group must stay those it was given");
    }
  }

  typename Fused::Options options_of(std::size_t g) {
    typename Fused::Options options{
        .storage = choice_.storage, .moments = choice_.moments, .seed = choice_.seed};
    Traits::copy_options(static_cast<const TorchOptions&>(this->param_groups()[g].options()),
                         options);
    return options;
  }

  void add_group(const std::vector<at::Tensor>& parameters,
                 const typename Fused::Options& options) {
    std::vector<Parameter> added;
    typename Fused::Group group{.params = {}, .options = options};
    for (const at::Tensor& parameter : parameters) {
      check(parameter, "a parameter");
      added.push_back({parameter, detail::flat(parameter).requires_grad_()});
      group.params.push_back(added.back().alias);
    }
    if (fused_ == nullptr) {
      fused_ = std::make_unique<Fused>(std::vector{std::move(group)});
    } else {
      fused_->add_param_group(std::move(group));
    }
    known_.insert(known_.end(), added.begin(), added.end());
    ++group_count_;
  }

  static void check(const at::Tensor& tensor, std::string_view what) {
    const std::optional<DType> dtype = dtype_of(tensor.scalar_type());
    if (tensor.layout() != at::kStrided || !tensor.is_non_overlapping_and_dense() || !dtype ||
        !is_floating_point(*dtype))
      detail::fail("libtorch: ", what, " of a fused optimizer must be dense and floating point");
  }

  /// Sets the gradient of the alias. The kernel reads parameter and gradient in memory order, so a
  /// gradient with other strides is copied first.
  static void follow_gradient(const Parameter& parameter) {
    const at::Tensor& grad = parameter.torch.grad();
    const Tensor known = parameter.alias.grad();
    if (!grad.defined()) {
      if (known.defined()) parameter.alias.set_grad(Tensor());
      return;
    }
    if (grad.strides() != parameter.torch.strides()) {
      at::Tensor alike = at::empty_like(parameter.torch, grad.options());
      alike.copy_(grad);
      parameter.torch.mutable_grad() = alike;
    }
    const at::Tensor& dense = parameter.torch.grad();
    if (known.defined() && known.raw_data() == dense.data_ptr() &&
        known.dtype() == *dtype_of(dense.scalar_type()))
      return;
    parameter.alias.set_grad(detail::flat(dense));
  }

  void check_storage(std::string_view call) const {
    if (choice_.storage != WeightStorage::kParameter)
      detail::fail(call, ": torch's file of ", Traits::kName,
                   " has no place for weights that are "
                   "not in the parameters alone; save fused().state_dict()");
  }

  static std::string entry(std::size_t i, std::string_view name) {
    return std::to_string(i) + '.' + std::string(name);
  }

  /// Copies the states of the fused optimizer to the states of torch's.
  void publish() {
    check_storage("save");
    std::map<std::string, Tensor> saved;
    for (auto& [name, tensor] : fused_->state_dict()) saved.emplace(name, tensor);
    auto& states = this->state();
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const at::Tensor& parameter = known_[i].torch;
      auto state = std::make_unique<typename Traits::TorchState>();
      if constexpr (Traits::kCounts) {
        const auto steps = saved.find(entry(i, "step"));
        if (steps == saved.end()) continue;
        state->step(steps->second.template item<std::int64_t>());
      }
      Traits::visit(*state, [&](std::string_view name, at::Tensor& of_torch) {
        const auto at = saved.find(entry(i, name));
        if (at == saved.end()) return;
        const at::Tensor values = to_torch(at->second);
        of_torch = at::empty_like(parameter, values.options());
        of_torch.as_strided({parameter.numel()}, {1}).copy_(values);
      });
      states[detail::key_of<std::remove_cvref_t<decltype(states)>>(parameter)] = std::move(state);
    }
  }

  /// Copies the states that torch has loaded to the fused optimizer.
  void adopt() {
    follow_groups();
    NamedTensors loaded;
    for (auto& [name, number] : fused_->state_dict())  // numbers of groups, which follow() has set
      if (name.starts_with("groups.")) loaded.emplace_back(name, number);
    std::int64_t steps = 0;
    auto& states = this->state();
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const at::Tensor& parameter = known_[i].torch;
      const auto found =
          states.find(detail::key_of<std::remove_cvref_t<decltype(states)>>(parameter));
      if (found == states.end()) continue;
      auto& state = static_cast<typename Traits::TorchState&>(*found->second);
      if constexpr (Traits::kCounts) {
        steps = state.step();
        loaded.emplace_back(entry(i, "step"), tensor({steps}, {}));
      }
      Traits::visit(state, [&](std::string_view name, at::Tensor& of_torch) {
        if (!of_torch.defined()) return;
        at::Tensor alike = at::empty_like(parameter, of_torch.options());
        alike.copy_(of_torch);
        loaded.emplace_back(entry(i, name), detail::flat(alike).clone());
      });
    }
    loaded.emplace_back("applied_steps", tensor({steps}, {}));
    fused_->load_state_dict(loaded);
  }

  void written() {
    for (const Parameter& parameter : known_)
      if (parameter.torch.grad().defined()) parameter.torch.unsafeGetTensorImpl()->bump_version();
    at::autocast::clear_cache();  // drops copies of the old weights
  }

  FusedOptions choice_;
  std::unique_ptr<Fused> fused_;
  std::vector<Parameter> known_;  // of all groups, in order
  std::size_t group_count_ = 0;
};

/// torch::optim::Adam with amp's fused step.
class Adam final : public FusedOptimizer<detail::AdamTraits> {
 public:
  using FusedOptimizer::FusedOptimizer;
};

/// torch::optim::AdamW with amp's fused step.
class AdamW final : public FusedOptimizer<detail::AdamWTraits> {
 public:
  using FusedOptimizer::FusedOptimizer;
};

/// torch::optim::SGD with amp's fused step.
class SGD final : public FusedOptimizer<detail::SGDTraits> {
 public:
  using FusedOptimizer::FusedOptimizer;
};

}  // namespace amp::inline v0::libtorch
