// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the header of CUB: what amp calls of it. Sums and results may be in place.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "support/cuda/cub.hpp"

namespace cub {

struct DeviceScan {
  template <class Input, class Output, class Count>
  static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, Input in, Output out,
                                  Count count, cudaStream_t stream = nullptr) {
    using T = typename std::iterator_traits<Input>::value_type;
    return scan<T>("cub::DeviceScan::ExclusiveSum", storage, bytes, in, out,
                   static_cast<std::int64_t>(count), stream, [](std::vector<T>& elements) {
                     T sum{};
                     for (T& element : elements) {
                       const T own = element;
                       element = sum;
                       sum = static_cast<T>(sum + own);
                     }
                   });
  }
  template <class Input, class Output, class Count>
  static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, Input in, Output out,
                                  Count count, cudaStream_t stream = nullptr) {
    using T = typename std::iterator_traits<Input>::value_type;
    return inclusive<T>(
        "cub::DeviceScan::InclusiveSum", storage, bytes, in, out,
        [](const T& a, const T& b) { return static_cast<T>(a + b); },
        static_cast<std::int64_t>(count), stream);
  }
  template <class Input, class Output, class Op, class Count>
  static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, Input in, Output out, Op op,
                                   Count count, cudaStream_t stream = nullptr) {
    using T = typename std::iterator_traits<Input>::value_type;
    return inclusive<T>("cub::DeviceScan::InclusiveScan", storage, bytes, in, out, op,
                        static_cast<std::int64_t>(count), stream);
  }

 private:
  template <class T, class Input, class Output, class Op>
  static cudaError_t inclusive(const char* name, void* storage, std::size_t& bytes, Input in,
                               Output out, Op op, std::int64_t count, cudaStream_t stream) {
    return scan<T>(name, storage, bytes, in, out, count, stream, [op](std::vector<T>& elements) {
      for (std::size_t i = 1; i < elements.size(); ++i)
        elements[i] = op(elements[i - 1], elements[i]);
    });
  }
  template <class T, class Input, class Output, class Run>
  static cudaError_t scan(const char* name, void* storage, std::size_t& bytes, Input in, Output out,
                          std::int64_t count, cudaStream_t stream, Run run) {
    const auto check = [&] {
      standin::cub_require(in, count);
      standin::cub_require(out, count);
      standin::cub_require_apart(in, out, count, true);
    };
    return standin::cub_call(name, storage, bytes, static_cast<std::size_t>(count / 64) * sizeof(T),
                             stream, check, [=] {
                               std::vector<T> elements = standin::cub_read<T>(in, count);
                               run(elements);
                               standin::cub_write(elements, out);
                             });
  }
};

}  // namespace cub
