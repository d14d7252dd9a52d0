// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Kernels with a fault each, and calls for them. The first one has none.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace standin_test {

inline constexpr unsigned kThreads = 64, kBlocks = 6;

// Templates, as amp's kernels are.

/// x[i] becomes x of the next thread of the block, by shared memory.
template <class T>
__global__ void rotate_kernel(T* x) {
  __shared__ T shared[kThreads];
  T& own = x[blockIdx.x * kThreads + threadIdx.x];
  for (int time = 0; time < 2; ++time) {
    shared[threadIdx.x] = own;
    __syncthreads();
    own = shared[(threadIdx.x + 1) % kThreads];
    __syncthreads();
  }
}
/// Reads before the neighbour may have written.
template <class T>
__global__ void no_first_barrier_kernel(T* x) {
  __shared__ T shared[kThreads];
  T& own = x[blockIdx.x * kThreads + threadIdx.x];
  shared[threadIdx.x] = own;
  own = shared[(threadIdx.x + 1) % kThreads];
}
/// Writes the second time before the neighbour may have read.
template <class T>
__global__ void no_second_barrier_kernel(T* x) {
  __shared__ T shared[kThreads];
  T& own = x[blockIdx.x * kThreads + threadIdx.x];
  for (int time = 0; time < 2; ++time) {
    shared[threadIdx.x] = own;
    __syncthreads();
    own = shared[(threadIdx.x + 1) % kThreads];
  }
}
/// Takes a shuffle for a barrier.
template <class T>
__global__ void shuffle_for_barrier_kernel(T* x) {
  __shared__ T shared[kThreads];
  const unsigned neighbour = threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32;
  T& own = x[blockIdx.x * kThreads + threadIdx.x];
  shared[threadIdx.x] = own;
  (void)__shfl_xor_sync(~0u, threadIdx.x, 1);
  own = shared[neighbour];
}
/// Reads what another block writes in this launch.
template <class T>
__global__ void other_block_kernel(T* x) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  x[i] = x[(i + kThreads) % (gridDim.x * kThreads)];
}
/// The last block to come adds what all wrote. It may read older values if the thread that counts has
/// no fence after the barrier and before the count, or none after the count.
template <class T, bool kBefore, bool kAfter, bool kBeforeBarrier = false>
__global__ void last_block_kernel(T* x, unsigned* arrived) {
  __shared__ bool last;
  x[blockIdx.x * kThreads + threadIdx.x] = T{1};
  if (kBeforeBarrier) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (kBefore) __threadfence();
    last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    if (kAfter) __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  T sum{};
  for (unsigned i = 0; i < gridDim.x * kThreads; ++i) sum += x[i];
  x[0] = sum;
}
/// Writes 0 to what others add to, without a barrier in between.
template <class Count>
__global__ void zero_and_add_kernel(Count* count) {
  if (threadIdx.x == 0) *count = 0;
  atomicAdd(count, Count{1});
}
/// Adds to shared memory that no thread has written.
template <class T>
__global__ void add_to_uninitialised_kernel(T*) {
  __shared__ unsigned shared[kThreads];
  atomicAdd(&shared[threadIdx.x], 1u);
}
/// The same by a read and a write.
template <class T>
__global__ void increment_uninitialised_kernel(T* x) {
  __shared__ T shared[kThreads];
  T& own = x[blockIdx.x * kThreads + threadIdx.x];
  shared[threadIdx.x] += own;
}
/// Leaves all but one element of shared memory as it is.
template <class T>
__global__ void uninitialised_kernel(T* x) {
  __shared__ T shared[kThreads];
  if (threadIdx.x == 0) shared[0] = T{1};
  __syncthreads();
  x[blockIdx.x * kThreads + threadIdx.x] = shared[threadIdx.x];
}
template <class T>
__global__ void read_kernel(const T* x, T* sum) {
  T mine{};
  for (unsigned i = 0; i < kBlocks * kThreads; ++i) mine += x[i];
  if (threadIdx.x == 0) sum[blockIdx.x] = mine;
}
template <class T>
__global__ void increment_kernel(T* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += T{1};
}

template <class... Parameters>
void launch_grid(unsigned blocks, unsigned threads, cudaStream_t stream,
                 void (*kernel)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  REQUIRE(cudaLaunchKernelEx(&config, kernel, arguments...) == cudaSuccess);
}
template <class... Parameters>
void launch(cudaStream_t stream, void (*kernel)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  launch_grid(kBlocks, kThreads, stream, kernel, arguments...);
}

/// Two streams, and kBlocks * kThreads numbers on the device that count upwards; both streams may
/// use them.
struct Device {
  static constexpr std::size_t kCount = kBlocks * kThreads, kBytes = kCount * sizeof(float);

  Device() {
    const cudaMemPoolProps properties{cudaMemAllocationTypePinned, {cudaMemLocationTypeDevice, 0}};
    REQUIRE(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
    REQUIRE(cudaMallocHost(&host, kBytes) == cudaSuccess);
    std::memset(host, 0, kBytes);
    x = allocate();
    std::vector<float> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i);
    (void)cudaMemcpyAsync(x, values.data(), kBytes, cudaMemcpyDefault, one);
    (void)cudaStreamSynchronize(one);
  }
  ~Device() {
    standin::toolkit().finish();  // so that the ends of objects are in no race
    if (x != nullptr) (void)cudaFreeAsync(x, one);
    standin::toolkit().finish();
    (void)cudaFreeHost(host);
    (void)cudaEventDestroy(event);
    (void)cudaStreamDestroy(other);
    (void)cudaStreamDestroy(one);
    (void)cudaMemPoolDestroy(pool);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  float* allocate() {
    void* memory = nullptr;
    REQUIRE(cudaMallocFromPoolAsync(&memory, kBytes, pool, one) == cudaSuccess);
    return static_cast<float*>(memory);
  }
  std::vector<float> values() {
    std::vector<float> result(kCount);
    standin::toolkit().finish();
    std::memcpy(result.data(), x, kBytes);
    return result;
  }

  cudaMemPool_t pool = nullptr;
  cudaStream_t one = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  void* host = nullptr;  // page-locked
  float* x = nullptr;
};

}  // namespace standin_test
