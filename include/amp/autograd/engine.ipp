// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "amp/autograd/engine.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/hooks.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/core/error.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
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
    kernels::dispatch<&kernels::Backend::add, kernels::host::add>(sum.device(), args);
    gradient = sum;
  }

 private:
  /// Whether the sum may be written over the gradient: nothing else holds it, and it has no
  /// row-major copy.
  bool may_be_written() const {
    return gradient.unique() && gradient.is_contiguous() &&
           (!amp::detail::lies_channels_last(gradient) ||
            !gradient.impl().storage->has_row_major());
  }
};

/// By sequence: what comes first depends on none of the others.
using PendingNodes = std::map<std::uint64_t, Pending, std::greater<>,
                              amp::detail::PoolAllocator<std::pair<const std::uint64_t, Pending>>>;

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

/// The gradient in the shape of what the node made, in one of the dtypes that it accepts.
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

}  // namespace detail

AMP_INLINE void backward(const Tensor& root, const Tensor& gradient) {
  AMP_CHECK(requires_grad(root), "backward: the tensor ", describe(root),
            " requires no gradient: nothing it was computed from does, or it was computed under "
            "NoGradGuard");
  const detail::BackwardGuard guard;
  detail::PendingNodes pending;
  amp::detail::PoolVector<detail::Pending> leaves;
  amp::detail::PoolVector<Tensor> gradients;
  {
    Node* const node = node_of(root);
    pending[node->sequence()] = {Ref<Node>(node), gradient, false};
  }
  while (!pending.empty()) {
    auto handle = pending.extract(pending.begin());
    detail::Pending current = std::move(handle.mapped());
    Node& node = *current.node;
    if (node.hooks()) [[unlikely]]
      current.gradient = run_hooks(*node.hooks(), std::move(current.gradient));
    if (node.as_leaf() != nullptr) {
      leaves.push_back(std::move(current));
      continue;
    }
    if (const std::optional<Ref<Node>> again = node.recompute()) {
      node.release();
      if (*again)
        pending[(*again)->sequence()] = {*again, std::move(current.gradient), current.scaled};
      continue;
    }
    const auto inputs = node.inputs();
    gradients.assign(inputs.size(), Tensor());
    if (is_observed()) [[unlikely]] {
      observed_backward(node, current.gradient, gradients);
    } else {
      node.backward(current.gradient, gradients);
    }
    node.release();
    current.gradient = Tensor();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i] || !gradients[i].defined()) continue;
      detail::Pending& next = pending[inputs[i]->sequence()];
      next.node = inputs[i];
      next.scaled = next.scaled || current.scaled || node.scales_gradient();
      next.add(detail::checked_gradient(node, *inputs[i], std::move(gradients[i])));
    }
  }
  for (detail::Pending& leaf : leaves) leaf.node->as_leaf()->prepare(leaf.gradient);
  for (detail::Pending& leaf : leaves) {
    if (!leaf.node->as_leaf()->requires_grad) continue;  // switched off since
    leaf.node->as_leaf()->accumulate(std::move(leaf.gradient), leaf.scaled);
  }
}

}  // namespace autograd

AMP_THREAD_STATE(detail::GradState);

}  // namespace amp::inline v0
