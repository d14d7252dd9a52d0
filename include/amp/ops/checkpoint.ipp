// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include "amp/autograd/function.hpp"
#include "amp/autograd/view.hpp"
#include "amp/core/address_set.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/ops/checkpoint.hpp"

namespace amp::inline v0::detail {

AMP_INLINE CheckpointedCall::CheckpointedCall(std::span<const Tensor> tensors)
    : autocast(autocast_state()),
      precision(math_precision()),
      first_sequence(autograd::next_sequence()) {
  inputs.reserve(tensors.size());
  versions.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    inputs.push_back(autograd::second_handle(tensor));
    versions.push_back(tensor.defined() ? tensor.version() : 0);
  }
}

AMP_INLINE bool CheckpointedCall::recorded(const Tensor& result) const {
  if (!autograd::requires_grad(result)) return false;
  autograd::Node* const node = autograd::node_of(result);
  return node->as_leaf() == nullptr && node->sequence() >= first_sequence;
}

AMP_INLINE void CheckpointedCall::require_unchanged() const {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    AMP_CHECK(
        !inputs[i].defined() || inputs[i].version() == versions[i], "checkpoint: input ", i, ", ",
        describe(inputs[i]), ", was modified in place after the forward pass began (version ",
        inputs[i].version(), ", kept at ", versions[i],
        "), so that fn cannot be computed again; clone() it before modifying it, or modify it "
        "after backward");
  }
}

/// The nodes before `first` and the leaves on which `result` depends directly, or through nodes
/// that are neither. Each once.
AMP_LAZY PoolVector<Ref<autograd::Node>> edges_out(const Tensor& result, std::uint64_t first) {
  using autograd::Node;
  PoolVector<Ref<Node>> edges;
  PoolVector<Node*> open{autograd::node_of(result)};
  AddressSet known;
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    for (const Ref<Node>& input : node.inputs()) {
      if (!input || !known.insert(input.get()).second) continue;
      if (input->as_leaf() != nullptr || input->sequence() < first) {
        edges.push_back(input);
      } else {
        open.push_back(input.get());
      }
    }
  }
  return edges;
}

AMP_INLINE CheckpointNode::CheckpointNode(const Tensor& result, CheckpointedCall&& call)
    : Node("checkpoint", result),
      call_(std::move(call)),
      edges_(edges_out(result, call_->first_sequence)) {
  want_gradient_in(autograd::node_of(result)->gradient_dtype());
}

AMP_INLINE void CheckpointNode::release() {
  call_.reset();
  forget();
}

AMP_INLINE bool CheckpointNode::is_wanted() const {
  return std::any_of(edges_.begin(), edges_.end(), [](const Ref<Node>& edge) {
    const autograd::Leaf* const leaf = edge->as_leaf();
    return leaf == nullptr || leaf->requires_grad;
  });
}

AMP_INLINE Tensor CheckpointNode::repeat() {
  const RecomputationGuard forward;
  const AutocastGuard scope(call_->autocast);
  const MathPrecisionGuard precision(call_->precision);
  const RandomScope random(call_->random, RandomTapeUse::kReplay);
  Tensor result = run(call_->inputs);
  random.require_all_taken();
  return result;
}

AMP_INLINE std::optional<Ref<autograd::Node>> CheckpointNode::recompute() {
  if (!call_) autograd::detail::refuse_second(name());
  call_->require_unchanged();
  const std::uint64_t first = autograd::next_sequence();
  const Tensor result = repeat();
  AMP_CHECK(result.defined() && result.shape() == shape() && result.dtype() == dtype(),
            "checkpoint: `fn` is not deterministic: it returned ", dtype(), shape(),
            " in forward and ", describe(result), " in backward");
  if (!autograd::requires_grad(result) && !is_wanted()) return Ref<Node>();  // frozen since
  AMP_CHECK(autograd::requires_grad(result) && autograd::node_of(result)->sequence() >= first,
            "checkpoint: `fn` is not deterministic: it computed its result ", describe(result),
            " in forward, and in backward returned one that ",
            autograd::requires_grad(result) ? "was there before" : "requires no gradient");
  return Ref<Node>(autograd::node_of(result));
}

AMP_LAZY_DEFINITION Tensor with_checkpoint(const Tensor& result, Ref<CheckpointNode> node) {
  Tensor output = result.detach();
  output.impl().history = std::move(node);
  return output;
}

}  // namespace amp::inline v0::detail
