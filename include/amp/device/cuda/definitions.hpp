// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How to define functions of the CUDA device that .cpp files call.
#pragma once

#include "amp/core/config.hpp"

// With AMP_COMPILED, .cpp files see declarations only, and what they call is in the objects of the
// files that include <amp/cuda.cuh>. Weak: several files of a program may include it. For the same
// reason, functions that only those files call are inline in either case.
#if AMP_HEADER_ONLY
#define AMP_CUDA_INLINE inline
#else
#define AMP_CUDA_INLINE __attribute__((weak))
#endif

/// Declares what a program does not export.
#define AMP_HIDDEN __attribute__((visibility("hidden")))
