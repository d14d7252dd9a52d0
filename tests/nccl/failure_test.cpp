// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The errors of a NcclCommunicator that cannot work or go on; no rank waits for ever.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nccl/gpus.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"

namespace nccl_failure {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::communication_error_of;
using amp_test::error_of;
using amp_test::Gpu;
using amp_test::kImpatientNccl;
using amp_test::on_gpus;
using amp_test::on_ranks;
using Catch::Matchers::ContainsSubstring;
using standin::toolkit;
using Texts = std::vector<std::string>;

template <class Call>
void locked(const Call& call) {
  const std::lock_guard lock(toolkit().mutex);
  call();
}

/// What an operation and the end of it says, which may be that the host learns of it only then.
template <class Call>
std::string failure_of(const Gpu& gpu, const Call& call) {
  return communication_error_of([&] {
    call();
    gpu.world.barrier();
  });
}
std::string later(const Gpu& gpu) {
  return communication_error_of([&] { gpu.world.broadcast(gpu.full({2}, 0)).wait(); });
}

TEST_CASE("nccl: a communicator refuses arguments that cannot work", "[nccl]") {
  const auto errors = on_gpus(2, [](const Gpu& gpu) {
    const auto error = [](const auto& call) {
      return error_of([&] {
        call();
        return 0;
      });
    };
    const Tensor x = gpu.full({3}, 0);
    return Texts{
        error([&] { gpu.world.all_reduce(amp::zeros({3})); }),
        error([&] {
          gpu.world.all_reduce(amp::zeros({3}, {.device = {kCUDA, 3}}));
        }),
        error([&] { gpu.world.all_gather(x); }),
        error([&] { gpu.world.broadcast(x, 2); }),
        error([&] { gpu.world.all_reduce(gpu.full({3}, 0, amp::kBool)); }),
        error([&] { gpu.world.all_reduce(gpu.full({3}, 0, amp::kInt32), amp::ReduceOp::kAny); }),
        communication_error_of([&] { gpu.world.all_reduce(x).wait(); }),
    };
  });
  for (const Texts& texts : errors) {
    CHECK_THAT(texts[0], ContainsSubstring("on cpu, which a communicator of nccl does not take"));
    CHECK_THAT(texts[1], ContainsSubstring("on cuda:3, which a communicator of nccl"));
    CHECK_THAT(texts[2], ContainsSubstring("cannot be cut into equal parts for 2 ranks"));
    CHECK_THAT(texts[3], ContainsSubstring("`root` must lie in [0, 2)"));
    CHECK_THAT(texts[4], ContainsSubstring("sums are of float64"));
    CHECK_THAT(texts[5], ContainsSubstring("kAny is for float32"));
    CHECK(texts[6] == "");  // nothing of that has harmed it
  }
}

TEST_CASE("nccl: if one rank cannot begin, all throw", "[nccl]") {
  const auto begin = [](const auto& device_of, const amp::NcclOptions& options = {}) {
    return on_ranks(3, [&](amp::Communicator& threads) {
      return error_of([&] {
        amp::NcclCommunicator world(device_of(threads.rank()), threads, options);
        return 0;
      });
    });
  };
  const Texts missing = begin([](int rank) { return amp::Device(kCUDA, rank == 1 ? 7 : rank); });
  CHECK_THAT(missing[1], ContainsSubstring("`device` must be one of the 4 CUDA devices of this "
                                           "machine, but is cuda:7"));
  for (const std::size_t rank : {0U, 2U})
    CHECK(missing[rank] == "NcclCommunicator: rank 1 has thrown an error before it came to NCCL");
  for (const std::string& error : begin([](int) { return amp::Device(amp::kCPU); }))
    CHECK_THAT(error, ContainsSubstring("but is cpu"));
  const amp::NcclOptions none{.timeout = std::chrono::milliseconds(0)};
  for (const std::string& error : begin([](int rank) { return amp::Device(kCUDA, rank); }, none))
    CHECK_THAT(error, ContainsSubstring("`timeout` must be above 0, but is 0 ms"));
  for (const std::string& error : begin([](int rank) { return amp::Device(kCUDA, rank / 2); })) {
    CHECK_THAT(error, ContainsSubstring("of 3: ncclCommInitRankConfig: invalid usage: as the"));
    CHECK_THAT(error, ContainsSubstring("NCCL, rank "));
  }
  toolkit().fail("ncclGetUniqueId", 0, ncclSystemError);
  const Texts no_id = begin([](int rank) { return amp::Device(kCUDA, rank); });
  CHECK_THAT(no_id[0], ContainsSubstring("ncclGetUniqueId: unhandled system error"));
  CHECK_THAT(no_id[2], ContainsSubstring("rank 0 has thrown"));
  toolkit().fail("cudaStreamCreateWithPriority", 0, cudaErrorMemoryAllocation);
  std::size_t own = 0, of_others = 0;
  for (const std::string& error : begin([](int rank) { return amp::Device(kCUDA, rank); })) {
    own += error.find("cudaErrorMemoryAllocation") != std::string::npos;
    of_others += error.find("has thrown an error") != std::string::npos;
  }
  CHECK(own == 1);
  CHECK(of_others == 2);
  toolkit().reset();
  CHECK(standin::nccl.communicators == 0);
  CHECK_THAT(error_of([] { return amp::NcclCommunicator(nullptr).rank(); }),
             ContainsSubstring("`comm` must not be null"));
}

TEST_CASE("nccl: a rank that does not come ends the wait of the others", "[nccl]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16}) {
    const amp_test::Warnings warnings;
    std::int64_t left = 0;
    const auto results = on_gpus(
        3,
        [&](const Gpu& gpu) {
          Texts texts;
          const Tensor x = gpu.full({7}, 1, dtype), y = gpu.full({2}, gpu.rank());
          gpu.world.broadcast(y).wait();
          if (gpu.rank() != 1) {
            texts.push_back(failure_of(gpu, [&] {
              gpu.world.all_reduce(x).wait();
              (void)x.to_vector<float>();
            }));
            texts.push_back(later(gpu));
            texts.push_back(communication_error_of([&] { gpu.world.barrier(); }));
            texts.push_back(gpu.world.is_aborted() ? "aborted" : "");
            (void)(x + 1).to_vector<float>();  // the device goes on
          }
          gpu.threads.barrier();
          locked([&] { left = standin::nccl.communicators; });
          gpu.threads.barrier();
          return texts;
        },
        kImpatientNccl);
    const std::string text =
        "of 3: all_reduce of 7 " + to_string(dtype) + ", number 2 did not end within 100 ms";
    for (const std::size_t rank : {0U, 2U}) {
      CAPTURE(rank, to_string(dtype));
      CHECK_THAT(results[rank][0], ContainsSubstring(text));
      CHECK_THAT(results[rank][0], ContainsSubstring("NCCL, rank " + std::to_string(rank)));
      CHECK(results[rank][1] == results[rank][0]);
      CHECK(results[rank][2] == results[rank][0]);
      CHECK(results[rank][3] == "aborted");
    }
    CHECK(left == 1);
    CHECK(warnings.texts().size() == 2);
    for (const std::string& warning : warnings.texts())
      CHECK((warning == results[0][0] || warning == results[2][0]));
  }
  CHECK(standin::nccl.communicators == 0);
}

