// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules one after the other.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "amp/nn/any_module.hpp"
#include "amp/nn/layer.hpp"

namespace amp::inline v0::nn {

/// A chain of modules, of which each takes the result of the one before. They are named "0", "1",
/// ... Within braces they are made, and draw their weights, from left to right. Within parentheses
/// the compiler chooses the order, and g++ and clang choose different ones.
///
/// ```cpp
/// const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::ReLU(), amp::nn::Linear(8, 2)};
/// assert(net(amp::ones({3, 4})).shape() == amp::Shape(3, 2));
/// assert(net.named_parameters()[2].first == "2.weight");
/// ```
class Sequential : public Layer<Sequential> {
 public:
  /// No module yet: to be assigned.
  Sequential(std::nullptr_t) : Layer<Sequential>(nullptr) {}
  /// Of these modules, whose names are their places: "0", "1", ...
  template <class... Modules>
    requires(std::derived_from<Modules, Module>&&...)
  explicit Sequential(const Modules&... modules) { (push_back(modules), ...); }
  template <class... Others>
  explicit Sequential(const Others&...) = delete;  // each must be a module: amp::nn::ReLU()

  /// Adds a module at the end, under its place or under a name.
  template <std::derived_from<Module> M>
  void push_back(const M& module) {
    push_back(std::to_string(size()), module);
  }
  template <std::derived_from<Module> M>
  void push_back(std::string name, const M& module) {
    register_child(name, module, AnyModule::hold(module), detail::kTypeName<M>);
  }
  template <class Other>
  void push_back(const Other&) = delete;  // each must be a module: amp::nn::ReLU()
  /// As Module::replace_module(), but there is no member to which the result is to be assigned.
  template <class M>
  M replace_module(const std::string& name, const M& module) {
    replace_child(name, module, AnyModule::hold(module), detail::kTypeName<M>);
    return module;
  }

  /// The number of modules.
  std::size_t size() const { return named_modules().size(); }
  /// Whether there are none.
  bool empty() const { return size() == 0; }
  /// Module number i, which can be called; a negative number counts from the end. Throws if there is
  /// none.
  AnyModule operator[](std::int64_t i) const;
  auto begin() const { return detail::PlaceIterator<Sequential>(*this, 0); }
  auto end() const { return detail::PlaceIterator<Sequential>(*this, size()); }

  /// Returns what the last module makes of x, each being called with the result of the one before.
  Tensor forward(const Tensor& x) const { return run({{&x}}); }
  /// The same, the first module being called with all of these tensors, four at most.
  template <std::same_as<Tensor>... More>
  Tensor forward(const Tensor& x, const More&... more) const {
    return run({{&x, &more...}});
  }

 private:
  Tensor run(detail::Arguments arguments) const;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/sequential.ipp"
#endif
