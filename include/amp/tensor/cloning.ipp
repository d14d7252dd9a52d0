// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "amp/core/globals.hpp"
#include "amp/tensor/cloning.hpp"
#include "amp/tensor/tensor.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace detail {

AMP_COLD Cloning::Cloning() : is_outermost_(current() == nullptr) {
  if (is_outermost_) thread_state<CurrentCloning>().scope = this;
}
AMP_COLD Cloning::~Cloning() {
  for (const auto& [address, pair] : tensors_)
    pair.original->clones_under_way.fetch_sub(1, std::memory_order_relaxed);
  if (is_outermost_) thread_state<CurrentCloning>().scope = nullptr;
}
AMP_INLINE Cloning* Cloning::current() { return thread_state<CurrentCloning>().scope; }

AMP_COLD void Cloning::add(const Tensor& original, const Tensor& clone) {
  TensorImpl& impl = original.impl();
  tensors_.insert_or_assign(&impl, Pair{Ref<TensorImpl>(&impl), Ref<TensorImpl>(&clone.impl())});
  impl.clones_under_way.fetch_add(1, std::memory_order_relaxed);
}
AMP_COLD Ref<TensorImpl> Cloning::find(const TensorImpl& original) const {
  const auto found = tensors_.find(&original);
  return found == tensors_.end() ? Ref<TensorImpl>() : found->second.clone;
}

}  // namespace detail

AMP_COLD void Tensor::turn_to_clone() noexcept {
  if (const detail::Cloning* const scope = detail::Cloning::current()) {
    if (Ref<detail::TensorImpl> clone = scope->find(*impl_)) impl_ = std::move(clone);
  }
}

AMP_THREAD_STATE(detail::CurrentCloning);

}  // namespace amp::inline v0
