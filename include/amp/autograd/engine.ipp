// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amp/autograd/engine.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/autograd/request.hpp"
#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/kernels/function_dispatch.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace autograd {

namespace detail {

struct Pending {
  Ref<Node> node;
  Tensor gradient;
  bool scaled = false;

  void add(Tensor more) {
    if (!gradient.defined()) {
      gradient = std::move(more);
      return;
    }
    // One use of a cast may give its gradient in float32 and another in 16 bits.
    if (promote_types(gradient.dtype(), more.dtype()) != gradient.dtype())
      std::swap(gradient, more);
    if (amp::detail::lies_channels_last(more)) gradient = amp::detail::channels_last(gradient);
    if (amp::detail::lies_channels_last(gradient)) more = amp::detail::channels_last(more);
    const Tensor sum =
        may_be_written() ? gradient : amp::detail::empty_as_laid_out(gradient, gradient.dtype());
    const kernels::BinaryArgs args{gradient.operand_as_laid_out(), more.operand_as_laid_out(),
                                   sum.operand_as_laid_out()};
    kernels::binary<kernels::functions::Add>(sum.device(), args);
    gradient = sum;
  }
  /// Adds the gradient that a view's node has for its base, in place. Returns whether it could.
  bool add_view(Node& view, const Tensor& more) {
    return gradient.defined() && may_be_written() && !amp::detail::lies_channels_last(gradient) &&
           view.add_in_place(more, gradient);
  }

 private:
  /// Whether the sum may be written over the gradient: nothing else holds it, and if its elements
  /// lie channels-last, it has their shape and no row-major copy.
  bool may_be_written() const {
    if (!gradient.unique() || !gradient.is_contiguous()) return false;
    if (gradient.impl().storage->laid_out() == nullptr) return true;
    return amp::detail::lies_channels_last(gradient) && !gradient.impl().storage->has_row_major();
  }
};

/// Nodes in descending order of sequence: none of the others depends on the first.
using PendingNodes = std::map<std::uint64_t, Pending, std::greater<>,
                              amp::detail::PoolAllocator<std::pair<const std::uint64_t, Pending>>>;

/// The leaves of a graph that have a listener, and how many edges lead to each: when backward has
/// gone along all of them, the gradient of the leaf is complete. Empty in most programs.
class ListenedLeaves {
 public:
  ListenedLeaves() = default;
  ListenedLeaves(const ListenedLeaves&) = delete;
  ListenedLeaves& operator=(const ListenedLeaves&) = delete;
  ~ListenedLeaves() {
    for (const Ref<GradientListener>& listener : listeners_) listener->backward_fails();
  }

  /// Counts the edges of the graph of `root`, which is part of the one before if there was one.
  void count(Node& root) {
    if (!any_listener()) [[likely]]
      return;
    amp::detail::PoolVector<Node*> open{&root};
    add(root, 0);
    while (!open.empty()) {
      Node& node = *open.back();
      open.pop_back();
      for (const Ref<Node>& input : node.inputs()) {
        if (!input) continue;
        add(*input, 1);
        if (input->as_leaf() == nullptr && known_.insert(*input)) open.push_back(input.get());
      }
    }
  }
  bool empty() const { return listeners_.empty(); }
  /// Whether backward has now gone along all edges to the leaf. False for any other node.
  bool last_edge(const Node& node) {
    const auto found = edges_.find(node.sequence());
    return found != edges_.end() && --found->second == 0;
  }
  /// Tells the listeners of these leaves, each once.
  void backward_ends() {
    while (!listeners_.empty()) {
      listeners_.front()->backward_ends();
      listeners_.erase(listeners_.begin());
    }
  }

 private:
  void add(Node& node, std::int64_t edges) {
    const Leaf* const leaf = node.as_leaf();
    if (leaf == nullptr || !leaf->listener) return;
    edges_[node.sequence()] += edges;
    if (std::find(listeners_.begin(), listeners_.end(), leaf->listener) == listeners_.end())
      listeners_.push_back(leaf->listener);
  }

  using Sequence = std::uint64_t;
  NodeSet known_;
  std::unordered_map<Sequence, std::int64_t, std::hash<Sequence>, std::equal_to<>,
                     amp::detail::PoolAllocator<std::pair<const Sequence, std::int64_t>>>
      edges_;
  amp::detail::PoolVector<Ref<GradientListener>> listeners_;
};

/// Adds the gradient to the leaf, and tells its listener.
AMP_INLINE void accumulate(Pending&& pending) {
  Leaf& leaf = *pending.node->as_leaf();
  if (!leaf.requires_grad) return;  // switched off after forward
  leaf.accumulate(std::move(pending.gradient), pending.scaled);
  if (leaf.listener) [[unlikely]]
    leaf.listener->accumulated(leaf.listener_index);
}

/// A backward pass records nothing, and the autocast scopes around it do not reach into it.
class BackwardGuard {
 public:
  BackwardGuard() { ++amp::detail::grad_state().backward_depth; }
  ~BackwardGuard() { --amp::detail::grad_state().backward_depth; }
  BackwardGuard(const BackwardGuard&) = delete;
  BackwardGuard& operator=(const BackwardGuard&) = delete;

