// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every optimizer shares: its parameters, their gradients, and the two ways to step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/leaves.hpp"
#include "amp/autograd/node.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/weight_storage.hpp"
#include "amp/tensor/shadow.hpp"

namespace amp::inline v0 {

/// Base of amp's optimizers. Scale-aware: step(const GradScale&) reads scaled gradients once and
/// unscales, clips, skips and updates in that pass. Known to a GradScaler by address, so neither
/// copied nor moved.
class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  /// Of all groups, in order.
  const std::vector<Tensor>& parameters() const { return parameters_; }

  /// Throws if `loss` depends on a leaf that requires gradients and is a parameter neither of this
  /// optimizer nor among `others`: it would never be stepped. To be called once, after the first
  /// forward pass: it walks the graph.
  void check_trains(const Tensor& loss, const std::vector<Tensor>& others = {}) const {
    NamedTensors own;
    for (const Tensor& p : parameters_) own.emplace_back(names_[own.size()], p);
    autograd::check_leaves(std::string(name_) + "::check_trains", "this optimizer", loss, own,
                           others, "make it after modules are replaced, or use add_param_group");
  }

  /// How many steps were applied: what schedules count. Synchronises.
  std::int64_t applied_steps() const { return applied_.item<std::int64_t>(); }

  /// Forgets all gradients; the next backward makes new ones.
  void zero_grad() {
    for (const Tensor& p : parameters_) {
      if (p.grad().defined()) p.set_grad(Tensor());
    }
  }

  /// body(view) for each gradient that exists now, and a list of them.
  template <class Body>
  void visit_gradients(Body&& body) const {
    for (const Tensor& p : parameters_) {
      if (const Tensor g = p.grad(); g.defined())
        body(TensorView{g.raw_data(), g.numel(), g.dtype(), g.device()});
    }
  }
  std::vector<TensorView> gradients() const try {
    std::vector<TensorView> views;
    views.reserve(parameters_.size());
    visit_gradients([&](const TensorView& view) { views.push_back(view); });
    return views;
  } catch (const std::bad_alloc&) {
    throw detail::OutOfMemory();
  }

  /// Says that the float32 and float64 gradients were unscaled in place. 16-bit ones stay scaled,
  /// and marked, until step(const GradScale&).
  void mark_unscaled() {
    for (const Tensor& p : parameters_) {
      autograd::Leaf* const leaf = autograd::leaf_of(p);
      if (leaf == nullptr || !leaf->grad.defined() || is_low_precision(leaf->grad.dtype()))
        continue;
      leaf->is_scaled = false;
      leaf->grad.mark_modified();
    }
  }

