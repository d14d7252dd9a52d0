// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Events of a thread: ops, casts, modules and backward functions, as they begin and end. The layers
// of the library announce them; the tools of <amp/diagnostics.hpp> derive from Observer to receive
// them. If a thread has no observer, an event costs a load and a branch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/config.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

enum class OpPolicy : std::uint8_t;
enum class PolicyRule : std::uint8_t;

/// How a tensor was converted to another dtype.
enum class CastKind : std::uint8_t {
  kConverted,      ///< by a conversion that is not cached
  kCopyReused,     ///< the cached copy of a weight was current: no conversion
  kCopyRefreshed,  ///< the copy of a weight was made, or renewed because the weight had changed
};

namespace autograd {

class Node;
class NodeSet;

/// An op, before its inputs are cast.
struct OpEvent {
  std::string_view name;
  OpPolicy policy;
  PolicyRule rule;                        // that decided the policy
  std::span<const Tensor* const> inputs;  // as they were given; some may be undefined
  std::span<const DType> compute;         // for each input, the dtype in which the op reads it
  int ineligible = 0;  // inputs that the scope does not cast: float64, or on another device
  std::optional<double> number = {};  // the C++ number beside the inputs, if there is one
};

/// A tensor was cast.
struct CastEvent {
  DType from, to;
  std::int64_t numel;
  CastKind kind;
  const Tensor* input = nullptr;  // and the result; null if a gradient was cast
  const Tensor* result = nullptr;
};

/// Base of observers of a thread. Each begin is followed by its end, or by its failure if an
/// exception leaves the scope; they nest. An exception that an observer throws leaves the op. If it
/// comes from a begin, the observers that were called before get the failure, and the one that
/// threw does not; if it comes from an end, it is thrown after all observers were called. Ops that
/// an observer calls are not announced.
class AMP_EXPORT Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// An op begins. It ends with one of the two calls below.
  virtual void op_begins(const OpEvent&) {}
  /// The op that began last, and has not ended, has this result.
  virtual void op_ends(const Tensor& /*result*/) {}
  /// The op that began last, and has not ended, throws.
  virtual void op_fails() noexcept {}
  /// A cast. It belongs to the op that has begun and not ended, if there is one.
  virtual void tensor_cast(const CastEvent&) {}
  /// The module's path, "block2.conv1"; empty for the outermost.
  virtual void module_begins(const std::string& /*path*/) {}
  virtual void module_ends() noexcept {}
  virtual void backward_begins(const Node&, const Tensor& /*gradient*/) {}
  virtual void backward_ends(const Node&, std::span<const Tensor> /*gradients*/) {}
  virtual void backward_fails() noexcept {}
};

/// The observer gets this thread's events for the guard's lifetime. Guards nest. They may be
/// destroyed in any order, but on this thread, and not by an observer during an event.
class ObserverGuard {
 public:
  /// From now on `observer` hears of this thread's events.
  [[nodiscard]] explicit ObserverGuard(Observer& observer);
  ~ObserverGuard();
  ObserverGuard(const ObserverGuard&) = delete;
  ObserverGuard& operator=(const ObserverGuard&) = delete;

 private:
  friend class Announcement;

  Observer& observer_;
  ObserverGuard* outer_;
};

/// Whether this thread has an observer.
inline bool is_observed() { return amp::detail::grad_state().observers != nullptr; }

/// The functions by which layers announce events, to be called if is_observed().
void announce_op(const OpEvent& event);
void announce_op_end(const Tensor& result);
void announce_op_failure() noexcept;
void announce_cast(const CastEvent& event);
void announce_module(const std::string& path);
void announce_module_end() noexcept;

/// Calls node.backward(gradient, gradients, wanted) and announces it.
void observed_backward(Node& node, const Tensor& gradient, std::span<Tensor> gradients,
                       const NodeSet* wanted);

}  // namespace autograd
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autograd/observer.ipp"
#endif
