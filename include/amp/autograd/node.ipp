// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <utility>

#include "amp/autograd/node.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/kernels/function_dispatch.hpp"
#include "amp/tensor/factory.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace autograd {

namespace detail {

/// A chain of nodes is destroyed link by link: the destructor of each would destroy the next from
/// within, as deep as the graph.
struct AMP_EXPORT DyingNodes {
  Node* first = nullptr;
  bool under_way = false;
};

struct AMP_EXPORT GraphState {
  std::atomic<std::uint64_t> next_sequence = 1;
  std::atomic<std::int64_t> listeners = 0;
};

}  // namespace detail

AMP_INLINE Node::Node(std::string_view name, const Tensor& output)
    : name_(name),
      shape_(output.shape()),
      dtype_(output.dtype()),
      gradient_dtype_(output.dtype()),
      sequence_(process_state<detail::GraphState>().next_sequence.fetch_add(
          1, std::memory_order_relaxed)) {}

AMP_INLINE std::uint64_t next_sequence() {
  return process_state<detail::GraphState>().next_sequence.load(std::memory_order_relaxed);
}

AMP_COLD GradientListener::GradientListener() {
  process_state<detail::GraphState>().listeners.fetch_add(1, std::memory_order_relaxed);
}
AMP_COLD GradientListener::~GradientListener() {
  process_state<detail::GraphState>().listeners.fetch_sub(1, std::memory_order_relaxed);
}
AMP_INLINE bool any_listener() {
  return process_state<detail::GraphState>().listeners.load(std::memory_order_relaxed) != 0;
}

AMP_INLINE void Node::destroy() noexcept {
  detail::DyingNodes& dying = thread_state<detail::DyingNodes>();
  next_dying_ = std::exchange(dying.first, this);
  if (std::exchange(dying.under_way, true)) return;
  while (Node* const node = dying.first) {
    dying.first = node->next_dying_;
    node->release();
    delete node;  // its inputs join the list if nothing else holds them
  }
  dying.under_way = false;
}

AMP_INLINE void Leaf::prepare(Tensor& gradient) {
  if (requires_grad && !has_gradient()) gradient = own(gradient);
}

AMP_INLINE void Leaf::accumulate(Tensor gradient, bool scaled) {
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kLeaf, this);
  if (!grad.defined()) {
    grad = own(gradient);  // what `gradient` held may be freed, but not before the lock is
    is_scaled = scaled;
    forget_steps();
    return;
  }
  if (scaled && grad.version() == stepped_version_) sums_stepped_ = true;
  const kernels::BinaryArgs args{grad.operand(), gradient.operand(), grad.operand()};
  kernels::binary<kernels::functions::Add>(grad.device(), args);
  grad.impl().storage->bump_version();
  is_scaled = is_scaled || scaled;
}

AMP_INLINE bool Leaf::has_gradient() {
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kLeaf, this);
  return grad.defined();
}

AMP_INLINE Tensor Leaf::own(const Tensor& gradient) {
  if (gradient.unique() && gradient.is_contiguous() && !amp::detail::lies_channels_last(gradient))
    return gradient;
  const Tensor copy = empty_like(gradient);
  amp::detail::copy_elements(gradient.operand_as_laid_out(), copy.operand());
  return copy;
}

}  // namespace autograd

AMP_PROCESS_STATE(autograd::detail::GraphState);
AMP_THREAD_STATE(autograd::detail::DyingNodes);

}  // namespace amp::inline v0
