// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The one source of a program that brings the CUDA device into it; the others know nothing of CUDA.
#include <amp/cuda.cuh>
