// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A cuBLAS handle of the user's for amp's matmuls. Needs no toolkit.
#pragma once

#include "amp/core/globals.hpp"
#include "amp/device/stream.hpp"

struct cublasContext;  // cublasHandle_t is a pointer to it

namespace amp::inline v0::cuda {
namespace detail {

/// The user's handle for this thread and a device, and the stream of that handle.
struct AMP_EXPORT LentBlasHandles {
  struct Lent {
    void* handle = nullptr;
    void* stream = nullptr;
  };
  Lent lent[kMaxDevices];
};

}  // namespace detail

/// Until its end, work of this thread on a device goes to the stream of the user's `handle`, and
/// its matmuls go through that handle, with its workspace. After each of them the handle's math and
/// pointer modes are restored. The handle must belong to that device and outlive the guard. Does
/// not synchronise.
class BlasHandleGuard {
 public:
  /// Lends the handle to amp for CUDA device number `device`.
  [[nodiscard]] explicit BlasHandleGuard(cublasContext* handle, int device = 0);
  BlasHandleGuard(const BlasHandleGuard&) = delete;
  BlasHandleGuard& operator=(const BlasHandleGuard&) = delete;
  ~BlasHandleGuard();

 private:
  detail::LentBlasHandles::Lent& lent() const {
    return thread_state<detail::LentBlasHandles>().lent[device_];
  }

  StreamGuard stream_;
  int device_;
  detail::LentBlasHandles::Lent before_;
};

}  // namespace amp::inline v0::cuda
