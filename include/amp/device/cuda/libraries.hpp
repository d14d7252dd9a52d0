// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which libraries compute for the CUDA devices, and what they could not compute. Needs no toolkit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "amp/core/globals.hpp"

namespace amp::inline v0::cuda {

/// A matmul or convolution that cuBLASLt or cuDNN could not compute, or not with its bias, at its
/// first call. amp computes it with other kernels, to the same precision. It does not try that
/// library again, with two exceptions: if there was no memory, it tries each time; if the library
/// gives no reason, it tries three times. Each problem is recorded once. For each device amp
/// remembers up to 1024 problems of each library and then forgets them all; a problem that occurs
/// after that is tried and counted again.
struct LibraryRefusal {
  std::string problem;  ///< the operation, dtypes and sizes
  std::string reason;   ///< the call of the library, and the status that it returned
};

/// The result of library_info().
struct LibraryInfo {
  int cudnn_version = 0;                 ///< as cudnn_version()
  std::int64_t refused = 0;              ///< problems that a library could not compute
  std::vector<LibraryRefusal> refusals;  ///< the first 64 of them
};

namespace detail {

struct AMP_EXPORT Libraries {
  std::atomic<void (*)()> load = nullptr;          // if they are not linked; throws amp::Error
  std::atomic<int (*)()> cudnn_version = nullptr;  // set by the file that is compiled with it
  std::atomic<bool> told_of_convolutions = false;  // whether the warning about cuDNN was emitted
  // Whether the gradient of a bias comes from the matmul that gives the gradient of the weight
  // (CUBLASLT_EPILOGUE_BGRADB), instead of a separate kernel, which reads the gradient once more.
  // Others have found the former slower: cuBLASLt has fewer kernels with that epilogue, and some
  // versions read the gradient a second time too (reported to NVIDIA: a backward pass of 6.6 s
  // instead of 4.0 s). PyTorch computes the sum separately. May be changed at any time.
  std::atomic<bool> sums_rows_in_matmuls = false;
  std::int64_t refused = 0;
  std::vector<LibraryRefusal> refusals = {};

  static constexpr std::size_t kMostRefusals = 64;
};
inline Libraries& libraries() { return process_state<Libraries>(); }

void note_refusal(LibraryRefusal refusal);

}  // namespace detail

/// Returns the version of cuDNN as cudnnGetVersion() does: 90100 is 9.1.0. Returns 0 if the
/// program's .cu file was compiled without cuDNN or there is none; convolutions are then computed
/// as im2col and matmuls. Loads cuDNN if the program does not link it.
inline int cudnn_version() {
  int (*const version)() = detail::libraries().cudnn_version.load();
  return version == nullptr ? 0 : version();
}
/// Whether convolutions go through cuDNN. Loads it if the program does not link it.
inline bool has_cudnn() { return cudnn_version() != 0; }

/// Returns which libraries are used, and what they could not compute so far. Does not synchronise.
LibraryInfo library_info();

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/libraries.ipp"
#endif
