// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the replacement of non-finite numbers in gradients.
#pragma once

#include <cstdint>

#include "amp/kernels/traversal/descriptor_table.hpp"
#include "amp/kernels/unscale/args.hpp"

namespace amp::inline v0::kernels {

/// Changes every gradient in place, even if it is read-only to unscale: NaN becomes 0, and an
/// infinity the largest finite number of the gradient's dtype, with its sign. If any was changed,
/// *found = 1 and ++*passes; otherwise nothing is written.
struct SanitizeArgs {
  Device device;
  const GradientSpan* gradients;
  std::int64_t count;
  float* found;
  std::int64_t* passes;
  DescriptorTable* table = nullptr;  // may be shared by all calls over gradients
};

}  // namespace amp::inline v0::kernels
