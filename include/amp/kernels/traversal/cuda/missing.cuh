// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What kernels, which cannot throw, write in the place of what does not exist.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "amp/types/convert.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels::cuda {

/// The bytes of NaN, or of 0 for integers, over and over.
struct Missing {
  unsigned char bytes[sizeof(uint4)] = {};

  explicit Missing(DType dtype) {
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T> || is_small_float<T>) {
        const auto missing = convert_one<T>(std::numeric_limits<float>::quiet_NaN());
        for (std::size_t at = 0; at < sizeof bytes; at += sizeof missing)
          std::memcpy(bytes + at, &missing, sizeof missing);
      }
    });
  }
};

}  // namespace amp::inline v0::kernels::cuda
