// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loss of sequences that are not aligned with their labels.
#pragma once

#include <cstdint>

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of ctc_loss().
struct CtcLossOptions {
  std::int64_t blank = 0;       // the class between labels
  Reduction reduction = kMean;  // kMean divides each loss by the length of its target, at least 1,
                                // and averages over the samples
  bool zero_infinity = false;   // infinite losses, and their gradients, become 0
};

/// -log of the probability of the labels `targets`, over all alignments with the steps of
/// `log_probs`: connectionist temporal classification (Graves et al. 2006).
///
/// `log_probs` [T, N, C], or [T, C] for one sample, is the result of log_softmax. `targets`,
/// integers, are [N, S], or [sum of the target lengths] with one sample behind the other. The
/// lengths are integers [N], of steps and of labels. The result is 0-dimensional, or [N] if the
/// reduction is kNone, or [] for one sample. A loss is infinite if the target does not fit into its
/// steps. It is computed in float32 or float64, and has the dtype of `log_probs`. Under autocast:
/// unchanged; log_softmax gives float32 there.
///
/// The gradient is that of the scores given to log_softmax, exp(log_probs) - share of the
/// alignments: log_softmax passes it on as it is. It is the same in each run.
///
/// Lengths may lie on the CPU beside `log_probs` on a GPU, and are checked there. What lies on the
/// GPU is read on it, without synchronisation: samples whose lengths or labels are out of range get
/// NaN.
AMP_LAZY [[nodiscard]] Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets,
                                       const Tensor& input_lengths, const Tensor& target_lengths,
                                       const CtcLossOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/ctc_loss.ipp"
#endif
