// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <optional>
#include <utility>

#include "amp/autograd/leaves.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/error.hpp"
#include "amp/core/warning.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/cast_cache.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

AMP_COLD void warn_of_sum(std::string_view call, std::string_view parameter) noexcept {
  warn(
      call, ": the gradient of \"", parameter,
      "\" is a sum with the one of the last step, because zero_grad() was not called after it, and "
      "a scaled loss was added. Once the scale has changed, such a sum means nothing. Call "
      "optimizer.zero_grad() before backward(), or set the option zero_grad of amp's optimizers. "
      "To add up the gradients of several losses, call step once, after the last backward()");
}

}  // namespace detail

AMP_INLINE Optimizer::Optimizer(std::string_view name) : name_(name) {}

AMP_INLINE Optimizer::~Optimizer() = default;

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::check_trains(const Tensor& loss,
                                                          const std::vector<Tensor>& others) const {
  NamedTensors own;
  for (const Tensor& p : parameters_) own.emplace_back(names_[own.size()], p);
  autograd::check_leaves(std::string(name_) + "::check_trains", "this optimizer", loss, own, others,
                         "make it after modules are replaced, or use add_param_group");
}

AMP_LAZY_DEFINITION AMP_COLD std::int64_t Optimizer::applied_steps() const {
  return applied_.item<std::int64_t>();
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<double*> Optimizer::learning_rates() {
  return detail::or_out_of_memory([&] {
    std::vector<double*> rates;
    for (const auto& [option, value] : hyperparameters())
      if (option.ends_with(".lr")) rates.push_back(value);
    return rates;
  });
}

AMP_LAZY_DEFINITION void Optimizer::zero_grad() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i];
    const Tensor grad = p.grad();
    if (!grad.defined()) continue;
    if (is_view(i)) {
      detail::fill(grad, 0);
      grad.impl().storage->bump_version();
      autograd::leaf_of(p)->is_scaled = false;
    } else {
      p.set_grad(Tensor());
    }
  }
}

AMP_LAZY_DEFINITION std::vector<TensorView> Optimizer::gradients() const try {
  std::vector<TensorView> views;
  views.reserve(parameters_.size());
  visit_gradients([&](const TensorView& view) { views.push_back(view); });
  return views;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_LAZY_DEFINITION void Optimizer::mark_unscaled() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
    if (leaf == nullptr || !leaf->grad.defined()) continue;
    const bool low = is_low_precision(leaf->grad.dtype());
    if (is_view(i)) {  // the user's kernels write the gradient and set no mark
      leaf->is_scaled = low;
      continue;
    }
    if (low) continue;
    leaf->is_scaled = false;
    leaf->grad.mark_modified();
  }
}

AMP_LAZY_DEFINITION void Optimizer::step() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
    AMP_CHECK(leaf == nullptr || !leaf->is_scaled, "step: the gradient of parameter ", i,
              quoted_name(i), ", ", describe(parameters_[i]),
              is_view(i) ? ", is still scaled: scaler.unscale_ leaves 16-bit gradients to "
                           "scaler.step(optimizer)"
                         : ", was accumulated from a scaled loss; call scaler.step(optimizer), or "
                           "scaler.unscale_(optimizer) before optimizer.step()");
  }
  step(GradScale{});
}

AMP_LAZY_DEFINITION void Optimizer::step(const GradScale& scale) {
  // If inverse_low_precision is set, unscale_ has run: a float32 gradient that is marked as scaled
  // was added to afterwards.
  for (std::size_t i = 0; scale.inverse_low_precision != nullptr && i < parameters_.size(); ++i) {
    const autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
    AMP_CHECK(leaf == nullptr || !leaf->is_scaled || is_low_precision(leaf->grad.dtype()),
              "step: a scaled loss was added to the gradient of parameter ", i, quoted_name(i),
              ", ", describe(parameters_[i]),
              ", after unscale_; call unscale_ once, after the last backward()");
  }
  follow_parameters();
  const bool skips_here = applied_.defined() && applied_.device().type == kCPU && scale.skips();
  if (!skips_here) note_step();
  apply(scale);
  bool any = false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i];
    if (!p.grad().defined()) continue;
    any = true;
    p.impl().storage->bump_version();
    if (is_view(i)) {
      autograd::leaf_of(p)->is_scaled = false;  // the user's kernels write the next gradient
    } else {
      detail::wrote_copies(p);
    }
  }
  for (std::size_t i = 0; any && i < followers_.size(); ++i) {
    if (const auto follower = followers_[i].lock(); follower != nullptr)
      follower->after_step(*follower, *this, scale.found_inf);
  }
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::add_follower(
    std::weak_ptr<detail::StepFollower> follower) {
  detail::or_out_of_memory([&] { followers_.push_back(std::move(follower)); });
}

