// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Histograms of the gradients of activations, collected during backward.
#pragma once

#include <memory>
#include <optional>

#include "amp/autograd/observer.hpp"
#include "amp/diagnostics/gradient_histogram.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// Options of a GradientHistogramGuard.
struct GradientHistogramOptions {
  std::optional<DType> only = {};  // counts gradients of this dtype only; unset: of every dtype
};

/// As long as the guard exists, the gradient of each op's result that backward computes on this
/// thread is added to `histogram`, under the op's module and name: "block2.conv1: conv2d". Under
/// float16 autocast these gradients underflow and overflow; those of weights are float32.
///
/// A gradient is counted in its own dtype, so a value that became 0 in float16 is counted as a
/// zero. To see how many values float16 would flush, run backward in float32, or compare two
/// histograms of one step, with and without a loss scale. Ops of the op list and custom functions
/// are counted, but not views and scalars. The module of an op is known only if the op ran while
/// the guard existed.
///
/// Cost: each gradient is read once more. Synchronises for each gradient, so do not use it in every
/// step of a training.
///
/// ```cpp
/// const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::ReLU(), amp::nn::Linear(8, 2)};
/// amp::GradientHistogram histogram;
/// {
///   const amp::GradientHistogramGuard collecting(histogram);
///   amp::mean(net(amp::randn({16, 4}))).backward();
/// }
/// assert(histogram.by_name().front().first == "2: linear");
/// assert(histogram.all().total() == 16 * (2 + 8 + 8));
/// ```
class GradientHistogramGuard {
 public:
  /// Adds to `histogram`, which must outlive the guard.
  [[nodiscard]] explicit GradientHistogramGuard(GradientHistogram& histogram,
                                                const GradientHistogramOptions& options = {});
  ~GradientHistogramGuard();
  GradientHistogramGuard(const GradientHistogramGuard&) = delete;
  GradientHistogramGuard& operator=(const GradientHistogramGuard&) = delete;

 private:
  class Collector;
  std::unique_ptr<Collector> collector_;
  autograd::ObserverGuard observing_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/gradient_histogram_guard.ipp"
#endif
