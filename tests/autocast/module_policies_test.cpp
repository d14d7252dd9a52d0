// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Policies by the path of a module.
#include <amp/amp.hpp>

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace module_policies {

using amp::OpPolicy;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A module that says which policy softmax, or another op, has inside it.
struct Probe : amp::nn::Layer<Probe> {
  std::string op = "softmax";
  std::function<void()> body = [] {};

  Tensor forward(const Tensor& x) const {
    seen->push_back(amp::op_policy(op));
    body();
    return x;
  }
  OpPolicy last() const { return seen->back(); }
  std::shared_ptr<std::vector<OpPolicy>> seen = std::make_shared<std::vector<OpPolicy>>();
};

struct Block : amp::nn::Layer<Block> {
  Probe norm{register_module("norm", Probe())};
  Probe fc{register_module("fc", Probe())};
  Tensor forward(const Tensor& x) const { return fc(norm(x)); }
};

struct Net : amp::nn::Layer<Net> {
  Block a{register_module("a", Block())};
  Block b{register_module("b", Block())};
  Probe head{register_module("head", Probe())};
  Tensor forward(const Tensor& x) const { return head(b(a(x))); }
};

const Tensor& one() {
  static const Tensor x = amp::ones({1});
  return x;
}

std::string refusal(std::string_view name) {
  return error_of([&] { amp::OpPolicies{{name, OpPolicy::kFloat32}}; });
}

}  // namespace

TEST_CASE("module policies: all ops of a module, and of those within") {
  const Net net;
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"a/", OpPolicy::kPromote}}});
  (void)net(one());
  CHECK(net.a.norm.last() == OpPolicy::kPromote);
  CHECK(net.a.fc.last() == OpPolicy::kPromote);
  CHECK(net.b.norm.last() == OpPolicy::kFloat32);
  CHECK(net.head.last() == OpPolicy::kFloat32);
  CHECK(amp::op_policy("softmax") == OpPolicy::kFloat32);
}

TEST_CASE("module policies: one op of a module, with * for a part") {
  Net net;
  const amp::AutocastGuard autocast(
      amp::kCPU,
      {.policies = {{"*.norm/softmax", OpPolicy::kPassthrough}, {"head/exp", OpPolicy::kPromote}}});
  (void)net(one());
  CHECK(net.a.norm.last() == OpPolicy::kPassthrough);
  CHECK(net.b.norm.last() == OpPolicy::kPassthrough);
  CHECK(net.a.fc.last() == OpPolicy::kFloat32);
  CHECK(net.head.last() == OpPolicy::kFloat32);  // another op
}

TEST_CASE("module policies: they change what is computed") {
  const amp::nn::Sequential net{amp::nn::Linear(4, 4), amp::nn::Linear(4, 4)};
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"1/linear", OpPolicy::kFloat32}}});
  CHECK(net(amp::ones({2, 4})).dtype() == amp::kFloat32);
  CHECK(amp::nn::Sequential{amp::nn::Linear(4, 4)}(amp::ones({2, 4})).dtype() == amp::kFloat16);
}

TEST_CASE("module policies: longer paths override shorter, and these override names of ops") {
  const Net net;
  const amp::OpPolicies all[] = {
      {{"a.norm/", OpPolicy::kPassthrough},
       {"a/softmax", OpPolicy::kPromote},
       {"softmax", OpPolicy::kLowPrecision}},
      {{"softmax", OpPolicy::kLowPrecision},
       {"a/softmax", OpPolicy::kPromote},
       {"a.norm/", OpPolicy::kPassthrough}},
      {{"a/", OpPolicy::kFloat32Math},
       {"a.norm/", OpPolicy::kFloat32},
       {"a.norm/softmax", OpPolicy::kPassthrough},
       {"a/softmax", OpPolicy::kPromote},
       {"softmax", OpPolicy::kLowPrecision}},
  };
  for (const amp::OpPolicies& policies : all) {
    const amp::AutocastGuard autocast(amp::kCPU, {.policies = policies});
    (void)net(one());
    CHECK(net.a.norm.last() == OpPolicy::kPassthrough);
    CHECK(net.a.fc.last() == OpPolicy::kPromote);
    CHECK(net.head.last() == OpPolicy::kLowPrecision);
    (void)net.a.norm(one());  // called by itself it is the same module
    CHECK(net.a.norm.last() == OpPolicy::kPassthrough);
  }
}

