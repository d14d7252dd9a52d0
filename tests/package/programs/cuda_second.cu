// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The other of two units of a program that bring the CUDA device into it.
#include <amp/cuda.cuh>
