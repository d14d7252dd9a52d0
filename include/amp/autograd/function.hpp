// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recording an operation: the backward function stands beside the forward one, as a lambda that
// owns what it saved.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "amp/autograd/grad_mode.hpp"
#include "amp/autograd/node.hpp"

namespace amp::inline v0::autograd {

/// A tensor kept for backward, without its history (so that a node can save its own output), and
/// the version it had.
class SavedTensor {
 public:
  SavedTensor() = default;
  SavedTensor(const Tensor& tensor) {
    if (!tensor.defined()) return;
    tensor_ = tensor.detach();
    version_ = tensor.version();
  }

  /// Throws where the memory was written since: the gradient would silently be that of another
  /// function.
  const Tensor& get(std::string_view op) const {
    AMP_CHECK(!tensor_.defined() || tensor_.version() == version_, op,
              ": a tensor saved for backward, ", describe(tensor_),
              ", was modified in place after the forward pass (version ", tensor_.version(),
              ", saved at ", version_,
              "); clone() it before modifying it, or modify it after backward");
    return tensor_;
  }

 private:
  Tensor tensor_;
  std::uint64_t version_ = 0;
};

template <std::size_t N>
using Gradients = std::array<Tensor, N>;
/// Which inputs want a gradient: the others' need not be computed.
template <std::size_t N>
using Needs = std::array<bool, N>;

inline bool requires_grad(const Tensor& tensor) {
  if (!tensor.defined()) return false;
  Node* const node = node_of(tensor);
  if (node == nullptr) return false;
  const Leaf* const leaf = node->as_leaf();
  return leaf == nullptr || leaf->requires_grad;
}

/// Whether an operation on these inputs is to be recorded.
template <class... Inputs>
bool recording(const Inputs&... inputs) {
  return is_grad_enabled() && (requires_grad(inputs) || ...);
}

namespace detail {

template <std::size_t N, class Backward>
class FunctionNode final : public Node {
 public:
  FunctionNode(std::string_view name, const Tensor& output, std::array<Ref<Node>, N> inputs,
               Backward backward)
      : Node(name, output), inputs_(std::move(inputs)), backward_(std::move(backward)) {}

  std::span<const Ref<Node>> inputs() const override { return inputs_; }

  void backward(const Tensor& gradient, std::span<Tensor> gradients) override {
    AMP_CHECK(backward_.has_value(), name(),
              ": backward through this graph a second time, but what it saved was freed by the "
              "first; run forward again, or call "
              "backward once on the sum of the losses");
    Needs<N> needs;
    for (std::size_t i = 0; i < N; ++i) needs[i] = static_cast<bool>(inputs_[i]);
    Gradients<N> results = (*backward_)(gradient, needs);
    for (std::size_t i = 0; i < N; ++i) gradients[i] = std::move(results[i]);
  }

  void release() override { backward_.reset(); }

 private:
  std::array<Ref<Node>, N> inputs_;
  std::optional<Backward> backward_;
};

}  // namespace detail

/// Makes `output` remember how it was computed: backward(gradient, needs) returns the gradients of
/// `inputs`, in their order. Call it where recording(inputs...) holds.
template <class Backward, class... Inputs>
void record(std::string_view name, const Tensor& output, Backward backward,
            const Inputs&... inputs) {
  constexpr std::size_t kInputs = sizeof...(Inputs);
  const auto edge = [](const Tensor& input) {
    return requires_grad(input) ? Ref<Node>(node_of(input)) : Ref<Node>();
  };
  output.impl().history = make_ref<detail::FunctionNode<kInputs, Backward>>(
      name, output, std::array<Ref<Node>, kInputs>{edge(inputs)...}, std::move(backward));
}

/// Throws where a write in place would falsify recorded history.
inline void check_in_place(std::string_view op, const Tensor& tensor) {
  AMP_CHECK(!is_grad_enabled() || !requires_grad(tensor), op, ": the tensor ", describe(tensor),
            " requires gradients and is modified in place; use NoGradGuard to update a parameter, "
            "or an operation that returns a new tensor");
}

}  // namespace amp::inline v0::autograd
