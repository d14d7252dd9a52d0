// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the CUDA runtime: a host compiler builds kernels and host code as they are, and
// runs them on the CPU, later than they are launched (support/cuda/schedule.hpp). Only what amp
// uses is here, with the meaning that the CUDA Runtime API documentation gives it. What is
// undefined there stops the program here.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda.h>

#include "amp/core/config.hpp"
#include "support/cuda/block.hpp"
#include "support/cuda/standin.hpp"
#include "support/cuda/status.hpp"

#define CUDART_VERSION 13000

// --- the language
// ---------------------------------------------------------------------------------

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ STANDIN_SHARED
#define __launch_bounds__(...)

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

/// Accesses of 8 or 16 bytes too, which the device refuses at addresses that are no multiple of
/// their size.
template <class Word>
Word __ldca(const Word* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(Word) != 0)
    standin::stop("a misaligned load of a word");
  return *from;
}
template <class Word>
void __stwb(Word* to, Word value) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Word) != 0)
    standin::stop("a misaligned store of a word");
  *to = value;
}

inline void __syncthreads() { standin::Block::current().barrier(); }
inline void __threadfence() { standin::races::pass_fence(); }
/// Orders nothing by itself.
template <class Count>  // unsigned, unsigned long long
Count atomicAdd(Count* sum, Count value) {
  return __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}
