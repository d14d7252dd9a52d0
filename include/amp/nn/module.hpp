// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Module: named parameters, buffers and modules within modules. Derive from it to make one's own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  Module() : state_(std::make_shared<State>()) {}
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

  /// Adds a leaf that an optimizer is to train. Undefined: an absent parameter, without a name.
  Tensor register_parameter(std::string name, Tensor tensor, bool requires_grad = true) {
    check_name("register_parameter", name);
    if (tensor.defined()) {
      AMP_CHECK(tensor.is_leaf(), "register_parameter: \"", name, "\", ", describe(tensor),
                ", was computed; detach() it");
      tensor.requires_grad_(requires_grad);
    }
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
    enter(name, module);
    return module;
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
  void to(Device device) const {
    Replacements moved;
    for (const Tensor& tensor : values(state_dict())) {
      if (tensor.device() != device) moved.emplace_back(tensor, tensor.detach().to(device));
    }
    for (const auto& [tensor, data] : moved) tensor.set_data(data);
  }

  void zero_grad() const {
    for (const Tensor& parameter : parameters()) {
      if (parameter.grad().defined()) parameter.set_grad(Tensor());
    }
  }

  /// Handles to all parameters and buffers, by name.
  NamedTensors state_dict() const {
    NamedTensors all = named_parameters();
    for (auto& buffer : named_buffers()) all.push_back(std::move(buffer));
    return all;
  }
  /// Copies the tensors of these names into the module's, converting. Throws, changing nothing,
  /// where a name is missing or unknown, or a shape differs.
  void load_state_dict(const NamedTensors& tensors) const {
    const NamedTensors own = state_dict();
    const auto find = [](const NamedTensors& list, std::string_view name) -> const Tensor* {
      for (const auto& [known, tensor] : list) {
        if (known == name) return &tensor;
      }
      return nullptr;
    };
    for (const auto& [name, tensor] : tensors) {
      const Tensor* const to = find(own, name);
      AMP_CHECK(to != nullptr, "load_state_dict: the module has no \"", name, "\"");
      AMP_CHECK(tensor.defined() && tensor.shape() == to->shape(), "load_state_dict: \"", name,
                "\" must be ", describe(*to), ", but is ", describe(tensor));
    }
    for (std::size_t i = 0; i < tensors.size(); ++i)
      AMP_CHECK(find(tensors, tensors[i].first) == &tensors[i].second, "load_state_dict: \"",
                tensors[i].first, "\" is there twice");
    for (const auto& [name, tensor] : own)
      AMP_CHECK(find(tensors, name) != nullptr, "load_state_dict: \"", name, "\" is missing");
    const NoGradGuard no_grad;
    for (const auto& [name, tensor] : own) tensor.copy_(find(tensors, name)->detach());
  }

 protected:
  /// Says that to_mixed is to leave this module's tensors, and those within, as they are.
  void keep_float32() const { state().keeps_float32 = true; }

  void check_defined() const {
    AMP_CHECK(state_ != nullptr,
              "nn::Module: this module is empty, as one made of nullptr or without arguments is; "
              "assign one before using it");
  }

 private:
  struct State {
    NamedTensors parameters, buffers;
    std::vector<std::pair<std::string, Module>> modules;
    bool training = true;
    bool keeps_float32 = false;
    std::weak_ptr<State> parent = {};  // where it was registered first, and as what
    std::string name = {};
  };

  State& state() const {
    check_defined();
    return *state_;
  }

  template <class Value>
  Value add(std::vector<std::pair<std::string, Value>>& list, std::string_view call,
            std::string name, Value value) {
    check_name(call, name);
    list.emplace_back(std::move(name), value);
    return value;
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
  /// Tells a child where it is, unless it is in another module already.
  void enter(const std::string& name, const Module& child) const {
    if (!child.state().parent.expired()) return;
    child.state().parent = state_;
    child.state().name = name;
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

  void collect(NamedTensors State::*list, const std::string& prefix, NamedTensors& found) const {
    for (const auto& [name, tensor] : state().*list) {
      bool known = !tensor.defined();
      for (const auto& other : found) known = known || other.second.is_same(tensor);
      if (!known) found.emplace_back(prefix + name, tensor);
    }
    for (const auto& [name, child] : state().modules)
      child.collect(list, prefix + name + ".", found);
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

  void convert(std::string_view call, DType dtype, const NamedTensors& kept) const {
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
  }
  static std::vector<Tensor> values(const NamedTensors& named) {
    std::vector<Tensor> tensors;
    for (const auto& entry : named) tensors.push_back(entry.second);
    return tensors;
  }

  std::shared_ptr<State> state_;
};

namespace detail {

/// module.forward(arguments...). An error that comes out of it names the module.
template <class M, class... Arguments>
Tensor forward(const M& module, const Arguments&... arguments) {
  try {
    return module.forward(arguments...);
  } catch (Error& error) {
    error.add_module(module.path());
    throw;
  }
}

}  // namespace detail

/// Base of the modules below: module(x) and module->forward(x) are module.forward(x). One that was
/// made of nullptr, or without the arguments that its layer needs, is empty until it is assigned,
/// and throws when it is used.
template <class Self>
class Layer : public Module {
 public:
  using Module::Module;
  Layer() = default;

  template <class... Arguments>
  Tensor operator()(const Arguments&... arguments) const {
    check_defined();
    return detail::forward(static_cast<const Self&>(*this), arguments...);
  }
  const Self* operator->() const {
    check_defined();
    return static_cast<const Self*>(this);
  }

 protected:
  void check_defined() const {
    constexpr std::string_view kName = amp::detail::type_name<Self>();
    AMP_CHECK(defined(), kName, ": this ", kName,
              " is empty, as one made of nullptr or without arguments is; assign one before using "
              "it, as in fc = register_module(\"fc\", ",
              kName, "(...))");
  }
};

}  // namespace nn
}  // namespace amp::inline v0