TEST_CASE("module policies: an inner scope adds to an outer one's and overrides equal names") {
  const Net net;
  const amp::AutocastGuard outer(amp::kCPU,
                                 {.policies = {{"a.norm/softmax", OpPolicy::kPassthrough},
                                               {"a.fc/", OpPolicy::kPassthrough},
                                               {"head/", OpPolicy::kPassthrough}}});
  {
    const amp::AutocastGuard inner(amp::kCPU, {.policies = {{"a/softmax", OpPolicy::kPromote},
                                                            {"a.fc/", OpPolicy::kLowPrecision},
                                                            {"softmax", OpPolicy::kFloat32Math}}});
    // The same, whether or not the module around it was called.
    for (const bool whole : {true, false}) {
      if (whole) (void)net(one());
      if (!whole) (void)net.a.norm(one()), (void)net.a.fc(one()), (void)net.head(one());
      CHECK(net.a.norm.last() == OpPolicy::kPassthrough);  // its path is longer
      CHECK(net.a.fc.last() == OpPolicy::kLowPrecision);
      CHECK(net.head.last() == OpPolicy::kPassthrough);  // a module's is before one by op
    }
    CHECK(net.b.fc.seen->back() == OpPolicy::kFloat32Math);
  }
  (void)net(one());
  CHECK(net.a.fc.last() == OpPolicy::kPassthrough);
  CHECK(net.b.fc.last() == OpPolicy::kFloat32);
}

TEST_CASE("module policies: a scope within a module overrides that module's") {
  Probe probe;
  OpPolicy inside = OpPolicy::kFloat32, in_next = OpPolicy::kFloat32;
  Net net;
  const Probe next = net.b.fc;
  net.a.fc.body = [&] {
    const amp::AutocastGuard inner(amp::kCPU, {.policies = {{"softmax", OpPolicy::kPromote},
                                                            {"b.fc/exp", OpPolicy::kPromote}}});
    inside = amp::op_policy("softmax");
    (void)next(one());
    in_next = next.last();
  };
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"a/", OpPolicy::kPassthrough}}});
  (void)net(one());
  CHECK(inside == OpPolicy::kPromote);
  CHECK(in_next == OpPolicy::kPromote);
  CHECK(net.a.fc.last() == OpPolicy::kPassthrough);
}

TEST_CASE("module policies: scopes that repeat a list do not use up the room") {
  const Net net;
  const amp::AutocastOptions options{
      .policies = {{"a/", OpPolicy::kPassthrough}, {"a.norm/", OpPolicy::kPromote}}};
  const std::function<void(int)> nested = [&](int depth) {
    const amp::AutocastGuard autocast(amp::kCPU, options);
    if (depth == 0) {
      (void)net(one());
    } else {
      nested(depth - 1);
    }
  };
  nested(100);
  CHECK(net.a.fc.last() == OpPolicy::kPassthrough);
  CHECK(net.a.norm.last() == OpPolicy::kPromote);
}

TEST_CASE("module policies: a module that is called twice, and one within itself") {
  const Net net;
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"a/", OpPolicy::kPassthrough}}});
  (void)net.a(net.a(one()));
  CHECK(*net.a.norm.seen == std::vector<OpPolicy>{OpPolicy::kPassthrough, OpPolicy::kPassthrough});
  CHECK(amp::op_policy("softmax") == OpPolicy::kFloat32);
}

TEST_CASE("module policies: forward() alone does not enter the module") {
  const Net net;
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"head/", OpPolicy::kPassthrough}}});
  (void)net.head.forward(one());
  CHECK(net.head.last() == OpPolicy::kFloat32);
}

TEST_CASE("module policies: the state inside a module is carried to another thread") {
  Net net;
  OpPolicy there = OpPolicy::kFloat32, nested = OpPolicy::kFloat32;
  net.head.body = [&] {
    std::thread([&, state = amp::autocast_state()] {
      const amp::AutocastGuard again(state);
      there = amp::op_policy("softmax");
      (void)net.b.fc(one());
      nested = net.b.fc.last();
    }).join();
  };
  const amp::AutocastGuard autocast(
      amp::kCPU,
      {.policies = {{"head/", OpPolicy::kPassthrough}, {"b.fc/softmax", OpPolicy::kPromote}}});
  (void)net.head(one());
  CHECK(there == OpPolicy::kPassthrough);
  CHECK(nested == OpPolicy::kPromote);
}

TEST_CASE("module policies: an exception out of a module restores the state") {
  Net net;
  net.head.body = [] { throw amp::Error("thrown in head"); };
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"head/", OpPolicy::kPassthrough}}});
  CHECK_THAT(error_of([&] { (void)net.head(one()); }), ContainsSubstring("thrown in head"));
  CHECK(net.head.last() == OpPolicy::kPassthrough);
  CHECK(amp::op_policy("softmax") == OpPolicy::kFloat32);
}

TEST_CASE("module policies: they do not reach into a backward pass") {
  Net net;
  OpPolicy in_hook = OpPolicy::kPassthrough, in_module = OpPolicy::kPassthrough,
           recomputed = OpPolicy::kFloat32;
  const Tensor x = amp::ones({1}, {.requires_grad = true});
  net.head.body = [&] {
    const amp::AutocastState state = amp::autocast_state();
    const Tensor y = x * 2;
    y.register_hook([&, state](const Tensor&) {
      in_hook = amp::op_policy("softmax");
      (void)net.b.fc(one());
      in_module = net.b.fc.last();
      const amp::AutocastGuard again(state);  // as a recomputation does
      (void)net.b.fc(one());
      recomputed = net.b.fc.last();
    });
    amp::sum(y).backward();
  };
  const amp::AutocastGuard autocast(
      amp::kCPU, {.policies = {{"head/", OpPolicy::kPassthrough}, {"b.fc/", OpPolicy::kPromote}}});
  (void)net.head(one());
  CHECK(in_hook == OpPolicy::kFloat32);
  CHECK(in_module == OpPolicy::kFloat32);
  CHECK(recomputed == OpPolicy::kPromote);
}

