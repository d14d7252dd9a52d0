// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Module: named parameters, buffers and modules within modules. Derive from it to make one's own.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/leaves.hpp"
#include "amp/core/type_name.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0 {

namespace nn {

/// Base of modules: a shared handle, as everything in it is. Copies are the same module. One that
/// derives from Layer<Itself> instead can also be called: net(x) is net.forward(x). An error within
/// a module that is called so names it: "block2.conv1: conv2d: ...".
///
/// ```cpp
/// struct Net : amp::nn::Module {
///   amp::nn::Linear first{register_module("first", amp::nn::Linear(4, 8))};
///   amp::nn::Linear second{register_module("second", amp::nn::Linear(8, 2))};
///   amp::Tensor forward(const amp::Tensor& x) const { return second(amp::relu(first(x))); }
/// };
/// const Net net;
/// assert(net.named_parameters().front().first == "first.weight");
/// assert(net.forward(amp::ones({1, 4})).shape() == amp::Shape(1, 2));
/// ```
class Module {
 public:
  Module() : state_(amp::detail::or_out_of_memory([] { return std::make_shared<State>(); })) {}
  /// No module yet: to be assigned.
  Module(std::nullptr_t) {}

  bool defined() const { return state_ != nullptr; }

  /// The names under which this module and those around it were registered first, from the
  /// outermost on: "block2.conv1". Empty for the outermost.
  std::string path() const {
    std::string path;
    std::shared_ptr<State> inner = state_;
    while (const std::shared_ptr<State> outer = inner ? inner->parent.lock() : nullptr) {
      path = path.empty() ? inner->name : inner->name + "." + path;
      inner = outer;
    }
    return path;
  }

  /// The type with which it was made or registered, "Linear"; "Module" if that is not known.
  std::string_view type() const { return state().type; }
  /// What it says of itself when it is printed: "in_features=4, out_features=2, bias=True".
  const std::string& extra_repr() const { return state().extra_repr; }

  /// Adds a leaf that an optimizer is to train. Undefined: an absent parameter, without a name.
  Tensor register_parameter(std::string name, Tensor tensor, bool requires_grad = true) {
    check_name("register_parameter", name);
    check_leaf("register_parameter", name, tensor);
    if (tensor.defined()) tensor.requires_grad_(requires_grad);
    return add(state().parameters, "register_parameter", std::move(name), std::move(tensor));
  }
  /// Adds a tensor that is saved and moved with the module, but not trained.
  Tensor register_buffer(std::string name, Tensor tensor) {
    return add(state().buffers, "register_buffer", std::move(name), std::move(tensor));
  }
  /// Adds a module within this one, and returns it.
  template <class M>
  M register_module(std::string name, M module) {
    check_child("register_module", name, module);
    add(state().modules, "register_module", name, static_cast<const Module&>(module));
    enter<M>(name, module);
    return module;
  }

  /// Puts `module` in the place of the one registered as `name`, and returns it, to be assigned to
  /// the member: fc = replace_module("fc", Linear(64, 20)). Throws if there is none of that name.
  /// An optimizer that was made before keeps the old parameters.
  template <class M>
  [[nodiscard]] M replace_module(const std::string& name, M module) {
    check_child("replace_module", name, module);
    Module& place = find("replace_module", "module", state().modules, name);
    const Module old = std::exchange(place, module);
    leave(name, old);
    enter<M>(name, module);
    return module;
  }
  /// Puts `tensor`, a leaf, in the place of the parameter registered as `name`, and returns it.
  /// A tensor that collects no gradients yet does so if the old one did. So weights are tied: a
  /// parameter that is registered in several modules is one, under its first name.
  /// Layers compute with what is registered, copies of them too; a module of one's own assigns the
  /// result to its member. Throws if there is no parameter of that name.
  Tensor replace_parameter(const std::string& name, Tensor tensor) {
    Tensor& place = find("replace_parameter", "parameter", state().parameters, name);
    const bool trained = !place.defined() || place.requires_grad();
    check_leaf("replace_parameter", name, tensor);
    if (tensor.defined() && autograd::leaf_of(tensor) == nullptr) tensor.requires_grad_(trained);
    if (place.defined() == tensor.defined() && (!place.defined() || place.is_same(tensor)))
      return tensor;
    forget_replaced(name, tensor);
    amp::detail::or_out_of_memory([&] {
      if (place.defined()) state().replaced.emplace_back(place, name);
    });
    return place = tensor;
  }

  /// Throws if `loss` depends on a leaf that requires gradients and is a parameter neither of this
  /// module nor among `others`: it is not saved with the module, nor given to an optimizer made of
  /// parameters(). So it is with a member that was not registered, or one that was replaced by
  /// assignment. To be called once, after the first forward pass: it walks the graph.
  void check_registered(const Tensor& loss, const std::vector<Tensor>& others = {}) const {
    autograd::check_leaves(
        "check_registered", "this module", loss, named_parameters(), others,
        "register members with register_module and register_parameter, and replace them with "
        "replace_module and replace_parameter");
  }

