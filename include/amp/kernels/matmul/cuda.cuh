// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// matmul() on the device. It uses the first of these that takes the arguments: one kernel of
// cuBLASLt, with an epilogue that it supports (cuda/lt_matmul.cuh); cuBLAS (cuda/gemm.cuh); one of
// the two, and separate kernels for the rest (epilogue.hpp, cuda/epilogue.cuh).
#pragma once

#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/cuda/epilogue.cuh"
#include "amp/kernels/matmul/cuda/gemm.cuh"
#include "amp/kernels/matmul/cuda/lt_matmul.cuh"
#include "amp/kernels/matmul/epilogue.hpp"

namespace amp::inline v0::kernels::cuda {

inline void matmul(const MatmulArgs& args) {
  if (detail::lt_matmul(args)) return;
  if (args.is_plain()) return detail::gemm(args.a, args.b, args.bias, args.output);
  matmul_then_epilogue<detail::DeviceSteps>(args, matmul);
}

}  // namespace amp::inline v0::kernels::cuda
