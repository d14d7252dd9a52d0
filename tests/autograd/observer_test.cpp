// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Observers of a thread's events: what they hear, in which order, and what exceptions do.
#include <amp/amp.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace observers {

using amp::Tensor;
using amp_test::error_of;
using Events = std::vector<std::string>;

namespace {

/// Writes down each event; throws at one of them.
class Log : public amp::autograd::Observer {
 public:
  Events events;
  std::string throws_at;

  void op_begins(const amp::autograd::OpEvent& op) override { note("+" + std::string(op.name)); }
  void op_ends(const Tensor& result) override { note(result.defined() ? "-" : "-none"); }
  void op_fails() noexcept override { events.push_back("!"); }
  void tensor_cast(const amp::autograd::CastEvent& cast) override {
    note("cast " + std::string(amp::to_string(cast.to)));
  }
  void module_begins(const std::string& path) override { note("module " + path); }
  void module_ends() noexcept override { events.push_back("module ends"); }
  void backward_begins(const amp::autograd::Node& node, const Tensor&) override {
    note("back " + std::string(node.name()));
  }
  void backward_ends(const amp::autograd::Node&, std::span<const Tensor>) override {
    note("back ends");
  }
  void backward_fails() noexcept override { events.push_back("back fails"); }

  Events take() { return std::exchange(events, {}); }

 private:
  void note(std::string event) {
    if (event == throws_at) throw amp::Error("thrown at " + event);
    events.push_back(std::move(event));
  }
};

using amp::autograd::ObserverGuard;

}  // namespace

TEST_CASE("observers: ops begin and end, and those within an op nest", "[autograd]") {
  const Tensor x = amp::ones({2, 2});
  Log log;
  (void)amp::relu(x);
  {
    const ObserverGuard guard(log);
    (void)amp::relu(x);
    (void)amp::autocast_call(
        "matmul", [](const Tensor& a) { return amp::matmul(a, a); }, x);
    (void)amp::autocast_call(
        "matmul", [](const Tensor&) { return 1; }, x);
    (void)amp::cat({x, x}, 0);
  }
  (void)amp::relu(x);
  CHECK(log.events ==
        Events{"+relu", "-", "+matmul", "+matmul", "-", "-", "+matmul", "-none", "+cat", "-"});
}

TEST_CASE("observers: casts come within their op", "[autograd]") {
  const Tensor x = amp::ones({2, 2}), w = amp::ones({2, 2}, {.requires_grad = true});
  Log log;
  const ObserverGuard guard(log);
  const amp::AutocastGuard autocast(amp::kCPU);
  const Tensor y = amp::matmul(x, w);
  CHECK(log.take() == Events{"+matmul", "cast bfloat16", "cast bfloat16", "-"});
  (void)amp::softmax(y, 1);
  CHECK(log.take().front() == "+softmax");
}

TEST_CASE("observers: an op that throws fails, and so do those around it", "[autograd]") {
  const Tensor x = amp::ones({2, 3});
  Log log;
  const ObserverGuard guard(log);
  CHECK(error_of([&] { (void)amp::matmul(x, x); }) != "");
  CHECK(log.take() == Events{"+matmul", "!"});
  CHECK(error_of([&] {
          (void)amp::autocast_call(
              "add", [](const Tensor& a) { return amp::matmul(a, a); }, x);
        }) != "");
  CHECK(log.take() == Events{"+add", "+matmul", "!", "!"});
  (void)amp::relu(x);
  CHECK(log.take() == Events{"+relu", "-"});
}

TEST_CASE("observers: backward functions begin, end and fail", "[autograd]") {
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  const Tensor y = x.detach().clone();
  amp::autograd::record(
      "thrower", y,
      [](const Tensor&, const amp::autograd::Needs<1>&) -> amp::autograd::Gradients<1> {
        throw amp::Error("thrown in backward");
      },
      x);
  const Tensor loss = amp::sum(y);
  Log log;
  const ObserverGuard guard(log);
  CHECK(error_of([&] { loss.backward(); }) == "thrown in backward");
  REQUIRE(log.events.size() == 4);
  CHECK(log.events[1] == "back ends");
  CHECK(log.events[2] == "back thrower");
  CHECK(log.events[3] == "back fails");
}

TEST_CASE("observers: two hear of everything, the inner one first", "[autograd]") {
  const Tensor x = amp::ones({2});
  Log outer, inner;
  const ObserverGuard outer_guard(outer);
  {
    const ObserverGuard inner_guard(inner);
    (void)amp::relu(x);
  }
  (void)amp::exp(x);
  CHECK(inner.events == Events{"+relu", "-"});
  CHECK(outer.events == Events{"+relu", "-", "+exp", "-"});
}

TEST_CASE("observers: one may have several guards", "[autograd]") {
  Log log;
  const ObserverGuard first(log);
  {
    const ObserverGuard second(log);
    (void)amp::relu(amp::ones({2}));
    CHECK(log.take() == Events{"+relu", "+relu", "-", "-"});
  }
  (void)amp::relu(amp::ones({2}));
  CHECK(log.take() == Events{"+relu", "-"});
}

TEST_CASE("observers: guards may be destroyed in any order", "[autograd]") {
  const Tensor x = amp::ones({2});
  Log a, b, c;
  std::optional<ObserverGuard> first, second, third;
  first.emplace(a);
  second.emplace(b);
  third.emplace(c);
  second.reset();
  (void)amp::relu(x);
  first.reset();
  (void)amp::exp(x);
  third.reset();
  (void)amp::neg(x);
  CHECK(a.events == Events{"+relu", "-"});
  CHECK(b.events.empty());
  CHECK(c.events == Events{"+relu", "-", "+exp", "-"});
  CHECK_FALSE(amp::autograd::is_observed());
}

