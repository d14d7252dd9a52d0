// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors whose elements lie channels-last, as convolutions make them.
#pragma once

#include <amp/tensor.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace amp_test {

/// A copy that lies so, without history.
inline amp::Tensor laid_out(const amp::Tensor& tensor) {
  return amp::detail::channels_last(tensor);
}
inline bool lies_channels_last(const amp::Tensor& tensor) {
  return amp::detail::lies_channels_last(tensor);
}

/// The elements as bits, so that signs of zeros and NaN count.
inline std::vector<std::uint64_t> bits_of(const amp::Tensor& tensor) {
  std::vector<std::uint64_t> bits;
  for (const double value : tensor.to_vector<double>())
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

}  // namespace amp_test
