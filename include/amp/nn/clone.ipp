// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/nn/clone.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/cloning.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// Makes the clones of these tensors, except those that have one: their weights are tied.
AMP_COLD void clone_tensors(amp::detail::Cloning& scope, const NamedTensors& tensors) {
  const NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined() || scope.find(tensor.impl())) continue;
    const Tensor clone = tensor.detach().clone();
    if (tensor.is_leaf() && autograd::requires_grad(tensor)) clone.requires_grad_();
    scope.add(tensor, clone);
  }
}

/// A list of copies of the hooks.
template <class Hook>
Ref<amp::detail::HookList<Hook>> copied(const Ref<amp::detail::HookList<Hook>>& hooks) {
  if (!hooks) return hooks;
  auto list = make_ref<amp::detail::HookList<Hook>>();
  for (const auto& [number, hook] : hooks->all()) list->add(*hook);
  return list;
}

}  // namespace detail

AMP_COLD void Module::become_clone(const State& original, const std::shared_ptr<State>& clone) {
  amp::detail::Cloning& scope = *amp::detail::Cloning::current();
  detail::clone_tensors(scope, original.parameters);
  detail::clone_tensors(scope, original.buffers);
  *clone = original;  // whose handles become those of clones
  for (std::shared_ptr<detail::Held>& held : clone->held) held = held ? held->copy() : held;
  clone->parent.reset();
  clone->name.clear();
  clone->forward_hooks = detail::copied(original.forward_hooks);
  clone->backward_hooks = detail::copied(original.backward_hooks);
  for (std::size_t i = 0; i < clone->modules.size(); ++i) {
    State& child = *clone->modules[i].second.state_;
    const State& its_original = *original.modules[i].second.state_;
    const bool first_here = its_original.parent.lock().get() == &original &&
                            its_original.name == clone->modules[i].first;
    if (!first_here && !child.parent.expired()) continue;
    child.parent = clone;
    child.name = clone->modules[i].first;
  }
}

}  // namespace amp::inline v0::nn
