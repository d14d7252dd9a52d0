// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of the operations of a NcclCommunicator: after earlier work of the current stream,
// before work that follows wait(), concurrent with other work, and in CUDA graphs. The host does
// not wait.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/user_stream.hpp"
#include "nccl/gpus.hpp"
#include "support/catch.hpp"

namespace nccl_order {
namespace {

using amp::Collective;
using amp::kCUDA;
using amp::ReduceOp;
using amp::Tensor;
using amp_test::error_of;
using amp_test::Gpu;
using amp_test::on_gpus;
using Catch::Matchers::ContainsSubstring;
using standin::toolkit;
using Values = std::vector<double>;

constexpr amp::DType kBoth[] = {amp::kFloat32, amp::kFloat16};

/// One stream for each rank, made in the main thread, as Catch's assertions need it.
std::vector<std::unique_ptr<amp_test::UserStream>> user_streams(int size) {
  std::vector<std::unique_ptr<amp_test::UserStream>> streams;
  for (int device = 0; device < size; ++device)
    streams.push_back(std::make_unique<amp_test::UserStream>(device));
  return streams;
}

TEST_CASE("nccl: operations come after what was enqueued, and wait() lets them be read",
          "[nccl][cuda]") {
  const auto streams = user_streams(4), others = user_streams(4);
  for (const int size : {2, 4}) {
    for (const amp::DType dtype : kBoth) {
      for (const bool elsewhere : {false, true}) {
        CAPTURE(size, to_string(dtype), elsewhere);
        const auto results = on_gpus(size, [&](const Gpu& gpu) {
          const auto own = static_cast<std::size_t>(gpu.rank());
          const amp::Device device = gpu.world.device();
          const amp::StreamGuard guard(device, streams[own]->get());
          Values all;
          const Tensor x = gpu.full({37}, 0, dtype), gathered = gpu.full({size}, 0, dtype);
          for (int step = 0; step < 6; ++step) {
            x.fill_(gpu.rank() + step);
            Collective sum = gpu.world.all_reduce(x);
            gathered.fill_(-1);
            gathered.select(0, gpu.rank()).fill_(10 * step + gpu.rank());
            Collective parts = gpu.world.all_gather(gathered);
            const amp::StreamGuard reader(device, (elsewhere ? others : streams)[own]->get());
            parts.wait();
            sum.wait();
            const Tensor read = amp::cat({x * 2, gathered + 1});
            for (const double value : read.to_vector<double>()) all.push_back(value);
          }
          return all;
        });
        Values expected;
        for (int step = 0; step < 6; ++step) {
          expected.insert(expected.end(), 37, 2.0 * (size * step + size * (size - 1) / 2.0));
          for (int rank = 0; rank < size; ++rank) expected.push_back(10 * step + rank + 1);
        }
        for (const Values& result : results) CHECK(result == expected);
      }
    }
  }
  toolkit().finish();
}

TEST_CASE("nccl: sums of 16 bits under way share their memory in order", "[nccl]") {
  const auto results = on_gpus(2, [&](const Gpu& gpu) {
    std::vector<Tensor> all;
    std::vector<Collective> sums;
    for (int i = 0; i < 5; ++i) {
      all.push_back(gpu.full({101 * (i + 1)}, gpu.rank() + 10 * i, amp::kBFloat16));
      sums.push_back(gpu.world.all_reduce(all.back()));
    }
    std::vector<Values> values;
    for (std::size_t i = 5; i-- > 0;) {
      sums[i].wait();
      values.push_back(all[i].to_vector<double>());
    }
    return values;
  });
  for (const std::vector<Values>& values : results) {
    for (std::size_t i = 0; i < 5; ++i) {
      const std::size_t from = 4 - i;
      CHECK(values[i] == Values(101 * (from + 1), 1 + 20 * static_cast<double>(from)));
    }
  }
}

TEST_CASE("nccl: the host waits for nothing, and no memory is allocated once it was", "[nccl]") {
  constexpr std::int64_t kLarge = std::int64_t{5} << 18;  // beyond what the allocator itself keeps
  standin::Counters counters;
  std::int64_t queries = 0;
  (void)on_gpus(2, [&](const Gpu& gpu) {
    const Tensor x = gpu.full({kLarge / 2}, 0), y = gpu.full({kLarge}, 0, amp::kFloat16);
    const Tensor found = gpu.full({1}, 0);
    const auto step = [&] {
      Collective all[] = {gpu.world.all_reduce(x),     gpu.world.all_reduce(y),
                          gpu.world.reduce_scatter(y), gpu.world.all_gather(y),
                          gpu.world.broadcast(x, 1),   gpu.world.all_reduce(found, ReduceOp::kAny)};
      for (Collective& each : all) each.wait();
    };
    const auto together = [&](const auto& call) {
      gpu.threads.barrier();
      if (gpu.rank() == 0) call();
      gpu.threads.barrier();
    };
    for (int i = 0; i < 2; ++i) step();
    gpu.world.barrier();
    together([] { toolkit().reset(); });
    for (int i = 0; i < 3; ++i) step();
    together([&] {
      counters = toolkit().counters;
      queries = toolkit().calls_of("cudaStreamSynchronize");
    });
    gpu.world.barrier();
    return 0;
  });
  CHECK(counters.synchronisations == 0);
  CHECK(counters.allocations == 0);
  CHECK(counters.frees == 0);
  CHECK(counters.to_host + counters.to_device == 0);
  CHECK(counters.launches == 2 * 3 * 2);  // of each sum of 16 bits one
  CHECK(queries == 0);
}

TEST_CASE("nccl: barrier() waits for all ranks and for what they gave before", "[nccl]") {
  bool came = false;
  const auto results = on_gpus(2, [&](const Gpu& gpu) {
    const Tensor x = gpu.full({4}, gpu.rank() + 1);
    Collective sum = gpu.world.all_reduce(x);
    if (gpu.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      came = true;
    }
    gpu.world.barrier();
    const bool seen = came;
    // What is "on the device" is memory of the host here: nothing is pending any more.
    const float read = static_cast<const float*>(x.raw_data())[3];
    sum.wait();
    return std::pair(seen, read);
  });
  for (const auto& [seen, read] : results) {
    CHECK(seen);
    CHECK(read == 3);
  }
}

TEST_CASE("nccl: operations are part of a Graph", "[nccl]") {
  for (const int size : {1, 2, 4}) {
    for (const amp::DType dtype : kBoth) {
      CAPTURE(size, to_string(dtype));
      const auto results = on_gpus(size, [&](const Gpu& gpu) {
        const Tensor x = gpu.full({9}, 0, dtype), parts = gpu.full({size}, 0, dtype);
        const Tensor eager = gpu.full({9}, 1, dtype);
        Tensor y;
        amp::cuda::Graph graph(
            [&] {
              y = x * 2;
              Collective sum = gpu.world.all_reduce(y);
              parts.select(0, gpu.rank()).copy_(y.select(0, 0) + gpu.rank());
              gpu.world.all_gather(parts).wait();
              sum.wait();
              y = y + 1;
            },
            {.warmup = 2, .device = gpu.rank()});
        Values all;
        for (int step = 0; step < 4; ++step) {
          x.fill_(step + gpu.rank());
          eager.fill_(1);
          Collective beside = gpu.world.all_reduce(eager);
          graph.replay();
          beside.wait();
          for (const Tensor& read : {y, parts, eager})
            for (const double value : read.to_vector<double>()) all.push_back(value);
        }
        return all;
      });
      for (const Values& result : results) {
        Values expected;
        for (int step = 0; step < 4; ++step) {
          const double sum = 2 * (size * step + size * (size - 1) / 2.0);
          expected.insert(expected.end(), 9, sum + 1);
          for (int rank = 0; rank < size; ++rank)
            expected.push_back((size == 1 ? 2.0 * step : sum) + rank);
          expected.insert(expected.end(), 9, size);
        }
        CHECK(result == expected);
      }
    }
  }
}

/// Captures `call` by hand, as programs do that know no Graph; null if the capture failed.
template <class Call>
cudaGraphExec_t captured(cudaStream_t stream, const Call& call) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return {};
  call();
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return {};
  (void)cudaGraphInstantiate(&exec, graph, 0);
  (void)cudaGraphDestroy(graph);
  return exec;
}

TEST_CASE("nccl: operations are part of a program's own capture, but for sums of 16 bits",
          "[nccl]") {
  const auto streams = user_streams(2);
  const auto results = on_gpus(2, [&](const Gpu& gpu) {
    const cudaStream_t stream = streams[static_cast<std::size_t>(gpu.rank())]->get();
    const amp::StreamGuard guard(gpu.world.device(), stream);
    const Tensor x = gpu.full({5}, gpu.rank() + 1), small = gpu.full({5}, 1, amp::kFloat16);
    std::string refused, no_barrier;
    const cudaGraphExec_t graph = captured(stream, [&] {
      gpu.world.all_reduce(x).wait();
      refused = error_of([&] { return gpu.world.all_reduce(small); });
      no_barrier = error_of([&] {
        gpu.world.barrier();
        return 0;
      });
    });
    for (int i = 0; i < 3; ++i) (void)cudaGraphLaunch(graph, stream);
    Values values = x.to_vector<double>();
    (void)cudaGraphExecDestroy(graph);
    gpu.world.all_reduce(small).wait();
    values.push_back(small.to_vector<double>()[4]);
    return std::pair(values, refused + "; " + no_barrier);
  });
  for (const auto& [values, refused] : results) {
    CHECK(values == Values{12, 12, 12, 12, 12, 2});
    CHECK_THAT(refused, ContainsSubstring("captured into a CUDA graph") &&
                            ContainsSubstring("Allocate before the capture") &&
                            ContainsSubstring("barrier: waits for the device"));
  }
}

TEST_CASE("nccl: barrier() in a Graph is refused", "[nccl]") {
  const auto errors = on_gpus(2, [&](const Gpu& gpu) {
    const Tensor x = gpu.full({5}, 0);
    return error_of([&] {
      const amp::cuda::Graph graph(
          [&] {
            x.fill_(1);
            gpu.world.barrier();
          },
          {.device = gpu.rank()});
      return 0;
    });
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("barrier") && ContainsSubstring("part of a Graph"));
}

TEST_CASE("nccl: an operation may outlive its communicator, and all is given back", "[nccl]") {
  amp::cuda::shutdown();
  const standin::Live before = toolkit().live;
  const auto results = amp_test::on_ranks(2, [&](amp::Communicator& threads) {
    const amp::Device device(kCUDA, threads.rank());
    const Tensor x = amp::full({7}, 2, {.device = device});
    const Tensor y = amp::full({7}, 2, {.dtype = amp::kFloat16, .device = device});
    Collective sums[2];
    {
      amp::NcclCommunicator world(device, threads, amp_test::kPatientNccl);
      sums[0] = world.all_reduce(x);
      sums[1] = world.all_reduce(y);
    }
    for (Collective& sum : sums) sum.wait();
    return x.to_vector<float>()[6] + y.to_vector<float>()[6];
  });
  CHECK(results == std::vector<float>{8, 8});
  CHECK(standin::nccl.communicators == 0);
  amp::cuda::shutdown();
  amp::cuda::shutdown();
  CHECK(toolkit().live == before);
  CHECK(toolkit().live_blocks() == 0);
}

}  // namespace
}  // namespace nccl_order
