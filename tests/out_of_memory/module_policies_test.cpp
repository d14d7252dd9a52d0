// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What scopes with policies by module keep in memory.
#include <amp/amp.hpp>

#include <memory>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/heap.hpp"

namespace module_policies_memory {
namespace {

using amp::OpPolicy;
using amp_test::heap::live;

amp::AutocastOptions options(int i) {
  return {.policies = {{"block" + std::to_string(i) + "/softmax", OpPolicy::kPromote}}};
}
struct Block : amp::nn::Layer<Block> {
  amp::Tensor forward(const amp::Tensor& x) const {
    *seen = amp::op_policy("softmax");
    return x;
  }
  std::shared_ptr<OpPolicy> seen = std::make_shared<OpPolicy>();
};
struct Net : amp::nn::Layer<Net> {
  Block block7{register_module("block7", Block())};
  amp::Tensor forward(const amp::Tensor& x) const { return block7(x); }
};

}  // namespace

TEST_CASE("module policies: a scope that has ended, and the states taken in it, keep nothing") {
  const auto run = [](int i) {
    const amp::AutocastGuard outer(amp::kCPU, options(i));
    const amp::AutocastState state = amp::autocast_state();
    const amp::AutocastGuard inner(amp::kCPU, options(i + 1)), again(state);
  };
  run(0);
  const auto before = live.load();
  for (int i = 0; i < 1000; ++i) run(i);
  CHECK(live.load() <= before);
}

TEST_CASE("module policies: a state outlives its scope") {
  const Net net;
  std::optional<amp::AutocastState> state;
  {
    const amp::AutocastGuard scope(amp::kCPU, options(7));
    state = amp::autocast_state();
  }
  {
    const amp::AutocastGuard again(*state);
    state.reset();
    (void)net(amp::ones({1}));
  }
  CHECK(*net.block7.seen == OpPolicy::kPromote);
  (void)net(amp::ones({1}));
  CHECK(*net.block7.seen == OpPolicy::kFloat32);
}

TEST_CASE("module policies: scopes that end in another order use no memory that is gone") {
  const Net net;
  const amp::AutocastGuard whole{amp::AutocastState()};  // restores the state at the end
  auto first = std::make_unique<amp::AutocastGuard>(amp::kCPU, options(7));
  auto second = std::make_unique<amp::AutocastGuard>(amp::kCPU, options(8));
  first.reset();
  (void)net(amp::ones({1}));
  second.reset();  // the first scope's policies are in force again
  (void)net(amp::ones({1}));
  CHECK(*net.block7.seen == OpPolicy::kPromote);
}

}  // namespace module_policies_memory
