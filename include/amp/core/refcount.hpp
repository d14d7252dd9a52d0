// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Intrusive reference counting for the shared handles: storages, tensors, graph nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/object_pool.hpp"

namespace amp::inline v0 {

/// Base of everything held by Ref. The object is destroyed when the last Ref is gone.
class AMP_EXPORT RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  /// Whether exactly one Ref holds this object. Then a change to it is visible through that Ref
  /// only.
  bool unique() const noexcept { return references() == 1; }
  std::int64_t references() const noexcept { return references_.load(std::memory_order_acquire); }

  static void* operator new(std::size_t bytes) { return detail::ObjectPool::allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept {
    detail::ObjectPool::deallocate(memory, bytes);
  }

 protected:
  virtual ~RefCounted() = default;
  /// Called once, when the last Ref is gone. Classes override it if plain destruction would recurse
  /// too deeply.
  virtual void destroy() noexcept { delete this; }

 private:
  template <class T>
  friend class Ref;
  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  mutable std::atomic<std::int64_t> references_{0};
};

namespace detail {

template <class U, class T>
concept PointerConvertibleTo = std::is_convertible_v<U*, T*>;

}  // namespace detail

/// A shared owner of a RefCounted object; may be empty.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Shares the object; null for none.
  explicit Ref(T* object) noexcept : object_(object) { retain(); }
  Ref(const Ref& other) noexcept : object_(other.object_) { retain(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <detail::PointerConvertibleTo<T> U>
  Ref(const Ref<U>& other) noexcept : object_(other.get()) {
    retain();
  }
  ~Ref() { reset(); }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// Gives up the object, which is destroyed if this was the last Ref to it.
  void reset() noexcept {
    if (T* object = std::exchange(object_, nullptr)) static_cast<RefCounted*>(object)->release();
  }
  /// Returns the object, and leaves its reference to the caller, who gives it to adopt().
  T* detach() noexcept { return std::exchange(object_, nullptr); }
  /// Takes over a reference that detach() has left.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// The object, or null.
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.object_ == b.object_; }

 private:
  void retain() const noexcept {
    if (object_ != nullptr) static_cast<const RefCounted*>(object_)->retain();
  }
  T* object_ = nullptr;
};

/// A new object T(args...).
template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace amp::inline v0
