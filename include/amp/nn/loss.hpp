// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses as layers: each calls the op that its comment names, whose own comment says formula, shapes
// and dtypes. A weight among the options is a buffer: it moves with the loss, and is saved with it.
#pragma once

#include <concepts>
#include <cstddef>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/ops/ctc_loss.hpp"
#include "amp/ops/loss.hpp"
#include "amp/ops/margin_loss.hpp"
#include "amp/ops/pointwise_loss.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// Base of losses.
template <class Self, class Options>
class Loss : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  Loss() = default;
  /// With these options.
  explicit Loss(const Options& options) : options_(options) {
    if constexpr (requires { options_.weight; }) keep("weight", options_.weight);
    if constexpr (requires { options_.pos_weight; }) keep("pos_weight", options_.pos_weight);
  }
  template <class ByPlace, class... More>
    requires(amp::detail::NotOptions<ByPlace, Options> && !std::derived_from<ByPlace, Module> &&
             !std::same_as<ByPlace, std::nullptr_t>)
  explicit Loss(const ByPlace&, const More&...) = delete;  // write {.reduction = kSum}

 protected:
  Options options_ = {};

 private:
  /// Makes a tensor of the options a buffer; the tensor that was given stays as it is if the loss
  /// is moved.
  void keep(const char* name, Tensor& tensor) {
    if (tensor.defined()) tensor = this->register_buffer(name, tensor.detach());
  }
};

}  // namespace detail

