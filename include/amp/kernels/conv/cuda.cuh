// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution on the device: by cuDNN (cuda/cudnn.cuh) if the program uses it and cuDNN takes the
// problem, else as matmuls (cuda/conv_by_matmul.cuh).
#pragma once

#include "amp/core/config.hpp"
#include "amp/core/warning.hpp"
#include "amp/device/cuda/libraries.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/cuda/conv_by_matmul.cuh"
#include "amp/kernels/conv/cuda/cudnn.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {
/// Says once what a program may not know: that it was compiled without cuDNN.
inline void warn_without_dnn() {
  if (!amp::cuda::detail::libraries().told_of_convolutions.exchange(true))
    amp::detail::warn(
        "convolutions on CUDA are computed without cuDNN, as im2col and matmuls, which takes more "
        "time and memory: the .cu file of this program was compiled without AMP_USE_CUDNN=1 "
        "(CMake: AMP_WITH_CUDNN)");
}
}  // namespace detail

inline void conv2d(const Conv2dArgs& args) {
#if AMP_USE_CUDNN
  if (detail::conv2d_by_dnn(args)) return;
#else
  detail::warn_without_dnn();
#endif
  detail::conv2d_by_matmul(args);
}
inline void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
#if AMP_USE_CUDNN
  if (detail::conv2d_backward_input_by_dnn(args)) return;
#endif
  detail::conv2d_backward_input_by_matmul(args);
}
inline void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
#if AMP_USE_CUDNN
  if (detail::conv2d_backward_weight_by_dnn(args)) return;
#endif
  detail::conv2d_backward_weight_by_matmul(args);
}

}  // namespace amp::inline v0::kernels::cuda
