// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA runtime layer on the stand-in toolkit: memory is reused, streams are the user's, nothing
// waits that need not, and every call that fails is an exception.

#include <amp/device/cuda/context.hpp>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_runtime {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

#if !defined(AMP_TEST_GPU)
standin::Toolkit& toolkit() { return standin::toolkit(); }
#endif

/// One step of what a user does, on the device.
Tensor work(const Tensor& x) { return amp::exp(x * 0.5) + 1; }

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda: tensors come and go with the device's numbers", "[cuda]") {
  CHECK(amp::is_available(kCUDA));
  const Tensor x = amp::tensor({1.0F, -2.5F, 3.0F}, {3});
  const Tensor there = x.to(kCUDA);
  CHECK(there.device() == amp::Device(kCUDA));
  CHECK(toolkit().on_device(there.const_data<float>(), 12));
  CHECK(there.to_vector<float>() == x.to_vector<float>());
  CHECK(work(there).to_vector<float>() == work(x).to_vector<float>());
  CHECK(there.to(amp::kCPU).device() == amp::Device());
  CHECK(amp::empty({0, 3}, {.device = kCUDA}).to_vector<float>().empty());
}
#endif

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda: a device that cannot be used has a reason", "[cuda]") {
  using amp::cuda::detail::find_devices;
  CHECK(find_devices().count == toolkit().devices);
  toolkit().fail("cudaGetDeviceCount", 0, cudaErrorInsufficientDriver);
  CHECK_THAT(find_devices().why_none,
             ContainsSubstring("no CUDA driver") && ContainsSubstring("InsufficientDriver"));
  toolkit().fail("cudaGetDeviceCount", 0, cudaErrorNoDevice);
  CHECK(find_devices().why_none == "the CUDA driver has no device");

  // Of a program that does not link cuBLAS. Without a device, it is not loaded.
  auto& load = amp::cuda::detail::libraries().load;
  load = [] { throw amp::Error("libcublas.so cannot be loaded"); };
  toolkit().fail("cudaGetDeviceCount", 0, cudaErrorNoDevice);
  CHECK(find_devices().why_none == "the CUDA driver has no device");
  CHECK(find_devices().count == 0);
  CHECK(find_devices().why_none == "libcublas.so cannot be loaded");
  load = nullptr;
}
#endif

TEST_CASE("cuda: a second device holds its own tensors", "[cuda]") {
  const int count = amp::cuda::detail::device_count();
  if (count < 2) AMP_TEST_SKIP("there is one device");
  const Tensor x = amp::ones({4}, {.device = {kCUDA, 1}});
  CHECK(x.device() == amp::Device(kCUDA, 1));
  CHECK(work(x).to_vector<float>() == work(amp::ones({4})).to_vector<float>());
  CHECK_THROWS_AS(x + amp::ones({4}, {.device = kCUDA}), amp::Error);
  CHECK_THROWS_WITH(amp::ones({4}, {.device = {kCUDA, count}}),
                    ContainsSubstring("cuda:" + std::to_string(count) +
                                      " is not usable: this machine has no device"));
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda: in the steady state nothing is allocated, copied or waited for",
          "[cuda][cached]") {
  const Tensor x = amp::randn({100, 30}).to(kCUDA);
  for (int i = 0; i < 2; ++i) (void)work(x);
  toolkit().reset();
  for (int i = 0; i < 20; ++i) (void)work(x);
  const standin::Counters& counters = toolkit().counters;
  CHECK(counters.launches == 20 * 3);
  CHECK(counters.allocations == 0);
  CHECK(counters.frees == 0);
  CHECK(counters.synchronisations == 0);
  CHECK(counters.to_device + counters.to_host + counters.on_device == 0);
}

TEST_CASE("cuda: a batch goes over without waiting, results come back with one wait", "[cuda]") {
  std::vector<float> numbers(1000, 2);
  (void)amp::tensor(numbers, {1000}).to(kCUDA);
  toolkit().reset();
  const Tensor there = amp::tensor(numbers, {1000}).to(kCUDA);
  CHECK(toolkit().counters.to_device == 1);
  CHECK(toolkit().counters.bytes_to_device == 4000);
  CHECK(toolkit().counters.synchronisations == 0);
  CHECK(there.to_vector<float>() == numbers);
  CHECK(toolkit().counters.to_host == 1);
  CHECK(toolkit().counters.synchronisations == 1);
}
#endif

