// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the stand-ins for CUB's algorithms share. An algorithm is called twice: without temporary
// storage it says how much it needs, with it the work is enqueued, as one kernel. What CUB's
// documentation does not define stops the program here.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace standin {

/// Whether `count` elements at an address are on the device. Of an iterator that computes its
/// elements this is not asked.
template <class Iterator>
void cub_require(Iterator at, std::int64_t count) {
  if constexpr (std::is_pointer_v<Iterator>) {
    using T = std::remove_cv_t<std::remove_pointer_t<Iterator>>;
    if (count != 0 && !toolkit().on_device(at, static_cast<std::size_t>(count) * sizeof(T)))
      stop("CUB was given memory that is not on the device");
    if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) != 0)
      stop("CUB was given an address that no element of the type lies at");
  }
}
/// Two arrays that must not overlap, unless they are one array and that is allowed.
template <class From, class To>
void cub_require_apart(From from, To to, std::int64_t count, bool in_place = false) {
  if constexpr (std::is_pointer_v<From> && std::is_pointer_v<To>) {
    const auto* const a = reinterpret_cast<const char*>(from);
    const auto* const b = reinterpret_cast<const char*>(to);
    if (count == 0 || (in_place && a == b)) return;
    if (a < b + static_cast<std::size_t>(count) * sizeof(*to) &&
        b < a + static_cast<std::size_t>(count) * sizeof(*from))
      stop("arrays that CUB was given overlap");
  }
}
template <class T, class Iterator>
std::vector<T> cub_read(Iterator from, std::int64_t count) {
  std::vector<T> elements(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    elements[static_cast<std::size_t>(i)] = static_cast<T>(from[i]);
  return elements;
}
template <class T, class Iterator>
void cub_write(const std::vector<T>& elements, Iterator to) {
  for (std::size_t i = 0; i < elements.size(); ++i) to[static_cast<std::int64_t>(i)] = elements[i];
}

/// One call of an algorithm that needs `bytes` of temporary storage. It writes to all of it, as CUB
/// may: another user of it gets wrong results.
template <class Check, class Run>
cudaError_t cub_call(const char* name, void* storage, std::size_t& given, std::size_t bytes,
                     cudaStream_t stream, const Check& check, Run run) {
  STANDIN_STREAM_CALL(name, stream);
  bytes += 256;  // never none
  if (storage == nullptr) {
    given = bytes;
    return cudaSuccess;
  }
  if (given < bytes) return failed(cudaErrorInvalidValue);
  if (of_stream.device != standin_device) return failed(cudaErrorInvalidResourceHandle);
  if (!toolkit().on_device(storage, given)) stop("CUB was given storage that is not on the device");
  check();
  record_or_run(stream, true, [storage, given, run = std::move(run)] {
    std::memset(storage, 0xa5, given);
    run();
  });
  return cudaSuccess;
}

}  // namespace standin