  std::vector<Tensor> parameters() const { return values(named_parameters()); }
  std::vector<Tensor> buffers() const { return values(named_buffers()); }
  /// Names of modules within modules are joined by dots: "first.weight". A tensor that is there
  /// several times counts once, under its first name.
  NamedTensors named_parameters() const {
    NamedTensors found;
    collect(&State::parameters, "", found);
    return found;
  }
  NamedTensors named_buffers() const {
    NamedTensors found;
    collect(&State::buffers, "", found);
    return found;
  }
  const std::vector<std::pair<std::string, Module>>& named_modules() const {
    return state().modules;
  }

  /// Whether dropout drops and batch norm uses the batch's statistics.
  bool is_training() const { return state().training; }
  void train(bool on = true) const {
    state().training = on;
    for (const auto& [name, child] : state().modules) child.train(on);
  }
  void eval() const { train(false); }

  /// Converts the floating-point parameters and buffers in place; gradients are dropped. To be done
  /// before an optimizer is made of them. Where it throws, nothing is converted.
  void to(DType dtype) const { convert("Module::to", dtype, {}); }
  /// As to(dtype), but for the tensors of modules within that keep_float32, as normalisation layers
  /// do: a sum over many values and a variance want more than 16 bits.
  void to_mixed(DType dtype) const {
    NamedTensors kept;
    collect_kept(kept);
    convert("Module::to_mixed", dtype, kept);
  }
  /// Moves all parameters and buffers. Where it throws, nothing is moved.
  void to(Device device) const try {
    Replacements moved;
    for (const Tensor& tensor : values(state_dict())) {
      if (tensor.device() != device) moved.emplace_back(tensor, tensor.detach().to(device));
    }
    for (const auto& [tensor, data] : moved) tensor.set_data(data);
  } catch (const std::bad_alloc&) {
    throw amp::detail::OutOfMemory();
  }

  void zero_grad() const {
    for (const Tensor& parameter : parameters()) {
      if (parameter.grad().defined()) parameter.set_grad(Tensor());
    }
  }

  /// Handles to all parameters and buffers, by name.
  NamedTensors state_dict() const try {
    NamedTensors all = named_parameters();
    for (auto& buffer : named_buffers()) all.push_back(std::move(buffer));
    return all;
  } catch (const std::bad_alloc&) {
    throw amp::detail::OutOfMemory();
  }
  /// Copies the tensors of these names into the module's, converting. A tensor that is registered
  /// several times is taken by any of its names. Throws, changing nothing, where a name is missing
  /// or unknown, a shape differs, or two names of one tensor bring different values.
  void load_state_dict(const NamedTensors& tensors) const;

 protected:
  /// text() is what extra_repr() returns.
  template <std::invocable Text>
  void set_extra_repr(const Text& text) const {
    state().extra_repr = amp::detail::or_out_of_memory(text);
  }
  void set_type(std::string_view type) const { state().type = type; }

  /// Says that to_mixed is to leave this module's tensors, and those within, as they are.
  void keep_float32() const { state().keeps_float32 = true; }

  /// What `member`, a handle to the parameter `name` of this module, stands for: the one registered
  /// in its place if replace_parameter replaced it, else itself, also if it was only assigned.
  const Tensor& registered(std::string_view name, const Tensor& member) const {
    for (const auto& [old, its_name] : state().replaced) {
      if (its_name == name && member.defined() && member.is_same(old))
        return find("registered", "parameter", state().parameters, name);
    }
    return member;
  }
  /// Forgets that `back` was replaced as `name`, and replaced parameters to which there is no other
  /// handle any more.
  void forget_replaced(std::string_view name, const Tensor& back) const {
    std::erase_if(state().replaced, [&](const auto& entry) {
      return entry.first.impl().unique() ||
             (entry.second == name && back.defined() && entry.first.is_same(back));
    });
  }

  void check_defined() const {
    AMP_CHECK(state_ != nullptr,
              "nn::Module: this module is empty, as one made of nullptr or without arguments is; "
              "assign one before using it");
  }

 private:
  static constexpr std::string_view kNoType = "Module";

  struct State {
    NamedTensors parameters, buffers;
    std::vector<std::pair<std::string, Module>> modules;
    bool training = true;
    bool keeps_float32 = false;
    std::string_view type = kNoType;
    std::string extra_repr = {};
    // Handles to parameters that were replaced, which copies of a layer may still have.
    std::vector<std::pair<Tensor, std::string>> replaced = {};
    std::weak_ptr<State> parent = {};  // where it was registered first, and as what
    std::string name = {};
  };

