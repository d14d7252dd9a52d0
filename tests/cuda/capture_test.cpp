// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Graph capture on the stand-in toolkit: captured work is done at each launch of the graph, with
// the arguments of the capture, and calls that are not allowed in a capture are errors. The host
// reads only finished results.
#include <amp/cuda.hpp>
#include <amp/device/cuda/launch.cuh>

#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_capture {
namespace {

using amp::kCUDA;
using amp::Tensor;

standin::Toolkit& toolkit() { return standin::toolkit(); }

template <class Word>
AMP_KERNEL void add_kernel(Word* sum, Word value) {
  if (threadIdx.x == 0) *sum += value;
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  return stream;
}

/// A stream that captures, and a word of the device.
struct Setup {
  cudaStream_t stream = make_stream();
  Tensor word = amp::zeros({}, {.device = kCUDA});
  float* sum = word.data<float>();
  amp::StreamGuard guard{kCUDA, stream};

  Setup() { toolkit().finish(); }  // `word` is of another stream
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  ~Setup() {
    toolkit().reset();
    word = Tensor();
    amp::cuda::shutdown();
    (void)cudaStreamDestroy(stream);
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) const {
    REQUIRE(cudaStreamBeginCapture(stream, mode) == cudaSuccess);
  }
  void add(float value) const { amp::cuda::launch(kCUDA, 1, 32, add_kernel<float>, sum, value); }
  float seen() const {
    toolkit().finish();
    return *sum;
  }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus now{};
    CHECK(cudaStreamIsCapturing(stream, &now) == cudaSuccess);
    return now;
  }
  cudaGraph_t end() const {
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    return graph;
  }
};

TEST_CASE("capture: kernels and copies are done at each launch, none before", "[cuda]") {
  amp::cuda::shutdown();
  const standin::Live live = toolkit().live;
  {
    const Setup s;
    const Tensor copy = amp::zeros({}, {.device = kCUDA});
    float staged = 100;
    toolkit().reset();
    CHECK(s.status() == cudaStreamCaptureStatusNone);
    s.begin();
    CHECK(s.status() == cudaStreamCaptureStatusActive);
    float value = 2;
    s.add(value);
    value = 50;  // arguments are those of the call
    REQUIRE(cudaMemcpyAsync(copy.data<float>(), s.sum, sizeof(float), cudaMemcpyDefault,
                            s.stream) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(s.sum, &staged, sizeof staged, cudaMemcpyDefault, s.stream) ==
            cudaSuccess);
    cudaGraph_t graph = s.end();
    CHECK(s.status() == cudaStreamCaptureStatusNone);
    CHECK(toolkit().counters.launches == 0);
    CHECK(toolkit().counters.on_device == 0);
    CHECK(s.seen() == 0);

    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);  // the executable graph is its own
    for (int i = 0; i < 3; ++i) {
      staged = 100.0F + static_cast<float>(i);  // memory is read when the graph is launched
      REQUIRE(cudaGraphLaunch(exec, s.stream) == cudaSuccess);
      CHECK(s.seen() == staged);
      CHECK(*copy.const_data<float>() == (i == 0 ? 2.0F : 101.0F + static_cast<float>(i)));
    }
    CHECK(toolkit().counters.graph_launches == 3);
    CHECK(toolkit().counters.graph_kernels == 3);
    CHECK(toolkit().counters.launches == 0);
    CHECK(toolkit().counters.on_device == 3);
    CHECK(toolkit().counters.to_device == 3);
    REQUIRE(cudaGraphExecDestroy(exec) == cudaSuccess);
  }
  CHECK((toolkit().live == live));
}

TEST_CASE("capture: what may not be captured makes it invalid, until it is ended", "[cuda]") {
  cudaEvent_t before = nullptr, within = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&before, cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&within, cudaEventDisableTiming) == cudaSuccess);
  const Setup s;
  REQUIRE(cudaEventRecord(before, s.stream) == cudaSuccess);
  toolkit().finish();
  void* memory = nullptr;
  std::vector<void*> pinned(1);
  REQUIRE(cudaMallocHost(&pinned[0], 64) == cudaSuccess);
  for (const bool relaxed : {false, true}) {
    const auto run = [&](const std::string& name, cudaError_t expected, bool always,
                         const auto& call) {
      INFO(name << (relaxed ? ", relaxed" : ""));
      const bool invalid = !relaxed || always;
      s.begin(relaxed ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeThreadLocal);
      REQUIRE(cudaEventRecord(within, s.stream) == cudaSuccess);
      CHECK(call() == (invalid ? expected : cudaSuccess));
      CHECK(cudaGetLastError() == (invalid ? expected : cudaSuccess));
      CHECK(s.status() ==
            (invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive));
      cudaGraph_t graph = nullptr;
      if (invalid) {
        CHECK_THROWS_AS(s.add(1), amp::Error);
        CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaErrorStreamCaptureInvalidated);
        CHECK(graph == nullptr);
      } else {
        CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaSuccess);
        CHECK(cudaGraphDestroy(graph) == cudaSuccess);
      }
      (void)cudaGetLastError();
      CHECK(s.status() == cudaStreamCaptureStatusNone);
      s.add(1);  // the stream can be used again
    };
    const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
    run("stream synchronize", unsupported, true, [&] { return cudaStreamSynchronize(s.stream); });
    run("device synchronize", unsupported, true, [] { return cudaDeviceSynchronize(); });
    run("event query", unsupported, false, [&] { return cudaEventQuery(before); });
    run("event synchronize", unsupported, false, [&] { return cudaEventSynchronize(before); });
    run("captured event query", cudaErrorCapturedEvent, true,
        [&] { return cudaEventQuery(within); });
    run("captured event synchronize", cudaErrorCapturedEvent, true,
        [&] { return cudaEventSynchronize(within); });
    run("wait for an event outside", cudaErrorStreamCaptureIsolation, true,
        [&] { return cudaStreamWaitEvent(s.stream, before); });
    run("pinned memory", unsupported, false, [&] {
      const cudaError_t status = cudaMallocHost(&memory, 512);
      if (status == cudaSuccess) pinned.push_back(memory);
      return status;
    });
    run("free of pinned memory", unsupported, true, [&] { return cudaFreeHost(pinned.at(0)); });
  }
  CHECK(s.seen() == 18);
  for (void* const block : pinned) REQUIRE(cudaFreeHost(block) == cudaSuccess);
  REQUIRE(cudaEventDestroy(before) == cudaSuccess);
  REQUIRE(cudaEventDestroy(within) == cudaSuccess);
}

