// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The graph that backward walks: one node per recorded operation, one per leaf. A tensor holds the
// node that made it; nodes hold the nodes of their inputs. A leaf's node holds its gradient.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "amp/core/object_pool.hpp"
#include "amp/core/refcount.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autograd {

class Node;
class Leaf;
class NodeSet;

/// A node of the graph: the op that made a tensor, and how gradients pass through it.
class AMP_EXPORT Node : public RefCounted {
 public:
  /// For the op of this name, which made `output`.
  Node(std::string_view name, const Tensor& output);

  /// The name of the op.
  std::string_view name() const { return name_; }
  /// The shape of the tensor that this node made, and of its gradient.
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  /// The dtype in which the gradient is accepted without a conversion, beside dtype(): float32 for
  /// the result of a cast from float32 to 16 bits, else that of the tensor. A matmul writes either
  /// at the same cost; in this one the gradient is not converted and not rounded twice.
  DType gradient_dtype() const { return gradient_dtype_; }
  void want_gradient_in(DType dtype) { gradient_dtype_ = dtype; }
  /// A number larger than that of every node it depends on: descending order is a topological
  /// order.
  std::uint64_t sequence() const { return sequence_; }

  /// The nodes of the inputs; null for an input that requires no gradient.
  virtual std::span<const Ref<Node>> inputs() const { return {}; }
  /// Computes the gradients of the inputs from that of the output. `gradients` has one undefined
  /// tensor per input, to be assigned. Those of inputs whose node is not in `wanted` may be left
  /// out; null wants all.
  virtual void backward(const Tensor& gradient, std::span<Tensor> gradients,
                        const NodeSet* wanted) = 0;
  /// Adds the gradient of the only input to `sum`, which other nodes gave, in place. Returns false
  /// if it did not: then backward() is to be called. For a view, whose backward() must fill all of
  /// its base beside the few elements that it sees.
  virtual bool add_in_place(const Tensor& /*gradient*/, const Tensor& /*sum*/) { return false; }
  /// For a node that saved only its inputs: computes its output again, and returns the node which
  /// that recorded, which takes over the gradient; null if no leaf requires it any more. The
  /// inputs() of such a node say what it depends on, and no gradient goes along them. nullopt:
  /// backward() is to be called.
  virtual std::optional<Ref<Node>> recompute() { return std::nullopt; }
  /// Frees the saved tensors; backward throws from now on. A node is released before it is
  /// destroyed.
  virtual void release() {}
  /// This node as a leaf, or null.
  virtual Leaf* as_leaf() { return nullptr; }
  /// Whether gradients that passed through this node carry the loss scale.
  virtual bool scales_gradient() const { return false; }
  /// The functions that backward calls with the gradient of the output; null if there are none.
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

/// Some nodes of a graph. They are known by their sequence: when a function is computed again, a
/// node may have the address of an old one.
class NodeSet {
 public:
  /// Whether the node was inserted.
  bool contains(const Node& node) const { return sequences_.contains(node.sequence()); }
  /// Returns whether the node is new.
  bool insert(const Node& node) { return sequences_.insert(node.sequence()).second; }

 private:
  using Sequence = std::uint64_t;
  std::unordered_set<Sequence, std::hash<Sequence>, std::equal_to<>,
                     amp::detail::PoolAllocator<Sequence>>
      sequences_;
};

/// Base of objects that backward notifies of complete gradients while it goes on, so that these can
/// be sent to other ranks meanwhile. Leaves hold it. A leaf with a listener gets its gradient as
/// soon as that is complete, not at the end of backward; if an error follows, some leaves have
/// changed.
class AMP_EXPORT GradientListener : public RefCounted {
 public:
  /// Makes any_listener() true, until this is destroyed.
  GradientListener();
  /// Called when the gradient of the leaf with this Leaf::listener_index is complete.
  virtual void accumulated(std::size_t index) = 0;
  /// Called at the end of a pass whose graph has leaves of this listener.
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

  void backward(const Tensor&, std::span<Tensor>, const NodeSet*) override {}
  Leaf* as_leaf() override { return this; }

  /// Does the part of accumulate() that may run out of memory: copies the gradient if it is shared.
  void prepare(Tensor& gradient);
  /// Adds to the gradient; the first becomes it, without a copy unless it is shared.
  void accumulate(Tensor gradient, bool scaled);
  /// The gradient in row-major memory of its own, to which scalers and optimizers may write.
  static Tensor own(const Tensor& gradient);
  /// To be called when a step reads the gradient. Returns whether it is a sum with one that a step
  /// had read before: a scaled loss was added to it, and nothing had set it to 0 meanwhile.
  bool note_step() {
    stepped_version_ = grad.version();
    return sums_stepped_;
  }
  /// To be called when the gradient is dropped or replaced.
  void forget_steps() {
    stepped_version_ = kNotStepped;
    sums_stepped_ = false;
  }

  Tensor grad;
  bool requires_grad = true;
  bool is_scaled = false;          // accumulated from a scaled loss, and not yet unscaled
  Ref<GradientListener> listener;  // as a rule none
  std::size_t listener_index = 0;

 private:
  static constexpr std::uint64_t kNotStepped = ~std::uint64_t{0};

  bool has_gradient();

  std::uint64_t stepped_version_ = kNotStepped;  // of the gradient, when the last step read it
  bool sums_stepped_ = false;
};

/// Whether there may be leaves with a listener.
bool any_listener();

/// A number that is not larger than the sequence of any node that this thread makes from now on.
std::uint64_t next_sequence();

namespace detail {

/// Makes the history of a view that of its base, which a write in place changed.
void follow_base(const Tensor& view);

}  // namespace detail

/// The node that made the tensor, or its leaf; null without history.
inline Node* node_of(const Tensor& tensor) {
  const amp::detail::TensorImpl& impl = tensor.impl();
  if (impl.base && impl.base->writes != impl.known_writes.load(std::memory_order_acquire))
      [[unlikely]]
    detail::follow_base(tensor);
  return static_cast<Node*>(impl.history.get());
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
