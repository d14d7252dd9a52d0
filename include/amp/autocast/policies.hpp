// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Policies by the names of ops and modules: as lists in a program, and as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/autocast/op_list.hpp"
#include "amp/core/config.hpp"
#include "amp/core/refcount.hpp"

namespace amp::inline v0 {

/// Policies for one scope, by the name of an op, of a module, or of both:
///
/// | name | ops |
/// | --- | --- |
/// | "softmax" | this op |
/// | "head/" | all ops in the module whose path is "head", and in the modules within it |
/// | "blocks.*.norm/layer_norm" | this op in these modules; * is any one part of a path |
///
/// A module is entered when it is called, as a Layer is: net.head(x). In a module its policies
/// override those by op, and those of a longer path override those of a shorter one, whichever
/// scope they are from; of two equal ones the inner scope's holds.
/// nn::Module::check_policies finds paths that no module has.
class OpPolicies {
 public:
  struct Entry {
    std::string module;  // empty: everywhere
    int op;              // kAllOps: all
    OpPolicy policy;

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  static constexpr int kAllOps = -1;

  OpPolicies() = default;
  /// The policies of these names. Throws as set() does.
  OpPolicies(std::initializer_list<std::pair<std::string_view, OpPolicy>> policies);
  /// Throws amp::Error for an unknown op, an invalid path, and a name that already has a policy.
  void set(std::string_view name, OpPolicy policy);
  /// The policies, in the order in which they were set.
  const std::vector<Entry>& entries() const { return policies_; }

  /// The list that PyTorch uses on the CPU, for a program that is to be compared with one of
  /// PyTorch there: the policies of the ops in which it differs from amp's list, which is PyTorch's
  /// for CUDA. softmax, log_softmax, norms, exp, log, pow and sum stay in 16 bits, and
  /// binary_cross_entropy is allowed, in float32.
  ///
  /// ```cpp
  /// const amp::AutocastGuard autocast(amp::kCPU, {.policies = amp::OpPolicies::torch_cpu()});
  /// const amp::Tensor x = amp::ones({2, 3}, {.dtype = amp::kBFloat16});
  /// assert(amp::softmax(x, -1).dtype() == amp::kBFloat16);
  /// ```
  static OpPolicies torch_cpu();

  /// Reads one policy per line, "name = policy"; # begins a comment. The policies are
  /// low_precision, float32, float32_math, promote, passthrough and banned. The text is UTF-8, with
  /// or without a byte order mark, and at most kMostBytes long. Throws amp::Error, naming the line.
  static OpPolicies parse(std::string_view text);
  static constexpr std::size_t kMostBytes = 256 * 1024;
  /// The same for a regular file, which errors name.
  static OpPolicies load(const std::string& path);

 private:
  std::vector<Entry> policies_;
};

/// "low_precision", "float32", "float32_math", "promote", "passthrough" or "banned".
std::string_view to_string(OpPolicy policy);

namespace autocasting {

/// The name, in quotes, for a message: if it is long, its beginning and its length.
std::string quoted(std::string_view name);
/// The index of an op by name; throws with the nearest name if there is none.
int find_op(std::string_view name);
/// The op of this name, registered with the policy if there is none yet.
OpId find_or_register(std::string_view name, OpPolicy policy);
/// The name of a listed or registered op.
std::string_view op_name(int op);

/// The entries that name modules, of a scope and the scopes around it. Short paths come first; for
/// one path, entries for all ops before those for one op, and among these outer scopes before inner
/// ones.
struct AMP_EXPORT ModulePolicies final : RefCounted {
  static constexpr std::size_t kMost = 64;  // a bit for each in autocasting::State
  std::vector<OpPolicies::Entry> entries;
};

/// A list, and a bit for each entry that is already in force.
struct EnteredPolicies {
  Ref<ModulePolicies> list = {};
  std::uint64_t entered = 0;
};

/// `entries`, of an inner scope, together with those of `outer`, whose list may be null. One that
/// has the name of an outer one replaces it. The list is a new one.
EnteredPolicies joined(const EnteredPolicies& outer, std::vector<OpPolicies::Entry> entries);

/// Whether the pattern matches the path, or that of a module around it.
bool matches_module(std::string_view pattern, std::string_view path);

}  // namespace autocasting
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autocast/policies.ipp"
#endif
