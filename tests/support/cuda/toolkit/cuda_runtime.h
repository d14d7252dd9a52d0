// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the CUDA runtime: a host compiler builds kernels and host code as they are, and
// runs them on the CPU, in order. Only what amp uses is here, with the meaning that the CUDA
// Runtime API documentation gives it.
#pragma once

#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/cuda/block.hpp"
#include "support/cuda/standin.hpp"
#include "support/cuda/status.hpp"

// --- the language
// ---------------------------------------------------------------------------------

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static thread_local
#define __launch_bounds__(...)

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline void __syncthreads() { standin::Block::current().barrier(); }
inline void __threadfence() {}  // blocks come one after the other
inline unsigned atomicAdd(unsigned* sum, unsigned value) {
  const unsigned before = *sum;
  *sum += value;
  return before;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes) {
  return standin::Block::current().exchange(mask, value,
                                            threadIdx.x % 32 ^ static_cast<unsigned>(lanes));
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return standin::Block::current().exchange(mask, value, static_cast<unsigned>(lane));
}

// --- the runtime
// ----------------------------------------------------------------------------------

inline const char* cudaGetErrorString(cudaError_t) { return "as the stand-in toolkit was told"; }
inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(standin::toolkit().take_last_error());
}

/// Each call holds the lock, and may have been told to fail.
#define STANDIN_CALL(name)                                       \
  const std::lock_guard standin_lock(standin::toolkit().mutex);  \
  if (const int standin_status = standin::toolkit().begin(name)) \
  return static_cast<cudaError_t>(standin_status)

/// One that a capture in global or thread-local mode may not see (cudaStreamCaptureMode).
#define STANDIN_UNCAPTURED_CALL(name)        \
  STANDIN_CALL(name);                        \
  if (standin::toolkit().disturbs_capture()) \
  return standin::failed(cudaErrorStreamCaptureUnsupported)

/// One that adds to a stream, unless its capture became invalid.
#define STANDIN_STREAM_CALL(name, stream)                                                \
  STANDIN_CALL(name);                                                                    \
  if ((stream) != nullptr && (stream)->capture != nullptr && (stream)->capture->invalid) \
  return standin::failed(cudaErrorStreamCaptureInvalidated)

namespace standin {

inline cudaError_t failed(cudaError_t status) {
  toolkit().set_last_error(status);
  return status;
}

}  // namespace standin

inline thread_local int standin_device = 0;

inline cudaError_t cudaGetDeviceCount(int* count) {
  STANDIN_CALL("cudaGetDeviceCount");
  *count = standin::toolkit().devices;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
inline cudaError_t cudaGetDevice(int* device) {
  STANDIN_CALL("cudaGetDevice");
  *device = standin_device;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  STANDIN_CALL("cudaSetDevice");
  if (device < 0 || device >= standin::toolkit().devices) return cudaErrorInvalidDevice;
  standin_device = device;
  return cudaSuccess;
}
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  STANDIN_CALL("cudaDeviceGetAttribute");
  *value = 3;  // few, so that grids are walked
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  STANDIN_UNCAPTURED_CALL("cudaDeviceSynchronize");
  ++standin::toolkit().counters.synchronisations;
  return cudaSuccess;
}

struct CUstream_st {
  int device;
  std::unique_ptr<standin::Capture> capture = {};
};
using cudaStream_t = CUstream_st*;
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  STANDIN_CALL("cudaStreamCreateWithFlags");
  *stream = new CUstream_st{.device = standin_device};
  ++standin::toolkit().live.streams;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  STANDIN_CALL("cudaStreamDestroy");
  if (stream->capture != nullptr) standin::stop("a stream was destroyed that captures");
  delete stream;
  --standin::toolkit().live.streams;
  return cudaSuccess;
}
namespace standin {

inline Capture* capture_of(cudaStream_t stream) {
  return stream != nullptr ? stream->capture.get() : nullptr;
}
/// Does now, or when the graph is launched, what `stream` was told to; a kernel is counted.
template <class Closure>
void record_or_run(cudaStream_t stream, bool kernel, const Closure& closure) {
  toolkit().record_or_run(capture_of(stream), kernel, closure);
}

}  // namespace standin

inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  STANDIN_UNCAPTURED_CALL("cudaStreamSynchronize");
  if (standin::Capture* const capture = standin::capture_of(stream)) {
    capture->invalid = true;
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  }
  ++standin::toolkit().counters.synchronisations;
  return cudaSuccess;
}

struct CUevent_st {
  std::chrono::steady_clock::time_point happened = {};
  standin::Capture* captured = nullptr;  // the last record was part of it
};
using cudaEvent_t = CUevent_st*;
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  STANDIN_CALL("cudaEventCreateWithFlags");
  *event = new CUevent_st;
  ++standin::toolkit().live.events;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaEventRecord", stream);
  event->captured = standin::capture_of(stream);
  event->happened = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
  STANDIN_STREAM_CALL("cudaStreamWaitEvent", stream);
  standin::Capture* const capture = standin::capture_of(stream);
  if (capture == event->captured) return cudaSuccess;
  if (capture == nullptr) standin::stop("captures of several streams are not part of the stand-in");
  capture->invalid = true;
  return standin::failed(cudaErrorStreamCaptureIsolation);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  STANDIN_CALL("cudaEventDestroy");
  delete event;
  --standin::toolkit().live.events;
  return cudaSuccess;
}

