// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The passes over an optimizer's gradients: collect and check them, unscale, and
// note their norm.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "amp/core/object_pool.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"
#include "amp/kernels/unscale/args.hpp"
#include "amp/optim/known_norm.hpp"
#include "amp/scaler/concepts.hpp"
#include "amp/scaler/ledger.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

using GradientSpans = PoolVector<kernels::GradientSpan>;

/// The gradients of an optimizer that lie on one device, and the words of a cycle there. All but
/// few optimizers have one part.
struct GradientPart {
  Device device;
  GradientSpans spans = {};
  const float* inverse = nullptr;       // of the scale
  Tensor found_inf = {};                // float32 word: whether one of them is not finite
  Tensor norm = {};                     // begins with their norm, if the pass is to compute it
  kernels::DescriptorTable table = {};  // of them

  std::int64_t count() const { return static_cast<std::int64_t>(spans.size()); }
};
using GradientParts = PoolVector<GradientPart>;

/// Fills `parts` with the gradients of an optimizer, by device. `parts` may come from the last
/// cycle, with empty spans; parts that get no gradient are removed. Throws, naming `call`, if a
/// gradient cannot be used, or if they lie on several devices and the optimizer is scale-aware.
/// Their names are added to `names` if it is not null.
void collect_gradients(std::string_view call, const AnyOptimizer& optimizer, GradientParts& parts,
                       GradientNames* names = nullptr);
/// Throws, naming the parameter, if one is trained by several ranks, which a scaler without
/// GradScalerOptions::agree knows nothing of, or if the optimizer is sharded.
void require_one_rank(std::string_view call, const AnyOptimizer& optimizer);
/// How many gradients the optimizer may have, as far as it says: its parameters.
std::int64_t most_gradients(const AnyOptimizer& optimizer);

/// Whether the gradient at `data` carries the mark of a scaled loss: accumulated, and not unscaled,
/// since its memory was perhaps another gradient's. False where optimizers know no marks.
bool is_marked(const AnyOptimizer& optimizer, const void* data);

void unscale(const kernels::UnscaleArgs& args);
/// The pass that only reads. If the optimizer's gradients are shards, the norm, and what to clip
/// by, is that of all ranks.
void grad_norm(const AnyOptimizer& optimizer, kernels::GradNormArgs args);
/// Makes the gradients finite. `found`, a float32 word: whether that changed one; then the int64
/// `passes` counts one more.
void sanitize(GradientPart& part, const Tensor& found, const Tensor& passes);

/// What a pass that reads the elements as they are sees of a floating-point tensor. Synchronises.
GradientSummary summarize(const Tensor& tensor);

/// The words that a step clips by: the norm, and its coefficient; the latter twice where the norm
/// is float64, since optimizers of one's own read a float32.
struct ClipScalars {
  ClipScalars(const GradientSpans& spans, Device device);

  Tensor memory;  // begins with the norm
  kernels::NormPointer norm;
  float* coefficient = nullptr;
  double* coefficient_float64 = nullptr;
};

/// Notes `norm` (undefined: not computed) as that of an optimizer's gradients as they are now. Null
/// where these are not tensors, or not unscaled.
std::unique_ptr<KnownNorm> note_norm(const AnyOptimizer& optimizer, const GradientSpans& spans,
                                     Tensor norm);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/scaler/gradients.ipp"
#endif
