// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Hooks: functions of the program that backward calls with the gradient of a tensor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/refcount.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {

/// Functions in the order in which they were added, each with a number by which it is removed.
class AMP_EXPORT HookListBase : public RefCounted {
 public:
  virtual void remove(std::int64_t number) noexcept = 0;
};
template <class Hook>
class HookList final : public HookListBase {
 public:
  std::int64_t add(Hook hook) {
    or_out_of_memory(
        [&] { hooks_.emplace_back(last_ + 1, std::make_shared<Hook>(std::move(hook))); });
    return ++last_;
  }
  void remove(std::int64_t number) noexcept override {
    std::erase_if(hooks_, [&](const auto& entry) { return entry.first == number; });
  }
  bool empty() const { return hooks_.empty(); }
  /// Shared pointers to the hooks, because a hook may remove itself or add others while they are
  /// called; they are not copies, because a hook may have state.
  std::vector<std::pair<std::int64_t, std::shared_ptr<Hook>>> all() const {
    return or_out_of_memory([&] { return hooks_; });
  }

 private:
  std::vector<std::pair<std::int64_t, std::shared_ptr<Hook>>> hooks_;
  std::int64_t last_ = 0;
};

/// A callable that may be empty: a std::function or a pointer.
template <class Hook>
concept MayBeEmpty = std::is_pointer_v<Hook> || requires(const Hook& hook) {
  hook.operator bool();
};

}  // namespace detail

/// Removes a hook. Destroying the handle does not remove it.
class HookHandle {
 public:
  HookHandle() = default;
  /// For the layers above: the hook of this number in the list.
  HookHandle(Ref<detail::HookListBase> list, std::int64_t number)
      : list_(std::move(list)), number_(number) {}
  /// Removes the hook; does nothing if it was removed.
  void remove() {
    if (list_) list_->remove(number_);
    list_.reset();
  }

 private:
  Ref<detail::HookListBase> list_;
  std::int64_t number_ = 0;
};

namespace autograd {

/// Returns the gradient that takes the place of the one given, or an undefined tensor to keep it.
using GradientHook = std::function<Tensor(const Tensor& gradient)>;

/// What Tensor::register_hook does, for a hook that is a std::function.
HookHandle add_hook(const Tensor& tensor, GradientHook hook);

/// Calls the hooks of a list in order, and returns the gradient that they leave.
Tensor run_hooks(RefCounted& hooks, Tensor gradient);

}  // namespace autograd

template <class Hook>
HookHandle Tensor::register_hook(Hook hook) const {
  if constexpr (detail::MayBeEmpty<Hook>)
    AMP_CHECK(static_cast<bool>(hook), "register_hook: `hook` is empty");
  return autograd::add_hook(*this, [hook = std::move(hook)](const Tensor& gradient) mutable {
    if constexpr (std::is_void_v<decltype(hook(gradient))>) {
      hook(gradient);
      return Tensor();
    } else {
      return Tensor(hook(gradient));
    }
  });
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/autograd/hooks.ipp"
#endif
