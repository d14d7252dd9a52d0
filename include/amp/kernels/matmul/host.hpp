// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls on the host, by the first of these that takes the arguments: tiny ones, and those in which
// one matrix has few lines, without packing (host/tiny_matmul.hpp, host/thin_matmul.hpp); oneDNN, in
// the dtype of the operands (host/onednn.hpp); amp's own engine (host/gemm_matmul.hpp).
#pragma once

#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/matmul/args.hpp"

namespace amp::inline v0::kernels::host {

/// Computes a matmul without an epilogue. A separate function, so that programs without
/// feed_forward() do not contain gelu.
AMP_LAZY void matmul(const MatmulArgs& args);

/// With oneDNN the epilogue follows each tile, so float32 sums of the whole matrix are not stored;
/// else it follows the whole matmul.
AMP_LAZY void matmul_with_epilogue(const MatmulArgs& args);

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0::kernels {

AMP_LAZY inline void matmul(Device device, const MatmulArgs& args) {
  dispatch<&Backend::matmul, host::matmul>(device, args);
}
AMP_LAZY inline void matmul_with_epilogue(Device device, const MatmulArgs& args) {
  dispatch<&Backend::matmul, host::matmul_with_epilogue>(device, args);
}

}  // namespace amp::inline v0::kernels

#if AMP_HEADER_ONLY
#include "amp/kernels/matmul/host.ipp"
#endif
