// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses of class scores and targets. Elements and their sum are computed in float32 for 16-bit
// inputs, with one rounding at the end.
#pragma once

#include <cstdint>

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of cross_entropy().
struct CrossEntropyOptions {
  std::int64_t ignore_index = -100;  // targets of this value are skipped: loss 0, gradient 0
  double label_smoothing = 0;   // in [0, 1]: that part of the target is spread over all classes
  Reduction reduction = kMean;  // kMean divides by the summed weight of the targets that count
  Tensor weight = {};           // of each class [C], in any floating-point dtype (torch wants that
                                // of the logits); undefined: all 1
};

/// Options of nll_loss().
struct NllLossOptions {
  std::int64_t ignore_index = -100;
  Reduction reduction = kMean;
  Tensor weight = {};  // as CrossEntropyOptions::weight
};

/// -log softmax(logits)[target], averaged, for logits [N, C], [N, C, ...] or [C] and targets (int64
/// class indices) [N], [N, ...] or []. The result is 0-dimensional, or has the shape of `targets`
/// if the reduction is kNone. It has the dtype of `logits`. Under autocast: float32. The
/// probabilities are never stored. The mean is NaN if every target is skipped. A target outside
/// [0, C) that is not `ignore_index` throws on the CPU; on CUDA its loss and its gradient are NaN,
/// and so are the reduced loss and, with kMean, the gradients of all targets that count.
///
/// Floating-point targets of the shape of `logits` are probabilities of the classes, of mixed
/// images for example: -sum over the classes of weight * target * log softmax(logits). They get
/// gradients too, dtypes promote, kMean divides by the number of samples whatever the weights, and
/// log softmax(logits) is stored for backward. Throws if `ignore_index` is a class.
AMP_LAZY [[nodiscard]] Tensor cross_entropy(
    const Tensor& logits, const Tensor& targets,
    const CrossEntropyOptions& options = {});  // {.weight = w}

/// -input[target], averaged, for log-probabilities as `input`. Shapes, dtypes and targets are those
/// of cross_entropy. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor nll_loss(
    const Tensor& input, const Tensor& targets,
    const NllLossOptions& options = {});  // such as {.weight = w}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/loss.ipp"
#endif
