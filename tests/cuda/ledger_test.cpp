// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ledger on the CUDA device: what the host says, bit for bit; recorded without waiting, also by
// the replays of a graph; and nothing of it if it is off.
#include <amp/diagnostics.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_ledger {
namespace {

using amp::kCUDA;
using amp::Tensor;

const double kNan = std::nan("");

enum class Path { kStep, kUnscale, kClip };
constexpr Path kPaths[] = {Path::kStep, Path::kUnscale, Path::kClip};

/// Not scale-aware: its gradients are unscaled in place.
struct RawOptimizer {
  std::vector<Tensor> all;

  std::vector<amp::TensorView> gradients() const {
    std::vector<amp::TensorView> views;
    for (const Tensor& g : all)
      views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device(), "raw"});
    return views;
  }
  void step() {}
};

/// Gradients of every dtype: empty ones, small ones, one of several chunks; some are bad.
std::vector<Tensor> gradients(bool bad) {
  amp::manual_seed(4);
  std::vector<Tensor> all;
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
    for (const std::int64_t numel : {0, 1, 7, 4100, 70001}) {
      if (numel == 70001 && dtype == amp::kBFloat16) continue;  // takes its time
      Tensor g = amp::randn({numel}) * 0x1p-14;
      if (numel >= 7) {
        g.narrow(0, 1, 3).fill_(0);
        g.narrow(0, 4, 1).fill_(-0x1p-26);
      }
      if (bad && numel >= 4100) {
        g.narrow(0, numel - 2, 1).fill_(kNan);
        g.narrow(0, numel - 5, 1).fill_(-HUGE_VAL);
      }
      all.push_back(g.to(dtype));
    }
  }
  return all;
}

void check_same(const amp::LedgerPass& host, const amp::LedgerPass& device) {
  CHECK(host.number == device.number);
  CHECK(host.scale == device.scale);
  CHECK(host.found_inf == device.found_inf);
  CHECK(host.losses == device.losses);
  CHECK(std::memcmp(&host.loss, &device.loss, sizeof host.loss) == 0);
  CHECK(host.loss_finite == device.loss_finite);
  CHECK(host.scaled_loss_finite == device.scaled_loss_finite);
  CHECK((host.gradients == device.gradients));
}

template <class Optimizer>
amp::LedgerPass pass_of(Path path, Optimizer& optimizer, amp::Device device, double scale) {
  amp::GradScaler scaler({.init_scale = scale, .on_skips = {}, .statistics = true, .ledger = 2});
  (void)scaler.scale(amp::full({}, 1.5, {.device = device}));
  if (path == Path::kUnscale) scaler.unscale_(optimizer);
  if (path == Path::kClip) (void)scaler.unscale_and_clip(optimizer, 0.5);
  scaler.step(optimizer);
  scaler.update();
  const amp::LedgerPass pass = scaler.ledger(optimizer).read().at(0);
  std::int64_t zeros = 0, underflows = 0;
  for (const amp::LedgerEntry& entry : pass.gradients) {
    zeros += entry.zeros;
    underflows += entry.underflows;
  }
  const amp::GradientStatistics told = scaler.statistics(optimizer).get();
  CHECK(told.zeros == zeros);
  CHECK(told.underflows == underflows);
  CHECK(told.found_inf == pass.found_inf);
  return pass;
}