/// Counts up to `most`, then from 0 again.
inline unsigned atomicInc(unsigned* count, unsigned most) {
  unsigned before = __atomic_load_n(count, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(count, &before, before >= most ? 0 : before + 1, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
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

// Arithmetic that is rounded operation by operation, whatever the flags.
#define STANDIN_ROUNDED(T, letter)                        \
  inline T __##letter##add_rn(T a, T b) { return a + b; } \
  inline T __##letter##mul_rn(T a, T b) {                 \
    a *= b;                                               \
    AMP_ROUND_PRODUCT(a);                                 \
    return a;                                             \
  }                                                       \
  inline T __##letter##div_rn(T a, T b) { return a / b; } \
  inline T __##letter##sqrt_rn(T a) { return std::sqrt(a); }
STANDIN_ROUNDED(float, f)
STANDIN_ROUNDED(double, d)
#undef STANDIN_ROUNDED

// --- the runtime
// ----------------------------------------------------------------------------------

inline const char* cudaGetErrorString(cudaError_t) { return "as the stand-in toolkit was told"; }
inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(standin::toolkit().take_last_error());
}

/// Each call holds the lock, and may have been told to fail. This one makes no context.
#define STANDIN_CALL_WITHOUT_CONTEXT(name)                       \
  const standin::races::Quiet standin_quiet;                     \
  const std::lock_guard standin_lock(standin::toolkit().mutex);  \
  if (const int standin_status = standin::toolkit().begin(name)) \
  return static_cast<cudaError_t>(standin_status)

/// One that makes a context on the current device if there is none. The documentation names few
/// calls that do not, so all others are taken for such.
#define STANDIN_CALL(name)            \
  STANDIN_CALL_WITHOUT_CONTEXT(name); \
  standin::toolkit().contexts.set(static_cast<std::size_t>(standin_device))

/// One that a capture in global or thread-local mode may not see (cudaStreamCaptureMode).
#define STANDIN_UNCAPTURED_CALL(name)        \
  STANDIN_CALL(name);                        \
  if (standin::toolkit().disturbs_capture()) \
  return standin::failed(cudaErrorStreamCaptureUnsupported)

/// One that waits for a device, or for all (-1): not while a stream there captures.
#define STANDIN_DEVICE_WIDE_CALL(name, device)     \
  STANDIN_UNCAPTURED_CALL(name);                   \
  if (standin::toolkit().breaks_capture((device))) \
  return standin::failed(cudaErrorStreamCaptureUnsupported)

namespace standin {

inline cudaError_t failed(cudaError_t status) {
  toolkit().set_last_error(status);
  return status;
}

}  // namespace standin

inline thread_local int standin_device = 0;

using cudaStream_t = standin::Stream*;
inline const cudaStream_t cudaStreamLegacy = nullptr;  // as if each call had been given null
inline const cudaStream_t cudaStreamPerThread = reinterpret_cast<cudaStream_t>(2);  // unsupported

/// One that adds to a stream, unless its capture became invalid: `of_stream` is the stream.
#define STANDIN_STREAM_CALL(name, stream)                                              \
  STANDIN_CALL(name);                                                                  \
  standin::Stream& of_stream = standin::toolkit().stream_of((stream), standin_device); \
  if (of_stream.capture != nullptr && of_stream.capture->invalid)                      \
  return standin::failed(cudaErrorStreamCaptureInvalidated)

// --- devices

inline cudaError_t cudaGetDeviceCount(int* count) {
  STANDIN_CALL_WITHOUT_CONTEXT("cudaGetDeviceCount");
  *count = standin::toolkit().devices;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
inline cudaError_t cudaGetDevice(int* device) {
  STANDIN_CALL_WITHOUT_CONTEXT("cudaGetDevice");
  *device = standin_device;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  STANDIN_CALL_WITHOUT_CONTEXT("cudaSetDevice");
  if (device < 0 || device >= standin::toolkit().devices) return cudaErrorInvalidDevice;
  standin_device = device;
  standin::toolkit().contexts.set(static_cast<std::size_t>(device));
  return cudaSuccess;
}
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
};
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  STANDIN_CALL_WITHOUT_CONTEXT("cudaDeviceGetAttribute");
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = 1;  // so that blocks have several pieces
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = standin::toolkit().compute_capability / 10;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = standin::toolkit().compute_capability % 10;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
inline cudaError_t cudaDeviceSynchronize() {
  STANDIN_DEVICE_WIDE_CALL("cudaDeviceSynchronize", standin_device);
  ++standin::toolkit().counters.synchronisations;
  standin::toolkit().schedule.finish(standin_device);
  return cudaSuccess;
}

/// Knows the one function of the driver that amp asks for.
enum cudaGetDriverEntryPointFlags { cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
};
inline cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned version, unsigned long long,
    cudaDriverEntryPointQueryResult* result = nullptr) {
  STANDIN_CALL_WITHOUT_CONTEXT("cudaGetDriverEntryPointByVersion");
  const bool found = std::string_view(symbol) == "cuDevicePrimaryCtxGetState" && version >= 7000;
  *function = found ? reinterpret_cast<void*>(&cuDevicePrimaryCtxGetState) : nullptr;
  if (result != nullptr)
    *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// --- streams

enum {
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventDisableTiming = 2,
};
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  STANDIN_CALL("cudaStreamCreateWithFlags");
  *stream = standin::toolkit().open_stream(standin_device, flags != cudaStreamNonBlocking);
  ++standin::toolkit().live.streams;
  return cudaSuccess;
}
/// Lower numbers are more urgent. Here they change nothing.
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  STANDIN_CALL("cudaDeviceGetStreamPriorityRange");
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  STANDIN_CALL("cudaStreamCreateWithPriority");
  *stream = standin::toolkit().open_stream(standin_device, flags != cudaStreamNonBlocking);
  ++standin::toolkit().live.streams;
  return cudaSuccess;
}
/// What the stream was told to do is done nevertheless.
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  STANDIN_CALL("cudaStreamDestroy");
  if (stream == nullptr) return standin::failed(cudaErrorInvalidResourceHandle);
  if (standin::toolkit().stream_of(stream, 0).capture != nullptr)
    standin::stop("a stream was destroyed that captures");
  standin::toolkit().close_stream(stream);
  --standin::toolkit().live.streams;
  return cudaSuccess;
}
namespace standin {

inline Capture* capture_of(cudaStream_t stream) {
  return stream != nullptr ? toolkit().stream_of(stream, 0).capture.get() : nullptr;
}
/// Does in the stream's turn, or when the graph is launched, what `stream` was told to; a kernel is
/// counted.
template <class Closure>
void record_or_run(cudaStream_t stream, bool kernel, const Closure& closure) {
  const Inside inside;
  toolkit().enqueue(toolkit().stream_of(stream, standin_device), {.launches = kernel}, closure);
}
/// A call that a capturing stream cannot take: its capture is of no use after it.
inline cudaError_t spoiled(Capture& capture, cudaError_t status) {
  capture.invalid = true;
  return failed(status);
}

}  // namespace standin

inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  STANDIN_UNCAPTURED_CALL("cudaStreamSynchronize");
  standin::Stream& of_stream = standin::toolkit().stream_of(stream, standin_device);
  if (of_stream.capture != nullptr)
    return standin::spoiled(*of_stream.capture, cudaErrorStreamCaptureUnsupported);
  ++standin::toolkit().counters.synchronisations;
  standin::toolkit().schedule.finish(*of_stream.queue);
  return cudaSuccess;
}
/// A stream that captures is not to be asked; so it was seen on an H200.
inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  STANDIN_CALL("cudaStreamGetId");
  const standin::Stream& of_stream = standin::toolkit().stream_of(stream, standin_device);
  if (of_stream.capture != nullptr)
    return standin::spoiled(*of_stream.capture, cudaErrorStreamCaptureUnsupported);
  *id = of_stream.id;
  return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
  STANDIN_UNCAPTURED_CALL("cudaStreamQuery");
  standin::Stream& of_stream = standin::toolkit().stream_of(stream, standin_device);
  if (of_stream.capture != nullptr)
    return standin::spoiled(*of_stream.capture, cudaErrorStreamCaptureUnsupported);
  standin::toolkit().schedule.pass_time();
  return standin::toolkit().schedule.is_done(*of_stream.queue) ? cudaSuccess
                                                               : standin::failed(cudaErrorNotReady);
}

// --- events

struct CUevent_st {
  int device = 0;
  std::shared_ptr<standin::Moment> recorded = {};  // null: never, or in a capture
  // If the last record was part of a capture: that one, the stream, and how much it had added.
  bool is_captured = false;
  std::weak_ptr<standin::Capture> capture = {};
  standin::Stream* stream = nullptr;
  std::size_t nodes = 0;
};
using cudaEvent_t = CUevent_st*;
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  STANDIN_CALL("cudaEventCreateWithFlags");
  *event = new CUevent_st{standin_device};
  ++standin::toolkit().live.events;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaEventRecord", stream);
  const standin::Inside inside;
  if (event->device != of_stream.device) return standin::failed(cudaErrorInvalidResourceHandle);
  event->is_captured = of_stream.capture != nullptr;
  if (event->is_captured) {
    event->recorded = nullptr;
    event->capture = of_stream.capture;
    event->stream = &of_stream;
    event->nodes = of_stream.capture->streams[&of_stream].nodes;
    return cudaSuccess;
  }
  event->recorded = std::make_shared<standin::Moment>();
  standin::toolkit().add(of_stream, {.done = event->recorded});
  return cudaSuccess;
}
/// In a capture the event must be of it. A stream that does not capture joins the event's capture.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
  STANDIN_STREAM_CALL("cudaStreamWaitEvent", stream);
  if (!event->is_captured) {
    if (of_stream.capture != nullptr)
      return standin::spoiled(*of_stream.capture, cudaErrorStreamCaptureIsolation);
    if (event->recorded != nullptr && (standin::races::kAreFound || !event->recorded->happened))
      standin::toolkit().add(of_stream, {.after = event->recorded});
    return cudaSuccess;
  }
  const auto capture = event->capture.lock();
  if (capture == nullptr) return standin::failed(cudaErrorCapturedEvent);
  if (of_stream.capture == nullptr) of_stream.capture = capture;
  if (of_stream.capture != capture) {
    capture->invalid = true;
    return standin::spoiled(*of_stream.capture, cudaErrorStreamCaptureMerge);
  }
  capture->streams.try_emplace(&of_stream);
  if (event->stream != &of_stream) {
    auto& joined = capture->streams[event->stream].joined;
    if (joined < event->nodes) joined = event->nodes;
  }
  return cudaSuccess;
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
  if (!event->is_captured) return false;
  if (const auto capture = event->capture.lock()) capture->invalid = true;
  return true;
}

}  // namespace standin

inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  STANDIN_CALL("cudaEventQuery");
  if (standin::never_happens(event)) return standin::failed(cudaErrorCapturedEvent);
  if (standin::toolkit().disturbs_capture())
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  standin::toolkit().schedule.pass_time();
  if (event->recorded == nullptr || standin::toolkit().schedule.has_happened(*event->recorded))
    return cudaSuccess;
  return standin::failed(cudaErrorNotReady);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  STANDIN_CALL("cudaEventSynchronize");
  if (standin::never_happens(event)) return standin::failed(cudaErrorCapturedEvent);
  if (standin::toolkit().disturbs_capture())
    return standin::failed(cudaErrorStreamCaptureUnsupported);
  ++standin::toolkit().counters.synchronisations;
  if (const auto recorded = event->recorded) standin::toolkit().schedule.wait_for(*recorded);
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  STANDIN_CALL("cudaEventElapsedTime");
  if (begin->recorded == nullptr || end->recorded == nullptr)
    return standin::failed(cudaErrorInvalidResourceHandle);
  if (!begin->recorded->happened || !end->recorded->happened)
    return standin::failed(cudaErrorNotReady);
  const std::chrono::duration<float, std::milli> elapsed =
      end->recorded->when - begin->recorded->when;
  *milliseconds = elapsed.count();
  return cudaSuccess;
}

