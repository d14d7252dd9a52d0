// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The library that computes convolutions on the device, if the program links one.
#pragma once

#include <atomic>

#include "amp/core/globals.hpp"
#include "amp/kernels/conv/args.hpp"

namespace amp::inline v0::kernels::cuda::detail {

/// The convolutions return false, and may have written the output, if the library does not take the
/// problem.
struct ConvLibrary {
  bool (*conv2d)(const Conv2dArgs& args);
  bool (*conv2d_backward_input)(const Conv2dBackwardInputArgs& args);
  bool (*conv2d_backward_weight)(const Conv2dBackwardWeightArgs& args);
  void (*release)(int device);  ///< what it holds on the device
};

struct AMP_EXPORT LinkedConvLibrary {
  std::atomic<const ConvLibrary*> library = nullptr;
};

/// Null if there is none.
inline const ConvLibrary* conv_library() {
  return process_state<LinkedConvLibrary>().library.load(std::memory_order_acquire);
}

}  // namespace amp::inline v0::kernels::cuda::detail
