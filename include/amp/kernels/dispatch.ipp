// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "amp/core/error.hpp"
#include "amp/kernels/dispatch.hpp"

namespace amp::inline v0::kernels::detail {

AMP_INLINE const Backend& backend_of(Device device) {
  const Backend* const found = backend(device.type);
  AMP_CHECK(found != nullptr, "no kernels for device ", device,
            ": include <amp/cuda.cuh> in one .cu file of the program");
  return *found;
}

AMP_COLD void fail_without_kernel(Device device, std::string_view op) {
  amp::detail::fail(op, ": device ", device, " has no kernel for this op");
}

}  // namespace amp::inline v0::kernels::detail