  /// One step with the gradients as they are. Throws where a gradient still carries the scale of a
  /// scaled loss. Does not synchronise.
  void step() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
      AMP_CHECK(leaf == nullptr || !leaf->is_scaled, "step: the gradient of parameter ", i, ", ",
                describe(parameters_[i]),
                ", was accumulated from a scaled loss; call scaler.step(optimizer), or "
                "scaler.unscale_(optimizer) before optimizer.step()");
    }
    step(GradScale{});
  }
  /// One step with gradients that `scale` corrects; changes nothing where *scale.found_inf is not
  /// 0. Does not synchronise.
  void step(const GradScale& scale) {
    // unscale_ passes inverse_low_precision: what is float32 and marked was added to since.
    for (std::size_t i = 0; scale.inverse_low_precision != nullptr && i < parameters_.size(); ++i) {
      const autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
      AMP_CHECK(leaf == nullptr || !leaf->is_scaled || is_low_precision(leaf->grad.dtype()),
                "step: a scaled loss was added to the gradient of parameter ", i, ", ",
                describe(parameters_[i]),
                ", after unscale_; call unscale_ once, after the last backward()");
    }
    apply(scale);
    for (const Tensor& p : parameters_) {
      if (!p.grad().defined()) continue;
      p.impl().storage->bump_version();
      detail::wrote_copies(p);
    }
  }

  /// The weights of all parameters as the next step will see them, in float32 (float64 where the
  /// parameter is): copies, on its device. Throws where a parameter has another shape or device
  /// than what is kept beside it. Synchronises where something is.
  std::vector<Tensor> master_weights() const try {
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const State* const rest = rest_of(i);
      const bool kept = rest != nullptr && rest->has(i);
      if (kept) check_state(i, choice(i), {const_cast<State*>(rest)});
      all.push_back(
          detail::join_weights(storage_of(i), parameters_[i], kept ? rest->tensors[i] : Tensor()));
    }
    return all;
  } catch (const std::bad_alloc&) {
    throw detail::OutOfMemory();
  }
  /// Makes these the weights, for each parameter of its shape, float32 (float64 where the parameter
  /// is), on any device. Bit for bit in kMaster and kRemainder; kKahan keeps 16 bits of
  /// significand, kParameter and kStochastic what the parameter holds, rounded to nearest.
  /// Throws, changing nothing, where a tensor does not fit. Synchronises where a storage is split,
  /// or the device another.
  void set_master_weights(std::span<const Tensor> weights) {
    AMP_CHECK(weights.size() == parameters_.size(), "set_master_weights: there are ",
              parameters_.size(), " parameters, but `weights` has ", weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const Tensor& p = parameters_[i];
      const DType dtype = p.dtype() == kFloat64 ? kFloat64 : kFloat32;
      AMP_CHECK(
          weights[i].defined() && weights[i].shape() == p.shape() && weights[i].dtype() == dtype,
          "set_master_weights: weights[", i, "] must be ", dtype, p.shape(), ", but is ",
          describe(weights[i]));
      check_state(i, choice(i), all_states());
    }
    detail::PoolVector<std::pair<Tensor, Tensor>> parts;
    for (std::size_t i = 0; i < weights.size(); ++i)
      parts.push_back(detail::split_weights(storage_of(i), weights[i], parameters_[i]));
    for (State& state : rests_) state.tensors.resize(parameters_.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      detail::copy_elements(parts[i].first, parameters_[i]);
      parameters_[i].impl().storage->bump_version();
      if (!parts[i].second.defined()) continue;
      Tensor& rest = rest_of(i)->tensors[i];
      if (rest.defined()) {  // a graph knows its address
        detail::copy_elements(parts[i].second, rest);
      } else {
        rest = parts[i].second;
      }
    }
  }

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

  explicit Optimizer(std::string_view name) : name_(name) {}

  /// Adds a parameter. Throws where it cannot be trained.
  void adopt(const Tensor& p, std::string_view called) {
    const std::size_t i = parameters_.size();
    AMP_CHECK(p.defined() && p.is_leaf() && p.requires_grad(), name_, ": params[", i, "], ",
              describe(p),
              ", must be a leaf that requires gradients; create it with requires_grad, and "
              "convert it before, not after");
    AMP_CHECK(p.is_contiguous(), name_, ": params[", i, "], ", describe(p), ", must be contiguous");
    for (std::size_t j = 0; j < i; ++j) {
      const Tensor& known = parameters_[j];
      AMP_CHECK(p.device() == known.device(), name_, ": params[", i, "] is on ", p.device(),
                ", but params[0] is on ", known.device(), "; use one optimizer per device");
      AMP_CHECK(!p.is_same(known), name_, ": params[", i, "] is params[", j, "] again");
    }
    std::string name = called.empty() ? std::to_string(i) : std::string(called);
    AMP_CHECK(!name.starts_with("groups.") || name.find('.', 7) != std::string::npos, name_,
              ": a parameter may not be named \"", name, "\": so the options of a group are saved");
    for (const std::string& known : names_)
      AMP_CHECK(name != known, name_, ": two parameters are named \"", name, "\"");
    if (!applied_.defined()) applied_ = zeros({}, {.dtype = kInt64, .device = p.device()});
    parameters_.push_back(p);
    names_.push_back(std::move(name));
  }
  /// Forgets all parameters but the first `count`.
  void forget_after(std::size_t count) {
    parameters_.resize(count);
    names_.resize(count);
    for (State* state : all_states()) {
      if (state->tensors.size() > count) state->tensors.resize(count);
    }
  }
  /// Throws where what is remembered of parameter i is not what it should be by now.
  void check_state(std::size_t i, const StateChoice& choice,
                   const detail::PoolVector<State*>& remembered) const {
    const Tensor& p = parameters_[i];
    detail::check_choice(name_, i, p, choice);
    for (const State* state : remembered) {
      if (state->kind == State::kCount || !state->has(i)) continue;
      const Tensor& own = state->tensors[i];
      const auto dtype = state->dtype(choice, p.dtype());
      AMP_CHECK(
          dtype == own.dtype() && own.shape() == state->shape(p) && own.device() == p.device(),
          name_, ": params[", i, "] is now ", describe(p), " on ", p.device(), " with `storage` ",
          amp::name(choice.storage), ", but its ", state->name, " is ", describe(own), " on ",
          own.device(),
          "; convert parameters before the optimizer is made, and choose `storage` and "
          "`moments` before the first step");
    }
  }
  /// Throws where parameter i cannot be stepped with this gradient and what is remembered of it.
  void check_gradient(std::size_t i, const Tensor& grad, const StateChoice& choice,
                      const detail::PoolVector<State*>& remembered) const {
    const Tensor& parameter = parameters_[i];
    AMP_CHECK(parameter.is_contiguous(), name_, ": params[", i, "], ", describe(parameter),
              ", is no longer contiguous");
    check_state(i, choice, remembered);
    AMP_CHECK(grad.shape() == parameter.shape() && grad.is_contiguous() &&
                  grad.device() == parameter.device(),
              name_, ": the gradient ", describe(grad), " of params[", i,
              "] must have the shape of the parameter, ", describe(parameter),
              ", and be contiguous");
  }
  /// What a step reads and writes of parameter i beside it.
  void* state_of(State& state, std::size_t i, const StateChoice& choice) {
    const Tensor& p = parameters_[i];
    return state.of(i, p, *state.dtype(choice, p.dtype()), parameters_.size());
  }
  kernels::StoredWeight stored_weight(std::size_t i, const StateChoice& choice) {
    const WeightStorage storage = detail::storage_of(choice, parameters_[i].dtype());
    State* const rest = rest_in(storage);
    return {.storage = storage,
            .number = static_cast<std::uint32_t>(i),
            .rest = rest != nullptr ? state_of(*rest, i, choice) : nullptr};
  }
  detail::PoolVector<State*> all_states() {
    detail::PoolVector<State*> all = states();
    for (State& state : rests_) all.push_back(&state);
    return all;
  }
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
  static void exchange(const Numbers& numbers, std::vector<double>& values) noexcept {
    std::size_t next = 0;
    for (const auto& [name, number] : numbers) std::swap(*number, values[next++]);
  }
  std::string entry_name(std::size_t i, const State& state) const {
    return names_[i] + "." + std::string(state.name);
  }
  /// A parameter that was stepped has all entries. Weights alone may be there before: those that
  /// set_master_weights gave.
  void check_complete(std::size_t i, const detail::PoolVector<State*>& all,
                      const detail::PoolVector<detail::PoolVector<Tensor>>& loaded) const;
  void check_known(std::string_view entry, const detail::PoolVector<State*>& all);
  WeightStorage storage_of(std::size_t i) const {
    return detail::storage_of(choice(i), parameters_[i].dtype());
  }
  /// What weights in this storage keep beside the parameter; null where that is nothing.
  State* rest_in(WeightStorage storage) {
    for (State& state : rests_) {
      if (state.storage == storage) return &state;
    }
    return nullptr;
  }
  State* rest_of(std::size_t i) { return rest_in(storage_of(i)); }
  const State* rest_of(std::size_t i) const { return const_cast<Optimizer*>(this)->rest_of(i); }

  std::string_view name_;
  std::vector<Tensor> parameters_;
  std::vector<std::string> names_;
  Tensor applied_;  // int64, on the device
  State rests_[3] = {{"master", State::kRest, WeightStorage::kMaster},
                     {"remainder", State::kRest, WeightStorage::kRemainder},
                     {"compensation", State::kRest, WeightStorage::kKahan}};
};

}  // namespace amp::inline v0
