// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// failure MODE: rank 1 of several fails in this way, while the others wait for it.
#include <amp/amp.hpp>
#include <amp/distributed/mpi.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

/// The exit status of a rank that does not train on.
std::optional<int> fail_on_rank_1(const std::string& mode, amp::MpiCommunicator& world,
                                  const amp::Tensor& x) {
  if (mode == "killed") (void)std::raise(SIGKILL);
  if (mode == "hangs" || mode == "caught" || mode == "dropped")
    std::this_thread::sleep_for(std::chrono::seconds(60));
  if (mode == "stalls") {  // after its call, without waiting for it
    (void)world.all_reduce(x);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  if (mode == "throws") throw std::runtime_error("the disk is full");
  if (mode == "throws_number") throw 7;
  if (mode == "leaves") return 3;
  if (mode == "barrier") world.barrier();
  if (mode == "shorter") world.all_reduce(x.narrow(0, 0, 99)).wait();
  if (mode == "broadcast") world.broadcast(x, 1).wait();
  return {};
}

/// Two DataParallels of equal sizes, which rank 1 enters in another order than the others.
int train_two(amp::MpiCommunicator& world) {
  amp::nn::Linear a(3, 2), b(3, 2);
  const amp::DataParallel of_a(a, world), of_b(b, world);
  const amp::Tensor x = amp::ones({1, 3});
  for (const amp::nn::Linear& model : world.rank() == 1 ? std::array{b, a} : std::array{a, b})
    amp::sum(model(x)).backward();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const amp::Tensor x = amp::zeros({100});
  const auto program = [&](amp::MpiCommunicator& world) {
    world.barrier();
    if (mode == "order") return train_two(world);
    if (world.rank() == 1) {
      if (const auto status = fail_on_rank_1(mode, world, x)) return *status;
    }
    if (mode == "dropped") {  // it is not waited for, but at the end
      (void)world.all_reduce(x);
      return 0;
    }
    try {
      world.all_reduce(x).wait();
    } catch (const amp::CommunicationError& error) {
      if (mode != "caught") throw;
      std::fprintf(stderr, "caught: %s\n", error.what());
    }
    return 0;
  };
  return amp::run_mpi(argc, argv, program, {.timeout = std::chrono::seconds(2)});
}