TEST_CASE("capture: begun and ended once, by one thread, not of the legacy stream", "[cuda]") {
  const Setup s;
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
        cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaErrorIllegalState);
  s.begin();
  CHECK(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  std::thread([&] {
    CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaErrorStreamCaptureWrongThread);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);  // a thread-local capture does not mind
  }).join();
  CHECK(s.status() == cudaStreamCaptureStatusActive);
  CHECK(cudaGraphDestroy(s.end()) == cudaSuccess);
  s.begin(cudaStreamCaptureModeGlobal);
  std::thread([&] { CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported); }).join();
  CHECK(s.status() == cudaStreamCaptureStatusInvalidated);
  CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaErrorStreamCaptureInvalidated);
  (void)cudaGetLastError();
}

TEST_CASE("capture: an allocation is a node, and its memory the graph's", "[cuda]") {
  cudaMemPool_t pool = nullptr;
  const cudaMemPoolProps properties{};
  REQUIRE(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
  const std::size_t blocks = toolkit().live_blocks();
  for (const bool frees : {false, true}) {
    const Setup s;
    toolkit().reset();
    s.begin();
    void* memory = nullptr;
    CHECK(cudaMallocFromPoolAsync(&memory, 512, pool, s.stream) == cudaSuccess);
    CHECK(toolkit().counters.allocations == 0);
    CHECK(cudaFreeAsync(s.sum, s.stream) == cudaErrorInvalidValue);  // that is not the graph's
    if (frees) CHECK(cudaFreeAsync(memory, s.stream) == cudaSuccess);
    cudaGraph_t graph = s.end();
    cudaGraphExec_t exec = nullptr;
    REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaGraphLaunch(exec, s.stream) == cudaSuccess);
    // What the last launch allocated has to be freed before the next.
    CHECK(cudaGraphLaunch(exec, s.stream) == (frees ? cudaSuccess : cudaErrorInvalidValue));
    toolkit().finish();
    REQUIRE(cudaGraphExecDestroy(exec) == cudaSuccess);
    CHECK_FALSE(toolkit().on_device(memory));
    (void)cudaGetLastError();
  }
  CHECK(toolkit().live_blocks() == blocks);
  REQUIRE(cudaMemPoolDestroy(pool) == cudaSuccess);
}

TEST_CASE("capture: a stream that waits for it is part of it, and has to be awaited", "[cuda]") {
  cudaEvent_t fork = nullptr, join = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&join, cudaEventDisableTiming) == cudaSuccess);
  const Setup s;
  const cudaStream_t other = make_stream();
  for (const bool joins : {true, false}) {
    s.begin();
    s.add(1);
    REQUIRE(cudaEventRecord(fork, s.stream) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(other, fork) == cudaSuccess);
    {
      const amp::StreamGuard guard(kCUDA, other);
      s.add(2);
    }
    REQUIRE(cudaEventRecord(join, other) == cudaSuccess);
    if (joins) REQUIRE(cudaStreamWaitEvent(s.stream, join) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(other, &graph) == cudaErrorStreamCaptureUnmatched);
    CHECK(cudaStreamEndCapture(s.stream, &graph) ==
          (joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
    cudaStreamCaptureStatus status{};
    CHECK(cudaStreamIsCapturing(other, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusNone);
    if (joins) {
      cudaGraphExec_t exec = nullptr;
      REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
      REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
      CHECK(cudaGraphLaunch(exec, s.stream) == cudaSuccess);
      CHECK(s.seen() == 3);
      REQUIRE(cudaGraphExecDestroy(exec) == cudaSuccess);
    }
    (void)cudaGetLastError();
  }
  REQUIRE(cudaStreamDestroy(other) == cudaSuccess);
  REQUIRE(cudaEventDestroy(fork) == cudaSuccess);
  REQUIRE(cudaEventDestroy(join) == cudaSuccess);
}

TEST_CASE("capture: amp names the call that may not be captured", "[cuda]") {
  const Setup s;
  const Tensor x = amp::ones({4}, {.device = kCUDA});
  (void)amp::exp(x);
  const auto error_of = [&](const auto& call) {
    s.begin();
    std::string text;
    try {
      call();
    } catch (const amp::Error& error) {
      text = error.what();
    }
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaSuccess);  // amp made no such call
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    return text;
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(error_of([&] { (void)x.to_vector<float>(); }),
             ContainsSubstring("a copy of 16 bytes to the host cannot be part of the CUDA graph"));
  CHECK_THAT(error_of([&] { (void)amp::exp(x); }), ContainsSubstring("amp::cuda::Graph"));
  CHECK(amp::exp(x).to_vector<float>().size() == 4);
}

}  // namespace
}  // namespace cuda_capture
