// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/capture.hpp"
#include "amp/optim/known_norm.hpp"
#include "amp/tensor/storage.hpp"
#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {
namespace detail {

struct AMP_EXPORT KnownNorms {
  PoolVector<KnownNorm*> all;  // of the cycles under way: one or two
};

struct KnownNorm::Gradient {
  Ref<Storage> storage;
  const void* data;
  std::int64_t numel;
  DType dtype;
  std::uint64_t version;
  bool tracked;  // else nobody sees writes

  friend bool operator==(const Gradient&, const Gradient&) = default;
};

AMP_INLINE KnownNorm::KnownNorm(std::span<const Tensor> gradients, Tensor norm)
    : norm_(std::move(norm)), capture_id_(capture_id()) {
  for (const Tensor& g : gradients) gradients_.push_back(describe_now(g));
  KnownNorms& known = process_state<KnownNorms>();
  const ProcessLock lock(LockOf::kNorms);
  known.all.push_back(this);
}

AMP_INLINE KnownNorm::~KnownNorm() {
  KnownNorms& known = process_state<KnownNorms>();
  const ProcessLock lock(LockOf::kNorms);
  std::erase(known.all, this);
}

AMP_INLINE Tensor KnownNorm::find(std::span<const Tensor> gradients) {
  KnownNorms& known = process_state<KnownNorms>();
  const ProcessLock lock(LockOf::kNorms);
  for (KnownNorm* const one : known.all) {
    if (!one->is_of(gradients)) continue;
    one->wanted_ = true;
    return one->norm_;
  }
  return {};
}

AMP_INLINE KnownNorm::Gradient KnownNorm::describe_now(const Tensor& g) {
  const Ref<Storage>& storage = g.impl().storage;
  return {storage, g.raw_data(), g.numel(), g.dtype(), storage->version(), storage->tracked()};
}

AMP_INLINE bool KnownNorm::is_of(std::span<const Tensor> gradients) const {
  return capture_id_ == capture_id() &&
         std::equal(gradients.begin(), gradients.end(), gradients_.begin(), gradients_.end(),
                    [](const Tensor& now, const Gradient& then) {
                      return then.tracked && describe_now(now) == then;
                    });
}

}  // namespace detail

AMP_PROCESS_STATE(detail::KnownNorms);

}  // namespace amp::inline v0
