// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// conv2d() and its gradients on the device: by the library that the program links (cuDNN:
// cuda/cudnn.cuh) if it supports the problem, else as matmuls (cuda/conv_by_matmul.cuh).
#pragma once

#include "amp/core/warning.hpp"
#include "amp/device/cuda/libraries.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/cuda/conv_by_matmul.cuh"
#include "amp/kernels/conv/cuda/conv_library.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {
/// Warns once if the program was compiled without cuDNN.
inline void warn_without_dnn() {
  if (!amp::cuda::detail::libraries().told_of_convolutions.exchange(true))
    amp::detail::warn(
        "convolutions on CUDA are computed without cuDNN, as im2col and matmuls, which takes more "
        "time and memory: the .cu file of this program was compiled without AMP_USE_CUDNN=1 "
        "(CMake: AMP_WITH_CUDNN)");
}

/// Returns null, after a warning, if the program has no library or cannot load it.
inline const ConvLibrary* usable_conv_library() {
  const ConvLibrary* const library = conv_library();
  if (library == nullptr) warn_without_dnn();
  return library != nullptr && amp::cuda::has_cudnn() ? library : nullptr;
}
}  // namespace detail

inline void conv2d(const Conv2dArgs& args) {
  const detail::ConvLibrary* const library = detail::usable_conv_library();
  if (library != nullptr && library->conv2d(args)) return;
  detail::conv2d_by_matmul(args);
}
inline void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
  const detail::ConvLibrary* const library = detail::usable_conv_library();
  if (library != nullptr && library->conv2d_backward_input(args)) return;
  detail::conv2d_backward_input_by_matmul(args);
}
inline void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
  const detail::ConvLibrary* const library = detail::usable_conv_library();
  if (library != nullptr && library->conv2d_backward_weight(args)) return;
  detail::conv2d_backward_weight_by_matmul(args);
}

}  // namespace amp::inline v0::kernels::cuda
