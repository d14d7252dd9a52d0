// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The weights of a parameter in a block of floats or doubles, for every way to store them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/host/stochastic.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

inline void* address(void* data, DType dtype, std::int64_t at) {
  return static_cast<char*>(data) + at * item_size(dtype);
}

/// The weights of a block. They are read from where they are stored and written back there, to the
/// parameter and to its float16 copy.
template <class C, class Parameter>
class Weights {
 public:
  C* values;

  Weights(const Parameter& parameter, const RoundingBits& bits, std::int64_t at, std::int64_t n)
      : p_(parameter), bits_(bits), at_(at), n_(n) {
    const WeightStorage storage = p_.weight.storage;
    if constexpr (std::is_same_v<C, float>) {
      if (is_split(storage)) {
        const std::uint16_t* const high = codes(p_.parameter);
        const std::uint16_t* const low = codes(p_.weight.aux_state);
        for (std::int64_t i = 0; i < n_; ++i) buffer_[i] = join(storage, {high[i], low[i]});
        values = buffer_;
        return;
      }
      if (storage == WeightStorage::kMaster) {
        values = static_cast<float*>(address(p_.weight.aux_state, kFloat32, at_));
        if (!is_rounded_master()) join_masters();
        return;
      }
    }
    values = const_cast<C*>(fetch(address(p_.parameter, p_.dtype, at_), p_.dtype, n_, buffer_));
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  void write() const {
    if constexpr (std::is_same_v<C, float>) {
      write_floats();
    } else {
      store_in(p_.parameter, p_.dtype);  // float64 parameters are their own weights
    }
    if (p_.copies.float16 != nullptr) store_in(p_.copies.float16, kFloat16);
  }
  /// Returns where the step must write the bfloat16 copy; null if there is none.
  bfloat16* copy() const {
    return p_.copies.bfloat16 != nullptr ? static_cast<bfloat16*>(p_.copies.bfloat16) + at_
                                         : nullptr;
  }

 private:
  void write_floats() const {
    switch (p_.weight.storage) {
      case WeightStorage::kMaster:
        store_in(p_.weight.aux_state, kFloat32);
        [[fallthrough]];
      case WeightStorage::kParameter:
        store_in(p_.parameter, p_.dtype);
        break;
      case WeightStorage::kStochastic:
        store_stochastic(values, p_.parameter, p_.dtype, at_, n_, bits_);
        break;
      case WeightStorage::kRemainder:
      case WeightStorage::kKahan:
        store_split();
        break;
    }
  }
  std::uint16_t* codes(void* data) const { return static_cast<std::uint16_t*>(data) + at_; }
  void store_in(void* data, DType dtype) const {
    store(values, address(data, dtype, at_), dtype, n_);
  }
  /// Whether the block of the parameter equals that of the rounded master, bit for bit. If so, only
  /// steps wrote it.
  bool is_rounded_master() const {
    alignas(64) unsigned char rounded[kBlock * sizeof(C)];  // enough for the parameter's dtype
    store(values, rounded, p_.dtype, n_);
    return std::memcmp(rounded, address(p_.parameter, p_.dtype, at_),
                       static_cast<std::size_t>(n_ * item_size(p_.dtype))) == 0;
  }
  void join_masters() {
    const C* const parameters = fetch(address(p_.parameter, p_.dtype, at_), p_.dtype, n_, buffer_);
    for (std::int64_t i = 0; i < n_; ++i)
      buffer_[i] =
          join_master(static_cast<float>(values[i]), static_cast<float>(parameters[i]), p_.dtype);
    values = buffer_;
  }
  void store_split() const {
    std::uint16_t* const high = codes(p_.parameter);
    std::uint16_t* const low = codes(p_.weight.aux_state);
    for (std::int64_t i = 0; i < n_; ++i) {
      const SplitWeight parts = split(p_.weight.storage, static_cast<float>(values[i]));
      high[i] = parts.parameter;
      low[i] = parts.aux_state;
    }
  }

  const Parameter& p_;
  const RoundingBits bits_;
  const std::int64_t at_, n_;
  C buffer_[kBlock];
};

}  // namespace amp::inline v0::kernels::host::detail