AMP_LAZY_DEFINITION Tensor Optimizer::stored_weights(std::size_t i) const {
  AMP_CHECK(i < parameters_.size(), name_, "::stored_weights: there are ", parameters_.size(),
            " parameters, but `i` is ", i);
  const State* const aux_state = aux_state_of(i);
  const bool is_master = aux_state != nullptr && aux_state->storage == WeightStorage::kMaster;
  return is_master && aux_state->has(i) ? aux_state->tensors[i] : parameters_[i];
}

AMP_LAZY_DEFINITION void Optimizer::follow_parameters() {
  if (parameters_.empty() || applied_.device() == parameters_[0].device()) [[likely]]
    return;
  const Device device = parameters_[0].device();
  for (State* state : all_states()) {
    if (!state->is_scalar()) continue;
    for (Tensor& number : state->tensors) {
      if (number.defined()) number = number.to(device);
    }
  }
  applied_ = applied_.to(device);  // the last, because it says whether all is done
}

AMP_LAZY_DEFINITION void Optimizer::note_step() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    autograd::Leaf* const leaf = autograd::leaf_of(parameters_[i]);
    if (leaf == nullptr || !leaf->grad.defined() || is_view(i)) continue;
    if (leaf->note_step() && std::exchange(warns_of_sums_, false)) [[unlikely]]
      detail::warn_of_sum(name_, names_[i]);
  }
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<Tensor> Optimizer::master_weights() const try {
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const State* const aux_state = aux_state_of(i);
    const bool kept = aux_state != nullptr && aux_state->has(i);
    if (kept) check_state(i, choice(i), {const_cast<State*>(aux_state)});
    all.push_back(detail::join_weights(storage_of(i), parameters_[i],
                                       kept ? aux_state->tensors[i] : Tensor()));
  }
  return all;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::set_master_weights(std::span<const Tensor> weights) {
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
    write_low_precision(i);
    if (!parts[i].second.defined()) continue;
    Tensor& aux_state = aux_state_of(i)->tensors[i];
    if (aux_state.defined()) {  // in place: a graph may have recorded its address
      detail::copy_elements(parts[i].second, aux_state);
    } else {
      aux_state = parts[i].second;
    }
  }
}

