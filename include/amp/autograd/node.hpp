// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The graph that backward walks: one node per recorded operation, one per leaf. A tensor holds the
// node that made it; nodes hold the nodes of their inputs. A leaf's node holds its gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "amp/core/refcount.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autograd {

class Node;
class Leaf;

/// A node of the graph: the op that made a tensor, and how gradients pass through it.
class AMP_EXPORT Node : public RefCounted {
 public:
  /// For the op of this name, which made `output`.
  Node(std::string_view name, const Tensor& output);

  /// The name of the op.
  std::string_view name() const { return name_; }
  /// Of the tensor this node made: its gradient has the same.
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  /// The dtype in which the gradient is wanted in the end, and accepted as it is: float32 behind a
  /// cast from it to 16 bits, else that of the tensor. A matmul writes either at the same cost; in
  /// this one nothing has to be converted, nor is rounded twice.
  DType gradient_dtype() const { return gradient_dtype_; }
  void want_gradient_in(DType dtype) { gradient_dtype_ = dtype; }
  /// Larger than that of every node it depends on: descending order is a topological order.
  std::uint64_t sequence() const { return sequence_; }

  /// The nodes of the inputs; null for an input that requires no gradient.
  virtual std::span<const Ref<Node>> inputs() const { return {}; }
  /// The gradients of the inputs, from that of the output. `gradients` has one undefined tensor per
  /// input.
  virtual void backward(const Tensor& gradient, std::span<Tensor> gradients) = 0;
  /// For a node that kept its inputs only: computes its output again. The node which that recorded
  /// takes over the gradient; null if no leaf wants it any more. The inputs() of such a node say
  /// what it depends on, and no gradient goes along them. Nothing: this node has a backward().
  virtual std::optional<Ref<Node>> recompute() { return std::nullopt; }
  /// Frees what was saved; backward throws from now on.
  virtual void release() {}
  /// This node as a leaf, or null.
  virtual Leaf* as_leaf() { return nullptr; }
  /// Whether gradients that passed through this node carry the loss scale.
  virtual bool scales_gradient() const { return false; }
  /// What backward calls with the gradient of the output; null without hooks.
  const Ref<RefCounted>& hooks() const { return hooks_; }
  void set_hooks(Ref<RefCounted> hooks) { hooks_ = std::move(hooks); }

 protected:
  AMP_INLINE void destroy() noexcept override;

 private:
  std::string_view name_;
  Shape shape_;
  DType dtype_, gradient_dtype_;
  std::uint64_t sequence_;
  Node* next_dying_ = nullptr;
  Ref<RefCounted> hooks_;
};

/// What hears that backward has added to the gradients of leaves, while it goes on: so gradients
/// can be sent to other ranks meanwhile. Leaves hold it. A leaf that has one is touched as soon as
/// its gradient is complete, and not last; an error on the way then leaves some leaves changed.
class AMP_EXPORT GradientListener : public RefCounted {
 public:
  /// Makes any_listener() true, until this is destroyed.
  GradientListener();
  /// All that this pass adds to the leaf with this Leaf::listener_index is added.
  virtual void accumulated(std::size_t index) = 0;
  /// The pass, whose graph has leaves of this listener, is over.
  virtual void backward_ends() = 0;
  virtual void backward_fails() noexcept = 0;
  /// Whether other ranks have the same parameters, so that all must take or skip a step together.
  virtual bool joins_ranks() const = 0;

 protected:
  AMP_INLINE ~GradientListener() override;
};

/// Collects the gradient of a leaf.
class AMP_EXPORT Leaf final : public Node {
 public:
  /// For a tensor that no op made.
  explicit Leaf(const Tensor& leaf) : Node("leaf", leaf) {}

  void backward(const Tensor&, std::span<Tensor>) override {}
  Leaf* as_leaf() override { return this; }

  /// What of a gradient may lack memory, ahead of accumulate: a copy if something else holds it.
  void prepare(Tensor& gradient);
  /// Adds to the gradient; the first is taken over if nothing else holds it.
  void accumulate(Tensor gradient, bool scaled);

  Tensor grad;
  bool requires_grad = true;
  bool is_scaled = false;          // accumulated from a scaled loss, and not yet unscaled
  Ref<GradientListener> listener;  // as a rule none
  std::size_t listener_index = 0;

 private:
  bool has_gradient();
  /// Row-major: scalers and optimizers write to the memory of it.
  static Tensor own(const Tensor& gradient);
};

/// Whether there may be leaves with a listener.
bool any_listener();

/// Smaller than the sequence of every node that this thread makes from now on, or as large.
std::uint64_t next_sequence();

/// The node that made the tensor, or its leaf; null without history.
inline Node* node_of(const Tensor& tensor) {
  return static_cast<Node*>(tensor.impl().history.get());
}
/// The leaf's node; null for a tensor that is not a leaf or collects no gradient.
inline Leaf* leaf_of(const Tensor& tensor) {
  Node* const node = node_of(tensor);
  return node == nullptr ? nullptr : node->as_leaf();
}

}  // namespace amp::inline v0::autograd

#if AMP_HEADER_ONLY
#include "amp/autograd/node.ipp"
#endif
