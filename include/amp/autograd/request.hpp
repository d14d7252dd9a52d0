// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What amp::grad asks of a backward pass: the gradients of some tensors, and nothing on the way
// that does not lead to them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "amp/autograd/engine.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::autograd::detail {

/// The inputs of amp::grad, and their gradients when the pass has come to them.
class Request {
 public:
  Request(const TensorList& inputs, bool retain_graph) : retain_graph_(retain_graph) {
    for (const Tensor& input : inputs) {
      Node& node = *node_of(input);
      first_ = (std::min)(first_, node.sequence());
      gradients_.emplace(node.sequence(), Tensor());
      wanted_.insert(node);
    }
  }

  bool retain_graph() const { return retain_graph_; }
  /// The nodes that lead to the inputs, and the inputs.
  const NodeSet& wanted() const { return wanted_; }
  /// Adds the nodes from which `root` was computed to those that are known.
  void explore(Node& root) {
    amp::detail::PoolVector<Node*> nodes;
    const auto add = [&](Node& found) {
      if (found.sequence() >= first_ && known_.insert(found)) nodes.push_back(&found);
    };
    add(root);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const Ref<Node>& input : nodes[i]->inputs()) {
        if (input) add(*input);
      }
    }
    std::sort(nodes.begin(), nodes.end(),
              [](Node* a, Node* b) { return a->sequence() < b->sequence(); });
    for (Node* const node : nodes) {
      if (leads_on(*node)) wanted_.insert(*node);
    }
  }
  /// Whether any output that was explored depends on the input.
  bool reaches(const Tensor& input) const { return known_.contains(*node_of(input)); }
  /// Whether any input lies behind the node.
  bool leads_on(const Node& node) const {
    const auto inputs = node.inputs();
    return std::any_of(inputs.begin(), inputs.end(), [this](const Ref<Node>& input) {
      return input && wanted_.contains(*input);
    });
  }
  /// Keeps the gradient if it is that of an input.
  void take(const Node& node, const Tensor& gradient) {
    const auto found = gradients_.find(node.sequence());
    if (found != gradients_.end()) found->second = gradient;
  }
  /// The gradient that was kept, in memory of its own.
  Tensor result(const Tensor& input) {
    Tensor& gradient = gradients_.at(node_of(input)->sequence());
    if (!gradient.defined()) return {};
    if (gradient.dtype() != input.dtype())
      gradient = amp::detail::copy_as_laid_out(gradient, input.dtype());
    return Leaf::own(gradient);
  }

 private:
  bool retain_graph_;
  std::uint64_t first_ = ~std::uint64_t{0};  // the smallest sequence of an input
  NodeSet known_, wanted_;
  std::unordered_map<std::uint64_t, Tensor, std::hash<std::uint64_t>, std::equal_to<>,
                     amp::detail::PoolAllocator<std::pair<const std::uint64_t, Tensor>>>
      gradients_;
};

}  // namespace amp::inline v0::autograd::detail