// --- memory

inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  STANDIN_UNCAPTURED_CALL("cudaMallocHost");
  const standin::Inside inside;
  *memory = ::operator new (bytes, std::align_val_t{standin::races::kAlignment});
  standin::races::begin_memory(*memory, bytes);
  standin::toolkit().pinned[*memory] = bytes;
  ++standin::toolkit().live.host_blocks;
  return cudaSuccess;
}
/// Waits for the devices, which may still read it.
inline cudaError_t cudaFreeHost(void* memory) {
  STANDIN_DEVICE_WIDE_CALL("cudaFreeHost", -1);
  const standin::Inside inside;
  standin::toolkit().schedule.finish();
  if (const auto block = standin::toolkit().pinned.extract(memory); !block.empty())
    standin::races::end_memory(memory, block.mapped());
  ::operator delete (memory, std::align_val_t{standin::races::kAlignment});
  --standin::toolkit().live.host_blocks;
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  STANDIN_CALL("cudaMemGetInfo");
  *total = static_cast<std::size_t>(standin::toolkit().memory.limit);
  *free = static_cast<std::size_t>(standin::toolkit().memory.left(standin_device));
  return cudaSuccess;
}

struct CUmemPool_st {
  std::shared_ptr<standin::Pool> pool = std::make_shared<standin::Pool>();
};
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
enum cudaMemPoolAttr {
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8,
};
enum cudaMemAccessFlags { cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  STANDIN_CALL("cudaMemPoolCreate");
  const standin::Inside inside;
  *pool = new CUmemPool_st;
  (*pool)->pool->device = properties->location.id;
  ++standin::toolkit().live.pools;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  STANDIN_CALL("cudaMemPoolDestroy");
  delete pool;
  --standin::toolkit().live.pools;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                        std::size_t count) {
  STANDIN_CALL("cudaMemPoolSetAccess");
  for (std::size_t i = 0; i < count; ++i) pool->pool->peers.insert(list[i].location.id);
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                           void* value) {
  STANDIN_CALL("cudaMemPoolSetAttribute");
  if (attribute == cudaMemPoolAttrReleaseThreshold) return cudaSuccess;
  std::uint64_t wanted = 1;
  std::memcpy(&wanted, value, sizeof wanted);
  if (wanted != 0) return standin::failed(cudaErrorInvalidValue);  // only to be reset
  standin::Pool& of = *pool->pool;
  if (attribute == cudaMemPoolAttrReservedMemHigh) of.reserved_high = of.reserved;
  if (attribute == cudaMemPoolAttrUsedMemHigh) of.used_high = of.used;
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                           void* value) {
  STANDIN_CALL("cudaMemPoolGetAttribute");
  const standin::Pool& of = *pool->pool;
  const std::uint64_t found = attribute == cudaMemPoolAttrReservedMemCurrent ? of.reserved
                              : attribute == cudaMemPoolAttrReservedMemHigh  ? of.reserved_high
                              : attribute == cudaMemPoolAttrUsedMemCurrent   ? of.used
                              : attribute == cudaMemPoolAttrUsedMemHigh      ? of.used_high
                                                                             : 0;
  std::memcpy(value, &found, sizeof found);
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep) {
  STANDIN_UNCAPTURED_CALL("cudaMemPoolTrimTo");
  pool->pool->trim(keep);
  return cudaSuccess;
}
/// In a capture this is a node: the memory is the graph's, and exists from that node on.
inline cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaMallocFromPoolAsync", stream);
  auto& toolkit = standin::toolkit();
  standin::Capture* const capture = of_stream.capture.get();
  *memory = toolkit.memory.allocate(bytes, pool->pool, capture != nullptr);
  if (*memory == nullptr) return standin::failed(cudaErrorMemoryAllocation);
  const auto id = toolkit.memory.find(*memory)->id;
  if (capture != nullptr) {
    capture->allocated.push_back(*memory);
  } else {
    ++toolkit.counters.allocations;
  }
  toolkit.enqueue(of_stream, {},
                  [address = *memory, id] { standin::toolkit().memory.begin(address, id); });
  return cudaSuccess;
}
/// In a capture the memory must be the graph's.
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaFreeAsync", stream);
  auto& toolkit = standin::toolkit();
  auto* const block = toolkit.memory.find(memory);
  if (block == nullptr || block->freed || (of_stream.capture != nullptr && !block->of_graph))
    return standin::failed(cudaErrorInvalidValue);
  toolkit.memory.free(*block);
  if (!block->of_graph) ++toolkit.counters.frees;
  toolkit.enqueue(of_stream, {}, [memory, id = block->id, of_graph = block->of_graph] {
    if (of_graph) {
      standin::toolkit().memory.begin(memory, id);
    } else {
      standin::toolkit().memory.release(memory, id);
    }
  });
  return cudaSuccess;
}

