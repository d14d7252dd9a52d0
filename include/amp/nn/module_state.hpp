// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the handles to a module share. For the definitions of Module alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {

namespace detail {

inline constexpr std::string_view kNoType = "Module";

}  // namespace detail

struct Module::State {
  NamedTensors parameters, buffers;
  NamedTensors saved_buffers = {};  // the persistent ones among them
  std::vector<std::pair<std::string, Module>> modules;
  bool training = true;
  bool keeps_float32 = false;
  std::string_view type = detail::kNoType;
  std::string extra_repr = {};
  // Parameters that were replaced, to which copies of a layer may still have handles.
  std::vector<std::pair<Tensor, std::string>> replaced = {};
  Ref<ForwardHooks> forward_hooks = {};
  Ref<BackwardHooks> backward_hooks = {};
  std::weak_ptr<State> parent = {};  // the module in which it was registered first
  std::string name = {};
};

}  // namespace amp::inline v0::nn
