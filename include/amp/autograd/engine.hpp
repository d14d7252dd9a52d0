// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reverse-mode differentiation: backward visits the nodes in descending order of creation, each
// once, when all gradients of its output have arrived.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {
namespace autograd {

/// Adds d(root)/d(leaf) * gradient to the gradient of every leaf. Leaves are touched last, so that
/// an error on the way changes none. The graph is freed as it is walked.
void backward(const Tensor& root, const Tensor& gradient);

}  // namespace autograd

/// One tensor, or several: an argument is written as `x`, `{x, y}` or a vector.
struct TensorList : std::vector<Tensor> {
  TensorList() = default;
  /// One tensor.
  TensorList(const Tensor& tensor) : std::vector<Tensor>{tensor} {}
  /// Several.
  TensorList(std::initializer_list<Tensor> tensors) : std::vector<Tensor>(tensors) {}
  /// The same from a vector.
  TensorList(std::vector<Tensor> tensors) : std::vector<Tensor>(std::move(tensors)) {}
};

/// The options of grad().
struct GradOptions {
  /// One gradient per output, of its shape and on its device. If it is missing or undefined, the
  /// output must have one element, and 1 is used.
  TensorList grad_outputs = {};
  /// Whether the graph is kept, so that it can be differentiated again. Otherwise the part of it
  /// that was visited is freed.
  bool retain_graph = false;
  /// Whether an input on which no output depends has an undefined gradient. Otherwise it throws.
  bool allow_unused = false;
};

/// The gradients of the outputs by each input, in its dtype and in memory of their own:
///   result[i] = sum over o of d(outputs[o])/d(inputs[i]) * grad_outputs[o]
/// Inputs are leaves or results of ops; the grad() of no tensor changes. Only the parts of the
/// graph that lead to the inputs are computed. Hooks of tensors are called, and change what is
/// returned. The result has no history (`create_graph` of torch.autograd.grad is not there). If an
/// output comes from GradScaler::scale(), the gradients carry the scale. Under data parallelism
/// they are those of this rank. Throws if an input requires no gradient.
[[nodiscard]] std::vector<Tensor> grad(const TensorList& outputs, const TensorList& inputs,
                                       const GradOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autograd/engine.ipp"
#endif
