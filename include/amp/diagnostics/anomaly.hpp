// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A scope that stops at the first op whose result is not finite.
#pragma once

#include <memory>

#include "amp/autograd/observer.hpp"

namespace amp::inline v0 {

/// Options of AnomalyGuard.
struct AnomalyOptions {
  bool backward = true;  // also the gradients that backward functions compute
};

/// Throws amp::Error as soon as an op of this thread has a result with an infinity or a NaN, for
/// its lifetime. The error names the op, its module, how many elements are not finite, the index of
/// the first, and whether an input of the op was not finite already. If a backward function
/// computes such a gradient, backward() throws, and no gradient of a leaf is changed.
///
/// In backward of a scaled loss an infinity may come from the scale alone: GradScaler skips such a
/// step and lowers the scale. A NaN, or an infinity in the forward pass, does not go away so.
///
/// Cost: each result is read once more, and the host waits for the device after each op. For a run
/// that looks for an error, not for training.
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
