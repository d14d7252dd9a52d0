// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The running statistics of batch norm.
#pragma once

#include <cstdint>

#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

template <class C>
C element_of(const Operand& array, std::int64_t i, C absent) {
  if (!array.present) return absent;
  C buffer{};
  return *fetch(array, i, 1, 1, &buffer);
}

/// Updates the running statistics with those of the batch: the means of all channels, then their
/// sums of squares.
AMP_LAZY inline void move_running(const BatchNormArgs& args, const double* batch, double n) {
  const std::int64_t channels = args.input.sizes[1];
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto move = [&](const Operand& running, double value) {
      if (!running.present) return;
      const double kept = element_of<double>(running, c, 0);
      const double next = (1 - args.momentum) * kept + args.momentum * value;
      store(&next, running, c, 1, 1);
    };
    move(args.running_mean, batch[c]);
    move(args.running_var, batch[channels + c] / (n - 1));
  }
}

}  // namespace amp::inline v0::kernels::host::detail