TEST_CASE("nccl: a destructor waits for what can end, and no longer than the timeout", "[nccl]") {
  const amp_test::Warnings warnings;
  const auto texts = on_ranks(2, [&](amp::Communicator& threads) {
    const amp::Device device(kCUDA, threads.rank());
    const Tensor x = amp::full({7}, 1, {.device = device});
    std::string text;
    amp::Collective sum;
    {
      amp::NcclCommunicator world(device, threads, kImpatientNccl);
      if (threads.rank() == 0)
        text = communication_error_of([&] { sum = world.all_reduce(x); });  // at once: seed 0
      if (threads.rank() == 1) threads.barrier();
    }
    if (threads.rank() == 0) threads.barrier();
    return text + communication_error_of([&] { sum.wait(); });
  });
  CHECK_THAT(texts[0], ContainsSubstring("all_reduce of 7 float32, number 1 did not end"));
  CHECK(texts[1] == "");
  CHECK(warnings.texts().size() == 1);
  CHECK(standin::nccl.communicators == 0);
}

TEST_CASE("nccl: a communicator ends well while a stream is captured", "[nccl]") {
  const amp_test::Warnings warnings;
  const std::int64_t aborted = toolkit().calls_of("ncclCommAbort");
  const auto texts = on_ranks(2, [&](amp::Communicator& threads) {
    const amp::Device device(kCUDA, threads.rank());
    const Tensor x = amp::full({7}, 1, {.device = device});
    std::string text;
    cudaStream_t mine = nullptr;
    cudaGraph_t graph = nullptr;
    {
      amp::NcclCommunicator world(device, threads, kImpatientNccl);
      text = communication_error_of([&] { (void)world.all_reduce(x); });
      threads.barrier();
      if (threads.rank() == 0) {
        REQUIRE(cudaSetDevice(0) == cudaSuccess);
        REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
        REQUIRE(cudaStreamBeginCapture(mine, cudaStreamCaptureModeGlobal) == cudaSuccess);
      }
      threads.barrier();
    }
    threads.barrier();
    if (threads.rank() == 0) {
      CHECK(cudaStreamEndCapture(mine, &graph) == cudaSuccess);
      CHECK(cudaGraphDestroy(graph) == cudaSuccess);
      CHECK(cudaStreamDestroy(mine) == cudaSuccess);
    }
    return text;
  });
  CHECK(texts == Texts{"", ""});
  CHECK(warnings.texts().empty());
  CHECK(standin::nccl.communicators == 0);
  CHECK(toolkit().calls_of("ncclCommAbort") == aborted);
}

