// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which libraries compute for the CUDA devices, and what they did not take. Needs no toolkit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "amp/core/globals.hpp"

namespace amp::inline v0::cuda {

/// A matmul or convolution that cuBLASLt or cuDNN did not take, or not with its bias, when it came
/// for the first time. amp computes it with other kernels, to the same precision, and does not try
/// that library again, unless the failure may pass: if there was no memory, it tries each time; if
/// the library says only that something failed, three times. A problem is noted once. Of each
/// device amp remembers up to 1024 problems of each library and then forgets them all; what comes
/// again after that is tried and counted again.
struct LibraryRefusal {
  std::string problem;  ///< what was asked for: the operation, dtypes and sizes
  std::string reason;   ///< the call of the library, and the status that it returned
};

/// What library_info() returns.
struct LibraryInfo {
  int cudnn_version = 0;                 ///< as cudnn_version()
  std::int64_t refused = 0;              ///< problems that a library did not take
  std::vector<LibraryRefusal> refusals;  ///< the first 64 of them
};

namespace detail {

struct AMP_EXPORT Libraries {
  std::atomic<int (*)()> cudnn_version = nullptr;  // set by the object that was compiled with it
  std::atomic<bool> told_of_convolutions = false;  // that they are computed without cuDNN
  // Whether the gradient of a bias comes out of the matmul that gives the gradient of the weight
  // (CUBLASLT_EPILOGUE_BGRADB) or of a kernel of its own, which reads the gradient once more. The
  // former has been slower for others: with that epilogue cuBLASLt has fewer kernels to choose
  // from, and some versions read the gradient a second time too (reported to NVIDIA: a backward
  // pass of 6.6 s instead of 4.0 s). PyTorch takes the sum apart. May be changed at any time.
  std::atomic<bool> sums_rows_in_matmuls = false;
  std::int64_t refused = 0;
  std::vector<LibraryRefusal> refusals = {};

  static constexpr std::size_t kMostRefusals = 64;
};
inline Libraries& libraries() { return process_state<Libraries>(); }

void note_refusal(LibraryRefusal refusal);

}  // namespace detail

/// The version of cuDNN, as cudnnGetVersion() counts: 90100 is 9.1.0. 0: the program's .cu file was
/// compiled without cuDNN, or there is none; then convolutions are computed as im2col and matmuls.
inline int cudnn_version() {
  int (*const version)() = detail::libraries().cudnn_version.load();
  return version == nullptr ? 0 : version();
}
/// Whether convolutions go through cuDNN.
inline bool has_cudnn() { return detail::libraries().cudnn_version.load() != nullptr; }

/// What computes, and what a library did not take since the program began. Does not synchronise.
LibraryInfo library_info();

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/libraries.ipp"
#endif