enum cudaMemcpyKind { cudaMemcpyDefault = 4 };

namespace standin {

inline Counters tally_of_copy(bool from_device, bool to_device, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  if (!from_device) return {.to_device = 1, .bytes_to_device = size};
  if (!to_device) return {.to_host = 1, .bytes_to_host = size};
  return {.on_device = 1, .bytes_on_device = size};
}

}  // namespace standin

/// Page-locked host memory is read and written in the stream's turn, other host memory before the
/// call returns; in a capture, either when the graph is launched.
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaMemcpyAsync", stream);
  const standin::Inside inside;
  auto& toolkit = standin::toolkit();
  const bool to_device = toolkit.on_device(to, bytes), from_device = toolkit.on_device(from, bytes);
  if (!to_device && !from_device) return standin::failed(cudaErrorInvalidValue);
  if ((to_device && !toolkit.memory.may_access(of_stream.device, to)) ||
      (from_device && !toolkit.memory.may_access(of_stream.device, from)))
    return standin::failed(cudaErrorInvalidValue);
  const standin::Counters tally = standin::tally_of_copy(from_device, to_device, bytes);
  const bool captured = of_stream.capture != nullptr;
  if (!from_device && !captured && !toolkit.is_pinned(from)) {
    const auto* const begin = static_cast<const unsigned char*>(from);
    toolkit.enqueue(of_stream, tally, [to, bytes, taken = std::vector(begin, begin + bytes)] {
      std::memcpy(to, taken.data(), bytes);
    });
    return cudaSuccess;
  }
  toolkit.enqueue(of_stream, tally, [=] { std::memcpy(to, from, bytes); });
  if (!to_device && !captured && !toolkit.is_pinned(to)) toolkit.schedule.finish(*of_stream.queue);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                       std::size_t bytes, cudaStream_t stream) {
  STANDIN_STREAM_CALL("cudaMemcpyPeerAsync", stream);
  auto& toolkit = standin::toolkit();
  if (!toolkit.on_device(to, bytes) || !toolkit.on_device(from, bytes) ||
      toolkit.memory.device_of(to) != to_device || toolkit.memory.device_of(from) != from_device)
    return standin::failed(cudaErrorInvalidValue);
  toolkit.enqueue(of_stream, standin::tally_of_copy(true, true, bytes),
                  [=] { std::memcpy(to, from, bytes); });
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
namespace standin {

inline cudaError_t launch(const cudaLaunchConfig_t& config, const BoundKernel& kernel) {
  STANDIN_STREAM_CALL("cudaLaunchKernelEx", config.stream);
  const dim3 grid = config.gridDim, block = config.blockDim;
  if (grid.x < 1 || grid.x > 0x7fffffff || grid.y < 1 || grid.y > 65535 || grid.z < 1 ||
      grid.z > 65535 || block.x < 1 || block.x > 1024 || block.y != 1 || block.z != 1 ||
      config.dynamicSmemBytes != 0)
    return failed(cudaErrorInvalidConfiguration);
  if (of_stream.device != standin_device) return failed(cudaErrorInvalidResourceHandle);
  toolkit().count_kernel(kernel.address);
  record_or_run(config.stream, true,
                [=] { run_grid(grid, block.x, kernel, toolkit().schedule.in_kernels); });
  return cudaSuccess;
}

}  // namespace standin

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  using Values = std::tuple<Parameters...>;
  const auto call = [](const void* address, const void* values) {
    std::apply(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address)),
               *static_cast<const Values*>(values));
  };
  static_assert(std::is_trivially_destructible_v<Values> &&
                alignof(Values) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  const auto memory = [&] {
    const standin::Inside inside;
    std::shared_ptr<unsigned char[]> bytes(new unsigned char[sizeof(Values)]);
    ::new (bytes.get()) Values(std::forward<Arguments>(arguments)...);
    return bytes;
  }();
  return standin::launch(*config, {reinterpret_cast<const void*>(kernel), call, memory});
}

#include "support/cuda/graphs.hpp"
