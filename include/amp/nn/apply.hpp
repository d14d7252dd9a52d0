// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Module::apply(): functions that visit the modules of a class.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "amp/nn/held.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// The module as an M; null if it is none, or not known.
template <class M>
const M* held_as(const Held* held) {
  if (held == nullptr) return nullptr;
  try {
    held->throw_module();
  } catch (const M* module) {
    return module;
  } catch (...) {
  }
  return nullptr;
}

template <class R, class F, class A>
std::type_identity<std::remove_cvref_t<A>> argument_of(R (F::*)(A) const);
template <class R, class F, class A>
std::type_identity<std::remove_cvref_t<A>> argument_of(R (F::*)(A));
template <class R, class A>
std::type_identity<std::remove_cvref_t<A>> argument_of(R (*)(A));

/// The class of modules that a function takes; Module for one that takes any.
template <class F>
constexpr auto visited_by() {
  if constexpr (requires { argument_of(&F::operator()); }) {
    return decltype(argument_of(&F::operator()))();
  } else if constexpr (requires(F & function) { argument_of(function); }) {
    return decltype(argument_of(std::declval<F&>()))();
  } else {
    return std::type_identity<Module>();
  }
}

}  // namespace detail

template <class... Functions>
void Module::apply_as(const std::shared_ptr<detail::Held>& self, Functions&... functions) const {
  for (const auto& [module, held] : visits(self)) (visit(functions, module, held.get()), ...);
}

template <class Function>
void Module::visit(Function& function, Module module, const detail::Held* held) {
  using M = typename decltype(detail::visited_by<std::remove_const_t<Function>>())::type;
  static_assert(std::derived_from<M, Module>,
                "a function given to apply() takes a module: [](const nn::Linear& linear) {...}");
  if constexpr (std::is_same_v<M, Module>) {
    function(module);
  } else if (const M* const found = detail::held_as<M>(held)) {
    M current = *found;
    if constexpr (requires { current.weight = Tensor(); })
      current.weight = Tensor(module.registered("weight", current.weight));
    if constexpr (requires { current.bias = Tensor(); })
      current.bias = Tensor(module.registered("bias", current.bias));
    function(current);
  }
}

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/apply.ipp"
#endif
