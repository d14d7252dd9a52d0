// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules one after the other.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

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
  Sequential(const Sequential& other);
  Sequential(Sequential&&) noexcept = default;
  Sequential& operator=(const Sequential& other);
  Sequential& operator=(Sequential&&) noexcept = default;
  ~Sequential() = default;
  /// Of these modules, whose names are their places: "0", "1", ...
  template <class... Modules>
    requires(std::derived_from<Modules, Module>&&...)
  explicit Sequential(const Modules&... modules) : steps_(no_steps()) { (push_back(modules), ...); }
  template <class... Others>
  explicit Sequential(const Others&...) = delete;  // each must be a module: amp::nn::ReLU()

  /// Adds a module at the end, under its place or under a name.
  template <std::derived_from<Module> M>
  void push_back(const M& module) {
    push_back(next_name(), module);
  }
  template <std::derived_from<Module> M>
  void push_back(std::string name, const M& module) {
    register_child(name, module, detail::kTypeName<M>);
    add_step(std::move(name), step(module));
  }
  template <class Other>
  void push_back(const Other&) = delete;  // each must be a module: amp::nn::ReLU()
  /// As Module::replace_module(), but there is no member to which the result is to be assigned.
  template <class M>
  M replace_module(const std::string& name, const M& module) {
    check_defined();
    std::unique_ptr<Step> replacement = step(module);
    replace_child(name, module, detail::kTypeName<M>);
    replace_step(name, std::move(replacement));
    return module;
  }

  /// Returns what the last module makes of x, each being called with the result of the one before.
  Tensor forward(const Tensor& x) const;

 private:
  /// A module of any type.
  class Step {
   public:
    virtual ~Step() = default;
    virtual Tensor forward(const Tensor& x) const = 0;
    virtual std::unique_ptr<Step> copy() const = 0;
  };
  template <class M>
  class StepOf final : public Step {
   public:
    explicit StepOf(const M& module) : module_(module) {}
    Tensor forward(const Tensor& x) const override { return detail::forward(module_, x); }
    std::unique_ptr<Step> copy() const override { return step(module_); }

   private:
    M module_;
  };
  struct Steps;

  template <class M>
  static std::unique_ptr<Step> step(const M& module) {
    return amp::detail::or_out_of_memory(
        [&]() -> std::unique_ptr<Step> { return std::make_unique<StepOf<M>>(module); });
  }
  static std::shared_ptr<Steps> no_steps();
  std::string next_name() const;
  void add_step(std::string name, std::unique_ptr<Step> step) const;
  void replace_step(const std::string& name, std::unique_ptr<Step> step) const;

  std::shared_ptr<Steps> steps_;  // shared by copies, as the modules are
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/sequential.ipp"
#endif