 private:
  NoGradGuard no_grad_;
};

/// The gradient for `node`, converted to its dtype unless it accepts this one. Throws if the shape
/// is not that of the node's output.
AMP_INLINE Tensor checked_gradient(const Node& producer, const Node& node, Tensor gradient) {
  AMP_CHECK(gradient.shape() == node.shape(), producer.name(),
            ": backward returned a gradient of shape ", gradient.shape(), " for an input of shape ",
            node.shape());
  if (gradient.dtype() == node.dtype() || gradient.dtype() == node.gradient_dtype())
    return gradient;
  if (is_observed()) [[unlikely]]
    announce_cast({gradient.dtype(), node.dtype(), gradient.numel(), CastKind::kConverted});
  return amp::detail::copy_as_laid_out(gradient, node.dtype());
}

/// One backward pass, from the nodes computed last to the leaves, whose gradients are added at its
/// end; with a request, to what that asks for, and no leaf changes.
class BackwardPass {
 public:
  explicit BackwardPass(Request* request = nullptr) : request_(request) {}

  void begin(Node* node, Tensor gradient) {
    Pending& root = pending_[node->sequence()];
    root.node = Ref<Node>(node);
    root.add(std::move(gradient));
    if (request_ == nullptr) {
      listened_.count(*node);
    } else {
      request_->explore(*node);
    }
  }
  void run();

 private:
  static void run_hooks_of(Pending& current) {
    if (current.node->hooks()) [[unlikely]]
      current.gradient = run_hooks(*current.node->hooks(), std::move(current.gradient));
  }
  /// Adds the gradient of a leaf with a listener at once, if this was the last edge to it.
  void went_along(const Ref<Node>& input);
  /// Puts the node of a function that was computed again in the place of its old node. Returns
  /// whether there is one to compute again.
  bool recompute(Pending& current);
  /// Adds the gradient of a view to that of its base, if this is pending. Returns whether it did.
  bool pass_on_in_place(Pending& current);
  /// Computes the gradients of the node's inputs, which are pending then.
  void pass_on(Pending& current);
  /// Gives the gradient to the request. Returns whether it is to go on.
  bool take(const Pending& current);
  /// Frees what the node saved.
  void free(Node& node) const {
    if (request_ == nullptr || !request_->retain_graph()) node.release();
  }
  const NodeSet* wanted() const { return request_ == nullptr ? nullptr : &request_->wanted(); }

  Request* request_;
  PendingNodes pending_;
  ListenedLeaves listened_;
  amp::detail::PoolVector<Pending> leaves_;
  amp::detail::PoolVector<Tensor> gradients_;
};

AMP_INLINE void BackwardPass::went_along(const Ref<Node>& input) {
  if (!input || !listened_.last_edge(*input)) return;
  auto handle = pending_.extract(input->sequence());
  if (handle.empty()) return;  // no gradient came along any edge
  run_hooks_of(handle.mapped());
  accumulate(std::move(handle.mapped()));
}

AMP_INLINE bool BackwardPass::recompute(Pending& current) {
  Node& node = *current.node;
  const std::optional<Ref<Node>> again = node.recompute();
  if (!again) return false;
  amp::detail::PoolVector<Ref<Node>> edges;
  if (!listened_.empty()) [[unlikely]] {
    if (*again) listened_.count(**again);
    edges.assign(node.inputs().begin(), node.inputs().end());
  }
  if (request_ != nullptr && *again) request_->explore(**again);
  free(node);
  if (*again)
    pending_[(*again)->sequence()] = {*again, std::move(current.gradient), current.scaled};
  for (const Ref<Node>& edge : edges) went_along(edge);
  return true;
}

AMP_INLINE bool BackwardPass::pass_on_in_place(Pending& current) {
  Node& node = *current.node;
  const auto inputs = node.inputs();
  if (inputs.size() != 1 || !inputs[0] || is_observed()) return false;
  const auto known = pending_.find(inputs[0]->sequence());
  if (known == pending_.end() || !known->second.add_view(node, current.gradient)) return false;
  known->second.scaled = known->second.scaled || current.scaled;
  free(node);
  if (!listened_.empty()) [[unlikely]]
    went_along(inputs[0]);
  return true;
}

AMP_INLINE void BackwardPass::pass_on(Pending& current) {
  Node& node = *current.node;
  const auto inputs = node.inputs();
  gradients_.assign(inputs.size(), Tensor());
  if (is_observed()) [[unlikely]] {
    observed_backward(node, current.gradient, gradients_, wanted());
  } else {
    node.backward(current.gradient, gradients_, wanted());
  }
  free(node);
  current.gradient = Tensor();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i] || !gradients_[i].defined()) continue;
    if (request_ != nullptr && !request_->wanted().contains(*inputs[i])) continue;
    Pending& next = pending_[inputs[i]->sequence()];
    next.node = inputs[i];
    next.scaled = next.scaled || current.scaled || node.scales_gradient();
    next.add(checked_gradient(node, *inputs[i], std::move(gradients_[i])));
  }
  if (listened_.empty()) [[likely]]
    return;
  for (const Ref<Node>& input : inputs) went_along(input);
}

