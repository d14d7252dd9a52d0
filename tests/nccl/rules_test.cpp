// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The rules of NCCL that the stand-in holds a program to.
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <amp/cuda.hpp>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "nccl/gpus.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace nccl_rules {
namespace {

/// Both ranks of a communicator, with memory and a stream each.
struct Pair {
  ncclComm_t comms[2] = {};
  cudaStream_t streams[2] = {};
  float* memory[2] = {};
  cudaMemPool_t pools[2] = {};

  Pair() {
    ncclUniqueId id{};
    (void)ncclGetUniqueId(&id);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      threads.emplace_back([this, id, rank] {
        (void)cudaSetDevice(rank);
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 1;
        (void)ncclCommInitRankConfig(&comms[rank], 2, id, rank, &config);
        (void)cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking);
        cudaMemPoolProps properties{};
        properties.location.id = rank;
        (void)cudaMemPoolCreate(&pools[rank], &properties);
        void* given = nullptr;
        (void)cudaMallocFromPoolAsync(&given, 1024, pools[rank], streams[rank]);
        memory[rank] = static_cast<float*>(given);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  ncclResult_t sum(int rank, std::size_t count, ncclDataType_t type = ncclFloat32) const {
    return ncclAllReduce(memory[rank], memory[rank], count, type, ncclSum, comms[rank],
                         streams[rank]);
  }
};

/// What the stand-in says when it stops the program that does `work`; empty if it does not.
std::string stop_of(const std::function<void(const Pair&)>& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch's would report
    dup2(ends[1], STDERR_FILENO);
    standin::toolkit().schedule.set(1);  // with seed 0 the first call would wait for the second
    const Pair pair;
    work(pair);
    standin::toolkit().finish();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[256];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(text.empty() == (WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return text;
}

using Catch::Matchers::ContainsSubstring;

TEST_CASE("nccl rules: one thread calls for several ranks in a group", "[cuda]") {
  CHECK(stop_of([](const Pair& pair) {
          (void)ncclGroupStart();
          (void)pair.sum(0, 4);
          (void)pair.sum(1, 4);
          (void)ncclGroupEnd();
        }).empty());
  CHECK_THAT(stop_of([](const Pair& pair) {
               (void)pair.sum(0, 4);
               (void)pair.sum(1, 4);
             }),
             ContainsSubstring("a thread called for two ranks, and not in one group"));
  CHECK_THAT(stop_of([](const Pair& pair) {
               (void)ncclGroupStart();
               (void)ncclCommDestroy(pair.comms[0]);
             }),
             ContainsSubstring("a communicator was destroyed in a group"));
  CHECK(stop_of([](const Pair&) {
          if (ncclGroupEnd() != ncclInvalidUsage) standin::stop("an end without a start");
        }).empty());
}

TEST_CASE("nccl rules: all ranks make the same calls in the same order", "[cuda]") {
  const auto both = [](const auto& first, const auto& second) {
    return stop_of([&](const Pair& pair) {
      (void)ncclGroupStart();
      first(pair);
      second(pair);
      (void)ncclGroupEnd();
    });
  };
  const auto sum = [](int rank, std::size_t count, ncclDataType_t type = ncclFloat32) {
    return [=](const Pair& pair) { (void)pair.sum(rank, count, type); };
  };
  const auto gather = [](const Pair& pair) {
    (void)ncclAllGather(pair.memory[1] + 4, pair.memory[1], 4, ncclFloat32, pair.comms[1],
                        pair.streams[1]);
  };
  const std::string different = "the ranks of a communicator make different calls";
  CHECK_THAT(both(sum(0, 4), sum(1, 5)), ContainsSubstring(different));
  CHECK_THAT(both(sum(0, 4), sum(1, 4, ncclInt32)), ContainsSubstring(different));
  CHECK_THAT(both(sum(0, 4), gather), ContainsSubstring(different));
  CHECK_THAT(stop_of([](const Pair& pair) {
               (void)ncclAllReduce(pair.memory[0], pair.memory[0] + 1, 4, ncclFloat32, ncclSum,
                                   pair.comms[0], pair.streams[0]);
             }),
             ContainsSubstring("overlaps, but not as in-place operations do"));
}

}  // namespace
}  // namespace nccl_rules
