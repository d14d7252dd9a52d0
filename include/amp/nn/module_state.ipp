// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/module_state.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/given_tensors.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD bool same_values(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) return true;
  const Tensor x = a.detach().to(kCPU).contiguous();
  const Tensor y = b.detach().to(kCPU).to(a.dtype()).contiguous();
  const auto bytes = static_cast<std::size_t>(x.numel() * item_size(x.dtype()));
  return bytes == 0 || std::memcmp(x.raw_data(), y.raw_data(), bytes) == 0;
}

}  // namespace detail

AMP_LAZY_DEFINITION NamedTensors Module::state_dict() const try {
  NamedTensors all = named_parameters(), saved;
  collect(&State::saved_buffers, "", saved);
  for (auto& buffer : saved) all.push_back(std::move(buffer));
  return all;
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

AMP_LAZY_DEFINITION void Module::load_state_dict(const NamedTensors& tensors) const try {
  const NamedTensors own = state_dict();
  NamedTensors names;
  collect(&State::parameters, "", names, true);
  collect(&State::saved_buffers, "", names, true);
  using Source = std::pair<std::string_view, const Tensor*>;
  std::map<const amp::detail::TensorImpl*, std::vector<Source>> sources;  // of each of `own`
  amp::detail::GivenTensors given("module", tensors);
  for (const auto& [name, tensor] : names) {
    const Tensor* const found = given.find(name);
    if (found == nullptr) continue;
    (void)given.fits(name, *found, tensor.shape());
    sources[&tensor.impl()].emplace_back(name, found);
  }
  for (const auto& [name, tensor] : own) {
    if (!sources.contains(&tensor.impl())) given.add_missing(name);
  }
  given.require_fit();
  for (const auto& [tensor, all] : sources) {
    for (const auto& [name, other] : all)
      AMP_CHECK(detail::same_values(*all.front().second, *other), "load_state_dict: \"",
                all.front().first, "\" and \"", name,
                "\" are one tensor in this module, but their values differ");
  }
  const NoGradGuard no_grad;
  for (const auto& entry : own)
    entry.second.copy_(sources.at(&entry.second.impl()).front().second->detach());
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}

}  // namespace amp::inline v0::nn