AMP_INLINE bool BackwardPass::take(const Pending& current) {
  request_->take(*current.node, current.gradient);
  return request_->leads_on(*current.node);
}

AMP_INLINE void BackwardPass::run() {
  while (!pending_.empty()) {
    auto handle = pending_.extract(pending_.begin());
    Pending current = std::move(handle.mapped());
    run_hooks_of(current);
    if (request_ != nullptr && !take(current)) continue;
    if (current.node->as_leaf() != nullptr) {
      leaves_.push_back(std::move(current));
    } else if (!recompute(current) && !pass_on_in_place(current)) {
      pass_on(current);
    }
  }
  for (Pending& leaf : leaves_) leaf.node->as_leaf()->prepare(leaf.gradient);
  for (Pending& leaf : leaves_) accumulate(std::move(leaf));
  listened_.backward_ends();
}

AMP_COLD void require_history(std::string_view call, const Tensor& root) {
  AMP_CHECK(requires_grad(root), call, ": the tensor ", describe(root),
            " requires no gradient: nothing it was computed from does, or it was computed under "
            "NoGradGuard. Gradients have no history: what is computed from x.grad() is a constant. "
            "A penalty on a gradient must be computed from x itself, by the formula of the "
            "derivative or from two forward passes: \"A penalty on gradients\" in the guide");
}

/// The gradient from which a pass begins at output `i` of grad().
AMP_INLINE Tensor first_gradient(const Tensor& output, const TensorList& given, std::size_t i) {
  if (i >= given.size() || !given[i].defined()) {
    AMP_CHECK(output.numel() == 1, "grad: `outputs`[", i, "] must have one element, but is ",
              describe(output), "; reduce it with sum or mean, or give its `grad_outputs`");
    return full(output.shape(), 1, {.dtype = output.dtype(), .device = output.device()});
  }
  AMP_CHECK(given[i].shape() == output.shape() && given[i].device() == output.device(),
            "grad: `grad_outputs`[", i, "] must have the shape and the device of its output ",
            describe(output), ", but is ", describe(given[i]));
  return given[i].detach().to(output.dtype());
}

}  // namespace detail

AMP_INLINE void backward(const Tensor& root, const Tensor& gradient) {
  detail::require_history("backward", root);
  const detail::BackwardGuard guard;
  detail::BackwardPass pass;
  pass.begin(node_of(root), gradient);
  pass.run();
}

}  // namespace autograd

AMP_INLINE std::vector<Tensor> grad(const TensorList& outputs, const TensorList& inputs,
                                    const GradOptions& options) {
  const auto count = options.grad_outputs.size();
  AMP_CHECK(!outputs.empty() && !inputs.empty(), "grad: `", outputs.empty() ? "outputs" : "inputs",
            "` must not be empty");
  AMP_CHECK(count == 0 || count == outputs.size(), "grad: `grad_outputs` must have one tensor for ",
            "each of the ", outputs.size(), " outputs, but has ", count);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    AMP_CHECK(autograd::requires_grad(inputs[i]), "grad: `inputs`[", i, "], ", describe(inputs[i]),
              ", requires no gradient");
  }
  amp::detail::PoolVector<Tensor> first;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    AMP_CHECK(outputs[i].defined(), "grad: `outputs`[", i, "] is undefined");
    autograd::detail::require_history("grad", outputs[i]);
    first.push_back(autograd::detail::first_gradient(outputs[i], options.grad_outputs, i));
  }
  const autograd::detail::BackwardGuard guard;
  autograd::detail::Request request(inputs, options.retain_graph);
  autograd::detail::BackwardPass pass(&request);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    pass.begin(autograd::node_of(outputs[i]), std::move(first[i]));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    AMP_CHECK(options.allow_unused || request.reaches(inputs[i]),
              "grad: no output depends on `inputs`[", i, "], ", describe(inputs[i]),
              "; with `allow_unused` its gradient is undefined");
  }
  pass.run();
  return amp::detail::or_out_of_memory([&] {
    std::vector<Tensor> gradients;
    for (const Tensor& input : inputs) gradients.push_back(request.result(input));
    return gradients;
  });
}

AMP_THREAD_STATE(detail::GradState);

}  // namespace amp::inline v0
