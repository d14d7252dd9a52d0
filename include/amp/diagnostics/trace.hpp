// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Traces: the ops of a program with their precision, its reason, and their cost.
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

/// The kinds of entries.
enum class TracePhase : std::uint8_t {
  kForward,   ///< an op
  kBackward,  ///< a backward function or hook, or an op within one
  kModule,    ///< the call of a module; its ops are separate entries
};

/// A cast of an op's input.
struct TracedCast {
  DType from, to;
  CastKind kind;
  std::int64_t bytes;  // read and written; 0 for a copy that was reused
};

/// An input or output of an op.
struct TracedTensor {
  DType dtype;
  Shape shape;
};

/// One op, backward function or module call.
struct TraceEntry {
  TracePhase phase = TracePhase::kForward;
  std::string name = {};    // such as "conv2d"; the path of a module
  std::string module = {};  // the path of the module that it ran in; empty for the outermost
  int depth = 0;            // the number of ops and backward functions around this one
  bool recomputed = false;  // an op that backward runs again, for checkpoint()
  OpPolicy policy = OpPolicy::kPassthrough;
  PolicyRule rule = PolicyRule::kNoScope;
  int ineligible = 0;  // the number of inputs that are not cast: float64, or on another device
  std::vector<TracedTensor> inputs = {};    // before casts; in backward, the gradient
  std::vector<DType> compute = {};          // the dtype in which the op reads each input
  std::optional<TracedTensor> output = {};  // none if the op failed, or returned no tensor
  std::vector<TracedCast> casts = {};
  std::vector<std::string> off_multiples =
      {};                  // matmul dimensions not suited to tensor cores: "K = 588"
  std::int64_t bytes = 0;  // of inputs as read, and of the output: the least the op must move
  double start = 0, seconds = 0;  // from the start of the trace; host time unless synchronised
  bool failed = false;
};

/// A record of what a thread computed.
///
/// Meaning: as long as a TraceGuard of the trace exists, each op of the op list, each op of
/// autocast_call, each backward function and each module call becomes an entry, in the order in
/// which they begin. Ops within an op, as in autocast_call, become separate entries.
/// Threads: a trace records the thread of its guard. Read it after the guard is destroyed.
/// Cost: without a guard, a load and a branch for each op. With one, about a microsecond for each
/// op, and memory for each entry.
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

  /// Returns a table: equal ops in equal modules are one line, with the number of calls, the policy
  /// and its reason, dtypes, casts, time and bytes. Totals follow.
  std::string to_string() const;
  /// Returns the cells of that table, its heading first. A column whose heading begins with a blank
  /// is one of numbers.
  std::vector<std::vector<std::string>> rows() const;
  /// Returns the totals below that table, a line.
  std::string totals() const;
  /// Returns the part that does not vary from run to run: module, op, policy and its reason, the
  /// dtypes of inputs, computation and output, and casts, of the forward pass. It can be stored as
  /// a golden file of a network.
  std::string precisions() const;
  /// Compares `golden` with precisions(), line by line: "- " lines are missing, "+ " lines are new.
  /// Empty if they are equal.
  std::string difference(std::string_view golden) const;
  /// Returns all entries, with all fields, as JSON.
  std::string to_json() const;
  /// Returns all entries in Chrome's trace event format, for chrome://tracing and
  /// https://ui.perfetto.dev.
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
