// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Brings the CUDA device into a program; its other sources need no CUDA compiler.
#include <amp/cuda.cuh>