TEST_CASE("nccl: work that is slow is no failure, as long as it goes on", "[nccl]") {
  const amp_test::Warnings warnings;
  const auto texts = on_gpus(
      2,
      [&](const Gpu& gpu) {
        const Tensor x = gpu.full({7}, 1);
        return communication_error_of([&] {
          for (int i = 0; i < 4; ++i) {  // in all longer than the timeout
            if (gpu.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
            gpu.world.all_reduce(x).wait();
            gpu.world.barrier();
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1250));  // nothing is under way
          gpu.world.barrier();
        });
      },
      amp::NcclOptions{.timeout = std::chrono::seconds(1)});
  CHECK(texts == Texts{"", ""});
  CHECK(warnings.texts().empty());
}

TEST_CASE("nccl: an error that NCCL finds later is reported", "[nccl]") {
  const amp_test::Warnings warnings;
  const auto results = on_gpus(2, [&](const Gpu& gpu) {
    const Tensor x = gpu.full({7}, 1);
    gpu.world.all_reduce(x).wait();
    gpu.world.barrier();
    gpu.threads.barrier();
    if (gpu.rank() == 0) locked([] { standin::nccl.asynchronous[1] = ncclRemoteError; });
    gpu.threads.barrier();
    while (gpu.rank() == 1 && !gpu.world.is_aborted())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::string text = gpu.rank() == 1 ? later(gpu) : std::string();
    gpu.threads.barrier();
    return text;
  });
  CHECK(results[0] == "");
  CHECK_THAT(results[1], ContainsSubstring("NCCL, rank 1 of 2: ncclCommGetAsyncError: remote "
                                           "error: as the stand-in NCCL was told"));
  CHECK(warnings.texts() == Texts{results[1]});
  standin::nccl.asynchronous.clear();
}

TEST_CASE("nccl: whichever call of NCCL fails, it is a CommunicationError on all ranks", "[nccl]") {
  const std::string calls[] = {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather",
                               "ncclBroadcast", "ncclGroupStart",    "ncclSend",
                               "ncclRecv",      "ncclGroupEnd"};
  for (const std::string& call : calls) {
    CAPTURE(call);
    const amp_test::Warnings warnings;
    const auto results = on_gpus(
        2,
        [&](const Gpu& gpu) {
          const Tensor x = gpu.full({4}, 1), y = gpu.full({5}, 1, amp::kFloat16);
          gpu.world.barrier();
          gpu.threads.barrier();
          if (gpu.rank() == 0) locked([&] { toolkit().fail(call, 0, ncclInternalError); });
          gpu.threads.barrier();
          const std::string text = failure_of(gpu, [&] {
            gpu.world.broadcast(x).wait();
            gpu.world.all_reduce(y).wait();
            gpu.world.reduce_scatter(x).wait();
          });
          const std::string after = later(gpu);
          gpu.threads.barrier();
          return std::pair(text, after);
        },
        kImpatientNccl);
    std::size_t told = 0, late = 0;
    for (const auto& [text, after] : results) {
      told += text.find(": " + call + ": internal error: as the stand-in NCCL was told") !=
              std::string::npos;
      late += text.find("did not end within 100 ms") != std::string::npos;
      CHECK(after == text);
      CHECK_THAT(text, ContainsSubstring(", number "));
    }
    CHECK(told == 1);
    CHECK(late == 1);
    CHECK(warnings.texts().size() == 1);  // the other rank has thrown
    CHECK(standin::nccl.communicators == 0);
    toolkit().reset();
  }
}

