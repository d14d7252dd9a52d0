// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The operations of a communicator on ranks that are threads, and its errors if ranks fail.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "distributed/ranks.hpp"
#include "support/catch.hpp"

namespace distributed_communicator {

using amp::Communicator;
using amp::ReduceOp;
using amp::Tensor;
using amp_test::errors_on_ranks;
using amp_test::on_ranks;
using amp_test::raw_bits;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

namespace {

constexpr amp::DType kSummable[] = {amp::kFloat64,  amp::kFloat32, amp::kFloat16,
                                    amp::kBFloat16, amp::kInt64,   amp::kInt32};
constexpr amp::ThreadGroupOptions kImpatient{.timeout = std::chrono::milliseconds(100)};

}  // namespace

TEST_CASE("all_reduce adds in every dtype", "[distributed][thread]") {
  for (const int size : {1, 2, 3, 4}) {
    for (const amp::DType dtype : kSummable) {
      const auto sums = on_ranks(size, [&](Communicator& world) {
        const Tensor x = amp::arange(5).to(dtype);
        x.fill_(world.rank() + 1);
        world.all_reduce(x).wait();
        return x.to_vector<double>();
      });
      for (const Values& sum : sums) CHECK(sum == Values(5, size * (size + 1) / 2));
    }
  }
}

TEST_CASE("all_reduce rounds sums of 16 bits once", "[distributed]") {
  // 2048 + 1 is no float16: added one after the other, both ones would be lost.
  const double terms[] = {2048, 1, 1};
  const auto sums = on_ranks(3, [&](Communicator& world) {
    const Tensor x = amp::full({9}, terms[world.rank()], {.dtype = amp::kFloat16});
    world.all_reduce(x).wait();
    return x.to_vector<double>();
  });
  for (const Values& sum : sums) CHECK(sum == Values(9, 2050));
}

TEST_CASE("all_reduce with kAny sees every value that is not 0", "[distributed]") {
  const double values[] = {1, -1, std::nan(""), HUGE_VAL, 0x1p-149, 2};
  for (const double value : values) {
    for (int planted = 0; planted < 3; ++planted) {
      const auto found = on_ranks(3, [&](Communicator& world) {
        const Tensor x = amp::zeros({2});
        if (world.rank() == planted) x.select(0, 1).fill_(value);
        world.all_reduce(x, ReduceOp::kAny).wait();
        return x.to_vector<float>();
      });
      for (const std::vector<float>& words : found) {
        CHECK(words[0] == 0);
        CHECK(!(words[1] == 0));
      }
    }
  }
}

TEST_CASE("parts are added, gathered and sent", "[distributed][thread]") {
  const auto results = on_ranks(3, [](Communicator& world) {
    const auto rank = static_cast<float>(world.rank());
    const Tensor added = amp::tensor({rank, rank, 10 * rank, 10 * rank, 1.0F, 1.0F}, {6});
    world.reduce_scatter(added).wait();
    const Tensor gathered = amp::full({3, 2}, -1);
    gathered.select(0, world.rank()).fill_(world.rank());
    world.all_gather(gathered).wait();
    const Tensor sent = amp::full({4}, world.rank(), {.dtype = amp::kUInt8});
    world.broadcast(sent, 2).wait();
    world.barrier();
    Values all = added.narrow(0, 2 * world.rank(), 2).to_vector<double>();
    for (const double value : gathered.to_vector<double>()) all.push_back(value);
    for (const double value : sent.to_vector<double>()) all.push_back(value);
    return all;
  });
  const double part[] = {3, 30, 3};
  for (std::size_t r = 0; r < 3; ++r)
    CHECK(results[r] == Values{part[r], part[r], 0, 0, 1, 1, 2, 2, 2, 2, 2, 2});
}

TEST_CASE("operations move the version of a tensor, and take none", "[distributed]") {
  const auto moved = on_ranks(2, [](Communicator& world) {
    const Tensor x = amp::ones({2}), none = amp::zeros({0});
    const std::uint64_t before = x.version();
    world.all_reduce(x).wait();
    world.all_reduce(none).wait();
    world.all_gather(none).wait();
    world.broadcast(none).wait();
    return x.version() > before ? 1 : 0;
  });
  CHECK(moved == std::vector<int>{1, 1});
}

TEST_CASE("a communicator refuses arguments that cannot work", "[distributed]") {
  amp::ThreadGroup group(1);
  Communicator& world = group.communicator(0);
  const Tensor x = amp::zeros({3});
  const auto error = [](auto&& call) { return amp_test::error_of(call); };
  CHECK_THAT(error([&] {
               world.all_reduce(Tensor());
               return 0;
             }),
             ContainsSubstring("undefined"));
  CHECK_THAT(error([&] {
               world.all_reduce(amp::zeros({2, 3}).t());
               return 0;
             }),
             ContainsSubstring("must be contiguous"));
  CHECK_THAT(error([&] {
               world.all_reduce(amp::zeros({2}, {.dtype = amp::kBool}));
               return 0;
             }),
             ContainsSubstring("sums are of float64"));
  CHECK_THAT(error([&] {
               world.all_reduce(amp::zeros({2}, {.dtype = amp::kInt32}), ReduceOp::kAny);
               return 0;
             }),
             ContainsSubstring("kAny is for float32"));
  CHECK_THAT(error([&] {
               world.broadcast(x, 1);
               return 0;
             }),
             ContainsSubstring("`root` must lie in [0, 1), but is 1"));
  CHECK_THAT(error([&] {
               world.all_reduce(amp::TensorView{nullptr, 3});
               return 0;
             }),
             ContainsSubstring("no memory"));
  CHECK_THAT(error([&] {
               amp::ThreadGroup(0);
               return 0;
             }),
             ContainsSubstring("at least 1"));
  CHECK_THAT(error([&] {
               group.communicator(1);
               return 0;
             }),
             ContainsSubstring("[0, 1)"));
  const auto uneven =
      errors_on_ranks(2, [](Communicator& ranks) { ranks.all_gather(amp::zeros({3})).wait(); });
  CHECK_THAT(uneven[0], ContainsSubstring("cannot be cut into equal parts for 2 ranks"));
}

TEST_CASE("a rank that does not come is named", "[distributed]") {
  const auto errors = errors_on_ranks(
      3,
      [](Communicator& world) {
        if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
        world.all_reduce(amp::zeros({7})).wait();
      },
      kImpatient);
  for (const std::string& error : errors)
    CHECK_THAT(error, ContainsSubstring("rank 1 did not come to all_reduce of 7 float32"));
}

TEST_CASE("a rank that ends or throws is named, and calls after it fail", "[distributed]") {
  std::vector<std::string> later(3);
  const auto run = [&](bool throws) {
    return amp_test::error_of([&] {
      amp::ThreadGroup::run(3, [&](Communicator& world) {
        if (world.rank() == 2 && throws) throw amp::Error("the disk is full");
        if (world.rank() == 2) return;
        auto& error = later[static_cast<std::size_t>(world.rank())];
        error = amp_test::error_of([&] {
          world.barrier();
          return 0;
        });
        CHECK(amp_test::error_of([&] {
                world.barrier();
                return 0;
              }) == error);
      });
      return 0;
    });
  };
  CHECK(run(true) == "the disk is full");
  CHECK(later[0] == "rank 2 has thrown: the disk is full");
  CHECK(run(false).empty());
  CHECK(later[1] == "rank 2 has ended");
}

TEST_CASE("ranks that make different calls are told so", "[distributed]") {
  const auto errors = errors_on_ranks(2, [](Communicator& world) {
    const Tensor x = amp::zeros({4});
    if (world.rank() == 0) {
      world.all_reduce(x).wait();
    } else {
      world.broadcast(x, 1).wait();
    }
  });
  for (const std::string& error : errors)
    CHECK(error ==
          "the ranks make different calls: rank 0 all_reduce of 4 float32, rank 1 broadcast of 4 "
          "float32 from rank 1");
}

}  // namespace distributed_communicator
