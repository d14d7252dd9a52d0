// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What every optimizer shares: its parameters, their gradients, and the two ways to step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/node.hpp"
#include "amp/ops/tensor_members.hpp"
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

  /// How many steps were applied: what schedules count. Synchronises.
  std::int64_t applied_steps() const { return applied_.item<std::int64_t>(); }

  /// Forgets all gradients; the next backward makes new ones.
  void zero_grad() {
    for (const Tensor& p : parameters_) {
      if (p.grad().defined()) p.set_grad(Tensor());
    }
  }

  /// The gradients that exist now.
  std::vector<TensorView> gradients() const {
    std::vector<TensorView> views;
    views.reserve(parameters_.size());
    for (const Tensor& p : parameters_) {
      if (const Tensor g = p.grad(); g.defined())
        views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device()});
    }
    return views;
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

  /// A copy of everything that changes: per parameter what the optimizer remembers,
  /// "weight.exp_avg" (parameters without names go by their number), the number of applied steps,
  /// and each group's numbers, "groups.0.lr". Synchronises.
  NamedTensors state_dict() const {
    NamedTensors all{{"applied_steps", applied_.clone()}};
    for (const auto& [name, number] : const_cast<Optimizer*>(this)->numbers())
      all.emplace_back(name, full({}, *number, {.dtype = kFloat64}));
    for (const State* state : const_cast<Optimizer*>(this)->states()) {
      for (std::size_t i = 0; i < state->tensors.size(); ++i) {
        if (state->tensors[i].defined())
          all.emplace_back(names_[i] + "." + std::string(state->name), state->tensors[i].clone());
      }
    }
    return all;
  }
  /// Throws, changing nothing, where a name is unknown, missing or there twice, or a shape or dtype
  /// differs. What a parameter has no entry for starts anew. Synchronises.
  void load_state_dict(const NamedTensors& tensors) {
    const auto find = [&](const std::string& name) -> const Tensor* {
      const Tensor* found = nullptr;
      for (const auto& entry : tensors) {
        if (entry.first != name) continue;
        AMP_CHECK(found == nullptr && entry.second.defined(), "load_state_dict: \"", name,
                  "\" is there twice, or undefined");
        found = &entry.second;
      }
      return found;
    };
    std::size_t used = 0;
    const auto matching = [&](const std::string& name, const Shape& shape, DType dtype) {
      const Tensor* const found = find(name);
      if (found == nullptr) return Tensor();
      AMP_CHECK(found->shape() == shape && found->dtype() == dtype, "load_state_dict: \"", name,
                "\" must be ", dtype, shape, ", but is ", describe(*found));
      AMP_CHECK(dtype != kInt64 || found->item<std::int64_t>() >= 0, "load_state_dict: \"", name,
                "\" counts steps, but is below 0");
      ++used;
      return *found;
    };
    const Tensor applied = matching("applied_steps", {}, kInt64);
    AMP_CHECK(applied.defined(), "load_state_dict: \"applied_steps\" is missing");
    std::vector<double> values;
    for (const auto& [name, number] : numbers()) {
      const Tensor value = matching(name, {}, kFloat64);
      AMP_CHECK(value.defined(), "load_state_dict: \"", name, "\" is missing");
      values.push_back(value.item<double>());
    }
    std::vector<std::vector<Tensor>> loaded;
    for (const State* state : states()) {
      std::vector<Tensor>& list = loaded.emplace_back();
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const std::string name = names_[i] + "." + std::string(state->name);
        const bool count = state->counts;
        const Tensor found = matching(name, count ? Shape() : parameters_[i].shape(),
                                      count ? kInt64 : parameters_[i].dtype());
        list.push_back(found.defined() ? found.to(parameters_[i].device()).clone() : found);
      }
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) check_complete(i, loaded);
    if (used != tensors.size()) {
      for (const auto& entry : tensors)
        AMP_CHECK(knows(entry.first), "load_state_dict: there is no \"", entry.first, "\" here");
    }
    exchange_numbers(values);
    try {
      check_options();
    } catch (...) {
      exchange_numbers(values);
      throw;
    }
    applied_.copy_(applied.to(applied_.device()));
    std::size_t next = 0;
    for (State* state : states()) state->replace(loaded[next++]);
  }

 protected:
  /// What an optimizer remembers of each parameter under one name; undefined until first needed.
  struct State {
    std::string_view name;
    bool counts = false;  // int64 words that exist from the start and keep their place, else of the
                          // parameter's shape and dtype
    std::vector<Tensor> tensors = {};
    std::vector<std::pair<std::size_t, Tensor>> created = {};  // by a step that is not taken yet

    void replace(const std::vector<Tensor>& loaded) {
      for (std::size_t i = 0; i < loaded.size(); ++i) {
        if (!counts) {
          tensors.resize(loaded.size());
          tensors[i] = loaded[i];
        } else if (loaded[i].defined()) {
          tensors[i].copy_(loaded[i]);
        } else {
          tensors[i].zero_();
        }
      }
    }
    /// Of parameter i of `count`, zero at first.
    void* of(std::size_t i, const Tensor& parameter, std::size_t count) {
      tensors.resize(count);
      if (tensors[i].defined()) return tensors[i].raw_data();
      return created.emplace_back(i, zeros_like(parameter)).second.raw_data();
    }
    void keep_created() {
      for (auto& [i, tensor] : created) tensors[i] = std::move(tensor);
      created.clear();
    }
  };

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
    for (State* state : states()) {
      if (state->tensors.size() > count) state->tensors.resize(count);
    }
  }
  /// Throws where parameter i cannot be stepped with this gradient and what is remembered of it.
  void check_gradient(std::size_t i, const Tensor& grad,
                      const std::vector<State*>& remembered) const {
    const Tensor& parameter = parameters_[i];
    AMP_CHECK(parameter.is_contiguous(), name_, ": params[", i, "], ", describe(parameter),
              ", is no longer contiguous");
    for (const State* state : remembered) {
      if (state->counts || i >= state->tensors.size() || !state->tensors[i].defined()) continue;
      const Tensor& own = state->tensors[i];
      AMP_CHECK(own.dtype() == parameter.dtype() && own.shape() == parameter.shape() &&
                    own.device() == parameter.device(),
                name_, ": params[", i, "] is now ", describe(parameter), " on ", parameter.device(),
                ", but its ", state->name, " is ", describe(own), " on ", own.device(),
                "; convert parameters before the optimizer is made");
    }
    AMP_CHECK(grad.shape() == parameter.shape() && grad.is_contiguous() &&
                  grad.device() == parameter.device(),
              name_, ": the gradient ", describe(grad), " of params[", i,
              "] must have the shape of the parameter, ", describe(parameter),
              ", and be contiguous");
  }
  std::string_view name() const { return name_; }
  const Tensor& applied() const { return applied_; }

  virtual void apply(const GradScale& scale) = 0;
  /// Throws where options cannot work.
  virtual void check_options() = 0;
  virtual std::vector<State*> states() = 0;
  /// The options that a schedule or a user may change while training, by name.
  virtual std::vector<std::pair<std::string, double*>> numbers() = 0;

 private:
  void exchange_numbers(std::vector<double>& values) {
    std::size_t next = 0;
    for (const auto& [name, number] : numbers()) std::swap(*number, values[next++]);
  }
  /// What a parameter has entries for, it has all entries for.
  void check_complete(std::size_t i, const std::vector<std::vector<Tensor>>& loaded) {
    const std::vector<State*> all = states();
    bool begun = false;
    for (std::size_t s = 0; s < all.size(); ++s) {
      const Tensor& t = loaded[s][i];
      begun = begun || (t.defined() && (!all[s]->counts || t.item<std::int64_t>() > 0));
    }
    for (std::size_t s = 0; s < all.size() && begun; ++s)
      AMP_CHECK(loaded[s][i].defined(), "load_state_dict: \"", names_[i], ".", all[s]->name,
                "\" is missing");
  }
  bool knows(std::string_view entry) {
    bool known = entry == "applied_steps";
    for (const auto& number : numbers()) known = known || number.first == entry;
    for (const State* state : states()) {
      for (const std::string& name : names_)
        known = known || entry == name + "." + std::string(state->name);
    }
    return known;
  }

  std::string_view name_;
  std::vector<Tensor> parameters_;
  std::vector<std::string> names_;
  Tensor applied_;  // int64, on the device
};

}  // namespace amp::inline v0
