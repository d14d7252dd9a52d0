// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Deep copies of objects that hold handles: within the scope, a copy of a handle is a handle to the
// clone. So the copy constructor of any class, which copies its members one by one, makes an object
// with tensors of its own.
#pragma once

#include <memory>

#include "amp/core/refcount.hpp"

namespace amp::inline v0 {

class Tensor;

namespace detail {

class TensorImpl;

/// A deep copy that this thread makes. A scope within another one joins it.
class AMP_EXPORT Cloning {
 public:
  [[nodiscard]] Cloning();
  ~Cloning();
  Cloning(const Cloning&) = delete;
  Cloning& operator=(const Cloning&) = delete;

  /// The scope of this thread; null outside of one.
  static Cloning* current();

  /// From now on, copies of handles to `original` are handles to `clone`.
  void add(const Tensor& original, const Tensor& clone);
  /// The clone of a tensor; null if it has none.
  Ref<TensorImpl> find(const TensorImpl& original) const;

  /// What a copy of `original` points to: outside of scopes the same object, within one its clone,
  /// the same for all copies. fill(original, clone) completes a clone that was made by default.
  template <class T, class Fill>
  static std::shared_ptr<T> copy_of(const std::shared_ptr<T>& original, Fill fill) {
    Cloning* const scope = current();
    if (scope == nullptr || original == nullptr) [[likely]]
      return original;
    std::shared_ptr<void>& known = scope->object(original.get());
    if (known != nullptr) return std::static_pointer_cast<T>(known);
    const std::shared_ptr<T> clone = std::make_shared<T>();
    known = clone;  // before it is filled, because it may hold itself
    fill(*original, clone);
    return clone;
  }

 private:
  struct Clones;

  /// The clone of an object that handles share; null before it is made.
  std::shared_ptr<void>& object(const void* original);

  std::unique_ptr<Clones> clones_;
  bool is_outermost_;
};

struct AMP_EXPORT CurrentCloning {
  Cloning* scope = nullptr;
};

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/cloning.ipp"
#endif
