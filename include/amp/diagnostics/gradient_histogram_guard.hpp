// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The histogram of the gradients of activations, collected in backward.
#pragma once

#include <memory>
#include <optional>

#include "amp/autograd/observer.hpp"
#include "amp/diagnostics/gradient_histogram.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// Options of GradientHistogramGuard.
struct GradientHistogramOptions {
  std::optional<DType> only = {};  // count gradients of this dtype alone; unset: of every dtype
};

/// For its lifetime, adds the gradient of each op's result that backward computes on this thread to
/// `histogram`, by the op's module and name: "block2.conv1: conv2d". Under float16 autocast these
/// are the gradients that underflow and overflow; those of weights are float32.
///
/// A gradient is counted as it is, so what became 0 in float16 is counted as a zero. How much
/// float16 would flush is seen in a backward pass in float32, or from two histograms of one step,
/// with and without a loss scale. Ops of the op list and custom functions are counted, but no views
/// and no scalars. The ops have to run within the guard's lifetime for their modules to be known.
///
/// Cost: each gradient is read once more, and the host waits for each. Not for every step of a
/// training.
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