TEST_CASE("module policies: names that are none are refused") {
  for (const std::string name : {"/softmax", ".a/", "a./softmax", "a..b/", "./", "a/b/softmax",
                                 "a/b/", "//", "block*/", "a.**/softmax"}) {
    INFO(name);
    CHECK_THAT(refusal(name),
               ContainsSubstring("\"" + name + "\"") && ContainsSubstring("the path of a module"));
  }
  CHECK_THAT(refusal("a/sofmax"), ContainsSubstring("did you mean \"softmax\""));
  CHECK_THAT(refusal(""), ContainsSubstring("there is no op named \"\""));
  CHECK_THAT(refusal("head"), ContainsSubstring("there is no op named \"head\""));
}

TEST_CASE("module policies: a name that occurs twice is refused, the list being unchanged") {
  amp::OpPolicies policies;
  policies.set("a/", OpPolicy::kFloat32);
  policies.set("a/softmax", OpPolicy::kPromote);
  policies.set("softmax", OpPolicy::kPromote);
  for (const char* name : {"a/", "a/softmax", "softmax"}) {
    CHECK_THAT(error_of([&] { policies.set(name, OpPolicy::kFloat32); }),
               ContainsSubstring("already has a policy"));
  }
  CHECK(policies.entries().size() == 3);
  CHECK_THAT(error_of([] {
               amp::OpPolicies{{"exp", OpPolicy::kPromote}, {"exp", OpPolicy::kPromote}};
             }),
             ContainsSubstring("already has a policy here, promote"));
}

TEST_CASE("module policies: more than 64 are refused, and the state stays") {
  amp::OpPolicies most, more;
  for (int i = 0; i < 64; ++i) most.set("m" + std::to_string(i) + "/", OpPolicy::kFloat32);
  more.set("another/", OpPolicy::kFloat32);
  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kFloat16, .policies = most});
  CHECK_THAT(error_of([&] {
               const amp::AutocastGuard inner(amp::kCPU,
                                              {.dtype = amp::kBFloat16, .policies = more});
             }),
             ContainsSubstring("64") && ContainsSubstring("65"));
  CHECK(amp::autocast_dtype(amp::kCPU) == amp::kFloat16);
  struct Last : amp::nn::Layer<Last> {
    Probe m63{register_module("m63", Probe())};
    Tensor forward(const Tensor& x) const { return m63(x); }
  };
  Last last;
  last.m63.op = "relu";
  (void)last(one());
  CHECK(last.m63.seen->size() == 1);
  CHECK(amp::op_policy("relu") == OpPolicy::kPassthrough);
}

TEST_CASE("check_policies: finds paths that no module has") {
  const Net net;
  net.check_policies({{"a/", OpPolicy::kFloat32},
                      {"*.norm/softmax", OpPolicy::kFloat32},
                      {"exp", OpPolicy::kFloat32},
                      {"head/exp", OpPolicy::kFloat32}});
  net.check_policies({});
  for (const char* name : {"c/", "a.norm.x/softmax", "a.nrm/", "*.*.*/"}) {
    INFO(name);
    CHECK_THAT(error_of([&] {
                 net.check_policies({{name, OpPolicy::kFloat32}});
               }),
               ContainsSubstring("no module") && ContainsSubstring("\"a.norm\""));
  }
  CHECK_THAT(error_of([&] {
               net.head.check_policies({{"a/", OpPolicy::kFloat32}});
             }),
             ContainsSubstring("none"));
}

TEST_CASE("check_policies: finds two of equal length that disagree") {
  const Net net;
  const amp::OpPolicies crossed{{"a.*/", OpPolicy::kFloat32}, {"*.norm/", OpPolicy::kPromote}};
  CHECK_THAT(error_of([&] { net.check_policies(crossed); }), ContainsSubstring("\"a.norm\"") &&
                                                                 ContainsSubstring("\"a.*/\"") &&
                                                                 ContainsSubstring("\"*.norm/\""));
  net.check_policies({{"a.*/", OpPolicy::kFloat32}, {"*.norm/", OpPolicy::kFloat32}});
  net.check_policies({{"a.*/exp", OpPolicy::kFloat32}, {"*.norm/softmax", OpPolicy::kPromote}});
  net.check_policies({{"a.*/", OpPolicy::kFloat32}, {"*.norm/softmax", OpPolicy::kPromote}});
  net.check_policies({{"a/", OpPolicy::kFloat32}, {"a.norm/", OpPolicy::kPromote}});
}

}  // namespace module_policies
