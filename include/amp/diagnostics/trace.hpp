// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which op ran in which precision, why, and what it cost.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amp/autocast/op_list.hpp"
#include "amp/autograd/observer.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// What an entry of a Trace is.
enum class TracePhase : std::uint8_t {
  kForward,   ///< an op
  kBackward,  ///< the backward function of an op, or an op that one computes, or a hook
  kModule,    ///< the call of a module: the ops in it are entries of their own
};

/// A cast within an op.
struct TracedCast {
  DType from, to;
  CastKind kind;
  std::int64_t bytes;  // read and written; 0 for a copy that was reused
};

/// The dtype and shape of an input or a result.
struct TracedTensor {
  DType dtype;
  Shape shape;
};

/// One op, backward function or module, in the order in which they began.
struct TraceEntry {
  TracePhase phase = TracePhase::kForward;
  std::string name = {};    // "conv2d"; of a module its path
  std::string module = {};  // the path of the module that it ran in; empty for the outermost
  int depth = 0;            // how many ops and backward functions enclose this one
  bool recomputed = false;  // an op that backward runs again, for checkpoint()
  OpPolicy policy = OpPolicy::kPassthrough;
  PolicyRule rule = PolicyRule::kNoScope;
  int ineligible = 0;  // inputs that are left as they are: float64, or on another device
  std::vector<TracedTensor> inputs = {};    // as they were given; in backward the gradient
  std::vector<DType> compute = {};          // in which the op reads each of them
  std::optional<TracedTensor> output = {};  // none if the op failed, or returned no tensor
  std::vector<TracedCast> casts = {};
  std::vector<std::string> off_multiples =
      {};                  // matmul dimensions that miss tensor cores: "K = 588"
  std::int64_t bytes = 0;  // of inputs as they are read, and of the output: the least it can move
  double start = 0, seconds = 0;  // since the trace began; of the host, unless it synchronises
  bool failed = false;
};

/// A record of what a thread computed.
///
/// Meaning: as long as a TraceGuard of it lives, each op of the op list, each op of autocast_call,
/// each backward function and each module that is called becomes an entry. Ops within an op, as in
/// autocast_call, become entries of their own.
/// Threads: a trace records the thread of its guard, and is to be read when the guard is gone.
/// Cost: none without a guard but a load and a branch for each op. With one, about a microsecond
/// for each op, and memory for each entry.
///
/// ```cpp
/// const amp::nn::Sequential net{amp::nn::Linear(4, 8), amp::nn::ReLU(), amp::nn::Linear(8, 2)};
/// amp::Trace trace;
/// {
///   const amp::TraceGuard tracing(trace);
///   const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
///   amp::sum(net(amp::ones({16, 4}))).backward();
/// }
/// assert(trace.precisions().find("linear") != std::string::npos);
/// assert(trace.difference(trace.precisions()).empty());
/// ```
class Trace {
 public:
  /// What was recorded, in order.
  const std::vector<TraceEntry>& entries() const { return entries_; }
  /// Forgets all entries.
  void clear() { entries_.clear(); }

  /// A table for people: equal ops in equal modules are one line, with the number of calls, the
  /// policy and what decided it, dtypes, casts, time and bytes. Totals stand below it.
  std::string to_string() const;
  /// The part of it that does not vary from run to run: module, op, policy and what decided it, the
  /// dtypes of inputs, computation and output, and casts, of the forward pass. To be kept as a
  /// golden file of a network.
  std::string precisions() const;
  /// What differs between `golden` and precisions(), line by line: "- " lines are missing, "+ "
  /// lines are new. Empty if nothing does.
  std::string difference(std::string_view golden) const;
  /// All entries, with all fields, as JSON.
  std::string to_json() const;
  /// The same in Chrome's trace event format, for chrome://tracing and https://ui.perfetto.dev.
  std::string to_chrome_trace() const;

 private:
  friend class TraceGuard;

  std::vector<TraceEntry> entries_;
  double began_ = 0;  // when the first guard was made, by the steady clock
};

std::ostream& operator<<(std::ostream& out, const Trace& trace);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/diagnostics/trace.ipp"
#endif
