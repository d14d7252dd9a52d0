// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Initial values of parameters, from the process' generator.
#pragma once

#include <concepts>
#include <cstdint>

#include "amp/core/not_options.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn::init {

// The functions whose names end in _ are torch's. They write in place, without history: into leaves
// that require gradients too. A tensor is floating point unless the comment says otherwise; random
// numbers are drawn in float32 (float64) and rounded once. Each returns the tensor. Each throws if
// the tensor is undefined, as an absent bias is. None synchronises unless the comment says so.
//
// A weight [out, in, ...] has fan_in = in * (product of the other extents) and fan_out = out * (the
// same product). Tensors of fewer dimensions than 2 have none, and throw.

/// Numbers that are uniform in [a, b).
AMP_LAZY Tensor uniform_(const Tensor& tensor, double a = 0, double b = 1);
/// Numbers of the normal distribution with this mean and standard deviation.
AMP_LAZY Tensor normal_(const Tensor& tensor, double mean = 0, double std = 1);
/// The same, without those outside of [a, b], which are drawn anew. Synchronises.
AMP_LAZY Tensor trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                              double b = 2);
/// All elements are `value`. Any dtype that holds the value.
AMP_LAZY Tensor constant_(const Tensor& tensor, double value);
/// All elements are 1. Any dtype.
AMP_LAZY Tensor ones_(const Tensor& tensor);
/// All elements are 0. Any dtype.
AMP_LAZY Tensor zeros_(const Tensor& tensor);
/// A matrix with 1 on its diagonal, and 0 elsewhere: a Linear that returns its input. Any dtype.
AMP_LAZY Tensor eye_(const Tensor& tensor);
/// The kernel [out, in, ...] of a convolution in one, two or three dimensions that returns its
/// input, as far as there are channels for it, in each of `groups` groups. `groups` must divide
/// `out`. Any dtype.
AMP_LAZY Tensor dirac_(const Tensor& tensor, std::int64_t groups = 1);

/// Uniform in +-gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
AMP_LAZY Tensor xavier_uniform_(const Tensor& tensor, double gain = 1);
/// Normal with mean 0 and standard deviation gain sqrt(2 / (fan_in + fan_out)).
AMP_LAZY Tensor xavier_normal_(const Tensor& tensor, double gain = 1);

/// Which of a weight's fans an initialisation divides by.
enum class FanMode : std::uint8_t {
  kFanIn,   ///< keeps the variance of activations from layer to layer
  kFanOut,  ///< keeps the variance of gradients
};
using enum FanMode;

/// The function that follows a layer.
enum class Nonlinearity : std::uint8_t {
  kLinear,  ///< none, or a convolution
  kSigmoid,
  kTanh,
  kReLU,
  kLeakyReLU,
  kSELU,
};
using enum Nonlinearity;

/// The factor by which weights make up for what the function takes away: 1 for kLinear and
/// kSigmoid, 5/3 for kTanh, sqrt(2) for kReLU, sqrt(2 / (1 + param^2)) for kLeakyReLU with the slope
/// `param`, and 3/4 for kSELU.
[[nodiscard]] double calculate_gain(Nonlinearity nonlinearity, double param = 0.01);

/// Options of kaiming_uniform_() and kaiming_normal_().
struct KaimingOptions {
  double a = 0;  // the slope below 0, for kLeakyReLU
  FanMode mode = kFanIn;
  Nonlinearity nonlinearity = kLeakyReLU;
};
/// Uniform in +-gain sqrt(3 / fan), with the gain of the function (He et al. 2015, arXiv
/// 1502.01852). Leaves a tensor without elements as it is.
AMP_LAZY Tensor kaiming_uniform_(const Tensor& tensor, const KaimingOptions& options = {});
template <amp::detail::NotOptions<KaimingOptions> ByPlace, class... More>
void kaiming_uniform_(const Tensor&, ByPlace, More...) = delete;  // write {.a = std::sqrt(5.0)}
/// Normal with mean 0 and standard deviation gain / sqrt(fan).
AMP_LAZY Tensor kaiming_normal_(const Tensor& tensor, const KaimingOptions& options = {});
template <amp::detail::NotOptions<KaimingOptions> ByPlace, class... More>
void kaiming_normal_(const Tensor&, ByPlace, More...) = delete;  // write {.mode = kFanOut}

/// gain times a random matrix with orthonormal rows, or columns if there are more rows, of
/// [rows, ...], whose last dimensions count as one: each such matrix is equally likely (Mezzadri
/// 2007, arXiv math-ph/0609050). Computed on the CPU in float64; synchronises.
AMP_LAZY Tensor orthogonal_(const Tensor& tensor, double gain = 1);
/// A matrix of normal numbers with mean 0 and deviation `std`, of which the share `sparsity`, chosen
/// at random in each column, is 0 (Martens 2010). Computed on the CPU; synchronises.
AMP_LAZY Tensor sparse_(const Tensor& tensor, double sparsity, double std = 0.01);

// --- as torch's modules start --------------------------------------------------------------------
/// Random numbers, uniform in [-bound, bound).
[[nodiscard]] Tensor uniform(const Shape& shape, double bound);

/// The same with a bound of 1 / sqrt(fan_in): kaiming_uniform_() with a slope of sqrt(5); torch
/// draws biases from the same range.
[[nodiscard]] Tensor fan_in_uniform(const Shape& shape, std::int64_t fan_in);

}  // namespace amp::inline v0::nn::init

#if AMP_HEADER_ONLY
#include "amp/nn/init.ipp"
#endif
