// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether float16 holds the gradients of a training: their exponents, by name and as a whole, what
// becomes 0 without a loss scale and with the present one, and which scale would fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/diagnostics/exponent_histogram.hpp"
#include "amp/optim/optimizer.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Histograms of gradients by name. They hold the true gradients, without the loss scale.
///
///     scaler.scale(loss).backward();
///     histogram += gradient_histogram(optimizer, scaler.get_scale());  // before unscale_
///
/// The gradients of activations, which autocast keeps in float16, are where numbers are lost; those
/// of float32 weights show what is left of them. Hooks of the backward pass may give them to add().
class GradientHistogram {
 public:
  using Entry = std::pair<std::string, ExponentHistogram>;

  /// `scale`: what the gradients carry that are added. Throws if it is not finite and above 0.
  explicit GradientHistogram(double scale = 1);

  /// Adds a gradient that carries scale() to the histogram of that name, which is made if there is
  /// none. It is counted in its own dtype, and divided by the scale exactly; if that is no power of
  /// two, a float64 copy is divided instead. Infinities and NaNs, which an overflow leaves, stay
  /// apart. Synchronises. Throws, changing nothing, if the gradient is undefined or holds integers.
  void add(const std::string& name, const Tensor& gradient);
  /// The same for gradients of one device, with one synchronisation for all of them.
  void add(const NamedTensors& gradients);
  /// Adds what was counted elsewhere, without a scale.
  void add(const std::string& name, const ExponentHistogram& counts);
  /// Adds another's, name by name, and takes over its scale: the present one.
  GradientHistogram& operator+=(const GradientHistogram& other);

  /// The loss scale of the gradients that add() takes.
  double scale() const { return scale_; }
  /// The scale of what is added from now on. Throws as the constructor does.
  void set_scale(double scale);

  /// In the order in which the names came.
  const std::vector<Entry>& by_name() const { return entries_; }
  /// All of them together.
  const ExponentHistogram& all() const { return all_; }

  /// That of all gradients; the factors by which they may still grow are the headroom.
  ScaleRecommendation recommended_scale(DType format = kFloat16, double headroom = 8) const {
    return all_.recommended_scale(format, headroom);
  }

  /// A table of the gradients by name, with shares as ExponentHistogram defines them, and a bar
  /// chart of all of them, in ASCII.
  std::string to_string(DType format = kFloat16) const;
  /// A picture in the manner of figure 3 of Micikevicius et al. 2017: the percentage of all
  /// gradients by the exponent, on a logarithmic axis, and of zeros; what `format` makes of them at
  /// scale 1 and at scale(). It needs nothing else, and suits light and dark backgrounds.
  std::string to_svg(std::string_view title = "Gradients", DType format = kFloat16) const;

 private:
  ExponentHistogram& entry(const std::string& name);

  double scale_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  // after the entry that was asked for last: names mostly come in order
  ExponentHistogram all_;
};

/// The gradients that parameters have now, by name; `scale` is the loss scale that they still
/// carry, 1 after unscale_. One pass over them, and one synchronisation. Throws if no parameter has
/// a gradient, if a parameter is undefined, and if gradients are on two devices.
GradientHistogram gradient_histogram(const NamedTensors& parameters, double scale = 1);
/// The same of an optimizer's parameters, by the names that it was given, or their numbers.
GradientHistogram gradient_histogram(const Optimizer& optimizer, double scale = 1);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/gradient_histogram.ipp"
#endif
