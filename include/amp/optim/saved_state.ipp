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
#include "amp/tensor/given_tensors.hpp"

namespace amp::inline v0 {

AMP_COLD void Optimizer::exchange(const Hyperparameters& hyperparameters,
                                  std::vector<double>& values) noexcept {
  std::size_t next = 0;
  for (const auto& [name, value] : hyperparameters) std::swap(*value, values[next++]);
}

AMP_LAZY_DEFINITION AMP_COLD std::string Optimizer::entry_name(std::size_t i,
                                                               const State& state) const {
  return names_[i] + "." + std::string(state.name);
}

AMP_LAZY_DEFINITION AMP_COLD NamedTensors Optimizer::state_dict() const try {
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

namespace detail {

AMP_COLD void check_count(std::string_view name, const Tensor& count) {
  AMP_CHECK(!count.defined() || count.item<std::int64_t>() >= 0, "load_state_dict: \"", name,
            "\" counts steps, but is below 0");
}

}  // namespace detail

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::load_state_dict(const NamedTensors& tensors) try {
  detail::GivenTensors given("optimizer", tensors);
  const Tensor applied = given.needed("applied_steps", {}, kInt64);
  const Hyperparameters own = hyperparameters();
  std::vector<Tensor> numbers;
  for (const auto& entry : own) numbers.push_back(given.needed(entry.first, {}, kFloat64));
  const detail::PoolVector<State*> all = all_states();
  detail::PoolVector<detail::PoolVector<Tensor>> loaded = find_states(given, all);
  for (std::size_t i = 0; i < parameters_.size(); ++i) check_complete(i, given, all, loaded);
  given.require_fit();

  detail::check_count("applied_steps", applied);
  std::vector<double> values;
  for (const Tensor& number : numbers) values.push_back(number.item<double>());
  for (std::size_t s = 0; s < all.size(); ++s) {
    all[s]->tensors.reserve(parameters_.size());  // so that replace() allocates nothing
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Tensor& state = loaded[s][i];
      if (all[s]->kind == State::kCount) detail::check_count(entry_name(i, *all[s]), state);
      if (state.defined()) state = state.to(parameters_[i].device()).clone();
    }
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

AMP_LAZY_DEFINITION AMP_COLD auto Optimizer::find_states(
    detail::GivenTensors& given, const detail::PoolVector<State*>& all) const
    -> detail::PoolVector<detail::PoolVector<Tensor>> {
  detail::PoolVector<detail::PoolVector<Tensor>> found;
  for (const State* state : all) {
    detail::PoolVector<Tensor>& list = found.emplace_back();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& p = parameters_[i];
      const std::string name = entry_name(i, *state);
      const auto dtype = state->dtype(choice(i), p);
      AMP_CHECK(dtype || given.find(name) == nullptr, "load_state_dict: \"", name,
                "\" was saved with another `storage` than ", amp::name(storage_of(i)), ", which ",
                describe(p), " has here");
      const bool exists = dtype && !state->is_none_of(p.shape());
      list.push_back(exists ? given.matching(name, state->shape(p, *dtype), *dtype) : Tensor());
    }
  }
  return found;
}

AMP_LAZY_DEFINITION AMP_COLD void Optimizer::check_complete(
    std::size_t i, detail::GivenTensors& given, const detail::PoolVector<State*>& all,
    const detail::PoolVector<detail::PoolVector<Tensor>>& found) const {
  bool begun = false;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const Tensor& t = found[s][i];
    begun =
        begun || (t.defined() && (all[s]->kind == State::kMoment ||
                                  (all[s]->kind == State::kCount && t.item<std::int64_t>() > 0)));
  }
  for (std::size_t s = 0; s < all.size() && begun; ++s) {
    const bool needs = !all[s]->may_lack && !all[s]->is_none_of(parameters_[i].shape()) &&
                       all[s]->dtype(choice(i), parameters_[i]).has_value();
    const std::string name = entry_name(i, *all[s]);
    if (needs && given.find(name) == nullptr) given.add_missing(name);
  }
}

}  // namespace amp::inline v0
