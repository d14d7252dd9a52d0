// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every allocation of a training step fails once: in the first step of a process, in the first of
// an optimizer, and later. Each time: an amp::Error; then parameters and optimizer state are those
// before the step or those after it, and so is the scaler's state; the next step is that of a twin
// which never failed; nothing is lost.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>

#include <stdlib.h>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/heap.hpp"
#include "support/step_state.hpp"

namespace out_of_memory {
namespace {

// Every object of amp comes from the allocator and goes back to it: each may fail.
const bool no_reuse = setenv("AMP_HOST_CACHE", "0", 1) == 0;

using amp::Tensor;
using amp_test::StepState;
using amp_test::heap::live;

struct Outcome {
  bool failed;        // whether there was an allocation to fail
  std::string error;  // what was thrown; empty where nothing was
};

/// body(), whose nth allocation fails.
template <class Body>
Outcome failing(std::int64_t nth, Body&& body) {
  const amp_test::heap::FailingAllocation allocation(nth);
  try {
    body();
  } catch (const std::exception& caught) {
    const bool expected = dynamic_cast<const amp::Error*>(&caught) != nullptr;
    return {true, expected ? caught.what() : "not an amp::Error"};
  }
  return {allocation.failed(), ""};
}
bool said(const Outcome& outcome) {
  return outcome.error.find("out of memory") != std::string::npos;
}

/// Layers whose weights are cast, and what trains them.
template <class Optimizer, class Options>
class Training {
 public:
  explicit Training(const Options& options)
      : optimizer_({{.params = made(), .options = options}}) {}

  void step() {
    const auto loss_of = amp::autocast(amp::kCPU, {}, [&] {
      const Tensor n = amp::checkpoint(
          [this](const Tensor& x) {
            (void)amp::rand({3});  // the recomputation has its numbers again
            const Tensor h = amp::relu(amp::linear(x, at(0), at(1)));
            return amp::batch_norm(h, mean_, var_, at(2), at(3), true);
          },
          x_);
      return amp::cross_entropy(amp::linear(amp::cat({n, n}, 1), at(4)), y_);
    });
    optimizer_.zero_grad();
    scaler_.scale(loss_of()).backward();
    (void)scaler_.unscale_and_clip(optimizer_, 0.5);
    (void)scaler_.step(optimizer_);
    scaler_.update();
  }
  /// The same, in the order of torch's loops.
  void step_as_torch() {
    optimizer_.zero_grad();
    scaler_.scale(amp::mse_loss(amp::linear(x_, at(0), at(1)), amp::zeros({4, 8}))).backward();
    scaler_.unscale_(optimizer_);
    try {
      amp::clip_grad_norm_(optimizer_.parameters(), 0.5);
    } catch (...) {  // not the scaler's, which only hears of it so
      scaler_.load_state_dict(scaler_.state_dict());
      throw;
    }
    (void)scaler_.step(optimizer_);
    scaler_.update();
  }

  StepState state() const {
    StepState state;
    amp::NamedTensors all = optimizer_.state_dict();
    for (const Tensor& p : optimizer_.parameters()) all.emplace_back("", p.detach());
    state.stepped = amp_test::values_of(all);
    state.scaler = scaler_.state_dict();
    state.running = amp_test::values_of({{"mean", mean_}, {"var", var_}});
    return state;
  }
  void become(const Training& other) {
    const amp::NoGradGuard no_grad;
    for (std::size_t i = 0; i < 5; ++i) at(i).copy_(other.at(i).detach());
    mean_.copy_(other.mean_);
    var_.copy_(other.var_);
    optimizer_.load_state_dict(other.optimizer_.state_dict());
    scaler_.load_state_dict(other.scaler_.state_dict());
  }

 private:
  static std::vector<Tensor> made() {
    amp::manual_seed(4);
    const auto leaf = [](const amp::Shape& shape) { return amp::randn(shape).requires_grad_(); };
    return {leaf({8, 6}), leaf({8}), leaf({8}), leaf({8}), leaf({3, 16})};
  }
  const Tensor& at(std::size_t i) const { return optimizer_.parameters()[i]; }

  Optimizer optimizer_;
  amp::GradScaler scaler_{{.init_scale = 256, .growth_interval = 2}};
  Tensor x_ = amp::randn({4, 6}), y_ = amp::tensor({0, 1, 2, 1}, {4});
  Tensor mean_ = amp::zeros({8}), var_ = amp::ones({8});
};

template <class Optimizer, class Options>
class Check {
  using Trained = Training<Optimizer, Options>;
  using Step = void (Trained::*)();

 public:
  Check(const Options& options, Step step) : options_(options), step_(step) {
    Trained training(options_);
    expected_.push_back(training.state());
    for (int i = 0; i < 4; ++i) {
      (training.*step_)();
      expected_.push_back(training.state());
    }
    REQUIRE((expected_[0].stepped != expected_[1].stepped));
  }

  /// Fails each allocation of step `at` in turn, up to 1,000 of them; returns how many there were.
  std::int64_t run(std::size_t at) {
    for (std::int64_t nth = 0; nth < 1000; ++nth) {
      CAPTURE(at, nth);
      const std::int64_t before = live;
      if (!fail_one(at, nth)) return nth;
      CHECK(live == before);
    }
    return 1000;
  }

