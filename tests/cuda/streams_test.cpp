// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Several streams and devices: what one wrote another reads as it was, memory goes from one to the
// other in order, and streams come and go.
#include <amp/cuda.hpp>
#include <amp/device/cuda/context.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/has_cache.hpp"
#include "cuda/user_stream.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_streams {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::error_of;
using amp_test::UserStream;
using Catch::Matchers::ContainsSubstring;

constexpr std::int64_t kCount = 3000;

Tensor filled(double value, std::int64_t count = kCount) {
  return amp::full({count}, value, {.device = kCUDA});
}
Tensor work(Tensor x) {
  for (int i = 0; i < 4; ++i) x = x + 1;
  return x;
}
void check_all(const Tensor& x, double expected) {
  CHECK((x.to_vector<float>() ==
         std::vector<float>(static_cast<std::size_t>(x.numel()), static_cast<float>(expected))));
}

TEST_CASE("cuda streams: a tensor may be let go of while a recorded stream reads it", "[cuda]") {
  const UserStream mine;
  for (const std::int64_t count : {kCount, std::int64_t{500000}}) {
    for (int round = 0; round < 8; ++round) {
      Tensor x = filled(round, count), y;
      mine.wait_for(amp::cuda::current_stream());
      {
        const amp::StreamGuard guard(kCUDA, mine.get());
        y = work(x);
      }
      amp::cuda::record_stream(x.view({1, count}), mine.get());  // the memory of x
      x = Tensor();
      const Tensor next = filled(-1, count);  // may be where x was
      {
        const amp::StreamGuard guard(kCUDA, mine.get());
        check_all(y, round + 4);
      }
      check_all(next, -1);
      mine.synchronize();
    }
  }
  CHECK_THAT(error_of([&] { amp::cuda::record_stream(Tensor(), mine.get()); }),
             ContainsSubstring("record_stream: `tensor` must be on a CUDA device"));
  amp::cuda::release_stream(mine.get());
}

TEST_CASE("cuda streams: memory let go of under another stream is not overwritten early",
          "[cuda]") {
  const UserStream mine;
  for (const std::int64_t count : {kCount, std::int64_t{500000}}) {
    for (int round = 0; round < 8; ++round) {
      Tensor x = filled(round, count), y;
      mine.wait_for(amp::cuda::current_stream());
      {
        const amp::StreamGuard guard(kCUDA, mine.get());
        y = work(x);
        x = Tensor();
      }
      const Tensor next = filled(-1, count);
      const amp::StreamGuard guard(kCUDA, mine.get());
      check_all(y, round + 4);
      mine.wait_for(amp::cuda::detail::OwnStreams::instance().of(0).handle);
      check_all(next, -1);
      y = Tensor();
    }
  }
  mine.synchronize();
  amp::cuda::release_stream(mine.get());
}

TEST_CASE("cuda streams: streams are destroyed, and their addresses come again", "[cuda]") {
  Tensor outlives, weight = amp::ones({4, 4}, {.device = kCUDA});
  (void)weight.to_vector<float>();  // waits: every stream may read it
  for (int round = 0; round < 6; ++round) {
    std::optional<UserStream> mine(std::in_place);
    Tensor x, y;
    {
      const amp::StreamGuard guard(kCUDA, mine->get());
      outlives = Tensor();  // of a stream that does not exist any more
      x = filled(round);
      y = work(x);
      outlives = amp::matmul(weight, weight);
      check_all(outlives, 4);
      check_all(y, round + 4);
    }
    if (round % 3 == 1) amp::cuda::release_stream(mine->get());
    mine.reset();
    x = Tensor();  // their stream is gone
    y = Tensor();
    check_all(work(filled(round)), round + 4);
    if (round == 3) amp::cuda::empty_cache();
  }
  check_all(outlives, 4);
  outlives = weight = Tensor();
  amp::cuda::shutdown();
  check_all(work(filled(2)), 6);
}

TEST_CASE("cuda streams: what is released before its end belongs to amp's own stream", "[cuda]") {
  Tensor x, y;
  {
    const UserStream mine;
    {
      const amp::StreamGuard guard(kCUDA, mine.get());
      x = work(filled(1));
      y = work(x);
    }
    amp::cuda::record_stream(y, mine.get());
    amp::cuda::release_stream(mine.get());
  }
  const void* const memory = x.const_data<float>();
  check_all(x + y, 14);  // own stream has waited
  x = Tensor();
  if (cuda_test::has_cache()) CHECK(filled(0).const_data<float>() == memory);
  CHECK_THAT(error_of([] { amp::cuda::release_stream(amp::cuda::current_stream()); }),
             ContainsSubstring("one of amp's own"));
  CHECK_THAT(error_of([] { amp::cuda::release_stream(nullptr, 64); }),
             ContainsSubstring("`device` must be one of the"));
}

TEST_CASE("cuda streams: threads with streams of their own pass tensors on", "[cuda]") {
  for (int round = 0; round < 4; ++round) {
    Tensor x = filled(round), sum;
    (void)x.to_vector<float>();
    std::thread([&] {
      const UserStream mine;
      {
        const amp::StreamGuard guard(kCUDA, mine.get());
        sum = work(x);
        x = Tensor();
        mine.synchronize();
      }
      amp::cuda::release_stream(mine.get());
    }).join();
    const Tensor next = filled(-1);
    check_all(sum, round + 4);
    check_all(next, -1);
  }
}

// --- several devices -----------------------------------------------------------------------------

