// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What each operation of a NcclCommunicator computes, and how much it sends.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "nccl/gpus.hpp"
#include "support/catch.hpp"

namespace nccl_values {
namespace {

using amp::ReduceOp;
using amp::Tensor;
using amp_test::Gpu;
using amp_test::on_gpus;
using amp_test::raw_bits;
using Values = std::vector<double>;

constexpr amp::DType kSummable[] = {amp::kFloat64,  amp::kFloat32, amp::kFloat16,
                                    amp::kBFloat16, amp::kInt64,   amp::kInt32};
constexpr amp::DType kAll[] = {amp::kFloat64,    amp::kFloat32,    amp::kFloat16, amp::kBFloat16,
                               amp::kFloat8E4M3, amp::kFloat8E5M2, amp::kInt64,   amp::kInt32,
                               amp::kUInt8,      amp::kBool};

/// Small whole numbers, which differ by rank and place; on the host.
Tensor numbers(int rank, std::int64_t numel, amp::DType dtype) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < numel; ++i)
    values.push_back(static_cast<float>((i * (rank + 2) + 3 * rank) % 11 - 5));
  return amp::tensor(values, {numel}).to(dtype);
}
/// Their sum over all ranks.
Values sums(int size, std::int64_t numel) {
  Values all(static_cast<std::size_t>(numel));
  for (int rank = 0; rank < size; ++rank) {
    const Values own = numbers(rank, numel, amp::kFloat64).to_vector<double>();
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += own[i];
  }
  return all;
}
Values part(const Values& all, int rank, int size) {
  const auto length = static_cast<std::ptrdiff_t>(all.size()) / size;
  return {all.begin() + rank * length, all.begin() + (rank + 1) * length};
}

TEST_CASE("nccl: all_reduce adds in every dtype", "[nccl]") {
  for (const int size : {1, 2, 4}) {
    for (const amp::DType dtype : kSummable) {
      for (const std::int64_t numel : {1, 3, 4, 10, 131, 4096}) {
        CAPTURE(size, to_string(dtype), numel);
        const auto results = on_gpus(size, [&](const Gpu& gpu) {
          const Tensor x = numbers(gpu.rank(), numel, dtype).to(gpu.world.device());
          gpu.world.all_reduce(x).wait();
          return x.to_vector<double>();
        });
        const Values expected = sums(size, numel);
        for (const Values& result : results) CHECK(result == expected);
      }
    }
  }
}

TEST_CASE("nccl: reduce_scatter adds each rank's part in every dtype", "[nccl]") {
  for (const int size : {1, 2, 4}) {
    for (const amp::DType dtype : kSummable) {
      for (const std::int64_t length : {1, 5, 64}) {
        CAPTURE(size, to_string(dtype), length);
        const auto results = on_gpus(size, [&](const Gpu& gpu) {
          const Tensor x = numbers(gpu.rank(), length * size, dtype).to(gpu.world.device());
          gpu.world.reduce_scatter(x).wait();
          return part(x.to_vector<double>(), gpu.rank(), size);
        });
        const Values expected = sums(size, length * size);
        for (int rank = 0; rank < size; ++rank)
          CHECK(results[static_cast<std::size_t>(rank)] == part(expected, rank, size));
      }
    }
  }
}

TEST_CASE("nccl: all_gather and broadcast carry every dtype", "[nccl]") {
  for (const int size : {1, 2, 4}) {
    for (const amp::DType dtype : kAll) {
      CAPTURE(size, to_string(dtype));
      constexpr std::int64_t kLength = 7;
      const auto results = on_gpus(size, [&](const Gpu& gpu) {
        const Tensor gathered = amp::zeros({size, kLength}, gpu.options(dtype));
        gathered.select(0, gpu.rank()).copy_(numbers(gpu.rank(), kLength, dtype));
        gpu.world.all_gather(gathered).wait();
        const Tensor sent = numbers(gpu.rank(), kLength, dtype).to(gpu.world.device());
        gpu.world.broadcast(sent, size - 1).wait();
        return raw_bits(gathered) + raw_bits(sent);
      });
      std::string expected;
      for (int rank = 0; rank < size; ++rank) expected += raw_bits(numbers(rank, kLength, dtype));
      expected += raw_bits(numbers(size - 1, kLength, dtype));
      for (const std::string& result : results) CHECK(result == expected);
    }
  }
}

TEST_CASE("nccl: sums of 16 bits are rounded once, to the same bits on all ranks", "[nccl]") {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
    // The first has no place for a 1: added one after the other, all would be lost.
    const double terms[] = {dtype == amp::kFloat16 ? 2048.0 : 256.0, 1, 1, 1};
    for (const std::int64_t numel : {1, 2, 3, 9, 1000}) {
      CAPTURE(to_string(dtype), numel);
      const auto results = on_gpus(4, [&](const Gpu& gpu) {
        const Tensor x = gpu.full({numel}, terms[gpu.rank()], dtype);
        gpu.world.all_reduce(x).wait();
        return x.to_vector<double>();
      });
      for (const Values& result : results)
        CHECK(result == Values(static_cast<std::size_t>(numel), terms[0] + 4));  // 3, to even
    }
    amp::manual_seed(5);
    Tensor all[4];
    Tensor exact = amp::zeros({1003}, {.dtype = amp::kFloat64});
    for (Tensor& each : all) {
      each = (amp::randn({1003}) * 100).to(dtype);
      exact = exact + each.to(amp::kFloat64);
    }
    const std::string expected = raw_bits(exact.to(dtype));
    const auto results = on_gpus(4, [&](const Gpu& gpu) {
      const Tensor x = all[gpu.rank()].to(gpu.world.device());
      gpu.world.all_reduce(x).wait();
      return raw_bits(x);
    });
    for (const std::string& result : results) CHECK(result == expected);
  }
}

