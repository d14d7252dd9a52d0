// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

#include "amp/core/globals.ipp"
#include "amp/kernels/backend.hpp"

namespace amp::inline v0 {

namespace kernels {

struct AMP_EXPORT BackendState {
  std::atomic<const Backend*> backends[kDeviceTypeCount] = {};
};

AMP_INLINE const Backend* backend(DeviceType type) {
  return process_state<BackendState>().backends[static_cast<std::size_t>(type)].load(
      std::memory_order_acquire);
}

AMP_INLINE void register_backend(DeviceType type, const Backend* backend) {
  const Backend* expected = nullptr;
  process_state<BackendState>().backends[static_cast<std::size_t>(type)].compare_exchange_strong(
      expected, backend);
}

}  // namespace kernels

AMP_PROCESS_STATE(kernels::BackendState);

}  // namespace amp::inline v0
