// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How modules are loaded: Module::load_state_dict.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {
namespace detail {

/// Bit for bit, in the dtype of `a`.
inline bool same_values(const Tensor& a, const Tensor& b) {
  const Tensor x = a.detach().to(kCPU).contiguous();
  const Tensor y = b.detach().to(kCPU).to(a.dtype()).contiguous();
  const auto bytes = static_cast<std::size_t>(x.numel() * item_size(x.dtype()));
  return bytes == 0 || std::memcmp(x.raw_data(), y.raw_data(), bytes) == 0;
}

}  // namespace detail

inline void Module::load_state_dict(const NamedTensors& tensors) const {
  const NamedTensors own = state_dict();
  NamedTensors names;
  collect(&State::parameters, "", names, true);
  collect(&State::buffers, "", names, true);
  const auto find = [](const NamedTensors& list, std::string_view name) -> const Tensor* {
    for (const auto& [known, tensor] : list) {
      if (known == name) return &tensor;
    }
    return nullptr;
  };
  for (const auto& [name, tensor] : tensors) {
    const Tensor* const to = find(names, name);
    AMP_CHECK(to != nullptr, "load_state_dict: the module has no \"", name, "\"");
    AMP_CHECK(tensor.defined() && tensor.shape() == to->shape(), "load_state_dict: \"", name,
              "\" must be ", describe(*to), ", but is ", describe(tensor));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    AMP_CHECK(find(tensors, tensors[i].first) == &tensors[i].second, "load_state_dict: \"",
              tensors[i].first, "\" is there twice");
  std::vector<const Tensor*> sources;
  for (const auto& [name, tensor] : own) {
    const Tensor*& source = sources.emplace_back(nullptr);
    for (const auto& [alias, known] : names) {
      if (!known.is_same(tensor)) continue;
      const Tensor* const found = find(tensors, alias);
      AMP_CHECK(source == nullptr || found == nullptr || detail::same_values(*source, *found),
                "load_state_dict: \"", name, "\" and \"", alias,
                "\" are one tensor in this module, but their values differ");
      if (source == nullptr) source = found;
    }
    AMP_CHECK(source != nullptr, "load_state_dict: \"", name, "\" is missing");
  }
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < own.size(); ++i) own[i].second.copy_(sources[i]->detach());
}

}  // namespace amp::inline v0::nn
