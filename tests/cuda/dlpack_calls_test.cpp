// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA calls of DLPack: none by which the host waits, and any of them may fail.
#include <amp/cuda.hpp>
#include <amp/dlpack.hpp>

#include <cstdint>
#include <string>

#include "cuda/dlpack_peer.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

namespace cuda_dlpack {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::error_of;

TEST_CASE("cuda dlpack: the host waits for nothing", "[cuda][cached]") {
  const UserStream theirs;
  Producer producer;
  producer.fill(1, theirs.get());
  standin::toolkit().reset();
  Tensor x = amp::from_dlpack(producer.managed(), {.stream = theirs.get()});
  const Tensor y = work(x);
  x = Tensor();
  auto* const exported = amp::to_dlpack<Managed>(y, {.stream = theirs.get()});
  exported->deleter(exported);
  CHECK(standin::toolkit().calls_of("cudaStreamWaitEvent") >= 3);
  CHECK(standin::toolkit().counters.synchronisations == 0);
  CHECK(all_are(y, 5));
  theirs.synchronize();
  amp::cuda::release_stream(theirs.get());
}

TEST_CASE("cuda dlpack: exports to ever new streams keep no event of each", "[cuda]") {
  const Tensor x = amp::ones({20}, {.device = kCUDA});
  const std::int64_t before = standin::toolkit().live.events;
  for (int i = 0; i < 50; ++i) {
    const UserStream theirs;
    auto* const exported = amp::to_dlpack<Managed>(x, {.stream = theirs.get()});
    exported->deleter(exported);
    theirs.synchronize();
  }
  CHECK(standin::toolkit().live.events <= before + 3);
}

TEST_CASE("cuda dlpack: what a captured stream may read is set aside", "[cuda]") {
  const UserStream theirs;
  Tensor x = amp::ones({20}, {.device = kCUDA});
  const std::int64_t before = amp::cuda::memory_stats().set_aside;
  auto* const exported = amp::to_dlpack<Managed>(x, {.stream = theirs.get()});
  REQUIRE(cudaStreamBeginCapture(theirs.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  exported->deleter(exported);  // no event may be recorded now
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(theirs.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  x = Tensor();
  CHECK(amp::cuda::memory_stats().set_aside > before);
  theirs.synchronize();
  amp::cuda::release_stream(theirs.get());
  amp::cuda::empty_cache();
  CHECK(amp::cuda::memory_stats().set_aside == 0);
}

TEST_CASE("cuda dlpack: without a stream nothing waits", "[cuda]") {
  Producer producer;
  (void)(amp::ones({1}, {.device = kCUDA}) + 1);  // makes amp's stream
  const std::int64_t before = standin::toolkit().calls_of("cudaStreamWaitEvent");
  CHECK(amp::from_dlpack(producer.managed()).device() == amp::Device(kCUDA));
  auto* const exported = amp::to_dlpack<Managed>(amp::ones({2}, {.device = kCUDA}));
  exported->deleter(exported);
  CHECK(standin::toolkit().calls_of("cudaStreamWaitEvent") == before);
}

TEST_CASE("cuda dlpack: memory is given back, or stays the caller's, whatever call fails",
          "[cuda]") {
  const UserStream theirs;
  for (int nth = 0; nth < 40; ++nth) {
    CAPTURE(nth);
    Producer producer;
    Managed* const managed = producer.managed();
    Tensor x;
    standin::toolkit().fail("", nth, cudaErrorUnknown);
    const std::string taking =
        error_of([&] { x = amp::from_dlpack(managed, {.stream = theirs.get()}); });
    const bool taken = x.defined();
    CHECK(taken == taking.empty());
    CHECK(producer.deleted == 0);
    x = Tensor();
    CHECK(producer.deleted == (taken ? 1 : 0));
    const std::string failed = standin::toolkit().failed();
    standin::toolkit().fail("", -1, 0);
    if (failed.empty()) {
      CHECK(nth > 2);
      break;
    }
  }
  amp::cuda::release_stream(theirs.get());
}

}  // namespace
}  // namespace cuda_dlpack
