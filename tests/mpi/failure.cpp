// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// failure MODE: rank 1 of several fails in this way, while the others wait for it.
#include <amp/amp.hpp>
#include <amp/distributed/mpi.hpp>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const auto program = [&](amp::MpiCommunicator& world) {
    world.barrier();
    if (world.rank() == 1) {
      if (mode == "killed") (void)std::raise(SIGKILL);
      if (mode == "hangs") std::this_thread::sleep_for(std::chrono::seconds(60));
      if (mode == "throws") throw std::runtime_error("the disk is full");
      if (mode == "leaves") return 3;
      if (mode == "elsewhere") world.barrier();
    }
    world.all_reduce(amp::zeros({100})).wait();
    return 0;
  };
  return amp::run_mpi(argc, argv, program, {.timeout = std::chrono::seconds(2)});
}