  State& state() const {
    check_defined();
    return *state_;
  }

  template <class Value>
  Value add(std::vector<std::pair<std::string, Value>>& list, std::string_view call,
            std::string name, Value value) try {
    check_name(call, name);
    list.emplace_back(std::move(name), value);
    return value;
  } catch (const std::bad_alloc&) {
    throw amp::detail::OutOfMemory();
  }

  static void check_leaf(std::string_view call, const std::string& name, const Tensor& tensor) {
    AMP_CHECK(!tensor.defined() || tensor.is_leaf(), call, ": \"", name, "\", ", describe(tensor),
              ", was computed; detach() it");
  }
  /// The entry of that name; throws, listing those that there are, if there is none.
  template <class Value>
  static Value& find(std::string_view call, std::string_view what,
                     std::vector<std::pair<std::string, Value>>& list, std::string_view name) {
    for (auto& [known, value] : list) {
      if (known == name) return value;
    }
    const std::string names = amp::detail::or_out_of_memory([&] {
      std::string text;
      for (const auto& entry : list) text += (text.empty() ? "\"" : ", \"") + entry.first + "\"";
      return text.empty() ? std::string("none") : text;
    });
    amp::detail::fail(call, ": there is no ", what, " \"", name, "\" in this module, but ", names);
  }
  /// Throws where `child` cannot be a module within this one.
  void check_child(std::string_view call, const std::string& name, const Module& child) const {
    AMP_CHECK(child.defined(), call, ": \"", name, "\" is no module yet");
    AMP_CHECK(!child.holds(*this), call, ": \"", name,
              "\" is this module itself, or holds it; a module cannot be within itself");
  }
  bool holds(const Module& other) const {
    if (state_ == other.state_) return true;
    for (const auto& entry : state().modules) {
      if (entry.second.holds(other)) return true;
    }
    return false;
  }
  /// Tells a child what it is, and where, unless it is in another module already.
  template <class M>
  void enter(const std::string& name, const Module& child) const {
    if (child.type() == kNoType) child.set_type(amp::detail::type_name<M>());
    if (!child.state().parent.expired()) return;
    amp::detail::or_out_of_memory([&] { child.state().name = name; });
    child.state().parent = state_;
  }
  /// The path of a child that is no longer here as `name`: perhaps it still is as another.
  void leave(const std::string& name, const Module& child) const {
    if (child.state().parent.lock() != state_ || child.state().name != name) return;
    child.state().parent.reset();
    for (const auto& [other, module] : state().modules) {
      if (module.state_ == child.state_) enter<Module>(other, child);
    }
  }

  void check_name(std::string_view call, const std::string& name) const {
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

  /// Tensors under their first names, or under all.
  void collect(NamedTensors State::*list, const std::string& prefix, NamedTensors& found,
               bool all_names = false) const try {
    for (const auto& [name, tensor] : state().*list) {
      bool known = !tensor.defined();
      for (const auto& other : found) known = known || (!all_names && other.second.is_same(tensor));
      if (!known) found.emplace_back(prefix + name, tensor);
    }
    for (const auto& [name, child] : state().modules)
      child.collect(list, prefix + name + ".", found, all_names);
  } catch (const std::bad_alloc&) {
    throw amp::detail::OutOfMemory();
  }

  /// The parameters and buffers of this module, and of those within, that stay in float32.
  void collect_kept(NamedTensors& kept) const {
    if (state().keeps_float32) {
      collect(&State::parameters, "", kept);
      collect(&State::buffers, "", kept);
    }
    for (const auto& [name, child] : state().modules) child.collect_kept(kept);
  }

  using Replacements = std::vector<std::pair<Tensor, Tensor>>;  // a tensor, and its new data

  void convert(std::string_view call, DType dtype, const NamedTensors& kept) const try {
    AMP_CHECK(is_floating_point(dtype), call, ": `dtype` must be floating point, but is ", dtype);
    Replacements converted;
    for (const Tensor& tensor : values(state_dict())) {
      bool stays = !is_floating_point(tensor.dtype());
      for (const auto& entry : kept) stays = stays || entry.second.is_same(tensor);
      if (stays) continue;
      converted.emplace_back(tensor,
                             tensor.dtype() == dtype ? Tensor() : tensor.detach().to(dtype));
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
  static std::vector<Tensor> values(const NamedTensors& named) try {
    std::vector<Tensor> tensors;
    for (const auto& entry : named) tensors.push_back(entry.second);
    return tensors;
  } catch (const std::bad_alloc&) {
    throw amp::detail::OutOfMemory();
  }

  std::shared_ptr<State> state_;
};

}  // namespace nn
}  // namespace amp::inline v0
