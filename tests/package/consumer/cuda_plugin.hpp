// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where a module of this test finds the state of the CUDA device.
#pragma once

struct CudaState {
  const void* backend;
  const void* streams;
  const void* memory_pool;
  const void* staging;
  const void* blas_handles;
};

using CudaStateFunction = CudaState();

extern "C" __attribute__((visibility("default"))) CudaStateFunction cuda_state;
