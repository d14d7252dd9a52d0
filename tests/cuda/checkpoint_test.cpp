// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints on the device: eager and in a recorded step, they take the steps of the plain
// network, bit for bit.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"

namespace cuda_checkpoint {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::cuda::Graph;

/// Bit patterns, so that NaN equals itself.
std::vector<std::uint64_t> bits_of(const Tensor& tensor) {
  std::vector<std::uint64_t> bits;
  for (const double value : tensor.to_vector<double>()) {
    bits.push_back(0);
    std::memcpy(&bits.back(), &value, sizeof value);
  }
  return bits;
}

/// Two blocks with dropout and batch norm, the second inside of the first's checkpoint, trained
/// under autocast with a loss scale.
class Training {
 public:
  explicit Training(bool kept) : kept_(kept) {
    amp::manual_seed(3);
    for (int i = 0; i < 3; ++i)
      weights_.push_back((amp::randn({8, 8}) * 0.5).to(kCUDA).requires_grad_());
    optimizer_.emplace(weights_, amp::AdamOptions{.lr = 0.01});
  }

  void step() {
    const auto inner = [w = weights_[1], mean = mean_, var = var_](const Tensor& in) {
      return amp::dropout(amp::batch_norm(amp::linear(in, w), mean, var, {}, {}, true), 0.25);
    };
    const auto outer = [kept = kept_, inner, w = weights_[0]](const Tensor& in) {
      const Tensor h = amp::dropout(amp::gelu(amp::linear(in, w)), 0.5);
      return (kept ? amp::checkpoint(inner, h) : inner(h)) + in;
    };
    optimizer_->zero_grad();
    {
      const amp::AutocastGuard autocast(kCUDA);
      const Tensor h = kept_ ? amp::checkpoint(outer, x_) : outer(x_);
      const Tensor y = amp::linear(amp::dropout(h, 0.125), weights_[2]);
      loss_ = amp::mean(amp::pow(y - 1, 2));
    }
    scaler_.scale(loss_).backward();
    (void)scaler_.unscale_and_clip(*optimizer_, 1.0);
    scaler_.step(*optimizer_);
    scaler_.update();
  }
  /// The batch of step i, some of which have no finite gradient.
  void load(int i) const {
    const amp::RngState state = amp::get_rng_state();
    amp::manual_seed(static_cast<std::uint64_t>(100 + i));
    Tensor batch = amp::randn(x_.shape());
    if (i % 11 == 7) batch.data<float>()[3] = HUGE_VALF;
    x_.copy_(batch);
    if (i % 11 == 8) {  // what that did to the statistics
      mean_.zero_();
      var_.fill_(1);
    }
    amp::set_rng_state(state);
  }
  std::vector<std::vector<std::uint64_t>> outcome() const {
    std::vector<std::vector<std::uint64_t>> all{bits_of(loss_), bits_of(mean_), bits_of(var_)};
    for (const Tensor& weight : weights_) all.push_back(bits_of(weight));
    for (const auto& [name, tensor] : optimizer_->state_dict()) all.push_back(bits_of(tensor));
    const amp::GradScalerState state = scaler_.state_dict();
    for (const auto count : {state.applied, state.skipped})
      all.push_back({static_cast<std::uint64_t>(count)});
    all.push_back({static_cast<std::uint64_t>(state.scale), amp::get_rng_state().offset});
    return all;
  }
  std::int64_t skipped() const { return scaler_.counters().skipped; }

 private:
  bool kept_;
  Tensor x_ = amp::zeros({6, 8}, {.device = kCUDA}), loss_;
  Tensor mean_ = amp::zeros({8}, {.device = kCUDA}), var_ = amp::ones({8}, {.device = kCUDA});
  std::vector<Tensor> weights_;
  std::optional<amp::Adam> optimizer_;
  amp::GradScaler scaler_{{.init_scale = 1024, .growth_interval = 7}};
};

using Outcomes = std::vector<std::vector<std::vector<std::uint64_t>>>;

Outcomes run(bool kept, bool recorded) {
  constexpr int kWarmup = 3, kSteps = 40;
  Training training(kept);
  training.load(0);
  std::optional<Graph> graph;
  if (recorded) {
    graph.emplace([&] { training.step(); }, amp::cuda::GraphOptions{.warmup = kWarmup});
  } else {
    for (int i = 0; i < kWarmup; ++i) training.step();
  }
  Outcomes outcomes;
  for (int i = 0; i < kSteps; ++i) {
    training.load(i);
    recorded ? graph->replay() : training.step();
    outcomes.push_back(training.outcome());
  }
  CHECK(training.skipped() >= 3);
  return outcomes;
}

}  // namespace

TEST_CASE("checkpoint: eager and recorded steps are those of the plain network", "[cuda]") {
  const Outcomes plain = run(false, false);
  CHECK(run(true, false) == plain);
  CHECK(run(true, true) == plain);
  CHECK(run(false, true) == plain);
}

TEST_CASE("checkpoint: a recorded one repeats the random numbers of each replay", "[cuda]") {
  const Tensor x = amp::ones({64}, {.device = kCUDA}).requires_grad_();
  Tensor y;
  Graph graph([&] {
    x.set_grad(Tensor());
    y = amp::checkpoint([](const Tensor& a) { return amp::dropout(a, 0.5); }, x);
    y.backward(amp::ones({64}, {.device = kCUDA}));
  });
  std::vector<float> before;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t drawn = amp::get_rng_state().offset;
    graph.replay();
    CHECK(amp::get_rng_state().offset == drawn + 16);
    CHECK(x.grad().to_vector<float>() == y.to_vector<float>());
    CHECK(y.to_vector<float>() != before);
    before = y.to_vector<float>();
  }
}

}  // namespace cuda_checkpoint
