// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a graph's replays do on the host, and the memory that objects of a graph have: it is there
// in whatever order the recording asks for it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_replayable {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::cuda::Graph;
using amp::detail::Capture;

constexpr amp::TensorOptions kOnDevice{.device = kCUDA};

/// Sets a number on the device before each replay.
class Rate final : public amp::detail::Replayable {
 public:
  Rate(const Tensor& rate, const double& wanted, int& calls)
      : rate_(rate), wanted_(wanted), calls_(calls) {}
  void before_replay() override {
    ++calls_;
    rate_.fill_(wanted_);
  }

 private:
  Tensor rate_;
  const double& wanted_;
  int& calls_;
};

TEST_CASE("graph: what has to come before a replay is done before each", "[cuda]") {
  const Tensor rate = amp::zeros({}, kOnDevice), x = amp::zeros({3}, kOnDevice);
  double wanted = 1;
  int calls = 0;
  {
    Graph graph(
        [&] {
          Capture::current()->make<Rate>(rate, wanted, calls);
          if (!amp::detail::in_recording()) rate.fill_(wanted);
          x.copy_(x + rate);
        },
        {.warmup = 2});
    CHECK(calls == 0);
    graph.replay();
    wanted = 10;
    graph.replay();
    CHECK(calls == 2);
    CHECK(x.to_vector<float>() == std::vector<float>(3, 13));
  }
  CHECK(calls == 2);
}

/// Notes the work that it comes before and after, and its end.
class Witness final : public amp::detail::Replayable {
 public:
  Witness(std::string name, std::vector<std::string>& seen, const Tensor& x)
      : name_(std::move(name)), seen_(seen), x_(x) {}
  void before_replay() override { note("before"); }
  void after_replay() override { note("after"); }

 private:
  ~Witness() override { note("released"); }
  void note(const std::string& when) {
    seen_.push_back(name_ + " " + when + " " + std::to_string(x_.version()));
  }

  std::string name_;
  std::vector<std::string>& seen_;
  Tensor x_;
};

TEST_CASE("graph: its objects see the versions before and after a replay, and go with it",
          "[cuda]") {
  using Seen = std::vector<std::string>;
  Seen seen;
  const Tensor x = amp::zeros({3}, kOnDevice);
  int calls = 0;
  std::optional<Graph> graph(std::in_place, [&] {
    if (++calls == 4) Capture::current()->make<Witness>("a", seen, x);
    x.fill_(calls);
    if (calls == 4) Capture::current()->make<Witness>("b", seen, x);
  });
  const std::uint64_t version = x.version();
  const auto at = [&](std::uint64_t more) { return " " + std::to_string(version + more); };
  CHECK(seen.empty());
  for (std::uint64_t i = 0; i < 3; ++i) {
    graph->replay();
    // The storage of x was added after a and before b.
    CHECK(std::exchange(seen, {}) ==
          Seen{"a before" + at(i), "b before" + at(i), "b after" + at(i), "a after" + at(i + 1)});
  }
  graph.reset();
  CHECK(seen == Seen{"b released" + at(3), "a released" + at(3)});
  CHECK(x.to_vector<float>() == std::vector<float>(3, 4));
}

TEST_CASE("graph: each call has an id of its own, and code outside has none", "[cuda]") {
  const Tensor x = amp::ones({3}, kOnDevice);
  std::vector<std::uint64_t> ids{amp::detail::capture_id()};
  Graph graph(
      [&] {
        (void)amp::exp(x);
        ids.push_back(amp::detail::capture_id());
      },
      {.warmup = 2});
  REQUIRE(ids.size() == 4);
  CHECK(ids[0] == 0);
  CHECK(ids[1] != 0);
  CHECK(ids[1] < ids[2]);
  CHECK(ids[2] < ids[3]);
  CHECK(amp::detail::capture_id() == 0);
}

// --- memory, in whatever order it is asked for ---------------------------------------------------

/// An optimizer over `count` parameters, each with a gradient.
struct Trained {
  std::vector<Tensor> parameters = {};
  std::optional<amp::SGD> optimizer = {};

