// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a module holds. For the definitions of its members alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/hooks.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {

namespace detail {

inline constexpr std::string_view kNoType = "Module";

/// "a", "b"; or none.
inline std::string listed(const std::vector<std::string>& names) {
  return amp::detail::or_out_of_memory([&] {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
    return text.empty() ? std::string("none") : text;
  });
}

}  // namespace detail

struct Module::State {
  NamedTensors parameters, buffers;
  std::vector<std::pair<std::string, Module>> modules;
  bool training = true;
  bool keeps_float32 = false;
  std::string_view type = detail::kNoType;
  std::string extra_repr = {};
  // Handles to parameters that were replaced, which copies of a layer may still have.
  std::vector<std::pair<Tensor, std::string>> replaced = {};
  Ref<amp::detail::HookList<ForwardHook>> forward_hooks = {};
  Ref<amp::detail::HookList<BackwardHook>> backward_hooks = {};
  std::weak_ptr<State> parent = {};  // where it was registered first, and as what
  std::string name = {};
};

}  // namespace amp::inline v0::nn
