// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How optimizers store weights that a 16-bit parameter cannot hold. Optimizers compute in float32;
// an update below half of a parameter's last bit would be lost on the way back. All devices use the
// functions below, so that they agree bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/random/philox.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/cast.hpp"
#include "amp/types/dtype.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"

namespace amp::inline v0 {

/// How the weights of a parameter below 32 bits are stored. A float32 or float64 parameter holds
/// its weights itself, whatever is chosen. Other code may write the parameter at any time:
/// auxiliary state that does not match the parameter is ignored.
enum class WeightStorage : std::uint8_t {
  kParameter,   ///< in the parameter, rounded to nearest: small updates are lost
  kMaster,      ///< in a float32 master; the parameter is its rounded copy
  kRemainder,   ///< bfloat16: in the parameter and the 16 bits that it lacks; equals kMaster's bits
  kStochastic,  ///< 16 bits: in the parameter, rounded up or down so that the mean is right
  kKahan,       ///< bfloat16: in the parameter and its rounding error, which is bfloat16 as well
};

namespace kernels {

/// The weights of one parameter. `aux_state` is an array beside it: float32 (kMaster), int16
/// (kRemainder), bfloat16 (kKahan), or null.
struct StoredWeight {
  WeightStorage storage = WeightStorage::kParameter;
  std::uint32_t index = 0;  // the parameter's index in its optimizer, < 2^31: for RoundingBits
  void* aux_state = nullptr;

  friend bool operator==(const StoredWeight&, const StoredWeight&) = default;
};

/// The bits of a weight, split over two 16-bit arrays.
struct SplitWeight {
  std::uint16_t parameter, aux_state;
};

/// kRemainder: the float's bits are the parameter's bits, shifted up by 16, plus `aux_state` as a
/// signed 16-bit integer. So the parameter is the nearest bfloat16, ties away from zero; if it
/// overflows into infinity, the weight is not lost. NaN has no remainder: a carry would make it -0.
AMP_HOST_DEVICE constexpr SplitWeight split_remainder(float weight) {
  const auto bits = __builtin_bit_cast(std::uint32_t, weight);
  if (is_nan(weight)) return {static_cast<std::uint16_t>((bits >> 16) | 0x40), 0};
  return {static_cast<std::uint16_t>((bits + 0x8000) >> 16), static_cast<std::uint16_t>(bits)};
}
AMP_HOST_DEVICE constexpr float join_remainder(SplitWeight parts) {
  // split_remainder never gives a remainder of this sign beside zero or infinity: other code has
  // written the parameter since.
  const std::uint32_t magnitude = parts.parameter & 0x7fffu;
  const bool negative = parts.aux_state >= 0x8000u;
  if ((magnitude == 0 && negative) || (magnitude == 0x7f80 && !negative)) parts.aux_state = 0;
  const std::uint32_t borrow = (parts.aux_state & 0x8000u) << 1;
  return __builtin_bit_cast(float,
                            (std::uint32_t{parts.parameter} << 16) + parts.aux_state - borrow);
}

/// kKahan: the weight is a sum of two bfloat16 (Kahan 1965, CACM 8(1); for weights Zamirai et al.
/// 2020, arXiv 2010.06192), with 16 bits of significand. If the parameter is not finite,
/// `aux_state` is 0.
AMP_HOST_DEVICE constexpr SplitWeight split_kahan(float weight) {
  const bfloat16 parameter(weight);
  if (!is_finite(parameter)) return {parameter.bits(), 0};
  return {parameter.bits(), bfloat16(weight - static_cast<float>(parameter)).bits()};
}
AMP_HOST_DEVICE constexpr float join_kahan(SplitWeight parts) {
  const auto parameter = static_cast<float>(bfloat16::from_bits(parts.parameter)),
             aux_state = static_cast<float>(bfloat16::from_bits(parts.aux_state));
  const auto magnitude = [](float x) { return x < 0 ? -x : x; };
  // An `aux_state` above half a unit in the last of the parameter's 8 bits is another weight's.
  return magnitude(aux_state) <= magnitude(parameter) * 0x1p-8F + 0x1p-134F ? parameter + aux_state
                                                                            : parameter;
}

/// kMaster: returns the master if the parameter is its rounded copy, else the parameter.
AMP_HOST_DEVICE constexpr float join_master(float master, float parameter, DType dtype) {
  const auto rounded = [&]() -> float {
    switch (dtype) {
      case kFloat16:
        return static_cast<float>(half(master));
      case kBFloat16:
        return static_cast<float>(bfloat16(master));
      case kFloat8E4M3:
        return static_cast<float>(float8_e4m3fn(master));
      case kFloat8E5M2:
        return static_cast<float>(float8_e5m2(master));
      default:
        return master;
    }
  }();
  const bool same = rounded == parameter || (is_nan(rounded) && is_nan(parameter));
  return same ? master : parameter;
}

AMP_HOST_DEVICE constexpr bool is_split(WeightStorage storage) {
  return storage == WeightStorage::kRemainder || storage == WeightStorage::kKahan;
}
AMP_HOST_DEVICE constexpr SplitWeight split(WeightStorage storage, float weight) {
  return storage == WeightStorage::kRemainder ? split_remainder(weight) : split_kahan(weight);
}
AMP_HOST_DEVICE constexpr float join(WeightStorage storage, SplitWeight parts) {
  return storage == WeightStorage::kRemainder ? join_remainder(parts) : join_kahan(parts);
}

/// kStochastic: returns To(value) if that is not finite, else one of the two neighbours of `value`,
/// but never beyond the largest finite number: stochastic rounding makes no infinity that rounding
/// to nearest would not make.
template <SmallFloat To, CastSource From>
AMP_HOST_DEVICE constexpr To round_stochastically(From value, std::uint32_t random) {
  const To nearest(value);
  return is_finite(nearest) ? saturate_stochastic_cast<To>(value, random) : nearest;
}

/// The random bits that round one array in one step: a pure function of the seed, the parameter's
/// index, the element and the steps applied before (modulo 2^32). There is no state to save, and a
/// graph, which counts steps on the device, draws new bits at each replay.
struct RoundingBits {
  enum Array : std::uint32_t { kWeights, kState };