AMP_LAZY_DEFINITION AMP_COLD std::string Optimizer::quoted_name(std::size_t i) const {
  return has_name_[i] ? " \"" + names_[i] + '"' : std::string();
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::adopt(const Tensor& p, std::string_view called) {
  const std::size_t i = parameters_.size();
  AMP_CHECK(p.defined() && p.is_leaf() && p.requires_grad(), name_, ": params[", i, "], ",
            describe(p),
            ", must be a leaf that requires gradients; create it with requires_grad, and "
            "convert it before, not after");
  AMP_CHECK(p.is_contiguous(), name_, ": params[", i, "], ", describe(p),
            ", must be contiguous, but has strides ", p.strides(),
            "; keep the weights in row-major memory");
  AMP_CHECK(i == 0 || p.device() == parameters_[0].device(), name_, ": params[", i, "] is on ",
            p.device(), ", but params[0] is on ", parameters_[0].device(),
            "; use one optimizer per device");
  for (std::size_t j = 0; known_.contains(&p.impl()) && j < i; ++j)
    AMP_CHECK(!p.is_same(parameters_[j]), name_, ": params[", i, "] is params[", j, "] again");
  std::string name = called.empty() ? std::to_string(i) : std::string(called);
  AMP_CHECK(!name.starts_with("groups.") || name.find('.', 7) != std::string::npos, name_,
            ": a parameter may not be named \"", name, "\": so the options of a group are saved");
  AMP_CHECK(!known_names_.contains(name), name_, ": two parameters are named \"", name,
            "\"; the groups of one network share out its named_parameters()");
  if (!applied_.defined()) applied_ = zeros({}, {.dtype = kInt64, .device = p.device()});
  parameters_.push_back(p);
  names_.push_back(std::move(name));
  has_name_.push_back(!called.empty());
  known_.insert(&p.impl());
  known_names_.insert(names_.back());
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::adopt(const ParameterView& view) {
  const std::size_t i = parameters_.size();
  detail::check_parts(name_, i, view);
  detail::check_apart(name_, i, view, i, view);
  for (std::size_t j = 0; j < views_.size(); ++j) {
    if (is_view(j)) detail::check_apart(name_, i, view, j, *views_[j]);
  }
  adopt(detail::leaf_over(view), view.weight.name);
  views_.resize(parameters_.size());
  ParameterView& own = views_[i].emplace(view);
  for (TensorView* part : {&own.weight, &own.gradient, &own.low_precision}) part->name = {};
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::write_low_precision(std::size_t i) const {
  if (!is_view(i) || views_[i]->low_precision.data == nullptr) return;
  const TensorView& low = views_[i]->low_precision;
  detail::copy_elements(parameters_[i], from_blob(low.data, parameters_[i].shape(),
                                                  {.dtype = low.dtype, .device = low.device}));
}

AMP_LAZY_DEFINITION kernels::LowPrecisionCopies Optimizer::copies_to_write(std::size_t i) const {
  return is_view(i) ? detail::copies_in(*views_[i]) : detail::copies_to_write(parameters_[i]);
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::forget_after(std::size_t count) {
  const auto shorten = [=](auto& list) {
    if (list.size() > count)
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(count), list.end());
  };
  for (std::size_t i = count; i < parameters_.size(); ++i) known_.erase(&parameters_[i].impl());
  for (std::size_t i = count; i < names_.size(); ++i) known_names_.erase(names_[i]);
  shorten(views_);
  shorten(parameters_);
  shorten(names_);
  shorten(has_name_);
  for (State* state : all_states()) shorten(state->tensors);
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::check_state(
    std::size_t i, const StateChoice& choice, const detail::PoolVector<State*>& remembered) const {
  const Tensor& p = parameters_[i];
  detail::check_choice(name_, i, p, choice);
  for (const State* state : remembered) {
    if (state->is_scalar() || !state->has(i)) continue;
    const Tensor& own = state->tensors[i];
    const auto dtype = state->dtype(choice, p);
    AMP_CHECK(dtype == own.dtype() && own.shape() == state->shape(p, own.dtype()) &&
                  own.device() == p.device(),
              name_, ": params[", i, "]", quoted_name(i), " is now ", describe(p), " on ",
              p.device(), " with `storage` ", amp::name(choice.storage), ", but its ", state->name,
              " is ", describe(own), " on ", own.device(),
              "; convert parameters before the optimizer is made, and choose `storage` and "
              "`moments` before the first step");
  }
}

AMP_LAZY_DEFINITION void Optimizer::check_gradient(
    std::size_t i, const Tensor& grad, const StateChoice& choice,
    const detail::PoolVector<State*>& remembered) const {
  const Tensor& parameter = parameters_[i];
  AMP_CHECK(parameter.is_contiguous(), name_, ": params[", i, "]", quoted_name(i), ", ",
            describe(parameter), ", is no longer contiguous");
  AMP_CHECK(parameter.device() == parameters_[0].device(), name_, ": params[", i, "]",
            quoted_name(i), " is now on ", parameter.device(), ", but params[0] is on ",
            parameters_[0].device(), "; use one optimizer per device");
  check_state(i, choice, remembered);
  AMP_CHECK(grad.shape() == parameter.shape() && grad.is_contiguous() &&
                grad.device() == parameter.device(),
            name_, ": the gradient ", describe(grad), " of params[", i, "]", quoted_name(i),
            " must have the shape of the parameter, ", describe(parameter), ", and be contiguous");
}

AMP_LAZY_DEFINITION void* Optimizer::state_of(State& state, std::size_t i,
                                              const StateChoice& choice) {
  return state.of(i, parameters_[i], choice, parameters_.size());
}

AMP_LAZY_DEFINITION kernels::StoredWeight Optimizer::stored_weight(std::size_t i,
                                                                   const StateChoice& choice) {
  const WeightStorage storage = detail::storage_of(choice, parameters_[i].dtype());
  State* const aux_state = aux_state_in(storage);
  return {.storage = storage,
          .index = static_cast<std::uint32_t>(i),
          .aux_state = aux_state != nullptr ? state_of(*aux_state, i, choice) : nullptr};
}

AMP_LAZY_DEFINITION detail::PoolVector<Optimizer::State*> Optimizer::all_states() {
  detail::PoolVector<State*> all = states();
  for (State& state : rests_) all.push_back(&state);
  return all;
}

AMP_LAZY_DEFINITION WeightStorage Optimizer::storage_of(std::size_t i) const {
  return detail::storage_of(choice(i), parameters_[i].dtype());
}

AMP_LAZY_DEFINITION Optimizer::State* Optimizer::aux_state_in(WeightStorage storage) {
  for (State& state : rests_) {
    if (state.storage == storage) return &state;
  }
  return nullptr;
}

AMP_LAZY_DEFINITION Optimizer::State* Optimizer::aux_state_of(std::size_t i) {
  return aux_state_in(storage_of(i));
}

AMP_LAZY_DEFINITION const Optimizer::State* Optimizer::aux_state_of(std::size_t i) const {
  return const_cast<Optimizer*>(this)->aux_state_of(i);
}

}  // namespace amp::inline v0