 private:
  bool fail_one(std::size_t at, std::int64_t nth) {
    Trained training(options_);
    for (std::size_t i = 0; i < at; ++i) (training.*step_)();
    const Outcome outcome = failing(nth, [&] { (training.*step_)(); });
    if (!outcome.failed) return false;
    CHECK(said(outcome));
    const StepState now = training.state();
    CHECK(amp_test::is_whole(now, expected_[at], expected_[at + 1]));
    Trained twin(options_);
    (twin.*step_)();
    twin.become(training);
    (twin.*step_)();
    (training.*step_)();
    CHECK((training.state() == twin.state()));
    return true;
  }

  Options options_;
  Step step_;
  std::vector<StepState> expected_;  // before each step of a run that never failed
};

template <class Optimizer, class Options>
void check(const Options& options) {
  using Trained = Training<Optimizer, Options>;
  for (const auto step : {&Trained::step, &Trained::step_as_torch}) {
    Check<Optimizer, Options> allocations(options, step);
    CHECK(allocations.run(0) > 100);
    CHECK(allocations.run(2) > 80);
  }
}

TEST_CASE("out of memory: every allocation of a step with SGD") {
  check<amp::SGD>(amp::SGDOptions{.lr = 0.1, .momentum = 0.9});
}

TEST_CASE("out of memory: every allocation of a step with AdamW") {
  check<amp::AdamW>(amp::AdamOptions{.lr = 0.01});
}

TEST_CASE("out of memory: every allocation of the first step of a process") {
  using Trained = Training<amp::SGD, amp::SGDOptions>;
  const auto options = amp::SGDOptions{.lr = 0.1};
  int wrong = 0;
  for (std::int64_t nth = 0; nth < 400; ++nth) {
    const std::optional<int> status = amp_test::status_of_child([&] {
      std::optional<Trained> training;
      const Outcome outcome = failing(nth, [&] {
        amp::parallel_for(4, [](std::int64_t) {});
        training.emplace(options);
        training->step();
      });
      if (!outcome.failed) return 77;
      // It may do with fewer threads, and the lists of parameters are this test's.
      if (training && !said(outcome) && !outcome.error.empty()) return 1;
      if (!training) training.emplace(options);
      training->step();
      return 0;
    });
    if (status == 77) {
      CHECK(nth > 100);
      break;
    }
    CAPTURE(nth);
    CHECK(status.value_or(-2) == 0);
    wrong += status == 0 ? 0 : 1;
    if (wrong > 5) break;
  }
}

TEST_CASE("out of memory: a graph is destroyed without memory") {
  Tensor x = amp::ones({2}, {.requires_grad = true});
  for (int i = 0; i < 1000; ++i) x = x + x;
  CHECK(!failing(0, [&] { x = Tensor(); }).failed);
}

TEST_CASE("out of memory: a backward pass adds to all gradients or to none") {
  const Tensor a = amp::ones({2}, {.requires_grad = true}),
               b = amp::ones({2}, {.requires_grad = true});
  for (std::int64_t nth = 0;; ++nth) {
    CAPTURE(nth);
    const Tensor y = amp::sum(a + b);  // one gradient for both
    if (!failing(nth, [&] { y.backward(); }).failed) break;
    CHECK(!a.grad().defined());
    CHECK(!b.grad().defined());
  }
  CHECK(a.grad().to_vector<float>() == b.grad().to_vector<float>());
}

TEST_CASE("out of memory: a module that lacks memory to be moved stays as it is") {
  const amp::nn::Sequential net(amp::nn::Linear(2, 2), amp::nn::BatchNorm2d(2));
  amp::SGD optimizer(net.parameters(), {.lr = 0.1});
  const Tensor x = amp::ones({2, 2, 1, 1});
  const auto weights_are = [&](amp::DType dtype) {
    for (const Tensor& p : net.parameters()) {
      if (p.dtype() != dtype || !p.requires_grad() || p.impl().is_view) return false;
    }
    return true;
  };
  for (std::int64_t nth = 0;; ++nth) {
    CAPTURE(nth);
    const Outcome outcome = failing(nth, [&] {
      (void)amp::initialize(net, optimizer, amp::OptLevel::kO3, {.dtype = amp::kBFloat16});
    });
    if (!outcome.failed) break;
    CHECK(said(outcome));
    CHECK(weights_are(amp::kFloat32));
  }
  CHECK(weights_are(amp::kBFloat16));
}

TEST_CASE("out of memory: calls that return what the standard library holds") {
  Training<amp::AdamW, amp::AdamOptions> training({});
  training.step();
  const Tensor x = amp::ones({64}, {.dtype = amp::kFloat16});
  const auto fails = [](auto call) {
    std::int64_t nth = 0;
    for (;; ++nth) {
      const Outcome outcome = failing(nth, call);
      if (!outcome.failed) return nth > 0;
      if (!said(outcome)) return false;
    }
  };
  CHECK(fails([&] { (void)x.to_vector<float>(); }));
  CHECK(fails([&] { (void)amp::tensor({1.0, 2.0}, {2}); }));
  CHECK(fails([&] { (void)to_string(x); }));
}

TEST_CASE("out of memory: the search for values that are not finite") {
  const Tensor infinities = amp::full({64}, HUGE_VAL);
  std::int64_t nth = 0;
  for (;; ++nth) {
    CAPTURE(nth);
    const Outcome outcome = failing(nth, [&] {
      const amp::AnomalyGuard guard;
      (void)amp::relu(infinities);
    });
    if (!outcome.failed) break;
    CHECK((said(outcome) || outcome.error.empty()));  // some memory it can do without
  }
  CHECK(nth > 5);
}

}  // namespace
}  // namespace out_of_memory
