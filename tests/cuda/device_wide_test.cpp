// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// While somebody captures a stream, amp makes no call that waits for the whole device: CUDA forbids
// it in every mode and from every thread, and the capture would be lost.
#include <amp/cuda.hpp>
#include <amp/device/cuda/captures.hpp>
#include <amp/device/cuda/handles.hpp>
#include <amp/device/cuda/launch.cuh>
#include <amp/device/cuda/memory.hpp>
#include <amp/device/cuda/memory_pool.hpp>
#include <amp/device/host_copy.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/has_cache.hpp"
#include "cuda/user_stream.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

namespace cuda_device_wide {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::error_of;
using amp_test::UserStream;
using Catch::Matchers::ContainsSubstring;

standin::Toolkit& toolkit() { return standin::toolkit(); }

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Tensor of_bytes(std::int64_t bytes) {
  return amp::empty({bytes}, {.dtype = amp::kUInt8, .device = kCUDA});
}

template <class Word>
AMP_KERNEL void add_kernel(Word* sum, Word value) {
  if (threadIdx.x == 0) *sum += value;
}

/// Adds to a number in a graph of the program's, which it captures while `body` runs in another
/// thread; replays it.
class UserCapture {
 public:
  explicit UserCapture(cudaStream_t stream) : stream_(stream) { toolkit().finish(); }
  /// `guarded`: whether a StreamGuard directs work to the stream.
  void around(cudaStreamCaptureMode mode, bool guarded, const std::function<void()>& body) {
    std::optional<amp::StreamGuard> guard;
    if (guarded) guard.emplace(kCUDA, stream_);
    REQUIRE(cudaStreamBeginCapture(stream_, mode) == cudaSuccess);
    add(1);
    const std::string error = amp_test::error_of_thread(body);
    CHECK(error.empty());
    add(2);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream_, &graph) == cudaSuccess);
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (int i = 0; i < 3; ++i) REQUIRE(cudaGraphLaunch(exec, stream_) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream_) == cudaSuccess);
    CHECK(*sum_ == 9);
    REQUIRE(cudaGraphExecDestroy(exec) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  }

 private:
  void add(float value) const {
    const amp::StreamGuard here(kCUDA, stream_);
    amp::cuda::launch(kCUDA, 1, 32, add_kernel<float>, sum_, value);
  }

  cudaStream_t stream_;
  Tensor word_ = amp::zeros({}, {.device = kCUDA});
  float* sum_ = word_.data<float>();
};

constexpr cudaStreamCaptureMode kModes[] = {
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};

/// What other threads may do meanwhile, each of it once with a wait for the device.
void do_everything(const UserStream& other) {
  CHECK(amp::cuda::detail::is_any_captured(0));
  CHECK_FALSE(amp::cuda::detail::is_any_captured(1));
  CHECK_THAT(error_of([] { amp::cuda::empty_cache(); }),
             ContainsSubstring("empty_cache: a stream of cuda:0 is captured into a graph"));
  CHECK_THAT(error_of([&] { amp::cuda::release_stream(other.get()); }),
             ContainsSubstring("release_stream: work of cuda:0 is being captured"));
  amp::cuda::shutdown();  // leaves the device alone
  amp::cuda::detail::blas_handles(0).release(0);
  CHECK(standin::live_blas_handles > 0);
}

void run_out_of_memory() {
  std::vector<Tensor> some;
  for (int i = 0; i < 8; ++i) some.push_back(of_bytes(kMiB));
  some.resize(1);
  const std::uint64_t before = toolkit().memory.limit;
  toolkit().memory.limit = toolkit().memory.limit - toolkit().memory.left(0) + kMiB;
  if (cuda_test::has_cache())  // then this stream has some in reserve
    CHECK(of_bytes(5 * kMiB).numel() == 5 * kMiB);
  CHECK_THROWS_WITH(of_bytes(30 * kMiB), ContainsSubstring("out of memory"));
  toolkit().memory.limit = before;
}

