// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A cache of a library's plans: how it solves each of the problems that it was given.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "amp/device/stream.hpp"

namespace amp::inline v0::kernels::cuda::detail {

/// The plans of one device. Each library derives a class from it, which takes the lock.
template <class Problem, class Plan>
class Plans {
 public:
  /// More than a network has. It bounds the memory if batches have ever new sizes.
  static constexpr std::size_t kMost = 1024;

  void release() noexcept {
    const std::lock_guard lock(mutex_);
    plans_.clear();
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

 protected:
  /// Returns the plan of a problem; null if there is none.
  Plan* find_plan(const Problem& problem) {
    const auto found = plans_.find(problem);
    return found == plans_.end() ? nullptr : &found->second;
  }
  /// Creates a plan from `args`, in place of one that may exist. If there are too many, all others
  /// are removed.
  template <class... Args>
  Plan& make_plan(const Problem& problem, Args&&... args) {
    plans_.erase(problem);
    if (plans_.size() >= kMost) plans_.clear();
    return plans_.try_emplace(problem, std::forward<Args>(args)...).first->second;
  }

  std::mutex mutex_;

 private:
  std::map<Problem, Plan> plans_;
};

/// The plans of a device. They are never destroyed, since a static object of the user may still
/// compute when the process ends.
template <class DerivedPlans>
DerivedPlans& plans_of(int device) {
  static auto* const all = new DerivedPlans[kMaxDevices];
  return all[device];
}

}  // namespace amp::inline v0::kernels::cuda::detail
