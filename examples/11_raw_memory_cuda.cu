// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// 10_raw_memory on a GPU: its function objects as kernels, on a stream of the program's own. If amp
// is not linked, as header-only, this file also brings the device.
#include <amp/core/config.hpp>
#if AMP_HEADER_ONLY
#include <amp/cuda.cuh>
#endif

#include "10_raw_memory.cpp"
