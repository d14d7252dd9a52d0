// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Norms that an earlier pass over gradients computed, for who asks while the gradients are still
// the same: clip_grad_norm_ after unscale_.
#pragma once

#include <cstdint>
#include <span>

#include "amp/core/object_pool.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Gradients as a pass left them, in order, and their norm where it computed that. Known to the
/// process while it lives, and to nobody once a gradient was written or replaced. Keeps the
/// gradients' memory, so that an address means the same gradient.
class KnownNorm {
 public:
  /// `norm`: a word of their device, or undefined.
  KnownNorm(std::span<const Tensor> gradients, Tensor norm);
  KnownNorm(const KnownNorm&) = delete;
  KnownNorm& operator=(const KnownNorm&) = delete;
  ~KnownNorm();

  /// Whether somebody asked for it, whether or not it was there.
  bool was_wanted() const { return wanted_; }

  /// The norm of exactly these gradients in this order; undefined where no pass computed it, one of
  /// them was written since, or what was computed will not be there at the replay of a graph.
  static Tensor find(std::span<const Tensor> gradients);

 private:
  struct Gradient;
  static Gradient describe_now(const Tensor& g);
  bool is_of(std::span<const Tensor> gradients) const;

  PoolVector<Gradient> gradients_;
  Tensor norm_;
  std::uint64_t capture_id_;
  bool wanted_ = false;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/optim/known_norm.ipp"
#endif