namespace standin {

/// Whether the event is only part of a capture, which becomes invalid: it never happens.
inline bool never_happens(cudaEvent_t event) {
  if (event->captured == nullptr) return false;
  if (toolkit().captures.count(event->captured) != 0) event->captured->invalid = true;
  return true;
}

}  // namespace standin

inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  STANDIN_CALL("cudaEventQuery");
  if (standin::never_happens(event)) return standin::failed(cudaErrorCapturedEvent);
  if (standin::toolkit().disturbs_capture())
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  STANDIN_CALL("cudaEventSynchronize");
  if (standin::never_happens(event)) return standin::failed(cudaErrorCapturedEvent);
  if (standin::toolkit().disturbs_capture())
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  ++standin::toolkit().counters.synchronisations;
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  STANDIN_CALL("cudaEventElapsedTime");
  const std::chrono::duration<float, std::milli> elapsed = end->happened - begin->happened;
  *milliseconds = elapsed.count();
  return cudaSuccess;
}

// --- memory

inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  STANDIN_UNCAPTURED_CALL("cudaMallocHost");
  *memory = ::operator new (bytes, std::align_val_t{256});
  ++standin::toolkit().live.host_blocks;
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* memory) {
  STANDIN_UNCAPTURED_CALL("cudaFreeHost");
  ::operator delete (memory, std::align_val_t{256});
  --standin::toolkit().live.host_blocks;
  return cudaSuccess;
}

struct CUmemPool_st {};
using cudaMemPool_t = CUmemPool_st*;
enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1 };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemLocation location;
};
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  STANDIN_CALL("cudaMemPoolCreate");
  *pool = new CUmemPool_st;
  ++standin::toolkit().live.pools;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  STANDIN_CALL("cudaMemPoolDestroy");
  delete pool;
  --standin::toolkit().live.pools;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  STANDIN_CALL("cudaMemPoolSetAttribute");
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  STANDIN_UNCAPTURED_CALL("cudaMemPoolTrimTo");
  return cudaSuccess;
}
/// In a capture this would be a node, whose memory comes and goes with each launch: amp wants none.
inline cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t,
                                           cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaMallocFromPoolAsync", stream);
  if (standin::Capture* const capture = standin::capture_of(stream)) {
    capture->invalid = true;
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  }
  if (bytes > std::size_t{1} << 40) return cudaErrorMemoryAllocation;
  *memory = standin::toolkit().allocate(bytes);
  return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaFreeAsync", stream);
  if (standin::Capture* const capture = standin::capture_of(stream)) {
    capture->invalid = true;
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  }
  return standin::toolkit().free(memory) ? cudaSuccess : cudaErrorInvalidValue;
}

enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
/// A captured copy reads host memory when the graph is launched.
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaMemcpyAsync", stream);
  const bool to_device = standin::toolkit().on_device(to, bytes);
  const bool from_device = standin::toolkit().on_device(from, bytes);
  if (!to_device && !from_device) return cudaErrorInvalidValue;
  standin::record_or_run(stream, false, [=] {
    auto& counters = standin::toolkit().counters;
    const auto size = static_cast<std::int64_t>(bytes);
    ++(from_device ? to_device ? counters.on_device : counters.to_host : counters.to_device);
    (from_device ? to_device ? counters.bytes_on_device : counters.bytes_to_host
                 : counters.bytes_to_device) += size;
    std::memcpy(to, from, bytes);
  });
  return cudaSuccess;
}

// --- launches

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  void* attrs;
  unsigned numAttrs;
};
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  STANDIN_STREAM_CALL("cudaLaunchKernelEx", config->stream);
  const dim3 grid = config->gridDim, block = config->blockDim;
  if (grid.x < 1 || grid.x > 0x7fffffff || grid.y < 1 || grid.y > 65535 || grid.z < 1 ||
      grid.z > 65535 || block.x < 1 || block.x > 1024 || block.y != 1 || block.z != 1 ||
      config->dynamicSmemBytes != 0)
    return cudaErrorInvalidConfiguration;
  standin::toolkit().count_kernel(reinterpret_cast<const void*>(kernel));
  const std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  standin::record_or_run(config->stream, true, [=] {
    auto thread = [&] { std::apply(kernel, values); };
    gridDim = grid;
    blockDim = block;
    standin::Block running;
    for (unsigned z = 0; z < grid.z; ++z) {
      for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
          blockIdx = {x, y, z};
          running.run(block.x, thread);
        }
      }
    }
  });
  return cudaSuccess;
}

#include "support/cuda/graphs.hpp"
