// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "amp/autograd/function.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/autograd/node.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/core/error.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::autograd {

using GradientHooks = amp::detail::HookList<GradientHook>;

AMP_COLD HookHandle add_hook(const Tensor& tensor, GradientHook hook) {
  AMP_CHECK(tensor.defined(), "register_hook: the tensor is undefined");
  AMP_CHECK(requires_grad(tensor), "register_hook: ", describe(tensor),
            " requires no gradient, so that backward has none to call the hook with");
  Node& node = *node_of(tensor);
  if (!node.hooks()) node.set_hooks(make_ref<GradientHooks>());
  auto* const list = static_cast<GradientHooks*>(node.hooks().get());
  const std::int64_t number = list->add(std::move(hook));
  return HookHandle(Ref<amp::detail::HookListBase>(list), number);
}

AMP_COLD Tensor run_hooks(RefCounted& hooks, Tensor gradient) {
  for (const auto& [number, hook] : static_cast<GradientHooks&>(hooks).all()) {
    Tensor changed = (*hook)(gradient);
    if (!changed.defined()) continue;
    AMP_CHECK(changed.shape() == gradient.shape() && changed.device() == gradient.device() &&
                  is_floating_point(changed.dtype()),
              "register_hook: a hook returned ", describe(changed), " on ", changed.device(),
              " in place of a gradient ", describe(gradient), " on ", gradient.device());
    if (changed.dtype() != gradient.dtype()) {
      if (is_observed())
        announce_cast({changed.dtype(), gradient.dtype(), changed.numel(), CastKind::kConverted});
      changed = amp::detail::copy_as_laid_out(changed, gradient.dtype());
    }
    gradient = requires_grad(changed) ? changed.detach() : std::move(changed);
  }
  return gradient;
}

}  // namespace amp::inline v0::autograd
