// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Opt levels on the device: models that are there before initialize train, eagerly and in a graph.
#include <amp/cuda.hpp>

#include <vector>

#include "precision/training.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_precision {
namespace {

using namespace precision_test;
using amp::kBFloat16;
using amp::kFloat16;
using amp::OptLevel;
using amp::WeightStorage;
using enum amp::WeightStorage;

constexpr int kWarmup = 2, kReplays = 4;

/// The largest distance of two lists of weights.
float distance(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most =
        (std::max)(most, amp::max(amp::abs(a[i].to(amp::kCPU) - b[i].to(amp::kCPU))).item<float>());
  return most;
}

struct Kind {
  OptLevel level;
  amp::PrecisionOptions options;
};
std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO1, OptLevel::kO2, OptLevel::kO3}) {
    for (const amp::DType dtype : {kBFloat16, kFloat16}) all.push_back({level, {.dtype = dtype}});
  }
  for (const WeightStorage storage : {kParameter, kRemainder, kStochastic, kKahan})
    all.push_back({OptLevel::kO2, {.dtype = kBFloat16, .storage = storage}});
  return all;
}

template <class Optimizer>
void check_graph(const Kind& kind) {
  Training<Optimizer> eager(1, amp::kCUDA, kind.level, kind.options);
  Training<Optimizer> recorded(1, amp::kCUDA, kind.level, kind.options);
  Training<Optimizer> host(1, amp::kCPU, kind.level, kind.options);
  CHECK(eager.precision.device == amp::Device(amp::kCUDA));
  for (const Tensor& tensor : eager.net.parameters()) CHECK(tensor.device().type == amp::kCUDA);
  REQUIRE(distance(eager.optimizer.master_weights(), host.optimizer.master_weights()) == 0);
  const std::vector<Tensor> start = eager.optimizer.master_weights();
  for (int i = 0; i < kWarmup; ++i) eager.step(50), host.step(50);
  for (int i = 0; i < kReplays; ++i) eager.step(i), host.step(i);
  recorded.load(50);
  amp::cuda::Graph graph([&] { recorded.step(); }, {.warmup = kWarmup});
  for (int i = 0; i < kReplays; ++i) {
    recorded.load(i);
    graph.replay();
  }
  CHECK((recorded.outcome() == eager.outcome()));
  const std::vector<Tensor> weights = eager.optimizer.master_weights();
  CHECK(distance(weights, start) > 0.01F);
  CHECK(distance(weights, host.optimizer.master_weights()) < 0.05F);
}

}  // namespace

TEST_CASE("cuda precision: a model on the device trains at every level, in a graph as outside",
          "[cuda]") {
  for (const Kind& kind : kinds()) {
    INFO(amp::name(kind.level) << " " << amp::name(*kind.options.dtype) << " "
                               << amp::name(kind.options.storage.value_or(kMaster)));
    check_graph<amp::SGD>(kind);
    check_graph<amp::AdamW>(kind);
  }
}

TEST_CASE("cuda precision: a state loaded between the replays of a graph is what they go on from",
          "[cuda]") {
  for (const Kind& kind : kinds()) {
    INFO(amp::name(kind.level) << " " << amp::name(*kind.options.dtype));
    Training<amp::AdamW> training(1, amp::kCUDA, kind.level, kind.options);
    training.load(50);
    amp::cuda::Graph graph([&] { training.step(); }, {.warmup = kWarmup});
    const auto replay = [&] {
      for (int i = 0; i < kReplays; ++i) {
        training.load(i);
        graph.replay();
      }
    };
    amp::NamedTensors model;
    for (const auto& [name, tensor] : training.net.state_dict())
      model.emplace_back(name, tensor.detach().clone());
    const amp::NamedTensors optimizer = training.optimizer.state_dict();
    const amp::GradScalerState scaler = training.scaler.state_dict();
    replay();
    const auto outcome = training.outcome();
    training.net.load_state_dict(model);
    training.optimizer.load_state_dict(optimizer);
    training.scaler.load_state_dict(scaler);
    replay();
    CHECK((training.outcome() == outcome));
  }
}

TEST_CASE("cuda precision: a model moved after initialize is refused by the step, unharmed",
          "[cuda]") {
  Training<amp::AdamW> training(1, amp::kCPU, OptLevel::kO2, {.dtype = kBFloat16});
  training.net.to(amp::kCUDA);
  training.x = training.x.to(amp::kCUDA);
  training.y = training.y.to(amp::kCUDA);
  const std::vector<Bits> before = bits_of(training.net.parameters());
  CHECK(amp_test::error_of([&] { training.step(0); }) != "");
  CHECK((bits_of(training.net.parameters()) == before));
}

TEST_CASE("cuda precision: a model moved after its optimizer was made trains on", "[cuda]") {
  const auto train = [](auto& training) {
    for (int i = 0; i < 5; ++i) training.step(i);
  };
  const auto check = [&]<class Optimizer>(Optimizer*) {
    const Kind kind{OptLevel::kO0, {.dtype = kFloat16}};
    Training<Optimizer> moved(1, amp::kCPU, kind.level, kind.options);
    Training<Optimizer> host(1, amp::kCPU, kind.level, kind.options);
    moved.net.to(amp::kCUDA);
    moved.x = moved.x.to(amp::kCUDA);
    moved.y = moved.y.to(amp::kCUDA);
    train(moved), train(host);
    CHECK(moved.optimizer.applied_steps() == 5);
    for (const auto& [name, tensor] : moved.optimizer.state_dict()) {
      INFO(name);
      CHECK((name.starts_with("groups.") || tensor.device() == amp::Device(amp::kCUDA)));
    }
    CHECK(distance(moved.net.parameters(), host.net.parameters()) < 0.05F);
  };
  check(static_cast<amp::SGD*>(nullptr));
  check(static_cast<amp::AdamW*>(nullptr));

  // Half a model cannot be trained.
  Training<amp::SGD> half(1, amp::kCPU, OptLevel::kO0, {.dtype = kFloat16});
  half.net.last.to(amp::kCUDA);
  for (const Tensor& p : half.optimizer.parameters())
    p.set_grad(amp::ones(p.shape(), {.device = p.device()}));
  const std::vector<Bits> before = bits_of(half.net.parameters());
  CHECK_THAT(amp_test::error_of([&] { half.optimizer.step(); }),
             Catch::Matchers::ContainsSubstring("but params[0] is on cpu"));
  CHECK((bits_of(half.net.parameters()) == before));
}

}  // namespace cuda_precision
