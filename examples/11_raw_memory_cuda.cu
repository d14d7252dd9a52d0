// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// 10_raw_memory on a GPU: its function objects are kernels, on the program's own stream. If amp is
// header-only and not linked, this file also defines the CUDA backend.
#include <amp/core/config.hpp>
#if AMP_HEADER_ONLY
#include <amp/cuda.cuh>
#endif

#include "10_raw_memory.cpp"