/// cross_entropy(logits, targets).
class CrossEntropyLoss : public detail::Loss<CrossEntropyLoss, CrossEntropyOptions> {
 public:
  using Loss::Loss;
  /// Returns cross_entropy(logits, targets).
  AMP_LAZY Tensor forward(const Tensor& logits, const Tensor& targets) const {
    return cross_entropy(logits, targets, options_);
  }
};
/// nll_loss(input, targets).
class NLLLoss : public detail::Loss<NLLLoss, NllLossOptions> {
 public:
  using Loss::Loss;
  /// Returns nll_loss(input, targets).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& targets) const {
    return nll_loss(input, targets, options_);
  }
};
/// mse_loss(input, target).
class MSELoss : public detail::Loss<MSELoss, LossOptions> {
 public:
  using Loss::Loss;
  /// Returns mse_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return mse_loss(input, target, options_);
  }
};
/// l1_loss(input, target).
class L1Loss : public detail::Loss<L1Loss, LossOptions> {
 public:
  using Loss::Loss;
  /// Returns l1_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return l1_loss(input, target, options_);
  }
};
/// smooth_l1_loss(input, target).
class SmoothL1Loss : public detail::Loss<SmoothL1Loss, SmoothL1LossOptions> {
 public:
  using Loss::Loss;
  /// Returns smooth_l1_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return smooth_l1_loss(input, target, options_);
  }
};
/// huber_loss(input, target).
class HuberLoss : public detail::Loss<HuberLoss, HuberLossOptions> {
 public:
  using Loss::Loss;
  /// Returns huber_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return huber_loss(input, target, options_);
  }
};
/// binary_cross_entropy(input, target).
class BCELoss : public detail::Loss<BCELoss, WeightedLossOptions> {
 public:
  using Loss::Loss;
  /// Returns binary_cross_entropy(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return binary_cross_entropy(input, target, options_);
  }
};
/// binary_cross_entropy_with_logits(input, target).
class BCEWithLogitsLoss : public detail::Loss<BCEWithLogitsLoss, BinaryCrossEntropyOptions> {
 public:
  using Loss::Loss;
  /// Returns binary_cross_entropy_with_logits(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return binary_cross_entropy_with_logits(input, target, options_);
  }
};
/// kl_div(input, target).
class KLDivLoss : public detail::Loss<KLDivLoss, KlDivOptions> {
 public:
  using Loss::Loss;
  /// Returns kl_div(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return kl_div(input, target, options_);
  }
};
/// poisson_nll_loss(input, target).
class PoissonNLLLoss : public detail::Loss<PoissonNLLLoss, PoissonNllLossOptions> {
 public:
  using Loss::Loss;
  /// Returns poisson_nll_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return poisson_nll_loss(input, target, options_);
  }
};
/// gaussian_nll_loss(input, target, var).
class GaussianNLLLoss : public detail::Loss<GaussianNLLLoss, GaussianNllLossOptions> {
 public:
  using Loss::Loss;
  /// Returns gaussian_nll_loss(input, target, var).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target, const Tensor& var) const {
    return gaussian_nll_loss(input, target, var, options_);
  }
};
/// soft_margin_loss(input, target).
class SoftMarginLoss : public detail::Loss<SoftMarginLoss, LossOptions> {
 public:
  using Loss::Loss;
  /// Returns soft_margin_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return soft_margin_loss(input, target, options_);
  }
};
/// multilabel_soft_margin_loss(input, target).
class MultiLabelSoftMarginLoss
    : public detail::Loss<MultiLabelSoftMarginLoss, WeightedLossOptions> {
 public:
  using Loss::Loss;
  /// Returns soft_margin_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return multilabel_soft_margin_loss(input, target, options_);
  }
};
/// multilabel_margin_loss(input, targets).
class MultiLabelMarginLoss : public detail::Loss<MultiLabelMarginLoss, LossOptions> {
 public:
  using Loss::Loss;
  /// Returns multilabel_margin_loss(input, targets).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& targets) const {
    return multilabel_margin_loss(input, targets, options_);
  }
};
/// multi_margin_loss(input, targets).
class MultiMarginLoss : public detail::Loss<MultiMarginLoss, MultiMarginLossOptions> {
 public:
  using Loss::Loss;
  /// Returns multi_margin_loss(input, targets).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& targets) const {
    return multi_margin_loss(input, targets, options_);
  }
};
/// hinge_embedding_loss(input, target).
class HingeEmbeddingLoss : public detail::Loss<HingeEmbeddingLoss, HingeEmbeddingLossOptions> {
 public:
  using Loss::Loss;
  /// Returns hinge_embedding_loss(input, target).
  AMP_LAZY Tensor forward(const Tensor& input, const Tensor& target) const {
    return hinge_embedding_loss(input, target, options_);
  }
};
/// margin_ranking_loss(input1, input2, target).
class MarginRankingLoss : public detail::Loss<MarginRankingLoss, MarginLossOptions> {
 public:
  using Loss::Loss;
  /// Returns margin_ranking_loss(input1, input2, target).
  AMP_LAZY Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target) const {
    return margin_ranking_loss(input1, input2, target, options_);
  }
};
/// cosine_embedding_loss(input1, input2, target).
class CosineEmbeddingLoss : public detail::Loss<CosineEmbeddingLoss, MarginLossOptions> {
 public:
  using Loss::Loss;
  /// Returns cosine_embedding_loss(input1, input2, target).
  AMP_LAZY Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target) const {
    return cosine_embedding_loss(input1, input2, target, options_);
  }
};
/// triplet_margin_loss(anchor, positive, negative).
class TripletMarginLoss : public detail::Loss<TripletMarginLoss, TripletMarginLossOptions> {
 public:
  using Loss::Loss;
  /// Returns triplet_margin_loss(anchor, positive, negative).
  AMP_LAZY Tensor forward(const Tensor& anchor, const Tensor& positive,
                          const Tensor& negative) const {
    return triplet_margin_loss(anchor, positive, negative, options_);
  }
};
/// ctc_loss(log_probs, targets, input_lengths, target_lengths).
class CTCLoss : public detail::Loss<CTCLoss, CtcLossOptions> {
 public:
  using Loss::Loss;
  /// Returns ctc_loss(log_probs, targets, input_lengths, target_lengths).
  AMP_LAZY Tensor forward(const Tensor& log_probs, const Tensor& targets,
                          const Tensor& input_lengths, const Tensor& target_lengths) const {
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, options_);
  }
};

}  // namespace amp::inline v0::nn
