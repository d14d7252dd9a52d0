// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of cross_entropy and nll_loss.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0 {

/// How a loss is reduced over its elements.
enum class Reduction : std::uint8_t {
  kNone,
  kMean,
  kSum,
  kBatchMean,  ///< the sum over the number of samples, the first extent: of kl_div alone
};
using enum Reduction;

namespace kernels {

/// logits [N, C, ...], or log-probabilities (`normalized`: nll_loss), targets [N, ...] int64, class
/// weights [C] or absent; all contiguous. losses and log_sum, the logarithm of the sum of exp(x -
/// max x), have the shape of targets and are float32 (float64 for float64 logits). So is the
/// one-element total_weight: the summed weight of the targets that are not ignore_index. losses is
/// always written; loss, one element of any dtype, is written unless the reduction is kNone.
struct CrossEntropyArgs {
  Operand logits, targets, weight, losses, log_sum, total_weight, loss;
  std::int64_t ignore_index;
  double label_smoothing;
  Reduction reduction;
  bool normalized;
};
/// grad_output has one element, or the shape of targets if the reduction is kNone.
struct CrossEntropyBackwardArgs {
  Operand grad_output, logits, targets, weight, log_sum, total_weight, grad_logits;
  std::int64_t ignore_index;
  double label_smoothing;
  Reduction reduction;
  bool normalized;
};

}  // namespace kernels
}  // namespace amp::inline v0