TEST_CASE("nccl: sums of 16 bits begin anywhere in memory", "[nccl]") {
  const auto results = on_gpus(2, [&](const Gpu& gpu) {
    const Tensor x = gpu.full({20}, gpu.rank() + 1, amp::kFloat16);
    for (const std::int64_t begin : {1, 2, 3}) gpu.world.all_reduce(x.narrow(0, begin, 15)).wait();
    return x.to_vector<double>();
  });
  for (int rank = 0; rank < 2; ++rank) {
    Values expected = {rank + 1.0, 3, 6};
    expected.insert(expected.end(), 13, 12);
    expected.insert(expected.end(), {6, 3, rank + 1.0, rank + 1.0});
    // Elements that both ranks have alike are doubled: 3, 6, 12.
    CHECK(results[static_cast<std::size_t>(rank)] == expected);
  }
}

TEST_CASE("nccl: all_reduce with kAny sees every value that is not 0", "[nccl]") {
  const float values[] = {1,         -1, std::nanf(""), -std::nanf(""), HUGE_VALF,
                          0x1p-149F, 2,  -0x1p-149F};
  for (const float value : values) {
    for (int planted = 0; planted < 4; ++planted) {
      CAPTURE(value, planted);
      const auto results = on_gpus(4, [&](const Gpu& gpu) {
        const Tensor x = amp::zeros({3}, gpu.options());
        if (gpu.rank() == planted) x.select(0, 1).fill_(value);
        gpu.world.all_reduce(x, ReduceOp::kAny).wait();
        return x.to_vector<float>();
      });
      for (const std::vector<float>& words : results) {
        CHECK(words[0] == 0);
        CHECK(!(words[1] == 0));
        CHECK(words[2] == 0);
        CHECK(std::memcmp(words.data(), results[0].data(), sizeof(float) * 3) == 0);
      }
    }
  }
}

TEST_CASE("nccl: a sum of 16 bits sends as much as NCCL's own of half as many bytes", "[nccl]") {
  constexpr std::int64_t kNumel = 4096;
  const auto sent = [&](amp::DType dtype, bool scatter) {
    standin::nccl.sent.clear();
    (void)on_gpus(4, [&](const Gpu& gpu) {
      const Tensor x = amp::zeros({kNumel}, gpu.options(dtype));
      (scatter ? gpu.world.reduce_scatter(x) : gpu.world.all_reduce(x)).wait();
      return 0;
    });
    for (const auto& [rank, bytes] : standin::nccl.sent) CHECK(bytes == standin::nccl.sent[0]);
    return standin::nccl.sent[0];
  };
  CHECK(sent(amp::kFloat32, false) == 2 * 3 * kNumel / 4 * 4);
  CHECK(sent(amp::kFloat16, false) == 2 * 3 * kNumel / 4 * 2);
  CHECK(sent(amp::kFloat32, true) == 3 * kNumel / 4 * 4);
  CHECK(sent(amp::kFloat16, true) == 3 * kNumel / 4 * 2);
}

TEST_CASE("nccl: a communicator of one rank sends nothing and enqueues nothing", "[nccl]") {
  const auto calls = on_gpus(1, [](const Gpu& gpu) {
    const Tensor x = gpu.full({6}, 3, amp::kFloat16);
    standin::toolkit().reset();
    gpu.world.all_reduce(x).wait();
    gpu.world.reduce_scatter(x).wait();
    gpu.world.all_gather(x).wait();
    gpu.world.broadcast(x).wait();
    gpu.world.barrier();
    return standin::toolkit().calls();
  });
  CHECK(calls[0] <= 1);  // barrier() asks whether the stream is captured
}

TEST_CASE("nccl: it knows its ranks, its device and its name", "[nccl]") {
  CHECK(amp_test::has_four_devices);
  const auto right = on_gpus(2, [](const Gpu& gpu) {
    return gpu.size() == 2 && gpu.rank() == gpu.threads.rank() && gpu.world.engine() == "nccl" &&
           gpu.world.device() == amp::Device(amp::kCUDA, gpu.rank()) &&
           gpu.world.takes(gpu.world.device()) && !gpu.world.takes(amp::kCPU) &&
           !gpu.world.takes({amp::kCUDA, 1 - gpu.rank()}) && !gpu.world.is_aborted();
  });
  CHECK(right == std::vector<bool>{true, true});
}

}  // namespace
}  // namespace nccl_values