TEST_CASE("nccl: whichever call of CUDA fails, nobody hangs and nothing is lost", "[nccl]") {
  int told = 0;
  for (int nth = 0; nth < 400; nth += 7) {
    CAPTURE(nth);
    const amp_test::Warnings warnings;
    bool counted = false;
    const auto results = on_gpus(
        2,
        [&](const Gpu& gpu) {
          const Tensor x = gpu.full({4}, 1), y = gpu.full({5}, 1, amp::kFloat16);
          gpu.threads.barrier();
          if (gpu.rank() == 0) locked([&] { toolkit().fail("", nth, 1); });
          gpu.threads.barrier();
          const std::string text = error_of([&] {
            for (int i = 0; i < 3; ++i) {
              gpu.world.broadcast(x).wait();
              gpu.world.all_reduce(y).wait();
            }
            gpu.world.barrier();
            return 0;
          });
          gpu.threads.barrier();
          if (gpu.rank() == 0) {
            locked([&] {
              counted = !toolkit().failed().empty();
              toolkit().reset();
            });
          }
          gpu.threads.barrier();
          return text;
        },
        amp::NcclOptions{.timeout = std::chrono::milliseconds(40)});
    told += counted && !(results[0].empty() && results[1].empty());
    CHECK(standin::nccl.communicators == 0);
  }
  CHECK(told > 3);
  amp::cuda::shutdown();
  CHECK(toolkit().live_blocks() == 0);
}

TEST_CASE("nccl: a program's own communicator stays its own", "[nccl]") {
  const auto results = on_ranks(2, [](amp::Communicator& threads) {
    const amp::Device device(kCUDA, threads.rank());
    (void)cudaSetDevice(device.index);
    ncclUniqueId id{};
    if (threads.rank() == 0) (void)ncclGetUniqueId(&id);
    threads.broadcast(amp::TensorView{&id, sizeof id, amp::kUInt8, amp::kCPU}).wait();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comm = nullptr;
    (void)ncclCommInitRankConfig(&comm, 2, id, threads.rank(), &config);
    (void)cudaSetDevice(0);
    const Tensor x = amp::full({3}, threads.rank() + 1, {.device = device});
    bool right = false;
    for (int i = 0; i < 2; ++i) {
      amp::NcclCommunicator world(comm);
      right = world.rank() == threads.rank() && world.size() == 2 && world.device() == device;
      world.all_reduce(x).wait();
    }
    const float sum = x.to_vector<float>()[0];
    (void)ncclCommDestroy(comm);
    return right ? sum : 0;
  });
  CHECK(results == std::vector<float>{6, 6});
  CHECK(standin::nccl.communicators == 0);
}

TEST_CASE("nccl: two ranks come by an id of the program's", "[nccl]") {
  ncclUniqueId id{};
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  float sums[2] = {};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      amp::NcclCommunicator world({kCUDA, rank}, rank, 2, id);
      const Tensor x = amp::full({3}, rank + 1, {.device = world.device()});
      world.all_reduce(x).wait();
      sums[rank] = x.to_vector<float>()[2];
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(sums[0] == 3);
  CHECK(sums[1] == 3);
}

TEST_CASE("nccl: a forked child is told, and leaves the communicator alone", "[nccl]") {
  const auto statuses = on_ranks(2, [](amp::Communicator& threads) {
    const amp::Device device(kCUDA, threads.rank());
    std::optional<amp::NcclCommunicator> world;
    world.emplace(device, threads, amp_test::kPatientNccl);
    const Tensor x = amp::full({3}, 1, {.device = device});
    amp::Collective sum = world->all_reduce(x);
    world->barrier();
    threads.barrier();
    std::optional<int> status = 0;
    if (threads.rank() == 0) {
      status = amp_test::status_of_child([&] {
        const std::string begun = error_of([&] { return world->all_reduce(x); });
        if (begun.find("forked off") == std::string::npos) return 1;
        const std::string waited = error_of([&] {
          sum.wait();
          return 0;
        });
        if (waited.find("forked off") == std::string::npos) return 2;
        sum = {};
        world.reset();
        return 0;
      });
    }
    threads.barrier();
    world->all_reduce(x).wait();
    return status.value_or(-1) + static_cast<int>(x.to_vector<float>()[0]);
  });
  CHECK(statuses == std::vector<int>{4, 4});
}

}  // namespace
}  // namespace nccl_failure
