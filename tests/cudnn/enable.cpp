// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The source that brings cuDNN into a program with the CUDA device, as <amp/cuda.cuh> does if it is
// compiled with AMP_USE_CUDNN=1.
#include <amp/kernels/conv/cuda/cudnn.cuh>

static const bool enabled = (amp::cuda::detail::enable_cudnn(), true);
