// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A program of ranks that are processes; here it is started alone.
#include <amp/amp.hpp>
#include <amp/distributed/mpi.hpp>

int main(int argc, char** argv) {
  return amp::run_mpi(argc, argv, [](amp::MpiCommunicator& world) {
    const amp::Tensor x = amp::ones({3});
    world.all_reduce(x).wait();
    return amp::sum(x).item<float>() == 3 * static_cast<float>(world.size()) ? 0 : 1;
  });
}
