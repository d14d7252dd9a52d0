// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A stream that a user of amp made, on any device.
#pragma once

#include <cuda_runtime.h>

#include "support/catch.hpp"

namespace amp_test {

class UserStream {
 public:
  explicit UserStream(int device = 0, unsigned flags = cudaStreamNonBlocking) {
    int current = 0;
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&stream_, flags) == cudaSuccess);
    REQUIRE(cudaSetDevice(current) == cudaSuccess);
  }
  UserStream(const UserStream&) = delete;
  UserStream& operator=(const UserStream&) = delete;
  ~UserStream() { (void)cudaStreamDestroy(stream_); }

  cudaStream_t get() const { return stream_; }
  void synchronize() const { REQUIRE(cudaStreamSynchronize(stream_) == cudaSuccess); }
  /// As users do it.
  void wait_for(cudaStream_t other) const {
    cudaEvent_t event = nullptr;
    REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
    REQUIRE(cudaEventRecord(event, other) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(stream_, event, 0) == cudaSuccess);
    REQUIRE(cudaEventDestroy(event) == cudaSuccess);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace amp_test
