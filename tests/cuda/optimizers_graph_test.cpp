// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every optimizer, with a schedule, an average of its weights and skipped steps: eager on the
// device and in a graph, against the host.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/on_both.hpp"
#include "optim/every_optimizer.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace cuda_optimizers_graph {
namespace {

using amp::Tensor;

constexpr int kWarmup = 2, kReplays = 6;

struct Training {
  amp::Device device;
  Tensor p, source;
  std::unique_ptr<amp::Optimizer> optimizer;
  amp::ExponentialMovingAverage ema;
  amp::GradScaler scaler{{.init_scale = 64, .growth_interval = 3}};

  Training(const optim_test::Maker& make, amp::Device where, const amp::Shape& shape)
      : device(where),
        p(amp_test::numbers(shape, 1, amp::kFloat32).to(where).detach().requires_grad_()),
        source(amp::zeros(shape, {.device = where})),
        optimizer(make(
            {p}, {.schedule = amp::sequence_schedule(
                      {amp::linear_schedule(0.2, 1, 3), amp::exponential_schedule(0.8)}, {3})})),
        ema(*optimizer, {.decay = 0.6}) {}
  void load(int i) const {
    source.copy_(amp_test::numbers(source.shape(), 5 + i, amp::kFloat32).to(device));
    if (i == 3) source.fill_(HUGE_VAL);
  }
  void step() {
    optimizer->zero_grad();
    scaler.scale(amp::sum(p * source)).backward();
    (void)scaler.step(*optimizer);
    scaler.update();
  }
  std::vector<Tensor> outcome() const {
    std::vector<Tensor> all{p.detach(), ema.averages()[0]};
    for (const auto& [name, tensor] : optimizer->state_dict()) all.push_back(tensor);
    for (const auto& [name, tensor] : ema.state_dict()) all.push_back(tensor);
    return all;
  }
};

void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b, bool powers) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("tensor " << i);
    const auto x = a[i].to_vector<double>(), y = b[i].to_vector<double>();
    if (powers)
      CHECK(amp_test::difference(x, y) < 1e-4);
    else
      CHECK(x == y);
  }
}

/// `rounds`: host and device do not round alike.
void check_graph(const optim_test::Maker& make, const amp::Shape& shape, bool rounds) {
  Training host(make, amp::kCPU, shape), eager(make, amp::kCUDA, shape),
      recorded(make, amp::kCUDA, shape);
  for (Training* training : {&host, &eager}) {
    training->load(100);
    for (int i = 0; i < kWarmup; ++i) training->step();
    for (int i = 0; i < kReplays; ++i) {
      training->load(i);
      training->step();
    }
  }
  recorded.load(100);
  amp::cuda::Graph graph([&] { recorded.step(); }, {.warmup = kWarmup});
  for (int i = 0; i < kReplays; ++i) {
    recorded.load(i);
    graph.replay();
  }
  CHECK(recorded.scaler.counters().skipped == 1);
  CHECK(recorded.ema.n_averaged() == kWarmup + kReplays - 1);
  check_same(recorded.outcome(), eager.outcome(), false);
  check_same(eager.outcome(), host.outcome(), rounds);
}

TEST_CASE("cuda optimizers: graphs, with schedules, averages and skips, are the host's", "[cuda]") {
  for (const auto& [name, make] : optim_test::every_optimizer()) {
    INFO(name);
    check_graph(make, {67}, cuda_test::kOwnMath);
  }
}

TEST_CASE("cuda Muon: a graph, with a schedule, an average and a skip, is the host's", "[cuda]") {
  check_graph(optim_test::maker<amp::Muon>({.lr = 0.02, .ns_dtype = amp::kFloat32}), {9, 7}, true);
}

TEST_CASE("cuda Adafactor: a graph of matrices is the host's", "[cuda]") {
  for (const amp::Shape& shape : {amp::Shape{9, 7}, amp::Shape{2, 3, 5}, amp::Shape{}})
    check_graph(optim_test::maker<amp::Adafactor>({.lr = 0.3, .weight_decay = 0.1}), shape, true);
}

TEST_CASE("cuda optimizers: a graph takes the rates of LambdaLR and of a plateau", "[cuda]") {
  const auto run = [](bool records) {
    const Tensor p = amp::zeros({3}, {.device = amp::kCUDA, .requires_grad = true});
    amp::SGD sgd({p}, {.lr = 1});
    amp::LambdaLR scheduler(sgd, [](std::int64_t t) { return std::pow(0.5, t); });
    p.set_grad(amp::ones({3}, {.device = amp::kCUDA}));
    const auto step = [&] { sgd.step(); };
    std::unique_ptr<amp::cuda::Graph> graph;
    if (records)
      graph = std::make_unique<amp::cuda::Graph>(step, amp::cuda::GraphOptions{.warmup = 1});
    else
      step();
    amp::ReduceLROnPlateau plateau(sgd, {.factor = 0.25, .patience = 0});
    std::vector<float> weights;
    for (int i = 0; i < 6; ++i) {
      scheduler.step();
      if (i == 3) plateau.step(1);
      if (i == 4) plateau.step(2);
      records ? graph->replay() : step();
      weights.push_back(p.to_vector<float>()[0]);
    }
    return weights;
  };
  CHECK(run(true) == run(false));
}

}  // namespace
}  // namespace cuda_optimizers_graph
