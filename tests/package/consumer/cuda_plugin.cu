// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#include "cuda_plugin.hpp"

#include <amp/cuda.cuh>

CudaState cuda_state() {
  namespace detail = amp::cuda::detail;
  return {amp::kernels::backend(amp::kCUDA), &detail::OwnStreams::instance(),
          &detail::memory_pool(0), &detail::staging(0), &detail::blas_handles(0)};
}
