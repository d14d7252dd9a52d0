// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lists and dictionaries of modules and of parameters, which are registered under their places or
// keys. Copies of one are the same container, as copies of a module are the same module.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/nn/any_module.hpp"
#include "amp/nn/layer.hpp"
#include "amp/tensor/cloning.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// Base of containers of modules of the class M.
template <class Self, class M>
class ModulesOf : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  ModulesOf()
      : entries_(amp::detail::or_out_of_memory([] { return std::make_shared<Entries>(); })) {}
  ModulesOf(const ModulesOf& other)
      : Layer<Self>(other),
        entries_(amp::detail::Cloning::copy_of(
            other.entries_, [](const Entries& original, const std::shared_ptr<Entries>& clone) {
              *clone = original;
            })) {}
  ModulesOf(ModulesOf&&) noexcept = default;
  ModulesOf& operator=(const ModulesOf& other) { return *this = ModulesOf(other); }
  ModulesOf& operator=(ModulesOf&&) noexcept = default;
  ~ModulesOf() = default;

  /// The number of modules.
  std::size_t size() const { return entries().size(); }
  /// Whether there are none.
  bool empty() const { return size() == 0; }
  /// As Module::replace_module(), but there is no member to which the result is to be assigned.
  M replace_module(const std::string& name, const M& module) {
    Module& self = *this;
    (void)self.replace_module(name, module);
    for (auto& [known, place] : entries()) {
      if (known == name) place = module;
    }
    return module;
  }

 protected:
  using Entries = std::vector<std::pair<std::string, M>>;

  Entries& entries() const {
    this->check_defined();
    return *entries_;
  }
  void add(std::string name, const M& module) {
    amp::detail::or_out_of_memory([&] { entries().reserve(size() + 1); });
    this->register_module(name, module);
    entries_->emplace_back(std::move(name), module);
  }

 private:
  std::shared_ptr<Entries> entries_;
};

/// Throws: there is no entry of that name.
[[noreturn, gnu::cold]] void fail_key(std::string_view type, const std::string& key);

}  // namespace detail

/// A list of modules of one class, in a member; ModuleList<> holds modules of any class, as
/// AnyModule. Their names are their places.
///
/// ```cpp
/// struct Tower : amp::nn::Layer<Tower> {
///   amp::nn::ModuleList<amp::nn::Linear> layers{
///       register_module("layers", amp::nn::ModuleList<amp::nn::Linear>())};
///   Tower() {
///     for (int i = 0; i < 3; ++i) layers.push_back(amp::nn::Linear(4, 4));
///   }
///   amp::Tensor forward(amp::Tensor x) const {
///     for (const amp::nn::Linear& layer : layers) x = amp::relu(layer(x));
///     return x;
///   }
/// };
/// const Tower net;
/// assert(net.named_parameters()[2].first == "layers.1.weight");
/// assert(net(amp::ones({2, 4})).shape() == amp::Shape(2, 4));
/// ```
template <class M = AnyModule>
class ModuleList : public detail::ModulesOf<ModuleList<M>, M> {
 public:
  using detail::ModulesOf<ModuleList<M>, M>::ModulesOf;
  ModuleList() = default;
  /// Of these modules.
  ModuleList(std::initializer_list<M> modules) {
    for (const M& module : modules) push_back(module);
  }

  /// Adds a module at the end.
  void push_back(const M& module) { this->add(std::to_string(this->size()), module); }
  /// Module number i; a negative number counts from the end. Throws if there is none.
  const M& operator[](std::int64_t i) const { return entry(i); }
  M& operator[](std::int64_t i) { return entry(i); }
  auto begin() const { return detail::PlaceIterator<ModuleList>(*this, 0); }
  auto end() const { return detail::PlaceIterator<ModuleList>(*this, this->size()); }

 private:
  M& entry(std::int64_t i) const {
    auto& entries = this->entries();
    return entries[detail::checked_place("ModuleList", i, entries.size())].second;
  }
};

/// A dictionary of modules of one class, in the order in which they were inserted.
///
/// ```cpp
/// amp::nn::ModuleDict<amp::nn::Linear> heads;
/// heads.insert("mean", amp::nn::Linear(4, 2));
/// heads.insert("variance", amp::nn::Linear(4, 1));
/// assert(heads["mean"](amp::ones({3, 4})).shape() == amp::Shape(3, 2));
/// for (const auto& [name, head] : heads) assert(heads.contains(name));
/// ```
template <class M = AnyModule>
class ModuleDict : public detail::ModulesOf<ModuleDict<M>, M> {
 public:
  using detail::ModulesOf<ModuleDict<M>, M>::ModulesOf;
  ModuleDict() = default;
  /// Of these keys and modules.
  ModuleDict(std::initializer_list<std::pair<std::string, M>> entries) {
    for (const auto& [key, module] : entries) insert(key, module);
  }

  /// Adds a module under a key that is new. A key must not be empty nor hold a dot.
  void insert(std::string key, const M& module) { this->add(std::move(key), module); }
  /// The module of that key. Throws if there is none.
  const M& operator[](const std::string& key) const { return entry(key); }
  M& operator[](const std::string& key) { return entry(key); }
  /// Whether there is a module of that key.
  bool contains(const std::string& key) const { return find(key) != nullptr; }
  auto begin() const { return std::as_const(this->entries()).begin(); }
  auto end() const { return std::as_const(this->entries()).end(); }

 private:
  M* find(const std::string& key) const {
    for (auto& [known, module] : this->entries()) {
      if (known == key) return &module;
    }
    return nullptr;
  }
  M& entry(const std::string& key) const {
    M* const found = find(key);
    if (found == nullptr) detail::fail_key("ModuleDict", key);
    return *found;
  }
};

/// A list of parameters, whose names are their places.
class ParameterList : public Layer<ParameterList> {
 public:
  using Layer::Layer;
  ParameterList() = default;
  /// Of these leaves.
  ParameterList(std::initializer_list<Tensor> parameters);

  /// Adds a leaf at the end, as register_parameter() does.
  void push_back(const Tensor& parameter);
  /// The number of parameters.
  std::size_t size() const { return own_parameters().size(); }
  /// Whether there are none.
  bool empty() const { return size() == 0; }
  /// Parameter number i; a negative number counts from the end. Throws if there is none.
  const Tensor& operator[](std::int64_t i) const;
  auto begin() const { return detail::PlaceIterator<ParameterList>(*this, 0); }
  auto end() const { return detail::PlaceIterator<ParameterList>(*this, size()); }
};

/// A dictionary of parameters, in the order in which they were inserted.
class ParameterDict : public Layer<ParameterDict> {
 public:
  using Layer::Layer;
  ParameterDict() = default;
  /// Of these keys and leaves.
  ParameterDict(std::initializer_list<std::pair<std::string, Tensor>> entries);

  /// Adds a leaf under a key that is new, as register_parameter() does.
  void insert(std::string key, const Tensor& parameter);
  /// The number of parameters.
  std::size_t size() const { return own_parameters().size(); }
  /// Whether there are none.
  bool empty() const { return size() == 0; }
  /// The parameter of that key. Throws if there is none.
  const Tensor& operator[](const std::string& key) const;
  /// Whether there is a parameter of that key.
  bool contains(const std::string& key) const;
  auto begin() const { return own_parameters().begin(); }
  auto end() const { return own_parameters().end(); }
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/containers.ipp"
#endif
