// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included, and the copy of the weight that autocast uses is written with it. One launch steps all
// parameters and advances the counts; what it reads is in place before. So whatever can fail comes
// before the first write. Rule is an optimizer's formula, the host's too.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/cuda/rounded.cuh"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// Whether a step has no more to do than the update itself. Steps that have are compiled apart:
/// what they need in registers would cost the others.
enum class StepKind : std::uint8_t { kPlain, kStored };

/// N 16-bit words from i on.
template <int N>
__device__ __forceinline__ void load_bits(const void* data, std::int64_t i,
                                          std::uint16_t (&bits)[N]) {
  const std::uint16_t* const from = static_cast<const std::uint16_t*>(data) + i;
  if constexpr (N == 1) {
    bits[0] = *from;
  } else {
    const auto pack = load_pack<std::uint16_t, N>(from);
    for (int l = 0; l < N; ++l) bits[l] = pack.element[l];
  }
}
template <int N>
__device__ __forceinline__ void store_bits(void* data, std::int64_t i,
                                           const std::uint16_t (&bits)[N]) {
  std::uint16_t* const to = static_cast<std::uint16_t*>(data) + i;
  if constexpr (N == 1) {
    *to = bits[0];
  } else {
    Pack<std::uint16_t, N> pack;
    for (int l = 0; l < N; ++l) pack.element[l] = bits[l];
    store_pack(to, pack);
  }
}
template <class T, class C, int N>
__device__ __forceinline__ void store_stochastic(void* data, std::int64_t i, const C (&values)[N],
                                                 const RoundingWords& words) {
  std::uint32_t random[N];
  words.get(i, random);
  std::uint16_t bits[N];
  for (int l = 0; l < N; ++l) bits[l] = round_stochastically<T>(values[l], random[l]).bits();
  store_bits(data, i, bits);
}

template <class C, class Parameter, int N>
__device__ __forceinline__ void load_split(const Parameter& p, std::int64_t i, C (&weights)[N]) {
  std::uint16_t high[N], low[N];
  load_bits(p.parameter, i, high);
  load_bits(p.weight.rest, i, low);
  for (int l = 0; l < N; ++l) weights[l] = join(p.weight.storage, {high[l], low[l]});
}
template <class C, class Parameter, int N>
__device__ __forceinline__ void store_split(const Parameter& p, std::int64_t i,
                                            const C (&weights)[N]) {
  std::uint16_t high[N], low[N];
  for (int l = 0; l < N; ++l) {
    const SplitWeight parts = split(p.weight.storage, static_cast<float>(weights[l]));
    high[l] = parts.parameter;
    low[l] = parts.rest;
  }
  store_bits(p.parameter, i, high);
  store_bits(p.weight.rest, i, low);
}

/// The weights, from where they are kept.
template <StepKind kKind, class C, class Parameter, int N>
__device__ __forceinline__ void load_weights(const Parameter& p, std::int64_t i, C (&weights)[N]) {
  if constexpr (kKind == StepKind::kStored && std::is_same_v<C, float>) {
    if (p.weight.storage == WeightStorage::kMaster) {
      C parameters[N];
      load_some(p.parameter, p.dtype, i, parameters);
      load_some(p.weight.rest, kFloat32, i, weights);
      for (int l = 0; l < N; ++l) weights[l] = join_master(weights[l], parameters[l], p.dtype);
      return;
    }
    if (is_split(p.weight.storage)) return load_split(p, i, weights);
  }
  load_some(p.parameter, p.dtype, i, weights);
}
/// The new weights, and their copies.
template <StepKind kKind, class C, class Parameter, int N>
__device__ __forceinline__ void store_weights(const Parameter& p, std::int64_t i,
                                              const C (&weights)[N], std::uint64_t seed,
                                              std::int64_t applied) {
  if constexpr (kKind == StepKind::kStored && std::is_same_v<C, float>) {
    const WeightStorage storage = p.weight.storage;
    if (is_split(storage)) return store_split(p, i, weights);
    if (storage == WeightStorage::kStochastic) {
      const auto words = RoundingWords::of(seed, p.weight.number, applied, RoundingWords::kWeights);
      if (p.dtype == kFloat16) return store_stochastic<half>(p.parameter, i, weights, words);
      return store_stochastic<bfloat16>(p.parameter, i, weights, words);
    }
    if (storage == WeightStorage::kMaster) store_some(p.weight.rest, kFloat32, i, weights);
  }
  store_some(p.parameter, p.dtype, i, weights);
  if (p.copies.float16 != nullptr) store_some(p.copies.float16, kFloat16, i, weights);
  if (p.copies.bfloat16 != nullptr) store_some(p.copies.bfloat16, kBFloat16, i, weights);
}
template <class C, int N, class Parameter>
__device__ __forceinline__ void zero_gradient(const Parameter& p, std::int64_t i) {
  const C zeros[N] = {};
  store_some(p.gradient, p.gradient_dtype, i, zeros);
}

