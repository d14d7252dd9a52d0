// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The scope that records a trace.
#pragma once

#include <memory>

#include "amp/autograd/observer.hpp"
#include "amp/diagnostics/trace.hpp"

namespace amp::inline v0 {

/// Options of a TraceGuard.
struct TraceOptions {
  bool synchronise = false;  // wait for the device after each op, so that times include the
                             // device's work; without effect on the CPU
};

/// As long as the guard exists, appends this thread's ops to `trace`.
class TraceGuard {
 public:
  /// Records into `trace`, which must outlive the guard.
  [[nodiscard]] explicit TraceGuard(Trace& trace, const TraceOptions& options = {});
  ~TraceGuard();
  TraceGuard(const TraceGuard&) = delete;
  TraceGuard& operator=(const TraceGuard&) = delete;

 private:
  class Recorder;
  std::unique_ptr<Recorder> recorder_;
  autograd::ObserverGuard observing_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/trace_guard.ipp"
#endif
