// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the header of CUB: what amp calls of it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "support/cuda/cub_sort.hpp"

namespace cub {

struct DeviceRadixSort {
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* keys, Key* keys_out,
                               const Value* values, Value* values_out, Count count,
                               int begin_bit = 0, int end_bit = sizeof(Key) * 8,
                               cudaStream_t stream = nullptr) {
    return sort<Key, Value>("cub::DeviceRadixSort::SortPairs", storage, bytes,
                            {keys, keys_out, values, values_out, static_cast<std::int64_t>(count),
                             begin_bit, end_bit, false},
                            stream);
  }
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, Count count, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    const standin::CubSort<Key, Value> buffers{keys.Current(),
                                               keys.Alternate(),
                                               values.Current(),
                                               values.Alternate(),
                                               static_cast<std::int64_t>(count),
                                               begin_bit,
                                               end_bit,
                                               false,
                                               true};
    const cudaError_t status =
        sort("cub::DeviceRadixSort::SortPairs", storage, bytes, buffers, stream);
    if (storage != nullptr && status == cudaSuccess) buffers.choose(keys, values);
    return status;
  }

 private:
  template <class Key, class Value>
  static cudaError_t sort(const char* name, void* storage, std::size_t& bytes,
                          const standin::CubSort<Key, Value>& sort, cudaStream_t stream) {
    return standin::cub_call(
        name, storage, bytes, sort.bytes(), stream, [&] { sort.check(); },
        [sort] { sort.run(0, sort.count); });
  }
};

}  // namespace cub