/// One thread computes the coefficients of a parameter's step, for all of its block; `is_new` if
/// this is another parameter than in the call before. To be called by all threads.
template <class C, class Rule>
__device__ const typename Rule::template Coefficients<C>& shared_coefficients(
    const OptimizerParameter<Rule>& p, const GroupSettings<Rule>& group, std::int64_t applied,
    bool is_new) {
  __shared__ typename Rule::template Coefficients<C> shared;
  if (is_new) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const std::int64_t step = Rule::kCountsSteps ? *p.step + 1 : 0;
      shared =
          group.rule.template coefficients<Rounded<C>>(scheduled_rate(group.lr, applied), step);
    }
    __syncthreads();
  }
  return shared;
}

/// Gradients are loaded last: those of 16 bits are converted as soon as they arrive, and nothing
/// else should wait for that. The row comes by value: what is stored might be a row, for all that
/// the compiler knows.
template <StepKind kKind, class C, class Rule>
__device__ void step_piece(const OptimizerParameter<Rule> p, bool vectors,
                           const GroupSettings<Rule>& group, bool is_new, Range range,
                           const GradScale& scale, std::int64_t applied) {
  constexpr int kStates = Rule::kStates;
  const auto& k = shared_coefficients<C>(p, group, applied, is_new);
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const bool keeps_states = group.rule.keeps_states();
  for_each_vector<C>(vectors, range, [&](auto size, std::int64_t i) {
    constexpr int N = decltype(size)::value;
    C w[N], g[N], states[kStates][N] = {};
    load_weights<kKind>(p, i, w);
    AMP_UNROLL
    for (int s = 0; s < kStates && keeps_states; ++s)
      load_some(p.states[s], p.state_dtype, i, states[s]);
    load_some(p.gradient, p.gradient_dtype, i, g);
    for (int l = 0; l < N; ++l) {
      Rounded<C> grad = factor * Rounded<C>{g[l]}, weight{w[l]}, state[kStates];
      AMP_UNROLL
      for (int s = 0; s < kStates; ++s) state[s].value = states[s][l];
      update_with<Rule>(k, grad, weight, state);
      AMP_UNROLL
      for (int s = 0; s < kStates; ++s) states[s][l] = state[s].value;
      w[l] = weight.value;
    }
    AMP_UNROLL
    for (int s = 0; s < kStates && keeps_states; ++s) {
      if (kKind == StepKind::kStored && s == Rule::kStochasticState && group.stochastic_state &&
          p.state_dtype == kBFloat16) {
        const auto words =
            RoundingWords::of(group.seed, p.weight.number, applied, RoundingWords::kState);
        store_stochastic<bfloat16>(p.states[s], i, states[s], words);
      } else {
        store_some(p.states[s], p.state_dtype, i, states[s]);
      }
    }
    store_weights<kKind>(p, i, w, group.seed, applied);
    if (kKind == StepKind::kStored && group.zero_grad) zero_gradient<C, N>(p, i);
  });
}

template <class Parameter>
__device__ void zero_piece(const Parameter p, bool vectors, Range range) {
  for_each_vector<float>(vectors, range, [&](auto size, std::int64_t i) {
    zero_gradient<float, decltype(size)::value>(p, i);
  });
}

