// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moments of 8 bits as floats, and back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/optim/block_moments.hpp"
#include "amp/kernels/optim/host/rounded.hpp"
#include "amp/kernels/optim/host/stochastic.hpp"
#include "amp/kernels/optim/weight_storage.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Decodes a block. Buffers have room for a whole one.
template <bool kSigned>
struct DecodeMoments {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const std::uint8_t* block, float* values, std::int64_t n) {
    using Code = MomentCode<kSigned>;
    float scale = 0;
    std::memcpy(&scale, block + kMomentBlock, sizeof scale);
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      const auto code = simd::widen<std::uint32_t>(simd::load<Isa>(block + i));
      const auto y = simd::as<float>(Code::y(code & Code::kLast));
      const auto value = simd::as<std::uint32_t>(scale * (y - Code::kOffset));
      simd::store(simd::as<float>(kSigned ? value | (code & 0x80U) << 24 : value), values + i);
    }
  }
};

/// Encodes a block, rounded by `random`.
template <bool kSigned>
struct EncodeMoments {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* values, const std::uint32_t* random,
                                    std::uint8_t* block, std::int64_t n) {
    using Code = MomentCode<kSigned>;
    using I = simd::Vec<std::int32_t, Isa>;
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    I most = 0;
    for (std::int64_t i = 0; i < n; i += kLanes)
      most = larger(most, simd::magnitude_bits(simd::load<Isa>(values + i)));
    std::int32_t largest = 0;
    for (int l = 0; l < kLanes; ++l) largest = (std::max)(largest, most[l]);
    const float scale = Code::scale(static_cast<std::uint32_t>(largest));
    std::memcpy(block + kMomentBlock, &scale, sizeof scale);
    if (!(scale > 0)) return static_cast<void>(std::memset(block, 0, kMomentBlock));
    const float inverse = 1 / scale;
    for (std::int64_t i = 0; i < n; i += kLanes) {
      const auto value = simd::load<Isa>(values + i);
      const Rounded<simd::Vec<float, Isa>> magnitude{simd::as<float>(simd::magnitude_bits(value))};
      const auto y = inverse * magnitude + Code::kOffset;
      const I kept =
          larger(simd::as<std::int32_t>(y.value), I(static_cast<std::int32_t>(Code::kFirst)));
      const auto code = simd::as<std::int32_t>(
          Code::of(simd::as<std::uint32_t>(kept), simd::load<Isa>(random + i)));
      auto bits = simd::as<std::uint32_t>(smaller(code, I(static_cast<std::int32_t>(Code::kLast))));
      if (kSigned) bits = bits | ((simd::as<std::uint32_t>(value) >> 24) & 0x80U);
      simd::store(simd::narrow<std::uint8_t>(bits), block + i);
    }
  }
};

inline std::uint8_t* moment_block(void* data, std::int64_t at) {
  return static_cast<std::uint8_t*>(data) + at / kMomentBlock * kMomentBlockBytes;
}

/// Elements [at, at + n) of moments, of which `at` begins a block. The buffer has room for whole
/// blocks.
template <bool kSigned>
void decode_moments(void* data, std::int64_t at, std::int64_t n, float* values) {
  for (std::int64_t i = 0; i < n; i += kMomentBlock)
    simd::on_widest_without_fma<DecodeMoments<kSigned>>(
        static_cast<const std::uint8_t*>(moment_block(data, at + i)), values + i,
        (std::min)(kMomentBlock, n - i));
}
template <bool kSigned>
void encode_moments(float* values, void* data, std::int64_t at, std::int64_t n,
                    const RoundingBits& bits) {
  std::uint32_t random[kMomentBlock];
  for (std::int64_t i = 0; i < n; i += kMomentBlock) {
    const std::int64_t count = (std::min)(kMomentBlock, n - i);
    words_of(bits, at + i, count, random);
    std::fill(values + i + count, values + i + round_up(count, simd::kMostLanes), 0.0F);
    simd::on_widest_without_fma<EncodeMoments<kSigned>>(static_cast<const float*>(values + i),
                                                        static_cast<const std::uint32_t*>(random),
                                                        moment_block(data, at + i), count);
  }
}

}  // namespace amp::inline v0::kernels::host::detail
