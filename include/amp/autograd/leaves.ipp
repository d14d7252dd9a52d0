// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>

#include "amp/autograd/function.hpp"
#include "amp/autograd/leaves.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0::autograd {

AMP_COLD std::vector<LeafUse> leaves_of(const Tensor& root) {
  AMP_CHECK(requires_grad(root), "the loss, ", describe(root),
            ", requires no gradient: nothing it was computed from does, or it was computed under "
            "NoGradGuard");
  std::vector<LeafUse> leaves, open{{node_of(root), nullptr}};
  std::unordered_set<const Node*> known{open[0].leaf};
  while (!open.empty()) {
    const auto [node, user] = open.back();
    open.pop_back();
    if (const Leaf* const leaf = const_cast<Node*>(node)->as_leaf()) {
      if (leaf->requires_grad) leaves.push_back({leaf, user});
      continue;
    }
    const bool is_cast = node->name() == "to" && user != nullptr;
    for (const Ref<Node>& input : node->inputs()) {
      if (input && known.insert(input.get()).second)
        open.push_back({input.get(), is_cast ? user : node});
    }
  }
  std::sort(leaves.begin(), leaves.end(), [](const LeafUse& a, const LeafUse& b) {
    return a.op != nullptr && b.op != nullptr && a.op != b.op
               ? a.op->sequence() < b.op->sequence()
               : a.leaf->sequence() < b.leaf->sequence();
  });
  return leaves;
}

AMP_COLD void check_leaves(std::string_view call, std::string_view owner, const Tensor& loss,
                           const NamedTensors& own, const std::vector<Tensor>& others,
                           std::string_view advice) {
  AMP_CHECK(loss.defined(), call, ": `loss` is undefined");
  constexpr std::size_t kMostListed = 8;
  const std::vector<LeafUse> leaves = leaves_of(loss);
  const auto list = [](std::string& text, std::size_t count, const std::string& entry) {
    if (count < kMostListed) text += (count == 0 ? "" : "; ") + entry;
    if (count == kMostListed) text += "; ...";
  };
  const auto is = [](const Node* leaf, const Tensor& tensor) {
    return tensor.defined() && node_of(tensor) == leaf;
  };
  std::string strangers, unused;
  std::size_t strange = 0, idle = 0;
  for (const auto& [leaf, op] : leaves) {
    bool held = false;
    for (const auto& entry : own) held = held || is(leaf, entry.second);
    for (const Tensor& other : others) held = held || is(leaf, other);
    if (held) continue;
    const std::string taken = op == nullptr ? "" : ", taken by " + std::string(op->name());
    list(strangers, strange++, to_string(leaf->dtype()) + to_string(leaf->shape()) + taken);
  }
  if (strange == 0) return;
  for (const auto& entry : own) {
    const Tensor& tensor = entry.second;
    const bool used = std::any_of(leaves.begin(), leaves.end(),
                                  [&](const LeafUse& use) { return is(use.leaf, tensor); });
    if (!used && requires_grad(tensor))
      list(unused, idle++, "\"" + entry.first + "\", " + describe(tensor));
  }
  if (idle != 0)
    unused =
        "; the loss does not depend on these of its parameters, which they may have replaced: " +
        unused;
  amp::detail::fail(call, ": the loss depends on ", strange, strange == 1 ? " leaf" : " leaves",
                    " that ", owner, " does not hold: ", strangers, unused, "; ", advice);
}

}  // namespace amp::inline v0::autograd
