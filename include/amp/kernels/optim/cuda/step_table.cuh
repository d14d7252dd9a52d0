// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The tables that the kernels of a step read: the list of parameters and that of their groups, with
// the functions that compute a parameter's coefficients and load its elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "amp/core/math.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/block_moments.hpp"
#include "amp/kernels/optim/coefficients.hpp"
#include "amp/kernels/optim/cuda/rounded.cuh"
#include "amp/kernels/optim/cuda/weights.cuh"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// Whether all arrays are aligned for vectors.
template <class Rule>
bool takes_vectors(const OptimizerParameter<Rule>& p) {
  bool vectors = p.dtype != kFloat64 && is_aligned_for_vectors(p.parameter, p.dtype) &&
                 is_aligned_for_vectors(p.gradient, p.gradient_dtype) &&
                 is_aligned_for_vectors(p.copies.float16, kFloat16) &&
                 is_aligned_for_vectors(p.copies.bfloat16, kBFloat16) &&
                 is_aligned_for_vectors(p.weight.aux_state, kFloat32);
  for (void* const state : p.states)
    vectors = vectors && is_aligned_for_vectors(state, p.state_dtype);
  return vectors;
}

/// A parameter, with the index of its first piece and of its group.
template <class Rule>
struct StepRow {
  OptimizerParameter<Rule> p;
  std::int64_t first_piece;
  std::int32_t group;
  bool vectors;

  AMP_HOST_DEVICE std::int64_t numel() const { return p.numel; }
  friend bool operator==(const StepRow&, const StepRow&) = default;
};

template <class Rule>
struct StepTable final : DescriptorTable::Contents {
  explicit StepTable(Device where) : device(where), rows(where), groups(where), arrived(where) {}

  void send(const OptimizerGroup<Rule>* from, std::int64_t n) {
    next_rows.clear();
    next_groups.clear();
    pieces = 0;
    kind = StepKind::kPlain;
    for (std::int64_t g = 0; g < n; ++g) {
      const GroupSettings<Rule>& settings = from[g].settings;
      next_groups.push_back(settings);
      const auto needs = [&](StepKind what) { kind = (std::max)(kind, what); };
      if (settings.zero_grad || settings.stochastic_state) needs(StepKind::kStored);
      if (keeps_more(settings.rule)) needs(StepKind::kFull);
      for (std::int64_t i = 0; i < from[g].count; ++i) {
        const OptimizerParameter<Rule>& p = from[g].parameters[i];
        if (p.weight.storage != WeightStorage::kParameter) needs(StepKind::kStored);
        if (kTakesBlocks<Rule> && p.state_dtype == kUInt8) needs(StepKind::kBlocks);
        next_rows.push_back({p, pieces, static_cast<std::int32_t>(g), takes_vectors(p)});
        pieces += ceil_div(p.numel, kPiece);
      }
    }
    rows.send(next_rows);
    groups.send(next_groups);
    arrived.send(zero);
  }

  std::int64_t count() const { return static_cast<std::int64_t>(next_rows.size()); }

  Device device;
  DeviceList<StepRow<Rule>> rows;
  DeviceList<GroupSettings<Rule>> groups;
  DeviceList<unsigned> arrived;
  std::int64_t pieces = 0;
  StepKind kind = StepKind::kPlain;
  std::vector<StepRow<Rule>> next_rows;  // kept for their memory
  std::vector<GroupSettings<Rule>> next_groups;
  const std::vector<unsigned> zero{0};
};

/// One thread computes the coefficients of a parameter's step, with the rate rate() and the ratio
/// `trust`, for all of its block; `is_new` if this is another parameter than in the previous call.
/// All threads must call it.
template <class C, class Rule, class Rate>
__device__ const typename Rule::template Coefficients<C>& shared_coefficients(
    const OptimizerParameter<Rule>& p, const Rule& rule, bool is_new, const Rate& rate,
    double trust) {
  __shared__ typename Rule::template Coefficients<C> shared;
  if (is_new) {
    __syncthreads();
    if (threadIdx.x == 0) {
      shared = coefficients_of<Rounded<C>>(p, rule, rate(), trust);
    }
    __syncthreads();
  }
  return shared;
}

/// The N elements that a step reads, as numbers of type C. Gradients come last: 16-bit gradients
/// are converted as soon as they arrive, and nothing else should wait for that.
template <StepKind kKind, class C, class Rule, int N, int kStates>
__device__ __forceinline__ void load_elements(const OptimizerParameter<Rule>& p, std::int64_t i,
                                              const Rule& rule, C (&weights)[N],
                                              C (&states)[kStates][N], C (&gradients)[N]) {
  load_weights<kKind>(p, i, weights);
  AMP_UNROLL
  for (int s = 0; s < kStates; ++s)
    if (rule.keeps_state(s)) load_some(p.states[s], p.state_dtype, i, states[s]);
  load_some(p.gradient, p.gradient_dtype, i, gradients);
}

}  // namespace amp::inline v0::kernels::cuda
