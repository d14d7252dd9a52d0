// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/autograd/leaves.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/address_set.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/module.hpp"
#include "amp/nn/module_state.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/cloning.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD std::string listed(const std::vector<std::string>& names) {
  return amp::detail::or_out_of_memory([&] {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
    return text.empty() ? std::string("none") : text;
  });
}

using Replacements = std::vector<std::pair<Tensor, Tensor>>;  // a tensor, and its new data

AMP_COLD void check_leaf(std::string_view call, const std::string& name, const Tensor& tensor) {
  AMP_CHECK(!tensor.defined() || tensor.is_leaf(), call, ": \"", name, "\", ", describe(tensor),
            ", was computed; detach() it");
}

/// Appends an entry, whose name was checked.
template <class Value>
void append(std::vector<std::pair<std::string, Value>>& list, std::string name,
            const Value& value) {
  amp::detail::or_out_of_memory([&] { list.emplace_back(std::move(name), value); });
}

AMP_COLD std::vector<Tensor> values(const NamedTensors& named) try {
  std::vector<Tensor> tensors;
  for (const auto& entry : named) tensors.push_back(entry.second);
  return tensors;
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

/// Removes the entries of tensors that an earlier entry has.
AMP_INLINE void keep_first_names(NamedTensors& named) {
  amp::detail::AddressSet known;
  std::erase_if(named,
                [&](const auto& entry) { return !known.insert(&entry.second.impl()).second; });
}

}  // namespace detail

AMP_COLD Module::Module()
    : state_(amp::detail::or_out_of_memory([] { return std::make_shared<State>(); })) {}
AMP_INLINE Module::Module(const Module& other)
    : state_(amp::detail::Cloning::copy_of(other.state_, become_clone)) {}
AMP_INLINE Module& Module::operator=(const Module& other) {
  state_ = Module(other).state_;
  return *this;
}

AMP_INLINE Module::State& Module::state() const {
  check_defined();
  return *state_;
}

AMP_INLINE Ref<Module::ForwardHooks>& Module::forward_hooks() const {
  return state().forward_hooks;
}
AMP_INLINE Ref<Module::BackwardHooks>& Module::backward_hooks() const {
  return state().backward_hooks;
}

AMP_COLD std::string Module::path() const {
  std::string path;
  std::shared_ptr<State> inner = state_;
  while (const std::shared_ptr<State> outer = inner ? inner->parent.lock() : nullptr) {
    path = path.empty() ? inner->name : inner->name + "." + path;
    inner = outer;
  }
  return path;
}

AMP_INLINE std::string_view Module::type() const { return state().type; }
AMP_INLINE const std::string& Module::extra_repr() const { return state().extra_repr; }

AMP_LAZY_DEFINITION AMP_COLD Tensor Module::register_parameter(std::string name, Tensor tensor,
                                                               bool requires_grad) {
  check_name("register_parameter", name);
  detail::check_leaf("register_parameter", name, tensor);
  if (tensor.defined()) tensor.requires_grad_(requires_grad);
  detail::append(state().parameters, std::move(name), tensor);
  return tensor;
}

AMP_LAZY_DEFINITION AMP_COLD Tensor Module::register_buffer(std::string name, Tensor tensor,
                                                            const BufferOptions& options) {
  check_name("register_buffer", name);
  if (tensor.defined() && !tensor.is_leaf()) tensor = tensor.detach();
  NamedTensors saved = amp::detail::or_out_of_memory([&] { return state().saved_buffers; });
  if (options.persistent) detail::append(saved, name, tensor);
  detail::append(state().buffers, std::move(name), tensor);
  state().saved_buffers.swap(saved);
  return tensor;
}

AMP_LAZY_DEFINITION AMP_COLD void Module::register_child(const std::string& name,
                                                         const Module& child,
                                                         std::shared_ptr<detail::Held> held,
                                                         std::string_view type) const {
  check_child("register_module", name, child);
  check_name("register_module", name);
  amp::detail::or_out_of_memory([&] { state().held.reserve(state().modules.size() + 1); });
  detail::append(state().modules, name, child);
  state().held.push_back(std::move(held));
  enter(name, child, type);
}

