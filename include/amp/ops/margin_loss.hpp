// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses that ask for a margin between scores or distances: 0 beyond it. This holds for all of
// them, unless a comment says otherwise: tensors are floating point of one shape, and their dtypes
// promote. 16-bit inputs are computed in float32, with one rounding at the end. The result is
// 0-dimensional; with kNone it has one loss for each sample. Under autocast: float32.
#pragma once

#include <cstdint>

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/ops/pointwise_loss.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of margin_ranking_loss() and cosine_embedding_loss().
struct MarginLossOptions {
  Reduction reduction = kMean;
  double margin = 0;
};

/// max(0, margin - target (input1 - input2)), averaged: for a target of 1, `input1` is to be ranked
/// higher by the margin; for -1, lower. All three have one shape, and get gradients.
AMP_LAZY [[nodiscard]] Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2,
                                                  const Tensor& target,
                                                  const MarginLossOptions& options = {});

/// Options of multi_margin_loss().
struct MultiMarginLossOptions {
  Reduction reduction = kMean;
  std::int64_t p = 1;  // 1 or 2
  double margin = 1;
  Tensor weight = {};  // of each class [C]; undefined: all 1
};
/// The sum over the other classes j of max(0, margin - x[target] + x[j])^p, times the weight of the
/// target, over the number of classes, averaged, for scores `input` x [N, C] or [C] and int64
/// `targets` [N] or []. A target out of range throws on the CPU; on CUDA its loss and its gradient
/// are NaN.
AMP_LAZY [[nodiscard]] Tensor multi_margin_loss(const Tensor& input, const Tensor& targets,
                                                const MultiMarginLossOptions& options = {});

/// The sum over the targets k of a sample, and over all classes i that are none, of
/// max(0, 1 - x[k] + x[i]), over the number of classes, averaged, for scores `input` x [N, C] or
/// [C] and int64 `targets` of that shape: classes up to the first -1. One that is out of range
/// throws on the CPU; on CUDA its loss and its gradient are NaN.
AMP_LAZY [[nodiscard]] Tensor multilabel_margin_loss(const Tensor& input, const Tensor& targets,
                                                     const LossOptions& options = {});

/// 1 - c for a target of 1, and max(0, c - margin) for -1, averaged, of the cosine
/// c = input1 input2 / sqrt((|input1|^2 + eps) (|input2|^2 + eps)), eps = 1e-12, of vectors [N, D]
/// or [D]. `target`, of any dtype, has shape [N] or [], and gets no gradient.
AMP_LAZY [[nodiscard]] Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                                    const Tensor& target,
                                                    const MarginLossOptions& options = {});

/// Options of triplet_margin_loss().
struct TripletMarginLossOptions {
  Reduction reduction = kMean;
  double margin = 1;  // positive
  double p = 2;       // the order of the norm that is the distance
  double eps = 1e-6;  // added to the differences of which it is taken
  bool swap = false;  // the negative's distance is that to the positive if this is less
};
/// max(0, margin + |anchor - positive| - |anchor - negative|), averaged, of distances along the
/// last dimension, which the result of kNone lacks (Balntas et al. 2016).
AMP_LAZY [[nodiscard]] Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                                  const Tensor& negative,
                                                  const TripletMarginLossOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/margin_loss.ipp"
#endif
