// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A source without CUDA code that adds on all GPUs of the machine, a thread each. Without a usable
// GPU it says so and exits 77.
#include <amp/cuda.hpp>
#include <amp/distributed.hpp>
#include <amp/distributed/nccl.hpp>
#include <cstdio>
#include <vector>

int main() {
  int gpus = 0;
  if (amp::is_available(amp::kCUDA)) (void)cudaGetDeviceCount(&gpus);
  if (gpus == 0) {
    std::printf("skipped: there is no GPU for NCCL\n");
    return 77;
  }
  std::vector<int> right(static_cast<std::size_t>(gpus));
  amp::ThreadGroup::run(gpus, [&](amp::Communicator& threads) {
    amp::NcclCommunicator world({amp::kCUDA, threads.rank()}, threads);
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kInt64}) {
      const amp::TensorOptions options{.dtype = dtype, .device = world.device()};
      const amp::Tensor x = amp::full({1001}, world.rank() + 1, options);
      const amp::Tensor parts = amp::full({gpus, 3}, 1, options);
      amp::Collective sum = world.all_reduce(x), scattered = world.reduce_scatter(parts);
      scattered.wait();
      world.all_gather(parts).wait();
      sum.wait();
      right[static_cast<std::size_t>(world.rank())] +=
          x.to_vector<double>() == std::vector<double>(1001, gpus * (gpus + 1) / 2) &&
          parts.to_vector<double>() ==
              std::vector<double>(static_cast<std::size_t>(gpus) * 3, gpus);
    }
    const amp::Tensor found = amp::full({1}, 0, {.device = world.device()});
    if (world.rank() == gpus - 1) found.fill_(-1);
    world.all_reduce(found, amp::ReduceOp::kAny).wait();
    world.broadcast(found, gpus - 1).wait();
    world.barrier();
    right[static_cast<std::size_t>(world.rank())] += found.item<float>() == -1;
  });
  const bool all = right == std::vector<int>(static_cast<std::size_t>(gpus), 5);
  std::printf("%d ranks: %s\n", gpus, all ? "right" : "wrong");
  return all ? 0 : 1;
}