AMP_LAZY_DEFINITION AMP_COLD void Module::replace_child(const std::string& name,
                                                        const Module& child,
                                                        std::shared_ptr<detail::Held> held,
                                                        std::string_view type) const {
  check_child("replace_module", name, child);
  Module& place = detail::find("replace_module", "module", state().modules, name);
  const auto i = std::find_if(state().modules.begin(), state().modules.end(),
                              [&](const auto& entry) { return &entry.second == &place; });
  state().held[static_cast<std::size_t>(i - state().modules.begin())].swap(held);
  const Module old = std::exchange(place, child);
  leave(name, old);
  enter(name, child, type);
}

AMP_LAZY_DEFINITION AMP_COLD Tensor Module::replace_parameter(const std::string& name,
                                                              Tensor tensor) {
  Tensor& place = detail::find("replace_parameter", "parameter", state().parameters, name);
  const bool trained = !place.defined() || place.requires_grad();
  detail::check_leaf("replace_parameter", name, tensor);
  if (tensor.defined() && autograd::leaf_of(tensor) == nullptr) tensor.requires_grad_(trained);
  if (place.defined() == tensor.defined() && (!place.defined() || place.is_same(tensor)))
    return tensor;
  forget_replaced(name, tensor);
  amp::detail::or_out_of_memory([&] {
    if (place.defined()) state().replaced.emplace_back(place, name);
  });
  if (const auto copy = held()) copy->assign(name, tensor);
  return place = tensor;
}

AMP_LAZY_DEFINITION AMP_COLD void Module::check_registered(
    const Tensor& loss, const std::vector<Tensor>& others) const {
  autograd::check_leaves(
      "check_registered", "this module", loss, named_parameters(), others,
      "register members with register_module and register_parameter, and replace them with "
      "replace_module and replace_parameter");
}

AMP_LAZY_DEFINITION std::vector<Tensor> Module::parameters() const {
  return detail::values(named_parameters());
}
AMP_LAZY_DEFINITION AMP_COLD std::vector<Tensor> Module::buffers() const {
  return detail::values(named_buffers());
}
AMP_LAZY_DEFINITION NamedTensors Module::named_parameters() const {
  NamedTensors found;
  collect(&State::parameters, "", found);
  return found;
}
AMP_LAZY_DEFINITION AMP_COLD NamedTensors Module::named_buffers() const {
  NamedTensors found;
  collect(&State::buffers, "", found);
  return found;
}
AMP_LAZY_DEFINITION const std::vector<std::pair<std::string, Module>>& Module::named_modules()
    const {
  return state().modules;
}

