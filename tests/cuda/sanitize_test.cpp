// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// OverflowPolicy::kSanitize on the CUDA device: the host's bits, without waiting, in graphs too.
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // kSanitize

namespace cuda_sanitize {
namespace {

using amp::kCUDA;
using amp::Tensor;

const double kNan = std::nan("");

/// Also float8.
struct RawOptimizer {
  std::vector<Tensor> all;

  std::vector<amp::TensorView> gradients() const {
    std::vector<amp::TensorView> views;
    for (const Tensor& g : all) views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device()});
    return views;
  }
  void step() {}
  void step(const amp::GradScale&) {}
};

TEST_CASE("cuda sanitize: gradients become what they do on the host", "[cuda]") {
  std::vector<Tensor> values;
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16,
                                 amp::kFloat8E4M3, amp::kFloat8E5M2}) {
    for (const std::int64_t numel : {0, 1, 5000}) {
      amp::manual_seed(5);
      const Tensor g = amp::randn({numel});
      if (numel > 1) {
        g.narrow(0, numel - 1, 1).fill_(-HUGE_VAL);
        g.narrow(0, 17, 2).fill_(kNan);
        g.narrow(0, 33, 3).fill_(HUGE_VAL);
      }
      values.push_back(g.to(dtype));
    }
  }
  std::vector<std::vector<double>> results[2];
  for (const int device : {0, 1}) {
    RawOptimizer optimizer;
    const amp::Device on = device == 0 ? amp::Device(amp::kCPU) : amp::Device(kCUDA);
    for (const Tensor& g : values) optimizer.all.push_back(g.to(on).clone());
    amp::GradScaler scaler({.on_skips = {}, .on_overflow = amp::OverflowPolicy::kSanitize});
    (void)scaler.scale_data(on);
    CHECK_FALSE(scaler.step(optimizer).skipped());
    scaler.update();
    CHECK(scaler.counters().sanitized == 1);
    CHECK(scaler.get_scale() == 32768);
    for (const Tensor& g : optimizer.all) results[device].push_back(g.to_vector<double>());
  }
  CHECK(results[0] == results[1]);
  CHECK(results[1][2][17] == 0);
}

struct Training {
  Tensor x = amp::ones({20}, {.device = kCUDA});
  Tensor p = amp::ones({20}, {.device = kCUDA, .requires_grad = true});
  amp::Adam adam{{p}, {.lr = 0.1}};
  amp::GradScaler scaler;

  explicit Training(amp::OverflowPolicy policy)
      : scaler({.init_scale = 1024, .on_skips = {}, .ledger = 4, .on_overflow = policy}) {}
  void step() {
    adam.zero_grad();
    scaler.scale(amp::sum(p * x)).backward();
    scaler.step(adam);
    scaler.update();
  }
  void load(int i) const {
    x.fill_(i);
    if (i % 3 == 1) x.narrow(0, 7, 1).fill_(kNan);
  }
};

TEST_CASE("cuda sanitize: the replays of a graph do what eager code does", "[cuda]") {
  Training eager(amp::OverflowPolicy::kSanitize), recorded(amp::OverflowPolicy::kSanitize);
  for (int i = 0; i < 3; ++i) eager.step();
  amp::cuda::Graph graph([&] { recorded.step(); }, {.warmup = 3});
  for (int i = 0; i < 10; ++i) {
    eager.load(i), recorded.load(i);
    eager.step();
    graph.replay();
  }
  CHECK(recorded.p.to_vector<float>() == eager.p.to_vector<float>());
  CHECK(std::isfinite(recorded.p.to_vector<float>()[7]));
  CHECK(recorded.scaler.counters().sanitized == 3);
  CHECK(eager.scaler.counters().sanitized == 3);
  CHECK(recorded.scaler.counters().applied == 13);
  CHECK(recorded.scaler.get_scale() == 128);
  CHECK(recorded.scaler.ledger(recorded.adam).read().at(1).sanitized);
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda sanitize: nothing waits for the device, and nothing is copied", "[cuda][cached]") {
  Training training(amp::OverflowPolicy::kSanitize);
  for (int i = 0; i < 4; ++i) training.step();
  standin::toolkit().reset();
  training.step();
  CHECK(standin::toolkit().counters.synchronisations == 0);
  CHECK(standin::toolkit().counters.allocations == 0);
  CHECK(standin::toolkit().counters.to_host + standin::toolkit().counters.to_device == 0);
}
#endif

}  // namespace
}  // namespace cuda_sanitize
