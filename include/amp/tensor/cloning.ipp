// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/tensor/cloning.hpp"
#include "amp/tensor/tensor.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace detail {

struct Cloning::Clones {
  struct Pair {
    Ref<TensorImpl> original;  // kept, so that its address stays its own
    Ref<TensorImpl> clone;
  };

  std::map<const TensorImpl*, Pair> tensors;
  std::map<const void*, std::shared_ptr<void>> objects;
};

AMP_COLD Cloning::Cloning()
    : clones_(or_out_of_memory([] { return std::make_unique<Clones>(); })),
      is_outermost_(current() == nullptr) {
  if (is_outermost_) thread_state<CurrentCloning>().scope = this;
}
AMP_COLD Cloning::~Cloning() {
  for (const auto& [address, pair] : clones_->tensors)
    pair.original->clones_under_way.fetch_sub(1, std::memory_order_relaxed);
  if (is_outermost_) thread_state<CurrentCloning>().scope = nullptr;
}
AMP_INLINE Cloning* Cloning::current() { return thread_state<CurrentCloning>().scope; }

AMP_COLD void Cloning::add(const Tensor& original, const Tensor& clone) {
  TensorImpl& impl = original.impl();
  clones_->tensors.insert_or_assign(
      &impl, Clones::Pair{Ref<TensorImpl>(&impl), Ref<TensorImpl>(&clone.impl())});
  impl.clones_under_way.fetch_add(1, std::memory_order_relaxed);
}
AMP_COLD Ref<TensorImpl> Cloning::find(const TensorImpl& original) const {
  const auto found = clones_->tensors.find(&original);
  return found == clones_->tensors.end() ? Ref<TensorImpl>() : found->second.clone;
}

AMP_COLD std::shared_ptr<void>& Cloning::object(const void* original) {
  return clones_->objects[original];
}

}  // namespace detail

AMP_THREAD_STATE(detail::CurrentCloning);

}  // namespace amp::inline v0