TEST_CASE("cuda streams: copies between devices come after what they read, and before what follows",
          "[cuda]") {
  if (amp::cuda::detail::device_count() < 2) AMP_TEST_SKIP("there is one device");
  const amp::Device first(kCUDA, 0), second(kCUDA, 1);
  for (int round = 0; round < 8; ++round) {
    const Tensor there = work(filled(round).to(first)).to(second);
    const Tensor next = filled(-1);  // may be where the temporary was
    check_all(there, round + 4);
    const Tensor back = work(there).to(first);
    check_all(back, round + 8);
    check_all(next, -1);
    there.fill_(7);
    back.copy_(there);  // in place
    there.fill_(8);
    check_all(back, 7);
  }
}

TEST_CASE("cuda streams: the default stream of the source waits for a copy to another device",
          "[cuda]") {
  if (amp::cuda::detail::device_count() < 2) return;
  const amp::StreamGuard guard({kCUDA, 0}, nullptr);
  for (int round = 0; round < 8; ++round) {
    const Tensor there = work(filled(round)).to({kCUDA, 1});
    const Tensor next = filled(-1);  // may be where the temporary was
    check_all(there, round + 4);
    check_all(next, -1);
  }
}

// --- captures that the user began ----------------------------------------------------------------

/// What is captured by `call` on a stream of the user's; the graph is launched twice.
template <class Call>
void capture(const UserStream& mine, const Call& call) {
  const amp::StreamGuard guard(kCUDA, mine.get());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaStreamBeginCapture(mine.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  call();
  REQUIRE(cudaStreamEndCapture(mine.get(), &graph) == cudaSuccess);  // it is still valid
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  for (int i = 0; i < 2; ++i) REQUIRE(cudaGraphLaunch(exec, mine.get()) == cudaSuccess);
  mine.synchronize();
  REQUIRE(cudaGraphExecDestroy(exec) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("cuda streams: nothing is allocated in a capture that the user began", "[cuda]") {
  const UserStream mine;
  Tensor x, dropped, large;
  {
    const amp::StreamGuard guard(kCUDA, mine.get());
    x = filled(1);
    dropped = filled(2);
    large = filled(1, 500000);
    (void)filled(3);  // a free block is there
  }
  Tensor of_own = filled(4);
  (void)of_own.to_vector<float>();
  const void* const memory = dropped.const_data<float>();
  const void* const memory_of_own = of_own.const_data<float>();
  capture(mine, [&] {
    for (const std::int64_t count : {kCount, std::int64_t{500000}, std::int64_t{3}})
      CHECK_THAT(error_of([&] { (void)amp::empty({count}, {.device = kCUDA}); }),
                 ContainsSubstring("amp::cuda::Graph") && ContainsSubstring("Allocate before"));
    CHECK_THAT(error_of([&] { (void)x.to_vector<float>(); }),
               ContainsSubstring("to the host cannot be part of the CUDA graph"));
    const float number = 1;
    CHECK_THAT(error_of([&] { amp::copy_bytes(kCUDA, x.raw_data(), {}, &number, sizeof number); }),
               ContainsSubstring("from the host cannot be part of the CUDA graph"));
    x.copy_(large.narrow(0, 0, kCount));
    x.fill_(5);
    dropped = Tensor();  // the graph may read it
    of_own = Tensor();
  });
  {
    const amp::StreamGuard again(kCUDA, mine.get());
    check_all(x, 5);
    CHECK(filled(0).const_data<float>() != memory);
  }
  CHECK(filled(0).const_data<float>() != memory_of_own);
  x = Tensor();
  amp::cuda::empty_cache();
  CHECK(amp::cuda::memory_stats().set_aside == 0);
  amp::cuda::release_stream(mine.get());
}

TEST_CASE("cuda streams: the default stream is of no use while a blocking one is captured",
          "[cuda]") {
  const UserStream mine(0, cudaStreamDefault);
  Tensor x = filled(1);
  (void)x.to_vector<float>();
  Tensor y = work(x);
  (void)y.to_vector<float>();
  capture(mine, [&] {
    x.fill_(3);
    const amp::StreamGuard guard(kCUDA, nullptr);
    CHECK_THAT(error_of([] { (void)filled(0); }), ContainsSubstring("amp::cuda::Graph"));
    y = Tensor();
  });
  check_all(x, 3);
  amp::cuda::release_stream(mine.get());
}

TEST_CASE("cuda streams: an optimizer's step that was captured works again and again", "[cuda]") {
  const UserStream mine;
  std::vector<Tensor> parameters;
  for (std::int64_t i = 0; i < 5; ++i) {
    parameters.push_back(amp::ones({3 + i}, {.device = kCUDA}).requires_grad_());
    parameters.back().set_grad(amp::ones({3 + i}, {.device = kCUDA}));
  }
  amp::SGD optimizer(parameters, {.lr = 0.25});
  mine.wait_for(amp::cuda::current_stream());
  {
    const amp::StreamGuard guard(kCUDA, mine.get());
    optimizer.step();  // leaves the table of tensors
  }
  capture(mine, [&] { optimizer.step(); });
  std::vector<Tensor> others;
  for (int i = 0; i < 40; ++i) others.push_back(amp::full({64}, 9, {.device = kCUDA}));
  const amp::StreamGuard guard(kCUDA, mine.get());
  optimizer.step();  // eager again
  for (const Tensor& parameter : parameters) check_all(parameter, 1 - 4 * 0.25);
  mine.wait_for(amp::cuda::detail::OwnStreams::instance().of(0).handle);
  for (const Tensor& other : others) check_all(other, 9);
}

}  // namespace
}  // namespace cuda_streams