TEST_CASE("observers: a begin that throws fails those that heard of it", "[autograd]") {
  const amp::nn::ReLU relu;
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  Log outer, inner;
  const ObserverGuard outer_guard(outer), inner_guard(inner);
  outer.throws_at = "+relu";
  CHECK(error_of([&] { (void)amp::relu(x); }) == "thrown at +relu");
  CHECK(inner.take() == Events{"+relu", "!"});
  CHECK(outer.take() == Events{});

  inner.throws_at = "+relu";
  CHECK(error_of([&] { (void)amp::relu(x); }) == "thrown at +relu");
  CHECK(inner.take() == Events{});
  CHECK(outer.take() == Events{});

  inner.throws_at = "";
  outer.throws_at = "module ";
  CHECK(error_of([&] { (void)relu(x); }) == "ReLU: thrown at module ");
  CHECK(inner.take() == Events{"module ", "module ends"});

  outer.throws_at = "";
  const Tensor loss = amp::sum(x);
  inner.take();
  outer.throws_at = "back sum";
  CHECK(error_of([&] { loss.backward(); }) == "thrown at back sum");
  CHECK(inner.take() == Events{"back sum", "back fails"});
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("observers: an end that throws is heard by all", "[autograd]") {
  Log outer, inner;
  const ObserverGuard outer_guard(outer), inner_guard(inner);
  inner.throws_at = "-";
  CHECK(error_of([&] {
          (void)amp::autocast_call(
              "exp", [](const Tensor& a) { return amp::relu(a); }, amp::ones({2}));
        }) == "thrown at -");
  CHECK(inner.events == Events{"+exp", "+relu", "!"});  // what had ended did not fail
  CHECK(outer.events == Events{"+exp", "+relu", "-", "!"});
}

TEST_CASE("observers: a cast that throws fails the op", "[autograd]") {
  Log log;
  log.throws_at = "cast bfloat16";
  const ObserverGuard guard(log);
  const amp::AutocastGuard autocast(amp::kCPU);
  CHECK(error_of([&] {
          (void)amp::matmul(amp::ones({2, 2}), amp::ones({2, 2}));
        }) == "thrown at cast bfloat16");
  CHECK(log.events == Events{"+matmul", "!"});
}

TEST_CASE("observers: what they compute is not announced", "[autograd]") {
  struct Computes : Log {
    float most = 0;
    void op_ends(const Tensor& result) override {
      most = amp::max(result).item<float>();
      Log::op_ends(result);
    }
  } computes;
  Log other;
  const ObserverGuard guard(other), computing(computes);
  (void)amp::exp(amp::zeros({2}));
  CHECK(computes.most == 1);
  CHECK(computes.events == Events{"+exp", "-"});
  CHECK(other.events == Events{"+exp", "-"});
}

TEST_CASE("observers: one may listen to itself with another, for an event", "[autograd]") {
  struct Nested : Log {
    Events inside;
    void op_ends(const Tensor& result) override {
      Log log;
      const ObserverGuard guard(log);
      (void)amp::neg(result);
      inside = log.events;
    }
  } nested;
  const ObserverGuard guard(nested);
  (void)amp::exp(amp::zeros({2}));
  CHECK(nested.inside == Events{"+neg", "-"});
  (void)amp::exp(amp::zeros({2}));
  CHECK(nested.events == Events{"+exp", "+exp"});
}

TEST_CASE("observers: modules announce their paths", "[autograd]") {
  const amp::nn::Sequential net{amp::nn::Sequential{amp::nn::ReLU()}, amp::nn::ReLU()};
  const amp::nn::Linear wrong(3, 3);
  Log log;
  const ObserverGuard guard(log);
  (void)net(amp::ones({2}));
  CHECK(log.take() == Events{"module ", "module 0", "module 0.0", "+relu", "-", "module ends",
                             "module ends", "module 1", "+relu", "-", "module ends",
                             "module ends"});
  (void)net.forward(amp::ones({2}));
  CHECK(log.take().front() == "module 0");
  log.take();
  CHECK(error_of([&] { (void)wrong(amp::ones({2})); }) != "");
  CHECK(log.events == Events{"module ", "module ends"});
}

TEST_CASE("observers: the reason and the dtypes of an op", "[autograd]") {
  struct Keeps : amp::autograd::Observer {
    std::vector<amp::OpPolicy> policies;
    std::vector<amp::PolicyRule> rules;
    std::vector<std::vector<amp::DType>> compute;
    void op_begins(const amp::autograd::OpEvent& op) override {
      policies.push_back(op.policy);
      rules.push_back(op.rule);
      compute.emplace_back(op.compute.begin(), op.compute.end());
    }
  } keeps;
  const ObserverGuard guard(keeps);
  const amp::AutocastGuard autocast(amp::kCPU);
  (void)amp::linear(amp::ones({2, 2}), amp::ones({2, 2}), Tensor());
  CHECK(keeps.policies.at(0) == amp::OpPolicy::kLowPrecision);
  CHECK(keeps.rules.at(0) == amp::PolicyRule::kList);
  REQUIRE(keeps.compute.at(0).size() >= 2);
  CHECK(keeps.compute[0][0] == amp::kBFloat16);
  CHECK(keeps.compute[0][1] == amp::kBFloat16);
}

}  // namespace observers
