// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the CUDA runtime: a host compiler builds kernels and host code as they are, and
// runs them on the CPU, in order. Only what amp uses is here, with the meaning that the CUDA
// Runtime API documentation gives it.
#pragma once

#include <cmath>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "support/cuda/block.hpp"
#include "support/cuda/standin.hpp"

// --- the language
// ---------------------------------------------------------------------------------

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static thread_local
#define __launch_bounds__(...)

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline void __syncthreads() { standin::Block::current().barrier(); }
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

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
  cudaErrorUnknown = 999,
};
inline const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorUnknown:
      break;
  }
  return "cudaErrorUnknown";
}
inline const char* cudaGetErrorString(cudaError_t) { return "as the stand-in toolkit was told"; }
inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(standin::toolkit().take_last_error());
}

/// Each call holds the lock, and may have been told to fail.
#define STANDIN_CALL(name)                                       \
  const std::lock_guard standin_lock(standin::toolkit().mutex);  \
  if (const int standin_status = standin::toolkit().begin(name)) \
  return static_cast<cudaError_t>(standin_status)

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
  STANDIN_CALL("cudaDeviceSynchronize");
  ++standin::toolkit().counters.synchronisations;
  return cudaSuccess;
}

struct CUstream_st {
  int device;
};
using cudaStream_t = CUstream_st*;
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  STANDIN_CALL("cudaStreamCreateWithFlags");
  *stream = new CUstream_st{standin_device};
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  STANDIN_CALL("cudaStreamDestroy");
  delete stream;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  STANDIN_CALL("cudaStreamSynchronize");
  ++standin::toolkit().counters.synchronisations;
  return cudaSuccess;
}

struct CUevent_st {};
using cudaEvent_t = CUevent_st*;
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  STANDIN_CALL("cudaEventCreateWithFlags");
  *event = new CUevent_st;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  STANDIN_CALL("cudaEventRecord");
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  STANDIN_CALL("cudaStreamWaitEvent");
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  STANDIN_CALL("cudaEventDestroy");
  delete event;
  return cudaSuccess;
}

inline cudaError_t cudaEventQuery(cudaEvent_t) {
  STANDIN_CALL("cudaEventQuery");
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  STANDIN_CALL("cudaEventSynchronize");
  ++standin::toolkit().counters.synchronisations;
  return cudaSuccess;
}

// --- memory

inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  STANDIN_CALL("cudaMallocHost");
  *memory = ::operator new (bytes, std::align_val_t{256});
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* memory) {
  STANDIN_CALL("cudaFreeHost");
  ::operator delete (memory, std::align_val_t{256});
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
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  STANDIN_CALL("cudaMemPoolDestroy");
  delete pool;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  STANDIN_CALL("cudaMemPoolSetAttribute");
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  STANDIN_CALL("cudaMemPoolTrimTo");
  return cudaSuccess;
}
inline cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t,
                                           cudaStream_t) {
  STANDIN_CALL("cudaMallocFromPoolAsync");
  if (bytes > std::size_t{1} << 40) return cudaErrorMemoryAllocation;
  *memory = standin::toolkit().allocate(bytes);
  return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  STANDIN_CALL("cudaFreeAsync");
  return standin::toolkit().free(memory) ? cudaSuccess : cudaErrorInvalidValue;
}

enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  STANDIN_CALL("cudaMemcpyAsync");
  auto& counters = standin::toolkit().counters;
  const bool to_device = standin::toolkit().on_device(to, bytes);
  const bool from_device = standin::toolkit().on_device(from, bytes);
  if (!to_device && !from_device) return cudaErrorInvalidValue;
  const auto size = static_cast<std::int64_t>(bytes);
  ++(from_device ? to_device ? counters.on_device : counters.to_host : counters.to_device);
  (from_device ? to_device ? counters.bytes_on_device : counters.bytes_to_host
               : counters.bytes_to_device) += size;
  std::memcpy(to, from, bytes);
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
  STANDIN_CALL("cudaLaunchKernelEx");
  const dim3 grid = config->gridDim, block = config->blockDim;
  if (grid.x < 1 || grid.x > 0x7fffffff || grid.y < 1 || grid.y > 65535 || grid.z < 1 ||
      grid.z > 65535 || block.x < 1 || block.x > 1024 || block.y != 1 || block.z != 1 ||
      config->dynamicSmemBytes != 0)
    return cudaErrorInvalidConfiguration;
  ++standin::toolkit().counters.launches;
  const std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
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
  return cudaSuccess;
}
