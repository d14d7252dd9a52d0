// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The library that computes convolutions on the device, if the program links one.
#pragma once

#include <atomic>

#include "amp/core/globals.hpp"
#include "amp/kernels/conv/args.hpp"

namespace amp::inline v0::kernels::cuda::detail {

/// A library's functions. The convolutions return false if the library does not support the
/// problem; the output may then be partly written.
struct ConvLibrary {
  bool (*conv2d)(const Conv2dArgs& args);
  bool (*conv2d_backward_input)(const Conv2dBackwardInputArgs& args);
  bool (*conv2d_backward_weight)(const Conv2dBackwardWeightArgs& args);
  void (*release)(int device);  ///< releases what it holds of the device
};

struct AMP_EXPORT LinkedConvLibrary {
  std::atomic<const ConvLibrary*> library = nullptr;
};

/// Returns the library; null if there is none.
inline const ConvLibrary* conv_library() {
  return process_state<LinkedConvLibrary>().library.load(std::memory_order_acquire);
}

}  // namespace amp::inline v0::kernels::cuda::detail
