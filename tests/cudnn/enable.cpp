// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The source of a program with the CUDA device that brings cuDNN into it, as <amp/cuda.cuh> does
// where it is compiled with AMP_USE_CUDNN=1.
#include <amp/kernels/conv/cuda/cudnn.cuh>

static const bool enabled = (amp::cuda::detail::enable_cudnn(), true);