TEST_CASE("cuda ledger: the host's numbers, of every dtype, on every path", "[cuda]") {
  for (const Path path : kPaths) {
    for (const bool bad : {false, true}) {
      const double scale = bad ? 0.5 : 1024;
      INFO("path " << static_cast<int>(path) << ", bad " << bad);
      amp::LedgerPass raw[2], own[2];
      for (const int device : {0, 1}) {
        const amp::Device on = device == 0 ? amp::Device(amp::kCPU) : amp::Device(kCUDA);
        RawOptimizer optimizer;
        amp::NamedTensors parameters;
        for (const Tensor& g : gradients(bad)) {
          optimizer.all.push_back(g.to(on).clone());
          const Tensor p =
              amp::zeros(g.shape(), {.dtype = g.dtype(), .device = on, .requires_grad = true});
          p.set_grad(g.to(on).clone());
          parameters.emplace_back("p" + std::to_string(parameters.size()), p);
        }
        raw[device] = pass_of(path, optimizer, on, scale);
        amp::SGD sgd(parameters, {.lr = 0});
        own[device] = pass_of(path, sgd, on, scale);
      }
      check_same(raw[0], raw[1]);
      check_same(own[0], own[1]);
      CHECK(own[1].found_inf == bad);
      CHECK(own[1].bad_gradients() == (bad ? 7 : 0));
      CHECK(own[1].gradients[4].name == "p4");
      if (bad) CHECK(own[1].gradients[4].first_bad == 70001 - 5);
      CHECK(own[1].loss == 1.5);
    }
  }
}

/// A step whose gradient and loss are those of x.
struct Training {
  Tensor x = amp::ones({20}, {.device = kCUDA});
  Tensor p = amp::ones({20}, {.device = kCUDA, .requires_grad = true});
  amp::SGD sgd{amp::NamedTensors{{"fc.weight", p}}, {.lr = 0}};
  amp::GradScaler scaler;

  explicit Training(int ledger)
      : scaler({.init_scale = 65536, .statistics = true, .ledger = ledger}) {}
  void step() {
    sgd.zero_grad();
    scaler.scale(amp::sum(p * x)).backward();
    (void)scaler.unscale_and_clip(sgd, 10.0);
    scaler.step(sgd);
    scaler.update();
  }
  void load(int i) const {
    x.fill_(i);
    if (i % 5 == 3) x.narrow(0, 7, 1).fill_(i % 2 == 0 ? kNan : HUGE_VAL);
  }
  void check(const amp::LedgerPass& pass, int i) const {
    INFO("pass " << i);
    const amp::LedgerEntry& entry = pass.gradients.at(0);
    CHECK(pass.found_inf == (i % 5 == 3));
    CHECK(pass.loss_finite == (i % 5 != 3));
    CHECK(pass.losses == 1);
    CHECK(entry.name == "fc.weight");
    CHECK(entry.elements == 20);
    CHECK(entry.max_abs == i);
    CHECK(entry.first_bad == (i % 5 == 3 ? 7 : -1));
    CHECK(entry.nans + entry.infs == (i % 5 == 3 ? 1 : 0));
    CHECK(entry.zeros == (i == 0 ? 20 : 0));
  }
};

TEST_CASE("cuda ledger: the replays of a graph record themselves", "[cuda]") {
  Training training(8);
  amp::GradientLedger kept = training.scaler.ledger(training.sgd);
  {
    amp::cuda::Graph graph([&] { training.step(); }, {.warmup = 3});
    CHECK(kept.read().size() == 3);
    for (int i = 0; i < 20; ++i) {
      training.load(i);
      graph.replay();
      if (i % 6 != 0) continue;
      const auto passes = kept.read();
      CHECK(passes.back().number == i + 4);
      training.check(passes.back(), i);
    }
  }
  const auto passes = kept.read();
  REQUIRE(passes.size() == 8);
  for (int k = 0; k < 8; ++k) {
    CHECK(passes[static_cast<std::size_t>(k)].number == 16 + k);
    training.check(passes[static_cast<std::size_t>(k)], 12 + k);
  }
  // Scales of then: those at 13 and 18 were bad, after 3 and 8.
  CHECK(passes[0].scale == 16384);
  CHECK(passes[2].scale == 8192);
  CHECK(passes[7].scale == 4096);
  training.load(21);
  training.step();  // eager once more, into the same ring
  CHECK(kept.read().back().number == 24);
  training.check(kept.read().back(), 21);
}

