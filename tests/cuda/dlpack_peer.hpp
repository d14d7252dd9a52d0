// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Another library, of which amp knows by DLPack alone: it has memory and streams of its own.
#pragma once

#include <amp/cuda.hpp>
#include <amp/dlpack.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/user_stream.hpp"
#include "support/catch.hpp"

namespace cuda_dlpack {

using Managed = amp::dlpack::DLManagedTensor;
using amp_test::UserStream;

inline constexpr std::int64_t kCount = 3000;

/// Floats of another library on a device, which that library writes on a stream of its own.
class Producer {
 public:
  explicit Producer(int device = 0)
      : device_(device), memory_(amp::zeros({kCount}, {.device = {amp::kCUDA, device}})) {
    (void)amp::sum(memory_).item<float>();  // so that any stream may use it
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// Enqueued, not waited for.
  void fill(float value, cudaStream_t stream) {
    const amp::StreamGuard guard({amp::kCUDA, device_}, stream);
    memory_.fill_(value);
  }
  Managed* managed() {
    managed_ = {
        .dl_tensor = {.data = memory_.raw_data(),
                      .device = {2, device_},
                      .ndim = 1,
                      .dtype = {2, 32, 1},
                      .shape = shape_.data(),
                      .strides = nullptr,
                      .byte_offset = 0},
        .manager_ctx = this,
        .deleter = [](Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; }};
    return &managed_;
  }
  int deleted = 0;

 private:
  int device_;
  amp::Tensor memory_;
  std::array<std::int64_t, 1> shape_ = {kCount};
  Managed managed_ = {};
};

inline amp::Tensor work(amp::Tensor x) {
  for (int i = 0; i < 4; ++i) x = x + 1;
  return x;
}
inline bool all_are(const amp::Tensor& x, float expected) {
  return x.to_vector<float>() == std::vector<float>(static_cast<std::size_t>(x.numel()), expected);
}

}  // namespace cuda_dlpack