TEST_CASE("cuda device-wide: a capture survives what other threads do", "[cuda]") {
  amp::cuda::shutdown();
  const UserStream mine, blocking(0, cudaStreamDefault), other;
  const auto use = [](cudaStream_t stream) {
    const amp::StreamGuard guard(kCUDA, stream);
    const Tensor x = amp::ones({4, 4}, {.device = kCUDA});
    (void)amp::matmul(x, x);
  };
  use(other.get());
  use(amp::cuda::current_stream());
  toolkit().finish();
  for (const cudaStreamCaptureMode mode : kModes) {
    CAPTURE(mode);
    UserCapture(mine.get()).around(mode, true, [&] { do_everything(other); });
    UserCapture(mine.get()).around(mode, true, run_out_of_memory);
    // Known because the legacy stream waits for it, although no guard names it.
    UserCapture(blocking.get()).around(mode, false, [&] { do_everything(other); });
    UserCapture(amp::cuda::current_stream()).around(mode, false, [&] { do_everything(other); });
  }
  CHECK_FALSE(amp::cuda::detail::is_any_captured(0));
  amp::cuda::release_stream(other.get());
  amp::cuda::empty_cache();
  amp::cuda::shutdown();
  CHECK(standin::live_blas_handles == 0);
}

TEST_CASE("cuda device-wide: page-locked memory is freed after a capture", "[cuda]") {
  amp::cuda::shutdown();
  const UserStream mine;
  const auto blocks = toolkit().live.host_blocks;
  for (const cudaStreamCaptureMode mode : kModes) {
    CAPTURE(mode);
    const Tensor x = amp::full({1}, 3, {.device = kCUDA});
    UserCapture(mine.get()).around(mode, true, [&] {
      for (int i = 0; i < 5; ++i) {
        amp::detail::HostCopy copy;
        copy.start(x.device(), x.raw_data(), 4);
        while (copy.data() == nullptr) toolkit().finish();
        CHECK(*static_cast<const float*>(copy.data()) == 3);
      }
    });
    CHECK(toolkit().live.host_blocks <= blocks + 2);  // one that staging has, one to be used again
  }
  amp::cuda::empty_cache();
  CHECK(toolkit().live.host_blocks == blocks);
}

TEST_CASE("cuda device-wide: the copies of one device leave a capture of another alone", "[cuda]") {
  amp::cuda::shutdown();
  const UserStream theirs(1);
  CHECK(amp::tensor({1.0F, 2.0F}, {2}).to(kCUDA).to_vector<float>()[1] == 2);
  const auto blocks = toolkit().live.host_blocks;
  CHECK(blocks > 0);
  for (const cudaStreamCaptureMode mode : kModes) {
    CAPTURE(mode);
    const amp::StreamGuard guard(amp::Device(kCUDA, 1), theirs.get());
    REQUIRE(cudaStreamBeginCapture(theirs.get(), mode) == cudaSuccess);
    CHECK(amp_test::error_of_thread([] { amp::cuda::empty_cache(); }).empty());
    CHECK(amp_test::error_of_thread([] { amp::cuda::shutdown(); }).empty());
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(theirs.get(), &graph) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(toolkit().live.host_blocks == blocks);
  }
  amp::cuda::shutdown();
  CHECK(toolkit().live.host_blocks < blocks);
}

TEST_CASE("cuda device-wide: nothing waits for the device from a recording's first word on",
          "[cuda]") {
  amp::cuda::detail::MemoryPool pool(0);
  const UserStream mine;
  pool.deallocate(pool.allocate(1000));
  pool.make_private(mine.get());
  pool.set_recording(mine.get(), true);  // its capture begins next
  const std::int64_t before = toolkit().calls_of("cudaDeviceSynchronize");
  CHECK_FALSE(pool.give_back_unused());
  CHECK(toolkit().calls_of("cudaDeviceSynchronize") == before);
  pool.set_recording(mine.get(), false);
  CHECK(pool.give_back_unused());
  CHECK(toolkit().calls_of("cudaDeviceSynchronize") == before + 1);
  pool.end_private(mine.get());
  pool.release();
}

cudaStream_t of_other_library = nullptr;

