// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of ctc_loss.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// What forward and backward read; all contiguous. log_probs [T, N, C] are float32 or float64, the
/// compute type. targets, int64, are [N, S], or [sum of target_lengths] with one sample behind the
/// other. input_lengths and target_lengths are int64 [N].
struct CtcBatch {
  Operand log_probs, targets, input_lengths, target_lengths;
  std::int64_t blank;
  bool zero_infinity;  // an infinite loss, of a sample that is too short for its target, is 0

  std::int64_t steps() const { return log_probs.sizes[0]; }
  std::int64_t samples() const { return log_probs.sizes[1]; }
  std::int64_t classes() const { return log_probs.sizes[2]; }
  bool is_padded() const { return targets.dims == 2; }
  /// The labels that a sample may have.
  std::int64_t most_labels() const { return targets.sizes[targets.dims - 1]; }
  /// The elements of a table with a number for each state of each step of all samples.
  std::int64_t table_size() const { return steps() * (2 * targets.numel() + samples()); }
};

/// A target of labels l is spelled by the states blank l0 blank l1 ... blank, and log_likelihood of
/// it is the sum, as logarithms, over all ways through these states: each step stays, moves to the
/// next state, or skips a blank between labels that differ.
///   alphas[t][i] = log_probs[t][state i] + log(sum over states j before i of exp(alphas[t - 1][j]))
/// alphas is a table of T rows for each sample. nll is -log_likelihood, and losses is that or 0.
struct CtcLossArgs {
  CtcBatch batch;
  Operand alphas, nll, losses;
};

/// grad_log_probs[t][n][c] = grad[n] (exp(log_probs) - share of c's states in step t), which is the
/// gradient of the scores that log_softmax makes log_probs of. As in torch, it takes the place of
/// the gradient of log_probs, since log_softmax then passes it on as it is.
struct CtcLossBackwardArgs {
  CtcBatch batch;
  Operand grad, alphas, nll, grad_log_probs;
};

}  // namespace amp::inline v0::kernels
