// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses of the elements of an input and a target. This holds for all of them, unless a comment
// says otherwise: both are floating point of one shape, whose dtypes promote, and both get
// gradients. Elements and their sum are computed in float32 for 16-bit inputs, with one rounding at
// the end. The result is 0-dimensional, or has the shape of the input if the reduction is kNone; of
// nothing, kMean is NaN. Under autocast: float32.
#pragma once

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of losses that have no others: mse_loss(x, y, {.reduction = kSum}).
struct LossOptions {
  Reduction reduction = kMean;  // kMean divides by the number of elements
};

/// (input - target)^2, averaged.
AMP_LAZY [[nodiscard]] Tensor mse_loss(const Tensor& input, const Tensor& target,
                                       Reduction reduction = kMean);
AMP_LAZY [[nodiscard]] Tensor mse_loss(const Tensor& input, const Tensor& target,
                                       const LossOptions& options);
/// |input - target|, averaged. The gradient at 0 is 0.
AMP_LAZY [[nodiscard]] Tensor l1_loss(const Tensor& input, const Tensor& target,
                                      Reduction reduction = kMean);
AMP_LAZY [[nodiscard]] Tensor l1_loss(const Tensor& input, const Tensor& target,
                                      const LossOptions& options);

/// Options of smooth_l1_loss().
struct SmoothL1LossOptions {
  Reduction reduction = kMean;
  double beta = 1;  // not negative; with 0 the loss is l1_loss
};
/// d^2 / (2 beta) for a difference d = |input - target| below beta, else d - beta / 2, averaged.
AMP_LAZY [[nodiscard]] Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                                             const SmoothL1LossOptions& options = {});

/// Options of huber_loss().
struct HuberLossOptions {
  Reduction reduction = kMean;
  double delta = 1;  // positive
};
/// d^2 / 2 for a difference d = |input - target| up to delta, else delta (d - delta / 2), averaged.
AMP_LAZY [[nodiscard]] Tensor huber_loss(const Tensor& input, const Tensor& target,
                                         const HuberLossOptions& options = {});

/// Options of kl_div().
struct KlDivOptions {
  Reduction reduction = kMean;  // kBatchMean, the divergence of the mathematics, divides the sum by
                                // the number of samples, and kMean by that of elements
  bool log_target = false;      // the targets are logarithms, too
};
/// target (log(target) - input), averaged, for log-probabilities `input` and probabilities
/// `target`: the Kullback-Leibler divergence. A probability of 0 adds 0. With `log_target`,
/// e^target (target - input).
AMP_LAZY [[nodiscard]] Tensor kl_div(const Tensor& input, const Tensor& target,
                                     const KlDivOptions& options = {});

/// Options of binary_cross_entropy() and multilabel_soft_margin_loss().
struct WeightedLossOptions {
  Reduction reduction = kMean;
  Tensor weight = {};  // of each element's loss; broadcasts
};
/// -w (y log(x) + (1 - y) log(1 - x)), averaged, for probabilities x in [0, 1], targets y and
/// weight w. A logarithm below -100 counts as -100, so that the loss is finite. An input outside of
/// [0, 1], or NaN, throws on the CPU; on CUDA its loss is NaN.
///
/// Under autocast: refused, by a throw, unless the tensors are float64, as in PyTorch: the gradient
/// grows as 1 / x, beyond the range of 16 bits. Give the logits to
/// binary_cross_entropy_with_logits, which is safe, or call it under
/// AutocastGuard(device, {.enabled = false}) with float32 inputs. A scope's policy for it may be
/// kFloat32 instead.
AMP_LAZY [[nodiscard]] Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                                   const WeightedLossOptions& options = {});

/// Options of binary_cross_entropy_with_logits().
struct BinaryCrossEntropyOptions {
  Reduction reduction = kMean;
  Tensor weight = {};      // of each element's loss; broadcasts
  Tensor pos_weight = {};  // of the term y log(sigmoid(x)); broadcasts
};
/// -w (p y log(sigmoid(x)) + (1 - y) log(1 - sigmoid(x))), averaged, for logits x, targets y in [0,
/// 1], weight w and pos_weight p, computed so that no logit overflows. Without pos_weight an
/// infinite logit gives the limit: 0 if it is right (torch: NaN), otherwise infinity. The result
/// has the dtype of `target`, as in torch. The mean divides by the number of elements.
AMP_LAZY [[nodiscard]] Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const BinaryCrossEntropyOptions& options);
AMP_LAZY [[nodiscard]] Tensor binary_cross_entropy_with_logits(const Tensor& input,
                                                               const Tensor& target,
                                                               Reduction reduction = kMean);

/// binary_cross_entropy_with_logits of each class, averaged over the classes, which are the last
/// dimension, and then over the samples: with kNone the result lacks that dimension.
AMP_LAZY [[nodiscard]] Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                                          const WeightedLossOptions& options = {});

/// log(1 + e^(-target input)), averaged, for targets 1 and -1 of any dtype, computed so that
/// nothing overflows (torch: infinity beyond 88 in float32). `target` gets no gradient.
AMP_LAZY [[nodiscard]] Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                                               const LossOptions& options = {});

/// Options of hinge_embedding_loss().
struct HingeEmbeddingLossOptions {
  Reduction reduction = kMean;
  double margin = 1;
};
/// The distance `input` if the target is 1, and max(0, margin - input) if it is -1, averaged, for
/// targets of any dtype. `target` gets no gradient.
AMP_LAZY [[nodiscard]] Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                                                   const HingeEmbeddingLossOptions& options = {});

/// Options of poisson_nll_loss().
struct PoissonNllLossOptions {
  Reduction reduction = kMean;
  bool log_input = true;  // the input is the logarithm of the expected count
  bool full = false;      // adds Stirling's approximation of log(target!) for targets above 1
  double eps = 1e-8;      // keeps log(input + eps) finite without log_input
};
/// e^input - target input, averaged: the negative logarithm of the likelihood of the count `target`
/// under a Poisson distribution, but for a constant. Without `log_input`,
/// input - target log(input + eps).
AMP_LAZY [[nodiscard]] Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                                               const PoissonNllLossOptions& options = {});

/// Options of gaussian_nll_loss().
struct GaussianNllLossOptions {
  Reduction reduction = kMean;
  bool full = false;  // adds log(2 pi) / 2
  double eps = 1e-6;  // positive: smaller variances count as this, but keep their gradients
};
/// (log(var) + (input - target)^2 / var) / 2, averaged, for expectations `input` and variances
/// `var`. These have the shape of `input`, or, if they are common to the last dimension, that
/// without it or with 1 in its place. A negative one throws on the CPU; on CUDA its loss is NaN.
AMP_LAZY [[nodiscard]] Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target,
                                                const Tensor& var,
                                                const GaussianNllLossOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/pointwise_loss.ipp"
#endif
