// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Storages of weights in CUDA graphs: replays take the steps that eager code takes, bit for bit.
// And what a step costs: one launch.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "optim/storage_cases.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_weight_storage_graph {
namespace {

using namespace storage_test;

constexpr int kWarmup = 2, kReplays = 8;

/// Steps whose gradients come from a static tensor, under a scaler; one of them is skipped.
struct Training {
  Case c;
  Tensors params, sources;
  std::unique_ptr<amp::Optimizer> optimizer;
  amp::GradScaler scaler{{.init_scale = 64, .growth_interval = 3}};

  explicit Training(const Case& kind) : c(kind), params(parameters(kind.dtype, amp::kCUDA)) {
    params.resize(3);
    for (const Tensor& p : params) sources.push_back(amp::zeros(p.shape(), {.device = amp::kCUDA}));
    optimizer = make(c, params);
  }
  void load(int i) const {
    amp::manual_seed(static_cast<std::uint64_t>(i));
    for (const Tensor& source : sources) source.copy_(amp::randn(source.shape()));
    if (i == 3) sources[2].fill_(HUGE_VAL);
  }
  void step() {
    if (!c.zero_grad) optimizer->zero_grad();
    Tensor loss = amp::zeros({}, {.device = amp::kCUDA});
    for (std::size_t i = 0; i < params.size(); ++i)
      loss = loss + amp::sum(params[i].to(amp::kFloat32) * sources[i]);
    scaler.scale(loss).backward();
    (void)scaler.unscale_and_clip(*optimizer, 3.0);
    (void)scaler.step(*optimizer);
    scaler.update();
  }
  std::vector<Bits> outcome() const {
    std::vector<Bits> all = bits_of(params, *optimizer);
    for (const Tensor& p : params) all.push_back(bits_of(p.grad()));
    return all;
  }
};

TEST_CASE("cuda weight storage: a graph replays what eager code does", "[cuda]") {
  for (Case c : cases()) {
    const bool lamb =
        c.formula == Formula::kLamb && c.storage == WeightStorage::kMaster && !c.moments;
    if (c.formula != Formula::kMomentum && c.formula != Formula::kAdamW && !lamb) continue;
    for (const bool zero : {false, true}) {
      c.zero_grad = zero;
      INFO(c.text() << " " << zero);
      Training eager(c), recorded(c);
      eager.load(100);
      for (int i = 0; i < kWarmup; ++i) eager.step();
      for (int i = 0; i < kReplays; ++i) {
        eager.load(i);
        eager.step();
      }
      recorded.load(100);
      amp::cuda::Graph graph([&] { recorded.step(); }, {.warmup = kWarmup});
      for (int i = 0; i < kReplays; ++i) {
        recorded.load(i);
        graph.replay();
      }
      CHECK(recorded.scaler.counters().skipped == 1);
      CHECK((recorded.outcome() == eager.outcome()));
    }
  }
}

/// What is written to the parameters beside the steps: between them, or in the recorded function.
enum class Writes { kNone, kBetween, kBeforeStep, kAfterStep };

void train(Training& training, Writes writes, bool recorded) {
  const auto halve = [&] {
    const Tensor p = training.params[2].detach();
    p.copy_(p * 0.5);
  };
  const auto step = [&] {
    if (writes == Writes::kBeforeStep) halve();
    training.step();
    if (writes == Writes::kAfterStep) halve();
  };
  training.load(100);
  std::unique_ptr<amp::cuda::Graph> graph;
  if (recorded) {
    graph = std::make_unique<amp::cuda::Graph>(step, amp::cuda::GraphOptions{.warmup = kWarmup});
  } else {
    for (int i = 0; i < kWarmup; ++i) step();
  }
  for (int i = 0; i < kReplays; ++i) {
    training.load(i);
    if (writes == Writes::kBetween && i % 3 == 1) training.params[1].detach().fill_(0.5);
    recorded ? graph->replay() : step();
  }
}

TEST_CASE("cuda weight storage: steps follow what is written beside a graph, and in it", "[cuda]") {
  for (const Case& c : cases()) {
    if (c.formula != Formula::kAdamW || c.moments) continue;
    for (const Writes writes :
         {Writes::kNone, Writes::kBetween, Writes::kBeforeStep, Writes::kAfterStep}) {
      INFO(c.text() << ", " << static_cast<int>(writes));
      Training eager(c), recorded(c);
      train(eager, writes, false);
      train(recorded, writes, true);
      CHECK((recorded.outcome() == eager.outcome()));
    }
  }
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda weight storage: a step is one launch, without allocation or synchronisation",
          "[cuda][cached]") {
  for (Case c : cases()) {
    INFO(c.text());
    c.zero_grad = true;
    const Tensors params = parameters(c.dtype, amp::kCUDA);
    const auto optimizer = make(c, params);
    set_gradients(params, 0, c.dtype);
    for (int i = 0; i < 2; ++i) optimizer->step();
    const standin::Counters before = standin::toolkit().counters;
    optimizer->step();
    const standin::Counters& now = standin::toolkit().counters;
    // LAMB's norms are two more.
    CHECK(now.launches == before.launches + (c.formula == Formula::kLamb ? 3 : 1));
    CHECK(now.allocations == before.allocations);
    CHECK(now.synchronisations == before.synchronisations);
    CHECK(now.to_host == before.to_host);
  }
}

TEST_CASE("cuda weight storage: a step that fails has written nothing", "[cuda]") {
  for (Case c : cases()) {
    const bool lamb = c.formula == Formula::kLamb && c.storage == WeightStorage::kKahan;
    if (c.formula != Formula::kMomentum && c.formula != Formula::kAdamW && !lamb) continue;
    INFO(c.text());
    c.zero_grad = true;
    const Tensors params = parameters(c.dtype, amp::kCUDA);
    const auto optimizer = make(c, params);
    set_gradients(params, 0, c.dtype);
    Tensors gradients;
    for (const Tensor& p : params) gradients.push_back(p.grad());
    const auto before = bits_of(params, *optimizer), bits = bits_of(gradients);
    int failed = 0;
    for (;; ++failed) {
      standin::toolkit().fail("", failed, cudaErrorInvalidValue);
      const std::string error = amp_test::error_of([&] { optimizer->step(); });
      standin::toolkit().reset();
      if (error.empty()) break;
      REQUIRE((bits_of(params, *optimizer) == before));
      REQUIRE((bits_of(gradients) == bits));
    }
    CHECK(failed > 3);
    CHECK((bits_of(params, *optimizer) != before));
  }
}
#endif

}  // namespace
}  // namespace cuda_weight_storage_graph
