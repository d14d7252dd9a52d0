// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The leaves that a loss depends on, and a check that each is a known parameter: a leaf that
// receives a gradient and is neither stepped nor saved makes training silently wrong.
#pragma once

#include <string_view>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autograd {

class Node;

/// A leaf, and an op that takes it; null if the loss is the leaf.
struct LeafUse {
  const Node* leaf;
  const Node* op;
};

/// The leaves to which backward() from `root` gives a gradient, each once, in the order of
/// those ops. An op that takes a cast of a leaf counts as taking the leaf. The graph may have been
/// freed by backward, as long as `root` lives.
AMP_LAZY AMP_COLD std::vector<LeafUse> leaves_of(const Tensor& root);

/// Throws if the loss depends on a leaf that is neither among `own`, the parameters of `owner`, nor
/// among `others`. The error names the leaf, the op that takes it, and those of `own` on which the
/// loss does not depend: the leaf may have replaced one of them.
AMP_LAZY AMP_COLD void check_leaves(std::string_view call, std::string_view owner,
                                    const Tensor& loss, const NamedTensors& own,
                                    const std::vector<Tensor>& others, std::string_view advice);

}  // namespace amp::inline v0::autograd

#if AMP_HEADER_ONLY
#include "amp/autograd/leaves.ipp"
#endif
