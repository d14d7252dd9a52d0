// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "amp/autocast/state.hpp"
#include "amp/core/edit_distance.hpp"
#include "amp/core/error.hpp"
#include "amp/core/process_lock.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace autocasting {

/// The process' ops: the list, followed by the registered ones.
struct AMP_EXPORT Registry {
  std::string names[kMaxOps];  // of registered ops; [0, kListedOps) stay empty
  std::atomic<OpPolicy> policies[kMaxOps] = {};
  std::atomic<int> count = kListedOps;

  Registry() {
    for (int i = 0; i < kListedOps; ++i) policies[i] = kOpList[i].policy;
  }
  std::string_view name(int index) const {
    return index < kListedOps ? kOpList[index].name : std::string_view(names[index]);
  }
};
AMP_INLINE Registry& registry() { return process_state<Registry>(); }

inline constexpr std::size_t kLongestQuoted = 80;

AMP_COLD std::string quoted(std::string_view name) {
  return amp::detail::or_out_of_memory([&] {
    if (name.size() <= kLongestQuoted) return '"' + std::string(name) + '"';
    return '"' + std::string(name.substr(0, kLongestQuoted)) + "...\" (" +
           amp::detail::to_text(name.size()) + " bytes)";
  });
}

/// The index of an op; -1 if there is none of that name.
AMP_INLINE int find_registered(std::string_view name) {
  const Registry& ops = registry();
  const int count = ops.count.load(std::memory_order_acquire);
  for (int i = 0; i < count; ++i) {
    if (ops.name(i) == name) return i;
  }
  return -1;
}

AMP_COLD std::string_view op_name(int op) { return registry().name(op); }

/// The name of the op whose name is nearest to this one.
AMP_COLD std::string_view nearest_op(std::string_view name) {
  const Registry& ops = registry();
  const int count = ops.count.load(std::memory_order_acquire);
  std::string_view nearest;
  std::size_t least = ~std::size_t{0};
  for (int i = 0; i < count; ++i) {
    if (ops.name(i).size() > kLongestQuoted) continue;
    const std::size_t edits = amp::detail::edit_distance(ops.name(i), name);
    if (edits < least) nearest = ops.name(i);
    least = (std::min)(least, edits);
  }
  return nearest;
}

AMP_INLINE int find_op(std::string_view name) {
  const int known = find_registered(name);
  if (known >= 0) return known;
  AMP_CHECK(name.size() <= kLongestQuoted, "autocast: there is no op named ", quoted(name));
  amp::detail::fail("autocast: there is no op named \"", name, "\"; did you mean \"",
                    nearest_op(name), "\"? Ops of your own are added by register_op");
}

}  // namespace autocasting

namespace autocasting {

/// To be called under the lock.
AMP_COLD int add_op(std::string_view name, OpPolicy policy) {
  Registry& ops = registry();
  const int count = ops.count.load();
  AMP_CHECK(count < kMaxOps, "register_op: there is room for ", kMaxOps - kListedOps, " ops");
  AMP_CHECK(!name.empty() && name.find('/') == name.npos,
            "register_op: `name` must not be empty and must have no slash, but is \"", name, "\"");
  amp::detail::or_out_of_memory([&] { ops.names[count] = std::string(name); });
  ops.policies[count] = policy;
  ops.count.store(count + 1, std::memory_order_release);
  return count;
}

AMP_INLINE OpId find_or_register(std::string_view name, OpPolicy policy) {
  const int known = find_registered(name);
  if (known >= 0) return OpId(known);
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kOps);
  const int meanwhile = find_registered(name);
  return OpId(meanwhile >= 0 ? meanwhile : add_op(name, policy));
}

}  // namespace autocasting

AMP_COLD void register_op(std::string_view name, OpPolicy policy) {
  const detail::ProcessLock lock(detail::LockOf::kOps);
  const int known = autocasting::find_registered(name);
  if (known >= 0) {
    autocasting::registry().policies[known] = policy;
  } else {
    autocasting::add_op(name, policy);
  }
}

