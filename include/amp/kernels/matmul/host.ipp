// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/config.hpp"
#include "amp/core/globals.ipp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/epilogue.hpp"
#include "amp/kernels/matmul/host.hpp"
#include "amp/kernels/matmul/host/epilogue.hpp"
#include "amp/kernels/matmul/host/gemm_matmul.hpp"
#include "amp/kernels/matmul/host/onednn.hpp"
#include "amp/kernels/matmul/host/shallow_matmul.hpp"
#include "amp/kernels/matmul/host/thin_matmul.hpp"
#include "amp/kernels/matmul/host/tiny_matmul.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Whether the matrices are large enough for the engine, or oneDNN.
inline bool is_large(const MatmulArgs& args) {
  return !gemm::is_tiny(args) && !is_thin(args) && !is_shallow(args);
}

}  // namespace detail

AMP_LAZY_DEFINITION void matmul(const MatmulArgs& args) {
  bool done = args.output.numel() == 0;
  if (!done && detail::is_large(args)) {
#if AMP_USE_ONEDNN
    done = onednn::matmul(args, nullptr);
#endif
    if (!done) gemm_matmul(args, nullptr);
  } else if (!done) {
    gemm::is_tiny(args) ? gemm::tiny_matmul(args)
    : is_thin(args)     ? thin_matmul(args)
                        : shallow_matmul(args);
  }
  sum_rows_and_columns<detail::HostSteps<>>(args);
}

AMP_LAZY_DEFINITION void matmul_with_epilogue(const MatmulArgs& args) {
  if (args.epilogue == Epilogue::kNone) return matmul(args);
  if (!detail::is_large(args)) return matmul_then_epilogue<detail::HostSteps<>>(args, matmul);
  bool done = args.output.numel() == 0;
#if AMP_USE_ONEDNN
  done = done || onednn::matmul(args, apply_epilogue<detail::HostSteps<>>);
#endif
  if (!done) gemm_matmul(args, apply_epilogue<detail::HostSteps<>>);
  sum_rows_and_columns<detail::HostSteps<>>(args);
}

}  // namespace amp::inline v0::kernels::host

namespace amp::inline v0 {

#if AMP_USE_ONEDNN
AMP_THREAD_OBJECT(kernels::host::onednn::Calls);
AMP_PROCESS_STATE(kernels::host::onednn::KnownCalls);
#endif

}  // namespace amp::inline v0