TEST_CASE("cuda ledger: an inf or a NaN in gradient 137 of 400 is diagnosed", "[cuda]") {
  for (const double bad : {HUGE_VAL, kNan}) {
    amp::NamedTensors parameters;
    for (int i = 0; i < 400; ++i) {
      const Tensor p = amp::ones({3}, {.device = kCUDA, .requires_grad = true});
      p.set_grad(amp::ones({3}, {.device = kCUDA}));
      parameters.emplace_back("layer" + std::to_string(i), p);
    }
    const Tensor& at = parameters[137].second;
    at.grad().narrow(0, 2, 1).fill_(bad);
    amp::Adam adam(parameters);
    amp::GradScaler scaler({.ledger = 4});
    (void)scaler.scale(amp::ones({}, {.device = kCUDA}));
    scaler.step(adam);
    scaler.update();
    amp::Diagnosis d = amp::diagnose(scaler, parameters);
    CHECK(d.kind ==
          (std::isnan(bad) ? amp::DiagnosisKind::kBackward : amp::DiagnosisKind::kInfinities));
    CHECK(d.parameter == "layer137");
    CHECK(d.gradient == 137);
    CHECK(d.element == 2);
    CHECK(d.bad_gradients == 1);
    at.detach().narrow(0, 1, 1).fill_(bad);
    d = amp::diagnose(scaler, parameters);
    CHECK(d.kind == amp::DiagnosisKind::kWeight);
    CHECK(d.weight == "layer137");
    CHECK(d.weight_element == 1);
  }
}

TEST_CASE("cuda ledger: poll does not wait, and brings what arrived", "[cuda]") {
  Training training(8);
  const amp::GradientLedger kept = training.scaler.ledger(training.sgd);
  CHECK(kept.poll().empty());
  std::int64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    training.load(i);
    training.step();
#if !defined(AMP_TEST_GPU)
    standin::toolkit().reset();
    const auto passes = kept.poll();
    CHECK(standin::toolkit().counters.synchronisations == 0);
    CHECK(standin::toolkit().counters.to_host <= 1);
#else
    const auto passes = kept.poll();
#endif
    if (passes.empty()) continue;
    CHECK(passes.back().number >= last);
    last = passes.back().number;
    training.check(passes.back(), static_cast<int>(last) - 1);
  }
  (void)training.x.to_vector<float>();  // waits for the stream
  (void)kept.poll();                    // starts another one
  (void)training.x.to_vector<float>();
  CHECK(kept.poll().back().number == 10);
  CHECK(kept.read().back().number == 10);
  amp::cuda::Graph graph(
      [&] {
        training.step();
        (void)kept.poll();  // copies nothing while the step is recorded
      },
      {.warmup = 3});
  graph.replay();
  CHECK(kept.read().back().number == 14);
}

#if !defined(AMP_TEST_GPU)
standin::Counters cost_of(Training& training) {
  for (int i = 0; i < 4; ++i) training.step();
  standin::toolkit().reset();
  training.step();
  return standin::toolkit().counters;
}

TEST_CASE("cuda ledger: costs two launches of a step, and nothing if it is off", "[cuda][cached]") {
  Training with(8), without(0);
  const standin::Counters on = cost_of(with), off = cost_of(without);
  CHECK(on.launches == off.launches + 2);  // the loss, the summaries
  for (const standin::Counters& counters : {on, off}) {
    CHECK(counters.synchronisations == 0);
    CHECK(counters.allocations == 0);
    CHECK(counters.to_device + counters.to_host == 0);
  }
  CHECK(on.on_device == off.on_device);
}

TEST_CASE("cuda ledger: a call of poll that fails leaves the last passes", "[cuda]") {
  for (int nth = 0;; ++nth) {
    INFO("call " << nth);
    REQUIRE(nth < 100);
    Training training(4);
    training.step();
    const amp::GradientLedger kept = training.scaler.ledger(training.sgd);
    standin::toolkit().fail("", nth, cudaErrorInvalidValue);
    const bool failed = !amp_test::error_of([&] { (void)kept.poll(); }).empty();
    standin::toolkit().reset();
    CHECK(kept.read().size() == 1);
    (void)kept.poll();
    (void)training.x.to_vector<float>();
    CHECK(kept.poll().size() == 1);
    if (!failed) {
      CHECK(nth > 1);
      break;
    }
  }
}
#endif

}  // namespace
}  // namespace cuda_ledger
