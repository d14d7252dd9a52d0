// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms that an earlier pass over gradients computed, for who asks while the gradients are still
// the same: clip_grad_norm_ after unscale_.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/capture.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

class KnownNorm;

struct AMP_EXPORT KnownNorms {
  PoolVector<KnownNorm*> all;  // of the cycles under way: one or two
};

/// Gradients as a pass left them, in order, and their norm where it computed that. Known to the
/// process while it lives, and to nobody once a gradient was written or replaced. Keeps the
/// gradients' memory, so that an address means the same gradient.
class KnownNorm {
 public:
  /// `norm`: a word of their device, or undefined.
  KnownNorm(std::span<const Tensor> gradients, Tensor norm) : norm_(std::move(norm)) {
    for (const Tensor& g : gradients) gradients_.push_back(describe_now(g));
    KnownNorms& known = process_state<KnownNorms>();
    const ProcessLock lock(LockOf::kNorms);
    known.all.push_back(this);
  }
  KnownNorm(const KnownNorm&) = delete;
  KnownNorm& operator=(const KnownNorm&) = delete;
  ~KnownNorm() {
    KnownNorms& known = process_state<KnownNorms>();
    const ProcessLock lock(LockOf::kNorms);
    std::erase(known.all, this);
  }

  /// Whether somebody asked for it, whether or not it was there.
  bool was_wanted() const { return wanted_; }

  /// The norm of exactly these gradients in this order; undefined where no pass computed it, one of
  /// them was written since, or what was computed will not be there at the replay of a graph.
  static Tensor find(std::span<const Tensor> gradients) {
    KnownNorms& known = process_state<KnownNorms>();
    const ProcessLock lock(LockOf::kNorms);
    for (KnownNorm* const one : known.all) {
      if (!one->is_of(gradients)) continue;
      one->wanted_ = true;
      return one->norm_;
    }
    return {};
  }

 private:
  struct Gradient {
    Ref<Storage> storage;
    const void* data;
    std::int64_t numel;
    DType dtype;
    std::uint64_t version;
    bool tracked;  // else nobody sees writes

    friend bool operator==(const Gradient&, const Gradient&) = default;
  };
  static Gradient describe_now(const Tensor& g) {
    const Ref<Storage>& storage = g.impl().storage;
    return {storage, g.raw_data(), g.numel(), g.dtype(), storage->version(), storage->tracked()};
  }
  bool is_of(std::span<const Tensor> gradients) const {
    return capture_id_ == capture_id() &&
           std::equal(gradients.begin(), gradients.end(), gradients_.begin(), gradients_.end(),
                      [](const Tensor& now, const Gradient& then) {
                        return then.tracked && describe_now(now) == then;
                      });
  }

  PoolVector<Gradient> gradients_;
  Tensor norm_;
  std::uint64_t capture_id_ = capture_id();
  bool wanted_ = false;
};

}  // namespace amp::inline v0::detail
