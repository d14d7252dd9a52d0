// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the header of CUB: what amp calls of it. As in its older versions, there are at
// most 2^31 - 1 elements.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "support/cuda/cub_sort.hpp"

namespace cub {

struct DeviceSegmentedRadixSort {
  template <class Key, class Value, class Begin, class End>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                               const Value* values, Value* values_out, int count, int segments,
                               Begin begins, End ends, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    return sort<Key, Value>(storage, bytes,
                            {keys, keys_out, values, values_out, count, begin_bit, end_bit, false},
                            segments, begins, ends, stream);
  }
  template <class Key, class Value, class Begin, class End>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, int count, int segments, Begin begins,
                               End ends, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = nullptr) {
    const standin::CubSort<Key, Value> buffers{keys.Current(),
                                               keys.Alternate(),
                                               values.Current(),
                                               values.Alternate(),
                                               count,
                                               begin_bit,
                                               end_bit,
                                               false,
                                               true};
    const cudaError_t status = sort(storage, bytes, buffers, segments, begins, ends, stream);
    if (storage != nullptr && status == cudaSuccess) buffers.choose(keys, values);
    return status;
  }

 private:
  template <class Key, class Value, class Begin, class End>
  static cudaError_t sort(void* storage, std::size_t& bytes,
                          const standin::CubSort<Key, Value>& sort, int segments, Begin begins,
                          End ends, cudaStream_t stream) {
    const auto check = [&] {
      sort.check();
      standin::cub_require(begins, segments);
      standin::cub_require(ends, segments);
    };
    return standin::cub_call("cub::DeviceSegmentedRadixSort::SortPairs", storage, bytes,
                             sort.bytes(), stream, check, [=] {
                               for (int i = 0; i < segments; ++i) {
                                 const std::int64_t begin = begins[i], end = ends[i];
                                 if (begin < 0 || begin > end || end > sort.count)
                                   standin::stop("CUB was given a segment outside of the array");
                                 sort.run(begin, end);
                               }
                             });
  }
};

}  // namespace cub