TEST_CASE("cuda: work goes to the stream that the user chose", "[cuda]") {
  cudaStream_t mine = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
  const cudaStream_t own = amp::cuda::current_stream();
  CHECK(own != nullptr);
  {
    const amp::StreamGuard guard(kCUDA, mine);
    CHECK(amp::cuda::current_stream() == mine);
    {
      const amp::StreamGuard inner(kCUDA, nullptr);  // the legacy default stream is one too
      CHECK(amp::cuda::current_stream() == nullptr);
    }
    CHECK(amp::cuda::current_stream() == mine);
    if (amp::cuda::detail::device_count() > 1) CHECK(amp::cuda::current_stream(1) != mine);
    std::thread([&] { CHECK(amp::cuda::current_stream() == own); }).join();
    CHECK(work(amp::ones({3}, {.device = kCUDA})).to_vector<float>().size() == 3);
  }
  CHECK(amp::cuda::current_stream() == own);
  CHECK_THROWS_AS(amp::StreamGuard(amp::kCPU, mine), amp::Error);
  CHECK_THROWS_AS(amp::StreamGuard({kCUDA, 64}, mine), amp::Error);
  CHECK_THROWS_AS(amp::cuda::current_stream(amp::cuda::detail::device_count()), amp::Error);
  amp::cuda::shutdown();
  REQUIRE(cudaStreamDestroy(mine) == cudaSuccess);
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda: memory given back under another stream is awaited by its own", "[cuda][cached]") {
  cudaStream_t mine = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
  Tensor x = amp::ones({50}, {.device = kCUDA});
  const void* const memory = x.const_data<float>();
  {
    const amp::StreamGuard guard(kCUDA, mine);
    toolkit().reset();
    x = Tensor();
    CHECK(toolkit().calls_of("cudaEventRecord") == 1);
    CHECK(toolkit().calls_of("cudaStreamWaitEvent") == 0);  // its own need not exist any more
    CHECK(amp::empty({50}, {.device = kCUDA}).const_data<float>() != memory);
  }
  CHECK(amp::empty({50}, {.device = kCUDA}).const_data<float>() == memory);
  CHECK(toolkit().calls_of("cudaStreamWaitEvent") <= 1);  // none if the event has happened
  amp::cuda::shutdown();
  REQUIRE(cudaStreamDestroy(mine) == cudaSuccess);
}

TEST_CASE("cuda: every call that fails is an exception that names it, and nothing is lost",
          "[cuda]") {
  const Tensor x = amp::ones({8}, {.device = kCUDA});
  const auto step = [&] {
    const Tensor batch = amp::full({8}, 2).to(kCUDA);
    return (work(batch) + x).to_vector<float>();
  };
  const std::vector<float> expected = step();
  toolkit().reset();
  (void)step();
  const auto calls = static_cast<int>(toolkit().calls());
  REQUIRE(calls > 5);
  const std::size_t live = toolkit().live_blocks();
  int failures = 0;
  for (int nth = 0; nth < calls; ++nth) {
    CAPTURE(nth);
    toolkit().reset();
    toolkit().fail("", nth, cudaErrorLaunchFailure);
    std::string text = "no error";
    std::vector<float> result;
    try {
      result = step();
    } catch (const amp::Error& error) {
      text = error.what();
    }
    toolkit().reset();
    if (text == "no error") {  // a call whose failure changes nothing: while memory is given back
      CHECK(result == expected);
    } else {
      ++failures;
      CHECK_THAT(text, ContainsSubstring("cuda") && ContainsSubstring("cudaErrorLaunchFailure"));
      CHECK_THAT(text, ContainsSubstring("cannot be used by this process any more"));
    }
    CHECK(step() == expected);
  }
  CHECK(failures > calls / 2);
  amp::cuda::empty_cache();  // also what could not be given back in order
  CHECK(toolkit().live_blocks() <= live);
  CHECK(x.to_vector<float>() == std::vector<float>(8, 1));
}

TEST_CASE("cuda: an error says whether the device is lost with it", "[cuda]") {
  const auto said = [](cudaError_t status) {
    try {
      amp::cuda::detail::raise("cudaSome", status);
    } catch (const amp::Error& error) {
      return std::string(error.what());
    }
  };
  for (const int lost : {214, 700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    CHECK_THAT(said(static_cast<cudaError_t>(lost)),
               ContainsSubstring("cannot be used by this process any more"));
  }
  for (const cudaError_t status : {cudaErrorInvalidValue, cudaErrorMemoryAllocation,
                                   cudaErrorNotReady, cudaErrorInvalidConfiguration})
    CHECK_THAT(said(status), !ContainsSubstring("any more"));
}
#endif

TEST_CASE("cuda: out of memory is said after what was kept for reuse was given back", "[cuda]") {
  (void)amp::ones({1000}, {.device = kCUDA});
  CHECK_THROWS_WITH(amp::empty({std::int64_t{1} << 40}, {.device = kCUDA}),
                    ContainsSubstring("out of memory: cuda:0 could not give"));
  CHECK(amp::ones({3}, {.device = kCUDA}).to_vector<float>() == std::vector<float>(3, 1));
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda: shutdown gives everything back, and may be called again", "[cuda]") {
  (void)work(amp::ones({3}, {.device = kCUDA}));
  amp::cuda::shutdown();
  CHECK(toolkit().live_blocks() == 0);
  amp::cuda::shutdown();
  CHECK(work(amp::ones({3}, {.device = kCUDA})).to_vector<float>().size() == 3);
  amp::cuda::shutdown();
}
#endif

}  // namespace
}  // namespace cuda_runtime