  std::uint64_t seed, branch;

  AMP_HOST_DEVICE static constexpr RoundingBits of(std::uint64_t seed, std::uint32_t index,
                                                   std::int64_t applied, Array array) {
    return {seed, static_cast<std::uint64_t>(applied) << 32 | (std::uint64_t{index} << 1 | array)};
  }
  /// The bits of elements [i, i + 4); i is a multiple of 4.
  AMP_HOST_DEVICE constexpr PhiloxBlock four(std::int64_t i) const {
    return philox(seed, static_cast<std::uint64_t>(i) / 4, branch);
  }
  /// The bits of elements [i, i + N); i is a multiple of N.
  template <std::size_t N>
  AMP_HOST_DEVICE constexpr void get(std::int64_t i, std::uint32_t (&words)[N]) const {
    static_assert(N == 1 || N % 4 == 0);
    if constexpr (N == 1) {
      const PhiloxBlock block = four(i);  // not indexed: registers have no addresses
      const auto k = static_cast<std::uint32_t>(i) % 4;
      words[0] = k == 0   ? block.word[0]
                 : k == 1 ? block.word[1]
                 : k == 2 ? block.word[2]
                          : block.word[3];
    } else {
      for (std::size_t l = 0; l < N; l += 4) {
        const PhiloxBlock block = four(i + static_cast<std::int64_t>(l));
        for (std::size_t k = 0; k < 4; ++k) words[l + k] = block.word[k];
      }
    }
  }
};

}  // namespace kernels
}  // namespace amp::inline v0