  Trained(int count, double lr) {
    for (int i = 0; i < count; ++i) {
      parameters.push_back(amp::full({1 + i % 5}, i, kOnDevice).requires_grad_());
      parameters.back().set_grad(amp::full({1 + i % 5}, 1 + i % 3, kOnDevice));
    }
    optimizer.emplace(parameters, amp::SGDOptions{.lr = lr, .momentum = 0.5});
  }
  std::vector<float> values() const {
    std::vector<float> all;
    for (const Tensor& p : parameters) {
      const auto some = p.to_vector<float>();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
};

TEST_CASE("graph: the recording may use lists of tensors in another order than its warm-ups",
          "[cuda]") {
  constexpr int kSmall = 3, kLarge = 150, kReplays = 4;
  const auto run = [&](bool recorded) {
    Trained small(kSmall, 0.1), large(kLarge, 0.01);
    const auto step = [&] {
      Trained* order[] = {&small, &large};
      if (amp::detail::in_recording()) std::swap(order[0], order[1]);
      for (Trained* const trained : order) {
        (void)amp::clip_grad_norm_(trained->parameters, 1);  // its table is a temporary
        trained->optimizer->step();
      }
    };
    std::optional<Graph> graph;
    if (recorded) graph.emplace(step, amp::cuda::GraphOptions{.warmup = 2});
    for (int i = 0; !recorded && i < 2; ++i) step();
    for (int i = 0; i < kReplays; ++i) recorded ? graph->replay() : step();
    return std::pair(small.values(), large.values());
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("graph: an optimizer may step twice in a call, with other gradients", "[cuda]") {
  const auto run = [](bool recorded) {
    const Tensor a = amp::ones({3}, kOnDevice).requires_grad_();
    const Tensor b = amp::ones({5}, kOnDevice).requires_grad_();
    const Tensor of_a = amp::full({3}, 0.5, kOnDevice), of_b = amp::full({5}, 2, kOnDevice);
    amp::SGD optimizer({a, b}, {.lr = 0.1});
    const auto step = [&] {
      a.set_grad(of_a);
      b.set_grad(Tensor());
      optimizer.step();
      a.set_grad(of_a * 3);
      b.set_grad(of_b);
      optimizer.step();
    };
    std::optional<Graph> graph;
    for (int i = 0; !recorded && i < 2; ++i) step();
    if (recorded) graph.emplace(step, amp::cuda::GraphOptions{.warmup = 2});
    for (int i = 0; i < 4; ++i) {
      if (i == 2) optimizer.options().lr = 0.01;
      recorded ? graph->replay() : step();
    }
    return std::pair(a.to_vector<float>(), b.to_vector<float>());
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("graph: memory that only the recording asks for is refused, with its use", "[cuda]") {
  Trained trained(3, 0.1);
  trained.optimizer->step();
  const Tensor x = amp::ones({40}, kOnDevice);
  const auto error_of_recording = [&](const auto& call) {
    return amp_test::error_of([&] {
      Graph graph([&] {
        (void)amp::exp(x);
        if (amp::detail::in_recording()) call();
      });
    });
  };
  CHECK_THAT(error_of_recording([&] { (void)amp::rand({40}, kOnDevice); }),
             Catch::Matchers::Equals("Graph: the callable draws random numbers, which its warm-ups "
                                     "did not do; every call has to do the same"));
  CHECK_THAT(error_of_recording([&] { trained.optimizer->step(); }),
             Catch::Matchers::Equals("Graph: the callable steps optimizers more often than its "
                                     "warm-ups did; every call has to do the same"));
}

TEST_CASE("graph: random numbers go on in a graph that draws none at first", "[cuda]") {
  const auto run = [](bool recorded) {
    amp::manual_seed(5);
    Tensor none, some;
    const auto step = [&] {
      none = amp::rand({0}, kOnDevice);
      some = amp::rand({7}, kOnDevice) + amp::rand({7}, kOnDevice);
    };
    std::optional<Graph> graph;
    if (recorded) {
      graph.emplace(step, amp::cuda::GraphOptions{.warmup = 2});
      graph->replay();
      graph->replay();
    } else {
      for (int i = 0; i < 4; ++i) step();
    }
    return std::pair(some.to_vector<float>(), amp::get_rng_state().offset);
  };
  CHECK(run(true) == run(false));
}

}  // namespace
}  // namespace cuda_replayable
