// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules one after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amp/nn/layer.hpp"

namespace amp::inline v0::nn {

/// Each module takes the result of the one before. They are named "0", "1", ... In braces they are
/// made, and draw their weights, from left to right; in parentheses the compiler chooses the order,
/// and g++ and clang choose different ones.
///
/// ```cpp
/// const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::ReLU(), amp::nn::Linear(8, 2)};
/// assert(net(amp::ones({3, 4})).shape() == amp::Shape(3, 2));
/// assert(net.named_parameters()[2].first == "2.weight");
/// ```
class Sequential : public Layer<Sequential> {
 public:
  Sequential(std::nullptr_t) : Layer<Sequential>(nullptr) {}
  template <class... Modules>
    requires(std::is_base_of_v<Module, Modules>&&...)
  explicit Sequential(const Modules&... modules)
      : steps_(amp::detail::or_out_of_memory([] { return std::make_shared<Steps>(); })) {
    (push_back(modules), ...);
  }

  template <class M>
  void push_back(const M& module) {
    check_defined();
    push_back(std::to_string(steps_->size()), module);
  }
  template <class M>
  void push_back(std::string name, const M& module) {
    register_module(name, module);
    amp::detail::or_out_of_memory([&] { steps_->emplace_back(std::move(name), step(module)); });
  }
  /// As that of Module; there is no member to assign the result to.
  template <class M>
  M replace_module(const std::string& name, const M& module) {
    check_defined();
    Step replacement = amp::detail::or_out_of_memory([&] { return step(module); });
    (void)Module::replace_module(name, module);
    for (auto& [known, call] : *steps_) {
      if (known == name) call = std::move(replacement);
    }
    return module;
  }

  Tensor forward(const Tensor& x) const {
    check_defined();
    Tensor y = x;
    for (const auto& [name, call] : *steps_) y = call(y);
    return y;
  }

 private:
  using Step = std::function<Tensor(const Tensor&)>;
  using Steps = std::vector<std::pair<std::string, Step>>;

  template <class M>
  static Step step(const M& module) {
    return [module](const Tensor& x) { return detail::forward(module, x); };
  }

  std::shared_ptr<Steps> steps_;  // shared by copies, as the modules are
};

}  // namespace amp::inline v0::nn
