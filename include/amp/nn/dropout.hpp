// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers that set numbers to 0 at random while they are trained, and return their input otherwise.
#pragma once

#include <concepts>
#include <string_view>

#include "amp/nn/layer.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

namespace detail {

void check_probability(std::string_view type, double p);

/// Base of these layers.
template <class Self>
class DropoutOf : public Layer<Self> {
 public:
  using Layer<Self>::Layer;
  /// With probability `p`.
  explicit DropoutOf(double p) : p_(p) {
    check_probability(kTypeName<Self>, p);
    this->set_extra_repr({{"p", p}, {"inplace", false}});
  }
  DropoutOf() : DropoutOf(0.5) {}
  DropoutOf(double, std::same_as<bool> auto) = delete;  // there is no inplace

 protected:
  double p_ = 0;
};

/// x with whole channels dropped: those of [N, C, ...], or of [C, ...] if x has `unbatched`
/// dimensions. Throws if x has neither so many dimensions nor one more.
AMP_LAZY Tensor drop_channels(std::string_view type, const Tensor& x, int unbatched, double p);
/// x as alpha dropout leaves it; the elements after dimension `shared` share their fate.
AMP_LAZY Tensor alpha_dropout(std::string_view type, const Tensor& x, int shared, double p);

}  // namespace detail

/// dropout(x, p): each element becomes 0 with probability p.
class Dropout : public detail::DropoutOf<Dropout> {
 public:
  using DropoutOf::DropoutOf;
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};

/// Drops whole channels of [N, C, L] or [C, L], and multiplies the others by 1 / (1 - p) (Tompson
/// et al. 2015, arXiv 1411.4280).
class Dropout1d : public detail::DropoutOf<Dropout1d> {
 public:
  using DropoutOf::DropoutOf;
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};
/// The same of [N, C, H, W], or of [N, C, L], as torch understands three dimensions.
class Dropout2d : public detail::DropoutOf<Dropout2d> {
 public:
  using DropoutOf::DropoutOf;
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};
/// The same of [N, C, D, H, W] or [C, D, H, W].
class Dropout3d : public detail::DropoutOf<Dropout3d> {
 public:
  using DropoutOf::DropoutOf;
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};

/// Sets elements to the least value of selu with probability p, and scales and shifts all so that
/// mean 0 and variance 1 stay (Klambauer et al. 2017, arXiv 1706.02515). Floating point, in the
/// dtype of x.
class AlphaDropout : public detail::DropoutOf<AlphaDropout> {
 public:
  using DropoutOf::DropoutOf;
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};
/// The same for whole channels of [N, C, ...].
class FeatureAlphaDropout : public detail::DropoutOf<FeatureAlphaDropout> {
 public:
  using DropoutOf::DropoutOf;
  /// Returns x itself unless the module is training.
  AMP_LAZY Tensor forward(const Tensor& x) const;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/dropout.ipp"
#endif
