// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The scope that records a trace.
#pragma once

#include <memory>

#include "amp/autograd/observer.hpp"
#include "amp/diagnostics/trace.hpp"

namespace amp::inline v0 {

/// Options of TraceGuard.
struct TraceOptions {
  bool synchronise = false;  // wait for the device after each op, so that times are those of the
                             // device's work; for the CPU this changes nothing
};

/// Records this thread's ops into `trace`, behind what it holds already.
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
