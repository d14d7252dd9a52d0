// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the header of CUB: what amp calls of it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "support/cuda/cub.hpp"

namespace cub {

struct DeviceSelect {
  /// Only as many elements of `out` are used as are selected.
  template <class Input, class Flags, class Output, class Selected>
  static cudaError_t Flagged(void* storage, std::size_t& bytes, Input in, Flags flags, Output out,
                             Selected selected, std::int64_t count, cudaStream_t stream = nullptr) {
    using T = typename std::iterator_traits<Input>::value_type;
    const auto check = [&] {
      standin::cub_require(in, count);
      standin::cub_require(flags, count);
      standin::cub_require(selected, 1);
    };
    return standin::cub_call(
        "cub::DeviceSelect::Flagged", storage, bytes, static_cast<std::size_t>(count / 64) * 8,
        stream, check, [=] {
          std::vector<T> found;
          for (std::int64_t i = 0; i < count; ++i) {
            if (static_cast<bool>(flags[i])) found.push_back(static_cast<T>(in[i]));
          }
          const auto of_out = static_cast<std::int64_t>(found.size());
          standin::cub_require(out, of_out);
          standin::cub_require_apart(in, out, of_out);
          standin::cub_write(found, out);
          *selected = static_cast<std::remove_reference_t<decltype(*selected)>>(found.size());
        });
  }
};

}  // namespace cub
