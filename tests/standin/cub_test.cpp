// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stand-in for CUB does what CUB's documentation says, in the order of streams.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include <algorithm>
#include <cstdint>

#include "standin/faults.hpp"

namespace standin_cub {
namespace {

using standin_test::Device;

constexpr int kCount = 60;

/// Memory of a device for numbers.
template <class T>
struct Array {
  Array(Device& device, std::vector<T> values) : of(device) {
    static_assert(kCount * sizeof(T) <= Device::kBytes);
    data = reinterpret_cast<T*>(device.allocate());
    (void)cudaMemcpyAsync(data, values.data(), values.size() * sizeof(T), cudaMemcpyDefault,
                          device.one);
  }
  explicit Array(Device& device) : Array(device, {}) {}
  ~Array() { (void)cudaFreeAsync(data, of.one); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  std::vector<T> values(std::size_t count = kCount) const {
    std::vector<T> result(count);
    (void)cudaMemcpyAsync(result.data(), data, count * sizeof(T), cudaMemcpyDefault, of.one);
    (void)cudaStreamSynchronize(of.one);
    return result;
  }

  Device& of;
  T* data = nullptr;
};

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < kCount; ++i) result.push_back(i * 37 % 16 * 0x1000'0001u);
  return result;
}
std::vector<int> indices() {
  std::vector<int> result;
  for (int i = 0; i < kCount; ++i) result.push_back(i);
  return result;
}
/// The indices of numbers() in their order within pieces of `length` numbers.
std::vector<int> sorted(int length) {
  const auto keys = numbers();
  std::vector<int> result = indices();
  for (int begin = 0; begin < kCount; begin += length) {
    std::stable_sort(result.begin() + begin, result.begin() + begin + length, [&](int a, int b) {
      return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
  }
  return result;
}
/// Calls an algorithm for its storage, and with it.
template <class Call>
cudaError_t twice(Device& device, const Call& call) {
  std::size_t bytes = 0;
  const auto launches = standin::toolkit().counters.launches;
  if (const cudaError_t status = call(nullptr, bytes); status != cudaSuccess) return status;
  CHECK(standin::toolkit().counters.launches == launches);
  CHECK(bytes > 0);
  CHECK(bytes <= Device::kBytes);
  const Array<char> storage(device);
  const cudaError_t status = call(storage.data, bytes);
  CHECK(standin::toolkit().counters.launches == launches + (status == cudaSuccess));
  return status;
}

TEST_CASE("cub: sorts are stable", "[standin]") {
  Device device;
  Array<std::uint32_t> keys(device, numbers()), keys_out(device);
  Array<int> values(device, indices()), values_out(device);
  REQUIRE(twice(device, [&](void* storage, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(storage, bytes, keys.data, keys_out.data,
                                                   values.data, values_out.data, kCount, 0, 32,
                                                   device.one);
          }) == cudaSuccess);
  CHECK(values_out.values() == sorted(kCount));
}

TEST_CASE("cub: segments, two buffers", "[standin]") {
  for (const int bits : {8, 32}) {  // an odd number of passes, an even one
    Device device;
    Array<std::uint32_t> keys(device, numbers()), keys_out(device);
    Array<int> values(device, indices()), values_out(device), begins(device, {0, 20, 40, 60});
    cub::DoubleBuffer<std::uint32_t> both(keys.data, keys_out.data);
    cub::DoubleBuffer<int> both_values(values.data, values_out.data);
    REQUIRE(twice(device, [&](void* storage, std::size_t& bytes) {
              return cub::DeviceSegmentedRadixSort::SortPairs(storage, bytes, both, both_values,
                                                              kCount, 3, begins.data,
                                                              begins.data + 1, 0, bits, device.one);
            }) == cudaSuccess);
    CHECK((both_values.Current() == values_out.data) == (bits == 8));
    CHECK((both_values.Current() == values.data ? values : values_out).values() == sorted(20));
  }
}

TEST_CASE("cub: calls may fail, and may be captured", "[standin]") {
  Device device;
  Array<std::uint32_t> keys(device, numbers()), keys_out(device);
  Array<int> values(device, indices()), values_out(device);
  const auto sort = [&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys.data, keys_out.data, values.data,
                                           values_out.data, kCount, 0, 32, device.one);
  };
  standin::toolkit().fail("cub::DeviceRadixSort::SortPairs", 1, cudaErrorLaunchFailure);
  CHECK(twice(device, sort) == cudaErrorLaunchFailure);
  standin::toolkit().reset();

  const Array<char> storage(device);
  std::size_t bytes = 0, too_few = 1;
  REQUIRE(sort(nullptr, bytes) == cudaSuccess);
  CHECK(sort(storage.data, too_few) == cudaErrorInvalidValue);
  (void)cudaStreamSynchronize(device.one);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaStreamBeginCapture(device.one, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  REQUIRE(sort(storage.data, bytes) == cudaSuccess);
  REQUIRE(cudaStreamEndCapture(device.one, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph) == cudaSuccess);
  CHECK(values_out.values() != sorted(kCount));
  REQUIRE(cudaGraphLaunch(exec, device.one) == cudaSuccess);
  CHECK(values_out.values() == sorted(kCount));
  (void)cudaGraphExecDestroy(exec);
  (void)cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace standin_cub