/// Whether all arrays may be taken in vectors.
template <class Rule>
bool takes_vectors(const OptimizerParameter<Rule>& p) {
  bool vectors = p.dtype != kFloat64 && is_aligned_for_vectors(p.parameter, p.dtype) &&
                 is_aligned_for_vectors(p.gradient, p.gradient_dtype) &&
                 is_aligned_for_vectors(p.copies.float16, kFloat16) &&
                 is_aligned_for_vectors(p.copies.bfloat16, kBFloat16) &&
                 is_aligned_for_vectors(p.weight.rest, kFloat32);
  for (void* const state : p.states)
    vectors = vectors && is_aligned_for_vectors(state, p.state_dtype);
  return vectors;
}

/// A parameter, the number of its first piece and of its group.
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
struct StepTable final : KeptTable::Contents {
  explicit StepTable(Device where) : device(where), rows(where), groups(where), arrived(where) {}

  void send(const OptimizerGroup<Rule>* from, std::int64_t n) {
    next_rows.clear();
    next_groups.clear();
    pieces = 0;
    kind = StepKind::kPlain;
    for (std::int64_t g = 0; g < n; ++g) {
      const GroupSettings<Rule>& settings = from[g].settings;
      next_groups.push_back(settings);
      if (settings.zero_grad || settings.stochastic_state) kind = StepKind::kStored;
      for (std::int64_t i = 0; i < from[g].count; ++i) {
        const OptimizerParameter<Rule>& p = from[g].parameters[i];
        if (p.weight.storage != WeightStorage::kParameter) kind = StepKind::kStored;
        next_rows.push_back({p, pieces, static_cast<std::int32_t>(g), takes_vectors(p)});
        pieces += ceil_div(p.numel, kPiece);
      }
    }
    rows.send(next_rows);
    groups.send(next_groups);
    arrived.send(zero);
  }

  Device device;
  DeviceList<StepRow<Rule>> rows;
  DeviceList<GroupSettings<Rule>> groups;
  DeviceList<unsigned> arrived;
  std::int64_t pieces = 0;
  StepKind kind = StepKind::kPlain;
  std::vector<StepRow<Rule>> next_rows;  // their memory is kept
  std::vector<GroupSettings<Rule>> next_groups;
  const std::vector<unsigned> zero{0};
};

/// The last block to end counts: nobody reads the counts any more.
template <StepKind kKind, class Rule>
AMP_KERNEL void step_kernel(const StepRow<Rule>* rows, std::int64_t count, std::int64_t pieces,
                            const GroupSettings<Rule>* groups, unsigned* arrived,
                            std::int64_t* applied, GradScale scale) {
  using Row = StepRow<Rule>;
  if (skipped(scale)) {
    if constexpr (kKind == StepKind::kStored)
      for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                     [&](const Row& row, Range range, std::int64_t) {
                       if (groups[row.group].zero_grad) zero_piece(row.p, row.vectors, range);
                     });
    return;
  }
  const std::int64_t before = *applied;
  const Row* known = nullptr;  // whose coefficients the block has
  for_each_piece(
      rows, count, &Row::first_piece, pieces, kPiece,
      [&](const Row& row, Range range, std::int64_t) {
        const GroupSettings<Rule>& group = groups[row.group];
        const bool is_new = known != &row;
        known = &row;
        if (row.p.dtype == kFloat64) {
          step_piece<kKind, double>(row.p, row.vectors, group, is_new, range, scale, before);
        } else {
          step_piece<kKind, float>(row.p, row.vectors, group, is_new, range, scale, before);
        }
      });
  if (!is_last_block(arrived)) return;
  for (std::int64_t i = threadIdx.x; Rule::kCountsSteps && i < count; i += blockDim.x)
    ++*rows[i].p.step;
  if (threadIdx.x == 0) ++*applied;
}

/// A step of all groups.
template <class Rule>
void optimizer_step(const OptimizerArgs<Rule>& args) {
  const TableOfCall<StepTable<Rule>> table(args.device, args.table);
  table->send(args.groups, args.count);
  const auto run = [&](auto kernel) {
    launch(args.device, blocks_for(table->pieces), kThreads, kernel, table->rows.data(),
           static_cast<std::int64_t>(table->next_rows.size()), table->pieces, table->groups.data(),
           table->arrived.data(), args.applied, args.scale);
  };
  if (table->kind == StepKind::kPlain) {
    run(step_kernel<StepKind::kPlain, Rule>);
  } else {
    run(step_kernel<StepKind::kStored, Rule>);
  }
}

}  // namespace amp::inline v0::kernels::cuda
