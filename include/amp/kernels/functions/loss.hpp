// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses of an element x of the input and one, y, of the target, a row each: name, formula,
// derivatives by both. Without by_b the target gets no gradient. Parameters follow the operands.
#pragma once

#include "amp/kernels/functions/activation.hpp"
#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/functions/row.hpp"
#include "amp/kernels/functions/unary.hpp"

namespace amp::inline v0::kernels::functions {

// clang-format off
/// The gradient is doubled before it is multiplied by the difference: it seldom is large, and the
/// difference may be.
struct SquaredError : Binary<"mse_loss", kFloating> { static constexpr double kFactor = 2; AMP_FORMULA apply(C x, C y) { return (x - y) * (x - y); }
  AMP_FORMULA by_a(C x, C y) { return x - y; } AMP_FORMULA by_b(C x, C y) { return y - x; } };
struct AbsoluteError : Binary<"l1_loss", kFloating> { AMP_FORMULA apply(C x, C y) { return abs(x - y); }
  AMP_FORMULA by_a(C x, C y) { return Sign::apply(x - y); } AMP_FORMULA by_b(C x, C y) { return Sign::apply(y - x); } };
/// d^2 / (2 beta) for a difference d below beta, and then the line of that slope
struct SmoothL1 : Binary<"smooth_l1_loss", kFloating, 1> { AMP_FORMULA of(C d, C beta) { return select(d < beta, C(0.5) * d * d / beta, d - C(0.5) * beta); }
  AMP_FORMULA apply(C x, C y, C beta) { return of(abs(x - y), beta); }
  AMP_FORMULA slope(C d, C beta) { return select(d <= -beta && d != C{0}, C{-1}, select(d >= beta && d != C{0}, C{1}, select(beta == C{0}, d, d / beta))); }
  AMP_FORMULA by_a(C x, C y, C beta) { return slope(x - y, beta); } AMP_FORMULA by_b(C x, C y, C beta) { return slope(y - x, beta); } };
/// d^2 / 2 for a difference d up to delta, and then the line of that slope (Huber 1964)
struct Huber : Binary<"huber_loss", kFloating, 1> { AMP_FORMULA of(C d, C delta) { return select(d <= delta, C(0.5) * d * d, delta * (d - C(0.5) * delta)); }
  AMP_FORMULA apply(C x, C y, C delta) { return of(abs(x - y), delta); }
  AMP_FORMULA slope(C d, C delta) { return select(d < -delta, -delta, select(d > delta, delta, d)); }
  AMP_FORMULA by_a(C x, C y, C delta) { return slope(x - y, delta); } AMP_FORMULA by_b(C x, C y, C delta) { return slope(y - x, delta); } };

/// y (log y - x) for log-probabilities x; y log y is 0 at 0
struct KlDiv : Binary<"kl_div", kFloating> { AMP_FORMULA entropy(C y) { return select(y == C{0}, C{0}, y * log(y)); }
  AMP_FORMULA apply(C x, C y) { return entropy(y) - y * x; }
  AMP_FORMULA by_a(C, C y) { return -y; } AMP_FORMULA by_b(C x, C y) { return log(y) + C{1} - x; } };
/// e^y (y - x)
struct KlDivOfLogs : Binary<"kl_div", kFloating> { AMP_FORMULA apply(C x, C y) { return exp(y) * (y - x); }
  AMP_FORMULA by_a(C, C y) { return -exp(y); } AMP_FORMULA by_b(C x, C y) { return exp(y) * (y - x + C{1}); } };
/// -y log(x) - (1 - y) log(1 - x), in which no logarithm is below -100; NaN for x outside of [0, 1]
struct BinaryCrossEntropy : Binary<"binary_cross_entropy", kFloating> { AMP_FORMULA bounded(C log_x) { return select(log_x < C{-100}, C{-100}, log_x); }
  AMP_FORMULA apply(C x, C y) { return (y - C{1}) * bounded(log1p(-x)) - y * bounded(log(x)); }
  AMP_FORMULA least(C x) { return select(x < C(1e-12), C(1e-12), x); }
  AMP_FORMULA by_a(C x, C y) { return (x - y) / least((C{1} - x) * x); } AMP_FORMULA by_b(C x, C) { return log1p(-x) - log(x); } };
// clang-format on
/// -y log(sigmoid(x)) - (1 - y) log(1 - sigmoid(x)) = |x| s + log(1 + e^-|x|), in which s is 1 - y
/// if x > 0, else y: no term overflows or cancels, and an infinite x gives the limit.
struct BinaryCrossEntropyWithLogits : Binary<"binary_cross_entropy_with_logits", kFloating> {
  AMP_FORMULA share(C x, C y) { return select(x > C{0}, C{1} - y, y); }
  /// magnitude * share, in which infinity times 0 is 0.
  AMP_FORMULA linear(C magnitude, C share) {
    return select(share == C{0}, C{0}, magnitude * share);
  }
  AMP_FORMULA apply(C x, C y) { return linear(abs(x), share(x, y)) + log1p(exp(-abs(x))); }
  AMP_FORMULA by_a(C x, C y) { return Sigmoid::apply(x) - y; }
  AMP_FORMULA by_b(C x, C) { return -x; }
};

// clang-format off
/// log(1 + e^(-x y)), without overflow
struct SoftMargin : Binary<"soft_margin_loss", kFloating> { AMP_FORMULA of(C z) { return -Logsigmoid::apply(z); } AMP_FORMULA apply(C x, C y) { return of(x * y); }
  AMP_FORMULA by_a(C x, C y) { return -y * Sigmoid::apply(-x * y); } };
/// max(0, z), whose slope at 0 is 0
struct Hinge { AMP_FORMULA of(C z) { return select(z < C{0}, C{0}, z); } AMP_FORMULA slope(C z) { return select(z > C{0}, C{1}, C{0}); } };
/// x for y = 1, max(0, margin - x) for y = -1, and their sum for other targets
struct HingeEmbedding : Binary<"hinge_embedding_loss", kFloating, 1> {
  AMP_FORMULA apply(C x, C y, C margin) { return select(y == C{1}, C{0}, Hinge::of(margin - x)) + select(y == C{-1}, C{0}, x); }
  AMP_FORMULA by_a(C x, C y, C margin) { return select(y == C{-1}, C{0}, C{1}) - select(y == C{1}, C{0}, Hinge::slope(margin - x)); } };
/// max(0, margin - y d) for a difference d of two scores
struct MarginRanking : Binary<"margin_ranking_loss", kFloating, 1> { AMP_FORMULA apply(C d, C y, C margin) { return Hinge::of(margin - y * d); }
  AMP_FORMULA by_a(C d, C y, C margin) { return -y * Hinge::slope(margin - y * d); } AMP_FORMULA by_b(C d, C y, C margin) { return -d * Hinge::slope(margin - y * d); } };
/// max(0, margin + x + y)^p for the score -y of the class that is right, and p 1 or 2
struct MultiMargin : Binary<"multi_margin_loss", kFloating, 2> { AMP_FORMULA power(C z, C p) { return select(p == C{1}, z, z * z); }
  AMP_FORMULA apply(C x, C y, C margin, C p) { return power(Hinge::of(margin + (x + y)), p); }
  AMP_FORMULA slope(C z, C p) { return select(z > C{0}, select(p == C{1}, C{1}, C{2} * z), C{0}); }
  AMP_FORMULA by_a(C x, C y, C margin, C p) { return slope(margin + (x + y), p); } AMP_FORMULA by_b(C x, C y, C margin, C p) { return by_a(x, y, margin, p); } };
/// 1 - c for y = 1, max(0, c - margin) for y = -1, else 0, of the cosine c of two vectors
struct CosineEmbedding : Binary<"cosine_embedding_loss", kFloating, 1> {
  AMP_FORMULA apply(C c, C y, C margin) { return select(y == C{1}, C{1} - c, select(y == C{-1}, Hinge::of(c - margin), C{0})); }
  AMP_FORMULA by_a(C c, C y, C margin) { return select(y == C{1}, C{-1}, select(y == C{-1}, Hinge::slope(c - margin), C{0})); } };
/// max(0, margin + x - y) for the distances x and y to the positive and the negative example
struct TripletMargin : Binary<"triplet_margin_loss", kFloating, 1> { AMP_FORMULA apply(C x, C y, C margin) { return Hinge::of(margin + x - y); }
  AMP_FORMULA by_a(C x, C y, C margin) { return Hinge::slope(margin + x - y); } AMP_FORMULA by_b(C x, C y, C margin) { return -Hinge::slope(margin + x - y); } };
/// x - y + eps
struct ShiftedDifference : Binary<"triplet_margin_loss", kFloating, 1> { AMP_FORMULA apply(C x, C y, C eps) { return x - y + eps; }
  AMP_FORMULA by_b(C, C, C) { return C{-1}; } };

/// e^x - y x
struct PoissonNllOfLogs : Binary<"poisson_nll_loss", kFloating> { AMP_FORMULA apply(C x, C y) { return exp(x) - y * x; }
  AMP_FORMULA by_a(C x, C y) { return exp(x) - y; } AMP_FORMULA by_b(C x, C) { return -x; } };
/// x - y log(x + eps)
struct PoissonNll : Binary<"poisson_nll_loss", kFloating, 1> { AMP_FORMULA apply(C x, C y, C eps) { return x - y * log(x + eps); }
  AMP_FORMULA by_a(C x, C y, C eps) { return C{1} - y / (x + eps); } AMP_FORMULA by_b(C x, C, C eps) { return -log(x + eps); } };
/// (log v + d / v) / 2 + constant for a squared difference d and a variance v, which is at least
/// eps; NaN for a negative one
struct GaussianNll : Binary<"gaussian_nll_loss", kFloating, 2> { AMP_FORMULA least(C v, C eps) { return select(v >= C{0} && v < eps, eps, v); }
  AMP_FORMULA of(C d, C v, C constant) { return C(0.5) * (log(v) + d / v) + constant; } AMP_FORMULA apply(C d, C v, C eps, C constant) { return of(d, least(v, eps), constant); }
  AMP_FORMULA by_a(C, C v, C eps, C) { return C(0.5) / least(v, eps); }
  AMP_FORMULA slope(C d, C v) { return C(0.5) * (C{1} - d / v) / v; } AMP_FORMULA by_b(C d, C v, C eps, C) { return slope(d, least(v, eps)); } };
// clang-format on

/// All of them, in the order of the tables of devices.
using Losses = List<SquaredError, AbsoluteError, SmoothL1, Huber, KlDiv, KlDivOfLogs,
                    BinaryCrossEntropy, BinaryCrossEntropyWithLogits, SoftMargin, HingeEmbedding,
                    MarginRanking, MultiMargin, CosineEmbedding, TripletMargin, ShiftedDifference,
                    PoissonNllOfLogs, PoissonNll, GaussianNll>;

}  // namespace amp::inline v0::kernels::functions
