// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recording an operation: its backward function is a lambda beside the forward code, which owns the
// tensors that it saved.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/node.hpp"
#include "amp/core/object_pool.hpp"

namespace amp::inline v0::autograd {

/// A tensor that is saved for backward, without its history (so that a node can save its own
/// output), and the version it had.
class SavedTensor {
 public:
  SavedTensor() = default;
  /// Keeps the tensor, and the version that its memory has now.
  SavedTensor(const Tensor& tensor);
  /// The same if `needed`, else nothing: backward needs an operand only for certain gradients.
  SavedTensor(const Tensor& tensor, bool needed)
      : SavedTensor(needed ? SavedTensor(tensor) : SavedTensor()) {}

  /// Throws if the memory was written since: the gradient would silently be that of another
  /// function.
  const Tensor& get(std::string_view op) const;

 private:
  Tensor tensor_;
  std::uint64_t version_ = 0;
};

/// The gradients of N inputs; an undefined one is none.
template <std::size_t N>
using Gradients = std::array<Tensor, N>;
/// For each input, whether it needs a gradient; the others are not to be computed.
template <std::size_t N>
using Needs = std::array<bool, N>;
/// The same for functions of a list.
using ListGradients = amp::detail::PoolVector<Tensor>;
using ListNeeds = amp::detail::PoolVector<bool>;

/// Whether backward computes a gradient of the tensor. An undefined tensor has none.
inline bool requires_grad(const Tensor& tensor) {
  if (!tensor.defined()) return false;
  Node* const node = node_of(tensor);
  if (node == nullptr) return false;
  const Leaf* const leaf = node->as_leaf();
  return leaf == nullptr || leaf->requires_grad;
}

/// The dtype in which to compute the gradient of an input: Node::gradient_dtype().
inline DType gradient_dtype(const Tensor& input) {
  if (!input.defined()) return kFloat32;
  return requires_grad(input) ? node_of(input)->gradient_dtype() : input.dtype();
}

/// Whether an operation on these inputs is to be recorded.
template <class... Inputs>
bool recording(const Inputs&... inputs) {
  return is_grad_enabled() && (requires_grad(inputs) || ...);
}

/// The same of a list of inputs.
bool recording(std::span<const Tensor> inputs);

namespace detail {

/// The node of an input; null if it requires no gradient.
inline Ref<Node> edge(const Tensor& input) {
  return requires_grad(input) ? Ref<Node>(node_of(input)) : Ref<Node>();
}

/// Throws for a second backward pass: the node of this name has freed the tensors that it saved.
[[noreturn, gnu::cold]] void refuse_second(std::string_view name);

/// A node with edges and a backward function. Only the class below knows the type of the function,
/// so that the rest is compiled once per number of inputs. Edges, Needs and Gradients are arrays or
/// vectors.
template <class Edges, class Needs, class Gradients>
class RecordedNode : public Node {
 public:
  RecordedNode(std::string_view name, const Tensor& output, Edges edges, Needs needs)
      : Node(name, output), edges_(std::move(edges)), needs_(std::move(needs)) {
    for (std::size_t i = 0; i < edges_.size(); ++i) needs_[i] = static_cast<bool>(edges_[i]);
  }

  std::span<const Ref<Node>> inputs() const override { return edges_; }

  void backward(const Tensor& gradient, std::span<Tensor> gradients,
                const NodeSet* wanted) override {
    if (!alive_) [[unlikely]]
      refuse_second(name());
    Gradients results = wanted == nullptr ? call(gradient, needs_) : call(gradient, among(*wanted));
    for (std::size_t i = 0; i < edges_.size(); ++i) gradients[i] = std::move(results[i]);
  }

 protected:
  virtual Gradients call(const Tensor& gradient, const Needs& needs) = 0;
  bool alive_ = true;  // until release

 private:
  Needs among(const NodeSet& wanted) const {
    Needs needs = needs_;
    for (std::size_t i = 0; i < edges_.size(); ++i)
      needs[i] = edges_[i] && wanted.contains(*edges_[i]);
    return needs;
  }

  Edges edges_;
  Needs needs_;
};

template <class Edges, class Needs, class Gradients, class Backward>
class FunctionNode final : public RecordedNode<Edges, Needs, Gradients> {
  using Base = RecordedNode<Edges, Needs, Gradients>;

 public:
  FunctionNode(std::string_view name, const Tensor& output, Edges edges, Needs needs,
               Backward&& backward)
      : Base(name, output, std::move(edges), std::move(needs)), backward_(std::move(backward)) {}
  ~FunctionNode() override {}  // after release

  void release() override {
    if (this->alive_) backward_.~Backward();
    this->alive_ = false;
  }

 private:
  Gradients call(const Tensor& gradient, const Needs& needs) override {
    return backward_(gradient, needs);
  }

  union {  // not destroyed with the node, but by release
    Backward backward_;
  };
};

inline void set_history(const Tensor& output, Node* node) {
  output.impl().history = Ref<RefCounted>(node);
}

}  // namespace detail

/// Records how `output` was computed: backward(gradient, needs) returns the gradients of
/// `inputs`, in their order. Call it only if recording(inputs...).
template <class Backward, class... Inputs>
void record(std::string_view name, const Tensor& output, Backward backward,
            const Inputs&... inputs) {
  constexpr std::size_t kInputs = sizeof...(Inputs);
  using Edges = std::array<Ref<Node>, kInputs>;
  using Recorded = detail::FunctionNode<Edges, Needs<kInputs>, Gradients<kInputs>, Backward>;
  detail::set_history(
      output, new Recorded(name, output, Edges{detail::edge(inputs)...}, {}, std::move(backward)));
}
/// The same for a list of inputs.
template <class Backward>
void record(std::string_view name, const Tensor& output, Backward backward,
            std::span<const Tensor> inputs) {
  using Edges = amp::detail::PoolVector<Ref<Node>>;
  using Recorded = detail::FunctionNode<Edges, ListNeeds, ListGradients, Backward>;
  Edges edges;
  for (const Tensor& input : inputs) edges.push_back(detail::edge(input));
  detail::set_history(output, new Recorded(name, output, std::move(edges), ListNeeds(inputs.size()),
                                           std::move(backward)));
}

}  // namespace amp::inline v0::autograd

#if AMP_HEADER_ONLY
#include "amp/autograd/function.ipp"
#endif
