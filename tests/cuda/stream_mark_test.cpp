// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Marks in the work of streams: a stream waits for a mark once, and for none of its own.
#include <amp/cuda.hpp>

#include <utility>

#include "cuda/user_stream.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_stream_mark {
namespace {

using amp::kCUDA;
using amp::StreamMark;
using amp_test::UserStream;

standin::Toolkit& toolkit() { return standin::toolkit(); }

/// How often a stream was told to wait while call() ran.
template <class Call>
std::int64_t waits(const Call& call) {
  const std::int64_t before = toolkit().calls_of("cudaStreamWaitEvent");
  call();
  return toolkit().calls_of("cudaStreamWaitEvent") - before;
}

TEST_CASE("stream mark: another stream waits once, its own never", "[cuda]") {
  amp::cuda::shutdown();
  toolkit().reset();
  const standin::Live live = toolkit().live;
  {
    const UserStream other;
    StreamMark mark;
    CHECK(!mark.wait(kCUDA));  // empty
    mark.record(kCUDA);
    CHECK(waits([&] { CHECK(!mark.wait(kCUDA)); }) == 0);
    {
      const amp::StreamGuard guard(kCUDA, other.get());
      CHECK(waits([&] { CHECK(mark.wait(kCUDA)); }) == 1);
      CHECK(waits([&] { CHECK(!mark.wait(kCUDA)); }) == 0);
    }
    mark.record(kCUDA);
    const amp::StreamGuard guard(kCUDA, other.get());
    const StreamMark moved = std::move(mark);
    CHECK(!mark.wait(kCUDA));
    CHECK(waits([&] { CHECK(moved.wait(kCUDA)); }) == 1);
    CHECK(waits([&] { CHECK(moved.wait({kCUDA, 1})); }) == 1);  // a stream of another device
    CHECK(toolkit().counters.synchronisations == 0);
  }
  amp::cuda::shutdown();
  CHECK((toolkit().live == live));
}

TEST_CASE("stream mark: a stream that is destroyed is not the one that has its address", "[cuda]") {
  StreamMark mark;
  for (int i = 0; i < 2; ++i) {
    const UserStream other;  // the stand-in has both at one address, or may have
    const amp::StreamGuard guard(kCUDA, other.get());
    if (i == 0) mark.record(kCUDA);
    CHECK(mark.wait(kCUDA) == (i == 1));
  }
}

TEST_CASE("stream mark: in a capture nothing is marked, and nothing waits", "[cuda]") {
  const UserStream other;
  StreamMark within, before;
  before.record(kCUDA);
  {
    const amp::StreamGuard guard(kCUDA, other.get());
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(other.get(), cudaStreamCaptureModeThreadLocal) == 0);
    within.record(kCUDA);
    CHECK(within.empty());
    CHECK(waits([&] { CHECK(before.wait(kCUDA)); }) == 0);
    before.record(kCUDA);
    CHECK(before.empty());
    REQUIRE(cudaStreamEndCapture(other.get(), &graph) == 0);  // it is still valid
    REQUIRE(cudaGraphDestroy(graph) == 0);
  }
  CHECK(waits([&] { CHECK(!within.wait(kCUDA)); }) == 0);
}

TEST_CASE("stream mark: a call that fails leaves the mark as it was", "[cuda]") {
  const UserStream other;
  StreamMark mark;
  mark.record(kCUDA);
  toolkit().fail("cudaEventRecord", 0, cudaErrorInvalidValue);
  CHECK_THROWS_AS(mark.record(kCUDA), amp::Error);
  const amp::StreamGuard guard(kCUDA, other.get());
  toolkit().fail("cudaStreamWaitEvent", 0, cudaErrorInvalidValue);
  CHECK_THROWS_AS(mark.wait(kCUDA), amp::Error);
  toolkit().reset();
  CHECK(mark.wait(kCUDA));
}

TEST_CASE("stream mark: on the CPU there is one order") {
  StreamMark mark;
  mark.record({});
  CHECK(!mark.wait({}));
}

TEST_CASE("stream mark: memory that is shared is reused after all work only", "[cuda]") {
  amp::Tensor x = amp::ones({50}, {.device = kCUDA});
  const void* const memory = x.const_data<float>();
  amp::share(kCUDA, x.raw_data());
  x = amp::Tensor();
  CHECK(amp::empty({50}, {.device = kCUDA}).const_data<float>() != memory);
  amp::cuda::shutdown();
  CHECK(toolkit().live_blocks() == 0);
}

}  // namespace
}  // namespace cuda_stream_mark
