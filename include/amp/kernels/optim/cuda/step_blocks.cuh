// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The step of a parameter whose moments are blocks of 8 bits: a warp for each block, with the
// vector of a lane in registers, so that a shuffle finds the scale.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/block_moments.hpp"
#include "amp/kernels/optim/cuda/rounded.cuh"
#include "amp/kernels/optim/cuda/weights.cuh"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

static_assert(kMomentBlock == 32 * kVector, "a warp has a block, and a lane a vector of it");

/// Decodes the lane's codes of a block.
template <bool kSigned>
__device__ __forceinline__ void decode_moments(const unsigned char* block, int lane,
                                               float (&values)[kVector]) {
  using Code = MomentCode<kSigned>;
  const float scale = *reinterpret_cast<const float*>(block + kMomentBlock);
  const auto* const words = reinterpret_cast<const std::uint32_t*>(block + lane * kVector);
  AMP_UNROLL
  for (int l = 0; l < kVector; ++l) {
    const std::uint32_t code = words[l / 4] >> (l % 4 * 8);
    const Rounded<float> y{__builtin_bit_cast(float, Code::y(code & Code::kLast))};
    const float magnitude = (scale * (y + -Code::kOffset)).value;
    const auto value = __builtin_bit_cast(std::uint32_t, magnitude);
    values[l] = __builtin_bit_cast(float, kSigned ? value | (code & 0x80U) << 24 : value);
  }
}

/// Encodes the lane's values of a block, with the scale of all lanes.
template <bool kSigned>
__device__ __forceinline__ void encode_moments(const float (&values)[kVector],
                                               const std::uint32_t (&random)[kVector], int lane,
                                               unsigned char* block) {
  using Code = MomentCode<kSigned>;
  std::uint32_t largest = 0;
  const auto see = [&](std::uint32_t bits) { largest = bits > largest ? bits : largest; };
  for (int l = 0; l < kVector; ++l)
    see(__builtin_bit_cast(std::uint32_t, values[l]) & 0x7fff'ffffU);
  AMP_UNROLL
  for (unsigned mask = 16; mask > 0; mask /= 2) see(from_lane(largest, mask));
  const float scale = Code::scale(largest), inverse = scale > 0 ? __fdiv_rn(1, scale) : 0;
  std::uint32_t words[kVector / 4] = {};
  AMP_UNROLL
  for (int l = 0; l < kVector && scale > 0; ++l) {
    const std::uint32_t value = __builtin_bit_cast(std::uint32_t, values[l]);
    const Rounded<float> magnitude{__builtin_bit_cast(float, value & 0x7fff'ffffU)};
    const float product = (inverse * magnitude + Code::kOffset).value;
    const auto y = __builtin_bit_cast(std::uint32_t, product);
    const std::uint32_t code = Code::of(y > Code::kFirst ? y : Code::kFirst, random[l]);
    const std::uint32_t kept = code < Code::kLast ? code : Code::kLast;
    words[l / 4] |= (kSigned ? kept | ((value >> 24) & 0x80U) : kept) << (l % 4 * 8);
  }
  auto* const to = reinterpret_cast<std::uint32_t*>(block + lane * kVector);
  for (int w = 0; w < kVector / 4; ++w) to[w] = words[w];
  if (lane == 0) *reinterpret_cast<float*>(block + kMomentBlock) = scale;
}

/// Steps the elements of a range, which begins with a block. `k` are the coefficients.
template <StepKind kKind, class Rule>
__device__ void step_blocks(const OptimizerParameter<Rule>& p, bool vectors,
                            const GroupSettings<Rule>& group,
                            const typename Rule::template Coefficients<float>& k, float factor,
                            Range range, std::int64_t applied) {
  constexpr int kStates = plain_states<Rule>();
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto bits = RoundingBits::of(group.seed, p.weight.index, applied, RoundingBits::kState);
  for (std::int64_t begin = range.begin + threadIdx.x / 32 * kMomentBlock; begin < range.end;
       begin += blockDim.x / 32 * kMomentBlock) {
    const std::int64_t i = begin + lane * kVector, left = range.end - i;
    const int n = left < 0 ? 0 : left < kVector ? static_cast<int>(left) : kVector;
    // Calls body(Size<N>, at) for the lane's elements.
    const auto for_each_element = [&](auto&& body) {
      if (vectors && n == kVector) return body(Size<kVector>{}, 0);
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l)  // not to n: registers have no addresses
        if (l < n) body(Size<1>{}, l);
    };
    float w[kVector] = {}, g[kVector] = {}, states[kStates][kVector];
    for_each_element([&](auto size, int at) {
      auto& weights = reinterpret_cast<float(&)[decltype(size)::value]>(w[at]);
      load_weights<kKind>(p, i + at, weights);
      load_some(p.gradient, p.gradient_dtype, i + at,
                reinterpret_cast<float(&)[decltype(size)::value]>(g[at]));
    });
    AMP_UNROLL
    for (int s = 0; s < kStates; ++s) {
      const auto* const block =
          static_cast<const unsigned char*>(p.states[s]) + begin / kMomentBlock * kMomentBlockBytes;
      s < Rule::kSignedStates ? decode_moments<true>(block, lane, states[s])
                              : decode_moments<false>(block, lane, states[s]);
    }
    for (int l = 0; l < kVector; ++l) {
      Rounded<float> grad = factor * Rounded<float>{g[l]}, weight{w[l]}, state[kStates];
      AMP_UNROLL
      for (int s = 0; s < kStates; ++s) state[s].value = states[s][l];
      update_with<Rule>(k, grad, weight, state);
      AMP_UNROLL
      for (int s = 0; s < kStates; ++s) states[s][l] = l < n ? state[s].value : 0;
      w[l] = weight.value;
    }
    std::uint32_t random[kVector];
    bits.get(i, random);
    AMP_UNROLL
    for (int s = 0; s < kStates; ++s) {
      auto* const block =
          static_cast<unsigned char*>(p.states[s]) + begin / kMomentBlock * kMomentBlockBytes;
      s < Rule::kSignedStates ? encode_moments<true>(states[s], random, lane, block)
                              : encode_moments<false>(states[s], random, lane, block);
    }
    for_each_element([&](auto size, int at) {
      store_weights<kKind>(p, i + at,
                           reinterpret_cast<const float(&)[decltype(size)::value]>(w[at]),
                           group.seed, applied);
      if (group.zero_grad) zero_gradient<float, decltype(size)::value>(p, i + at);
    });
  }
}

}  // namespace amp::inline v0::kernels::cuda
