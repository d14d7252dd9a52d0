// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Threads and blocks run in orders of the seed's choice, and shared memory holds what no kernel
// wrote: so faults of kernels give wrong numbers.
#include <set>

#include "standin/faults.hpp"

namespace standin_orders {
namespace {

using namespace standin_test;

/// How many different results the kernel has, by seed.
template <class... Parameters>
std::size_t results_of(void (*kernel)(Parameters...)) {
  std::set<std::vector<float>> results;
  const auto seed = standin::toolkit().schedule.seed();
  for (std::uint64_t other = 0; other < 8; ++other) {
    standin::toolkit().schedule.set(other);
    Device device;
    launch(device.one, kernel, device.x);
    results.insert(device.values());
  }
  standin::toolkit().schedule.set(seed);
  return results.size();
}

TEST_CASE("orders: a kernel with its barriers has one result", "[standin]") {
  CHECK(results_of(&rotate_kernel<float>) == 1);
  CHECK(results_of(&increment_kernel<float>) == 1);
}
#if !defined(STANDIN_RACES)  // there they are races
TEST_CASE("orders: without them, it has several", "[standin]") {
  CHECK(results_of(&no_first_barrier_kernel<float>) > 1);
  CHECK(results_of(&other_block_kernel<float>) > 1);
}
#endif
TEST_CASE("orders: a seed decides all of it", "[standin]") {
  std::vector<unsigned> order, again;
  std::set<std::vector<unsigned>> found;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    standin::Chance(seed).order(order, 100);
    standin::Chance(seed).order(again, 100);
    CHECK(order == again);
    CHECK(std::set<unsigned>(order.begin(), order.end()).size() == 100);
    found.insert(order);
  }
  CHECK(found.size() > 3);
}
#if defined(__clang__) && !defined(STANDIN_RACES)
TEST_CASE("orders: a block finds nothing in shared memory", "[standin]") {
  Device device;
  launch(device.one, rotate_kernel<float>, device.x);
  launch(device.one, uninitialised_kernel<float>, device.x);
  const std::vector<float> values = device.values();
  for (std::size_t i = 0; i < values.size(); ++i) CHECK((values[i] == 1) == (i % kThreads == 0));
  CHECK(values[1] == values[kThreads + 2]);
  CHECK(values[1] < -1e8f);
}
#endif

}  // namespace
}  // namespace standin_orders
