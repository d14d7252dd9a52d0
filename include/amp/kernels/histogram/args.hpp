// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the histogram of exponents.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"

namespace amp::inline v0::kernels {

/// The bins of one histogram: one for each exponent, then zeros, infinities and NaNs. The exponents
/// range from the smallest subnormal to the largest float32; float64 values beyond are counted in
/// the first or last one.
inline constexpr int kLeastExponent = -149, kMostExponent = 127;
inline constexpr int kExponentBins = kMostExponent - kLeastExponent + 1;
inline constexpr int kZeroBin = kExponentBins, kInfinityBin = kZeroBin + 1,
                     kNanBin = kInfinityBin + 1, kHistogramBins = kNanBin + 1;

/// A dense tensor of any floating-point dtype.
struct HistogramSpan {
  const void* data;
  std::int64_t numel;
  DType dtype;

  friend bool operator==(const HistogramSpan&, const HistogramSpan&) = default;
};

/// counts[t][floor(log2 |x|) - kLeastExponent] += 1 for each finite x != 0 of tensor t; zeros,
/// infinities and NaNs are counted in their bins. The counts are exact integers, the same on every
/// device. `counts` is [count, kHistogramBins] on the device of the tensors.
struct HistogramArgs {
  Device device;
  const HistogramSpan* tensors;
  std::int64_t count;
  std::int64_t* counts;
  DescriptorTable* table = nullptr;
};

}  // namespace amp::inline v0::kernels