AMP_INLINE bool Module::is_training() const { return state().training; }
AMP_LAZY_DEFINITION void Module::train(bool on) const {
  state().training = on;
  for (const auto& [name, child] : state().modules) child.train(on);
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<Tensor> Module::tensors() const try {
  std::vector<Tensor> all = parameters();
  for (Tensor& buffer : buffers()) all.push_back(std::move(buffer));
  return all;
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

AMP_LAZY_DEFINITION AMP_COLD void Module::to(DType dtype) const {
  convert("Module::to", dtype, {});
}
AMP_LAZY_DEFINITION AMP_COLD void Module::to_mixed(DType dtype) const {
  NamedTensors kept;
  collect_kept(kept);
  convert("Module::to_mixed", dtype, kept);
}
AMP_LAZY_DEFINITION AMP_COLD void Module::to(Device device) const try {
  detail::Replacements moved;
  for (const Tensor& tensor : tensors()) {
    if (tensor.device() != device) moved.emplace_back(tensor, tensor.detach().to(device));
  }
  for (const auto& [tensor, data] : moved) tensor.set_data(data);
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

AMP_LAZY_DEFINITION void Module::zero_grad() const {
  for (const Tensor& parameter : parameters()) {
    if (parameter.grad().defined()) parameter.set_grad(Tensor());
  }
}

AMP_COLD void Module::keep_float32() const { state().keeps_float32 = true; }

AMP_INLINE Tensor Module::registered(std::string_view name, const Tensor& member) const {
  for (const Computed& parameter : state().computed) {
    if (parameter.name == name) return parameter.compute(parameter.source);
  }
  for (const auto& [old, its_name] : state().replaced) {
    if (its_name == name && member.defined() && member.is_same(old))
      return detail::find("registered", "parameter", state().parameters, name);
  }
  return member;
}
AMP_COLD void Module::forget_replaced(std::string_view name, const Tensor& back) const {
  std::erase_if(state().replaced, [&](const auto& entry) {
    return entry.first.impl().unique() ||
           (entry.second == name && back.defined() && entry.first.is_same(back));
  });
}

AMP_INLINE void Module::check_defined() const {
  AMP_CHECK(state_ != nullptr,
            "nn::Module: this module is empty, as one made of nullptr or without arguments is; "
            "assign one before using it");
}

AMP_COLD void Module::check_child(std::string_view call, const std::string& name,
                                  const Module& child) const {
  AMP_CHECK(child.defined(), call, ": \"", name, "\" is no module yet");
  AMP_CHECK(!child.holds(*this), call, ": \"", name,
            "\" is this module itself, or holds it; a module cannot be within itself");
}
AMP_COLD bool Module::holds(const Module& other) const {
  if (state_ == other.state_) return true;
  for (const auto& entry : state().modules) {
    if (entry.second.holds(other)) return true;
  }
  return false;
}
AMP_LAZY_DEFINITION AMP_COLD void Module::enter(const std::string& name, const Module& child,
                                                std::string_view type) const {
  if (child.type() == detail::kNoType) child.set_type(type);
  if (!child.state().parent.expired()) return;
  amp::detail::or_out_of_memory([&] { child.state().name = name; });
  child.state().parent = state_;
}
AMP_COLD void Module::leave(const std::string& name, const Module& child) const {
  if (child.state().parent.lock() != state_ || child.state().name != name) return;
  child.state().parent.reset();
  for (const auto& [other, module] : state().modules) {
    if (module.state_ == child.state_) enter(other, child, detail::kNoType);
  }
}

AMP_COLD void Module::check_name(std::string_view call, const std::string& name) const {
  AMP_CHECK(!name.empty() && name.find('.') == std::string::npos, call,
            ": `name` must not be empty nor hold a dot, but is \"", name, "\"");
  const auto unknown = [&](const auto& names) {
    for (const auto& entry : names)
      AMP_CHECK(entry.first != name, call, ": \"", name, "\" is registered already");
  };
  unknown(state().parameters);
  unknown(state().buffers);
  unknown(state().modules);
}

AMP_LAZY_DEFINITION void Module::collect(NamedTensors State::*list, const std::string& prefix,
                                         NamedTensors& found, bool all_names) const try {
  for (const auto& [name, tensor] : state().*list) {
    if (tensor.defined()) found.emplace_back(prefix + name, tensor);
  }
  for (const auto& [name, child] : state().modules)
    child.collect(list, prefix + name + ".", found, true);
  if (!all_names) detail::keep_first_names(found);
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

AMP_LAZY_DEFINITION AMP_COLD void Module::collect_kept(NamedTensors& kept) const {
  if (state().keeps_float32) {
    collect(&State::parameters, "", kept);
    collect(&State::buffers, "", kept);
  }
  for (const auto& [name, child] : state().modules) child.collect_kept(kept);
}

AMP_LAZY_DEFINITION AMP_COLD void Module::convert(std::string_view call, DType dtype,
                                                  const NamedTensors& kept) const try {
  AMP_CHECK(is_floating_point(dtype), call, ": `dtype` must be floating point, but is ", dtype);
  detail::Replacements converted;
  for (const Tensor& tensor : tensors()) {
    bool stays = !is_floating_point(tensor.dtype());
    for (const auto& entry : kept) stays = stays || entry.second.is_same(tensor);
    if (stays) continue;
    converted.emplace_back(tensor, tensor.dtype() == dtype ? Tensor() : tensor.detach().to(dtype));
  }
  for (const auto& [tensor, data] : converted) {
    if (data.defined()) {
      tensor.set_data(data);
    } else if (tensor.requires_grad()) {
      tensor.set_grad(Tensor());
    }
  }
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

}  // namespace amp::inline v0::nn
