// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A scope that throws at the first op whose result is not finite.
#pragma once

#include <memory>

#include "amp/autograd/observer.hpp"

namespace amp::inline v0 {

/// Options of an AnomalyGuard.
struct AnomalyOptions {
  bool backward = true;           // tests the gradients that backward functions compute as well
  bool given_infinities = false;  // reports the infinities that an op was given, too
};

/// As long as the guard exists, throws amp::Error as soon as an op of this thread has a result with
/// a NaN, or with an infinity that it made itself: none of its inputs has one, neither a tensor nor
/// a C++ number. So masks of -infinity pass, unless AnomalyOptions::given_infinities is set.
/// Conversions by to() count as ops. The error names the op, its module, the number of non-finite
/// elements, the index of the first, and says which input of the op was already non-finite. If a
/// backward function computes a gradient with an infinity or a NaN, whatever its inputs, backward()
/// throws, and no gradient of a leaf is changed.
///
/// In the backward pass of a scaled loss, the scale alone may cause an infinity: GradScaler skips
/// such a step and lowers the scale. It does not help against a NaN, or an infinity in the forward
/// pass.
///
/// Cost: each result is read once more. Synchronises after each op. Use it to search for an error,
/// not for training.
///
/// ```cpp
/// const amp::AnomalyGuard anomaly;
/// bool found = false;
/// try {
///   (void)amp::log(amp::zeros({4}));
/// } catch (const amp::Error& error) {
///   found = std::string_view(error.what()).find("log") != std::string_view::npos;
/// }
/// assert(found);
/// ```
class AnomalyGuard {
 public:
  /// Checks the ops of this thread from now on.
  [[nodiscard]] explicit AnomalyGuard(const AnomalyOptions& options = {});
  ~AnomalyGuard();
  AnomalyGuard(const AnomalyGuard&) = delete;
  AnomalyGuard& operator=(const AnomalyGuard&) = delete;

 private:
  class Detector;
  std::unique_ptr<Detector> detector_;
  autograd::ObserverGuard observing_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/anomaly.ipp"
#endif
