// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of the gradients of a training, by name and for all together: they show which
// gradients become 0 in float16, without a loss scale and with the current one, and which scale
// would suit.
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

/// Histograms of gradients by name. They count the unscaled gradients, without the loss scale.
///
///     scaler.scale(loss).backward();
///     histogram += gradient_histogram(optimizer, scaler.get_scale());  // before unscale_
///
/// Numbers are lost in the gradients of activations, which autocast computes in float16; the
/// gradients of float32 weights show only what remains. GradientHistogramGuard collects the former;
/// hooks of the backward pass can pass them to add() as well.
class GradientHistogram {
 public:
  using Entry = std::pair<std::string, ExponentHistogram>;

  /// `scale` is the loss scale of the gradients that are added. Throws if it is not finite and
  /// above 0.
  explicit GradientHistogram(double scale = 1);

  /// Adds a gradient, scaled by scale(), to the histogram of this name, which is created if there
  /// is none. If the scale is a power of two, the gradient is counted in its own dtype and the
  /// division is exact; else a float64 copy is divided. Infinities and NaNs, which overflows cause,
  /// are counted separately. Throws, changing nothing, if the gradient is undefined or holds
  /// integers. Synchronises.
  void add(const std::string& name, const Tensor& gradient);
  /// Adds several gradients of one device, with one synchronisation.
  void add(const NamedTensors& gradients);
  /// Adds a histogram of unscaled values.
  void add(const std::string& name, const ExponentHistogram& counts);
  /// Adds another's histograms, name by name, and takes over its scale, as the newer one.
  GradientHistogram& operator+=(const GradientHistogram& other);

  /// The loss scale of the gradients that are added.
  double scale() const { return scale_; }
  /// Sets the scale of later additions. Throws if it is not finite and above 0.
  void set_scale(double scale);

  /// The histograms by name, in the order of their creation.
  const std::vector<Entry>& by_name() const { return entries_; }
  /// The histogram of all gradients together.
  const ExponentHistogram& all() const { return all_; }

  /// Returns the recommended scale for all gradients; `headroom` is the factor by which they may
  /// still grow.
  ScaleRecommendation recommended_scale(DType format = kFloat16, double headroom = 8) const {
    return all_.recommended_scale(format, headroom);
  }

  /// Returns a table of the gradients by name, with shares as ExponentHistogram defines them, and a
  /// bar chart of all of them, in ASCII.
  std::string to_string(DType format = kFloat16) const;
  void to_svg(...) const = delete;  // the examples draw: examples/trainer/histogram_picture.hpp

 private:
  ExponentHistogram& entry(const std::string& name);

  double scale_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  // one past the last used entry, since names mostly come in order
  ExponentHistogram all_;
};

/// Returns the histograms of the current gradients of parameters, by name. `scale` is the loss
/// scale of the gradients, which is 1 after unscale_. Reads the gradients once, and synchronises
/// once. Throws if no parameter has a gradient, if a parameter is undefined, or if gradients are on
/// different devices.
GradientHistogram gradient_histogram(const NamedTensors& parameters, double scale = 1);
/// The same for an optimizer's parameters, by their names in the optimizer.
GradientHistogram gradient_histogram(const Optimizer& optimizer, double scale = 1);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/gradient_histogram.ipp"
#endif
