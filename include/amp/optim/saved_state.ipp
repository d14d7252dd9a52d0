// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/ops/tensor_members.hpp"
#include "amp/optim/saved_state.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_COLD void Optimizer::exchange(const Hyperparameters& hyperparameters,
                                  std::vector<double>& values) noexcept {
  std::size_t next = 0;
  for (const auto& [name, value] : hyperparameters) std::swap(*value, values[next++]);
}

AMP_COLD std::string Optimizer::entry_name(std::size_t i, const State& state) const {
  return names_[i] + "." + std::string(state.name);
}

AMP_COLD NamedTensors Optimizer::state_dict() const try {
  NamedTensors all{{"applied_steps", applied_.clone()}};
  for (const auto& [name, value] : const_cast<Optimizer*>(this)->hyperparameters())
    all.emplace_back(name, full({}, *value, {.dtype = kFloat64}));
  for (const State* state : const_cast<Optimizer*>(this)->all_states()) {
    for (std::size_t i = 0; i < state->tensors.size(); ++i) {
      if (state->tensors[i].defined())
        all.emplace_back(names_[i] + "." + std::string(state->name), state->tensors[i].clone());
    }
  }
  return all;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_COLD void Optimizer::load_state_dict(const NamedTensors& tensors) try {
  const auto find = [&](const std::string& name) -> const Tensor* {
    const Tensor* found = nullptr;
    for (const auto& entry : tensors) {
      if (entry.first != name) continue;
      AMP_CHECK(found == nullptr && entry.second.defined(), "load_state_dict: \"", name,
                "\" is there twice, or undefined");
      found = &entry.second;
    }
    return found;
  };
  std::size_t used = 0;
  const auto matching = [&](const std::string& name, const Shape& shape, DType dtype) {
    const Tensor* const found = find(name);
    if (found == nullptr) return Tensor();
    AMP_CHECK(found->shape() == shape && found->dtype() == dtype, "load_state_dict: \"", name,
              "\" must be ", dtype, shape, ", but is ", describe(*found));
    AMP_CHECK(dtype != kInt64 || found->item<std::int64_t>() >= 0, "load_state_dict: \"", name,
              "\" counts steps, but is below 0");
    ++used;
    return *found;
  };
  const Tensor applied = matching("applied_steps", {}, kInt64);
  AMP_CHECK(applied.defined(), "load_state_dict: \"applied_steps\" is missing");
  std::vector<double> values;
  const Hyperparameters own = hyperparameters();
  for (const auto& [name, address] : own) {
    const Tensor value = matching(name, {}, kFloat64);
    AMP_CHECK(value.defined(), "load_state_dict: \"", name, "\" is missing");
    values.push_back(value.item<double>());
  }
  const detail::PoolVector<State*> all = all_states();
  detail::PoolVector<detail::PoolVector<Tensor>> loaded;
  for (State* state : all) {
    state->tensors.reserve(parameters_.size());  // so that replace() allocates nothing
    detail::PoolVector<Tensor>& list = loaded.emplace_back();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto dtype = state->dtype(choice(i), parameters_[i].dtype());
      const Tensor found =
          dtype ? matching(entry_name(i, *state), state->shape(parameters_[i]), *dtype) : Tensor();
      list.push_back(found.defined() ? found.to(parameters_[i].device()).clone() : found);
    }
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) check_complete(i, all, loaded);
  if (used != tensors.size()) {
    for (const auto& entry : tensors) check_known(entry.first, all);
  }
  const Tensor applied_here = applied.to(applied_.device());
  exchange(own, values);
  try {
    check_options();
  } catch (...) {
    exchange(own, values);
    throw;
  }
  applied_.copy_(applied_here);
  std::size_t next = 0;
  for (State* state : all) state->replace(loaded[next++]);
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}

AMP_COLD void Optimizer::check_complete(
    std::size_t i, const detail::PoolVector<State*>& all,
    const detail::PoolVector<detail::PoolVector<Tensor>>& loaded) const {
  bool begun = false;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Tensor& t = loaded[s][i];
    begun =
        begun || (t.defined() && (all[s]->kind == State::kMoment ||
                                  (all[s]->kind == State::kCount && t.item<std::int64_t>() > 0)));
  }
  for (std::size_t s = 0; s < all.size() && begun; ++s)
    AMP_CHECK(loaded[s][i].defined() || all[s]->may_lack ||
                  !all[s]->dtype(choice(i), parameters_[i].dtype()),
              "load_state_dict: \"", entry_name(i, *all[s]), "\" is missing");
}

AMP_COLD void Optimizer::check_known(std::string_view entry,
                                     const detail::PoolVector<State*>& all) {
  bool known = entry == "applied_steps";
  for (const auto& own : hyperparameters()) known = known || own.first == entry;
  for (const State* state : all) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (entry != entry_name(i, *state)) continue;
      AMP_CHECK(state->dtype(choice(i), parameters_[i].dtype()), "load_state_dict: \"", entry,
                "\" was saved with another `storage` than ", amp::name(storage_of(i)), ", which ",
                describe(parameters_[i]), " has here");
      known = true;
    }
  }
  AMP_CHECK(known, "load_state_dict: there is no \"", entry, "\" here");
}

}  // namespace amp::inline v0
