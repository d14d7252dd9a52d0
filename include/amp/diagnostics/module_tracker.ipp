// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/diagnostics/module_tracker.hpp"

namespace amp::inline v0::diagnostics {

AMP_COLD const std::string& no_module() {
  static const std::string* const empty = new std::string;
  return *empty;
}

AMP_COLD bool ModuleTracker::leave() noexcept {
  if (modules_.empty()) return false;
  modules_.pop_back();
  return true;
}

AMP_COLD const std::string& ModuleTracker::current() const {
  return modules_.empty() ? no_module() : modules_.back();
}

AMP_COLD void ModuleTracker::note(const Tensor& result) {
  if (!result.defined()) return;
  std::vector<const autograd::Node*> next;
  const auto visit = [&](autograd::Node* node) {
    if (node == nullptr || node->as_leaf() != nullptr) return;
    if (of_node_.emplace(node->sequence(), current()).second) next.push_back(node);
  };
  visit(autograd::node_of(result));
  while (!next.empty()) {
    const autograd::Node* const node = next.back();
    next.pop_back();
    for (const Ref<autograd::Node>& input : node->inputs()) visit(input.get());
  }
}

AMP_COLD const std::string& ModuleTracker::module_of(const autograd::Node& node) const {
  const auto known = of_node_.find(node.sequence());
  return known == of_node_.end() ? no_module() : known->second;
}

}  // namespace amp::inline v0::diagnostics
