// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The weights of N elements in registers, for every way to store them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// Whether a step does more than the plain update (kStored), with more than the plain_states() of
/// its rule (kFull), or with moments of 8 bits as well (kBlocks). Steps that do are compiled
/// separately: the registers that they need would slow down the others.
enum class StepKind : std::uint8_t { kPlain, kStored, kFull, kBlocks };

template <class Rule, StepKind kKind>
inline constexpr int kStatesOf = kKind >= StepKind::kFull ? Rule::kStates : plain_states<Rule>();

/// Returns N 16-bit words from i on.
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
                                                 const RoundingBits& random_bits) {
  std::uint32_t random[N];
  random_bits.get(i, random);
  std::uint16_t rounded[N];
  for (int l = 0; l < N; ++l) rounded[l] = round_stochastically<T>(values[l], random[l]).bits();
  store_bits(data, i, rounded);
}

template <class C, class Parameter, int N>
__device__ __forceinline__ void load_split(const Parameter& p, std::int64_t i, C (&weights)[N]) {
  std::uint16_t high[N], low[N];
  load_bits(p.parameter, i, high);
  load_bits(p.weight.aux_state, i, low);
  for (int l = 0; l < N; ++l) weights[l] = join(p.weight.storage, {high[l], low[l]});
}
template <class C, class Parameter, int N>
__device__ __forceinline__ void store_split(const Parameter& p, std::int64_t i,
                                            const C (&weights)[N]) {
  std::uint16_t high[N], low[N];
  for (int l = 0; l < N; ++l) {
    const SplitWeight parts = split(p.weight.storage, static_cast<float>(weights[l]));
    high[l] = parts.parameter;
    low[l] = parts.aux_state;
  }
  store_bits(p.parameter, i, high);
  store_bits(p.weight.aux_state, i, low);
}

/// Loads the weights from where they are stored.
template <StepKind kKind, class C, class Parameter, int N>
__device__ __forceinline__ void load_weights(const Parameter& p, std::int64_t i, C (&weights)[N]) {
  if constexpr (kKind != StepKind::kPlain && std::is_same_v<C, float>) {
    if (p.weight.storage == WeightStorage::kMaster) {
      C parameters[N];
      load_some(p.parameter, p.dtype, i, parameters);
      load_some(p.weight.aux_state, kFloat32, i, weights);
      for (int l = 0; l < N; ++l) weights[l] = join_master(weights[l], parameters[l], p.dtype);
      return;
    }
    if (is_split(p.weight.storage)) return load_split(p, i, weights);
  }
  load_some(p.parameter, p.dtype, i, weights);
}
/// Stores the new weights, and their copies.
template <StepKind kKind, class C, class Parameter, int N>
__device__ __forceinline__ void store_weights(const Parameter& p, std::int64_t i,
                                              const C (&weights)[N], std::uint64_t seed,
                                              std::int64_t applied) {
  if constexpr (kKind != StepKind::kPlain && std::is_same_v<C, float>) {
    const WeightStorage storage = p.weight.storage;
    if (is_split(storage)) return store_split(p, i, weights);
    if (storage == WeightStorage::kStochastic) {
      const auto bits = RoundingBits::of(seed, p.weight.index, applied, RoundingBits::kWeights);
      if (p.dtype == kFloat16) return store_stochastic<half>(p.parameter, i, weights, bits);
      return store_stochastic<bfloat16>(p.parameter, i, weights, bits);
    }
    if (storage == WeightStorage::kMaster) store_some(p.weight.aux_state, kFloat32, i, weights);
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

}  // namespace amp::inline v0::kernels::cuda
