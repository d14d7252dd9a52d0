// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "amp/core/address_set.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/apply.hpp"

namespace amp::inline v0::nn {

AMP_COLD std::shared_ptr<detail::Held> Module::held() const {
  const std::shared_ptr<State> outer = state().parent.lock();
  for (std::size_t i = 0; outer && i < outer->modules.size(); ++i) {
    if (outer->modules[i].second.state_ == state_) return outer->held[i];
  }
  return nullptr;
}
AMP_LAZY_DEFINITION Module::Visits Module::visits(const std::shared_ptr<detail::Held>& self) const
    try {
  Visits visits;
  amp::detail::AddressSet known;
  collect_visits(self, visits, known);
  return visits;
} catch (const std::bad_alloc&) {
  throw amp::detail::OutOfMemory();
}
AMP_COLD void Module::collect_visits(const std::shared_ptr<detail::Held>& self, Visits& visits,
                                     amp::detail::AddressSet& known) const {
  if (!known.insert(&state()).second) return;
  for (std::size_t i = 0; i < state().modules.size(); ++i)
    state().modules[i].second.collect_visits(state().held[i], visits, known);
  visits.emplace_back(*this, self);
}

}  // namespace amp::inline v0::nn