namespace autocasting {

AMP_INLINE OpPolicy State::policy(OpId op) const {
  const std::uint8_t own = overrides_[op.index];
  if (own != kDefault && reaches_here()) return static_cast<OpPolicy>(own & ~kOfModule);
  const OpPolicy listed = registry().policies[op.index].load(std::memory_order_relaxed);
  const bool stands = !only_low_precision_ || listed == OpPolicy::kLowPrecision;
  return stands || !reaches_here() ? listed : OpPolicy::kPassthrough;
}

AMP_COLD PolicyRule State::rule(OpId op) const {
  if (!active()) return PolicyRule::kNoScope;
  const std::uint8_t own = overrides_[op.index];
  if (own != kDefault) return (own & kOfModule) != 0 ? PolicyRule::kModule : PolicyRule::kScope;
  const OpPolicy process = registry().policies[op.index].load();
  if (only_low_precision_ && process != OpPolicy::kLowPrecision)
    return PolicyRule::kOnlyLowPrecision;
  const bool listed = op.index < kListedOps && kOpList[op.index].policy == process;
  return listed ? PolicyRule::kList : PolicyRule::kRegistered;
}

}  // namespace autocasting

AMP_INLINE AutocastState autocast_state() { return detail::current_autocast().here(); }
AMP_INLINE bool is_autocast_enabled(DeviceType device) {
  return detail::current_autocast().is_enabled(device);
}
AMP_INLINE DType autocast_dtype(DeviceType device) {
  return detail::current_autocast().dtype(device);
}
AMP_COLD OpPolicy op_policy(std::string_view op) {
  return detail::current_autocast().policy(autocasting::OpId(autocasting::find_op(op)));
}

AMP_INLINE AutocastGuard::AutocastGuard(DeviceType device, const AutocastOptions& options) {
  AutocastState next = previous_;
  const auto d = static_cast<std::size_t>(device);
  if (!previous_.reaches_here()) next = AutocastState();
  next.depth_ = detail::grad_state().backward_depth;
  next.enabled_[d] = options.enabled;
  next.dtypes_[d] = options.dtype.value_or(previous_.dtypes_[d]);
  AMP_CHECK(!options.enabled || is_low_precision(next.dtypes_[d]) || next.dtypes_[d] == kFloat32,
            "AutocastGuard: `dtype` must be float16, bfloat16 or float32, but is ",
            next.dtypes_[d]);
  next.cache_enabled_ = options.cache_enabled && next.cache_enabled_;
  next.only_low_precision_ = options.only_low_precision.value_or(next.only_low_precision_);
  if (!options.policies.entries().empty()) next.apply(options.policies);
  next.set_current();
}
AMP_INLINE AutocastGuard::AutocastGuard(const AutocastState& state) {
  AutocastState next = state;
  next.depth_ = detail::grad_state().backward_depth;
  next.set_current();
}

AMP_COLD void AutocastState::apply(const OpPolicies& policies) {
  std::vector<OpPolicies::Entry> of_modules;
  for (const OpPolicies::Entry& entry : policies.entries()) {
    if (entry.module.empty()) {
      overrides_[static_cast<std::size_t>(entry.op)] = static_cast<std::uint8_t>(entry.policy);
    } else {
      detail::or_out_of_memory([&] { of_modules.push_back(entry); });
    }
  }
  if (of_modules.empty()) return;
  autocasting::EnteredPolicies all = detail::or_out_of_memory([&] {
    return autocasting::joined({owned_, entered_}, std::move(of_modules));
  });
  owned_ = std::move(all.list);
  modules_ = owned_.get();
  entered_ = all.entered;
}

namespace autocasting {

AMP_COLD void State::enter_module(std::string_view path) {
  if (modules_ == nullptr || !reaches_here()) return;
  for (std::size_t i = 0; i < modules_->entries.size(); ++i) {
    const OpPolicies::Entry& entry = modules_->entries[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((entered_ & bit) != 0 || !matches_module(entry.module, path)) continue;
    entered_ |= bit;
    const auto policy =
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(entry.policy) | kOfModule);
    if (entry.op == OpPolicies::kAllOps) {
      overrides_.fill(policy);
    } else {
      overrides_[static_cast<std::size_t>(entry.op)] = policy;
    }
  }
}

}  // namespace autocasting

AMP_PROCESS_STATE(autocasting::Registry);
AMP_THREAD_STATE(autocasting::State);

}  // namespace amp::inline v0