TEST_CASE("cuda device-wide: another library's stream takes the work, and its capture is known",
          "[cuda]") {
  amp::cuda::shutdown();
  const UserStream theirs;
  of_other_library = theirs.get();
  amp::set_stream_source([](int device) -> void* {
    if (device != 0) amp::detail::fail("no such device");
    return of_other_library;
  });
  CHECK(amp::cuda::current_stream() == theirs.get());
  const Tensor x = amp::ones({3}, {.device = kCUDA}) + 1;
  CHECK(x.to_vector<float>()[2] == 2);
  REQUIRE(cudaStreamBeginCapture(theirs.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK(amp::cuda::detail::is_any_captured(0));
  CHECK_THAT(amp_test::error_of_thread([] { amp::cuda::empty_cache(); }),
             ContainsSubstring("a stream of cuda:0 is captured"));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(theirs.get(), &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  // A source that fails hides no capture of the others.
  const UserStream mine;
  {
    const amp::StreamGuard guard(kCUDA, mine.get());
    amp::set_stream_source([](int) -> void* { amp::detail::fail("no stream"); });
    REQUIRE(cudaStreamBeginCapture(mine.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    CHECK(amp::cuda::detail::is_any_captured(0));
    CHECK(cudaStreamEndCapture(mine.get(), &graph) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
  amp::set_stream_source(nullptr);
  CHECK(amp::cuda::current_stream() != theirs.get());
  amp::cuda::release_stream(theirs.get());
}

TEST_CASE("cuda device-wide: without a cache, a free waits for its streams alone", "[cuda]") {
  amp::cuda::shutdown();
  std::optional<cuda_test::NoCache> no_cache(std::in_place);
  amp::cuda::detail::MemoryPool pool(0);
  no_cache.reset();
  const UserStream mine, other;
  for (const cudaStreamCaptureMode mode : kModes) {
    CAPTURE(mode);
    UserCapture(mine.get()).around(mode, true, [&] {
      const std::size_t blocks = toolkit().live_blocks();
      void* const first = pool.allocate(1000);
      void* const second = pool.allocate(1000);
      pool.record_stream(second, other.get());
      pool.deallocate(first);
      pool.deallocate(second);
      CHECK(toolkit().live_blocks() == blocks);
      void* const third = pool.allocate(1000);
      {
        const amp::StreamGuard guard(kCUDA, other.get());
        pool.deallocate(third);
      }
      toolkit().finish();
      pool.deallocate(pool.allocate(1));
      CHECK(toolkit().live_blocks() == blocks);
    });
  }
  pool.release();
}

TEST_CASE("cuda device-wide: the stand-in says whose capture a device-wide call broke", "[cuda]") {
  const UserStream mine, theirs(1);
  for (const cudaStreamCaptureMode mode : kModes) {
    CAPTURE(mode);
    for (const int device : {0, 1}) {
      REQUIRE(cudaStreamBeginCapture(mine.get(), mode) == cudaSuccess);
      std::thread([&] {
        REQUIRE(cudaSetDevice(device) == cudaSuccess);
        cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
        (void)cudaThreadExchangeStreamCaptureMode(&relaxed);
        CHECK(cudaDeviceSynchronize() ==
              (device == 0 ? cudaErrorStreamCaptureUnsupported : cudaSuccess));
        (void)cudaGetLastError();
      }).join();
      cudaGraph_t graph = nullptr;
      CHECK(cudaStreamEndCapture(mine.get(), &graph) ==
            (device == 0 ? cudaErrorStreamCaptureInvalidated : cudaSuccess));
      if (graph != nullptr) CHECK(cudaGraphDestroy(graph) == cudaSuccess);
      (void)cudaGetLastError();
    }
  }
  cublasHandle_t handle = nullptr;
  REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(cudaStreamBeginCapture(mine.get(), cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cublasDestroy(handle) == CUBLAS_STATUS_INTERNAL_ERROR);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(mine.get(), &graph) == cudaErrorStreamCaptureInvalidated);
  (void)cudaGetLastError();
}

}  // namespace
}  // namespace cuda_device_wide
