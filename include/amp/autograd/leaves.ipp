// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "amp/autograd/function.hpp"
#include "amp/autograd/leaves.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/address_set.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0::autograd {

AMP_LAZY_DEFINITION std::vector<LeafUse> leaves_of(const Tensor& root) {
  AMP_CHECK(requires_grad(root), "the loss, ", describe(root),
            ", requires no gradient: nothing it was computed from does, or it was computed under "
            "NoGradGuard");
  std::vector<LeafUse> leaves, open{{node_of(root), nullptr}};
  amp::detail::AddressSet known{open[0].leaf};
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

namespace detail {

/// Entries of an error message, of which it shows the first.
struct Listing {
  std::string text = {};
  std::size_t count = 0;

  void add(const std::string& entry) {
    constexpr std::size_t kMostListed = 8;
    if (count < kMostListed) text += (count == 0 ? "" : "; ") + entry;
    if (count == kMostListed) text += "; ...";
    ++count;
  }
};

inline bool is_leaf_of(const Node* leaf, const Tensor& tensor) {
  return tensor.defined() && node_of(tensor) == leaf;
}

/// The leaves that are in neither list.
AMP_COLD Listing strangers(const std::vector<LeafUse>& leaves, const NamedTensors& own,
                           const std::vector<Tensor>& others) {
  Listing found;
  for (const auto& [leaf, op] : leaves) {
    const auto is = [&leaf = leaf](const Tensor& tensor) { return is_leaf_of(leaf, tensor); };
    if (std::any_of(own.begin(), own.end(), [&](const auto& entry) { return is(entry.second); }) ||
        std::any_of(others.begin(), others.end(), is))
      continue;
    const std::string taken = op == nullptr ? "" : ", taken by " + std::string(op->name());
    found.add(to_string(leaf->dtype()) + to_string(leaf->shape()) + taken);
  }
  return found;
}

/// Those of `own` that require gradients, but are none of the leaves.
AMP_COLD Listing unused(const std::vector<LeafUse>& leaves, const NamedTensors& own) {
  Listing found;
  for (const auto& [name, tensor] : own) {
    const bool used = std::any_of(
        leaves.begin(), leaves.end(),
        [&tensor = tensor](const LeafUse& use) { return is_leaf_of(use.leaf, tensor); });
    if (!used && requires_grad(tensor)) found.add("\"" + name + "\", " + describe(tensor));
  }
  return found;
}

}  // namespace detail

AMP_LAZY_DEFINITION void check_leaves(std::string_view call, std::string_view owner,
                                      const Tensor& loss, const NamedTensors& own,
                                      const std::vector<Tensor>& others, std::string_view advice) {
  AMP_CHECK(loss.defined(), call, ": `loss` is undefined");
  const std::vector<LeafUse> leaves = leaves_of(loss);
  const detail::Listing strangers = detail::strangers(leaves, own, others);
  if (strangers.count == 0) return;
  detail::Listing unused = detail::unused(leaves, own);
  if (unused.count != 0)
    unused.text =
        "; the loss does not depend on these of its parameters, which they may have replaced: " +
        unused.text;
  amp::detail::fail(call, ": the loss depends on ", strangers.count,
                    strangers.count == 1 ? " leaf" : " leaves", " that ", owner,
                    " does not hold: ", strangers.text, unused.text, "; ", advice);
}

}  // namespace amp::inline v0::autograd
