// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A large batch in micro-batches: each adds its part of the gradient, and one step uses the sum. It
// is the gradient of the whole batch, because the scale does not change between two calls of
// update().
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using amp::Tensor;

constexpr std::int64_t kBatch = 64;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "05_accumulation: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

/// A classifier and its batch, the same ones each time.
struct Training {
  Tensor x, y;
  amp::nn::Sequential net{nullptr};

  Training() {
    amp::manual_seed(5);
    x = amp::randn({kBatch, 12});
    y = amp::argmax(amp::matmul(x, amp::randn({12, 3})), 1);
    net = amp::nn::Sequential{amp::nn::Linear(12, 48), amp::nn::GELU(), amp::nn::Linear(48, 3)};
  }

  /// The mean loss of `count` samples from `first` on.
  [[nodiscard]] Tensor loss(std::int64_t first, std::int64_t count) const {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return amp::cross_entropy(net(x.narrow(0, first, count)), y.narrow(0, first, count));
  }
};

/// Trains with the batch divided into `pieces`, and returns the result.
std::vector<Tensor> train(std::int64_t pieces) {
  const Training training;
  amp::AdamW optimizer(training.net.named_parameters(), {.lr = 1e-2});
  amp::GradScaler scaler({.init_scale = 256, .growth_interval = 2});
  const std::int64_t size = kBatch / pieces;
  std::printf("in %lld of %lld; scale:", static_cast<long long>(pieces),
              static_cast<long long>(size));
  for (int step = 0; step < 4; ++step) {
    const double scale = scaler.get_scale();
    double loss_of_batch = 0;
    optimizer.zero_grad();
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      // Divided, so that the sum over the pieces is the mean over the batch.
      const Tensor loss = training.loss(piece * size, size) / pieces;
      scaler.scale(loss).backward();
      loss_of_batch += loss.item<double>();
      expect(scaler.get_scale() == scale, "the scale stands still while gradients accumulate");
    }
    expect(std::abs(loss_of_batch - training.loss(0, kBatch).item<double>()) < 1e-3,
           "the pieces' losses add up to that of the batch");
    scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
    std::printf(" %g", scaler.get_scale());
  }
  std::printf("\n");
  expect(scaler.counters().applied == 4, "one step is taken per batch, not per piece");
  expect(scaler.get_scale() == 4 * 256, "the scale grows with every second update");
  return training.net.parameters();
}

/// |a - b| / |b|, with norms over all tensors.
double relative_difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  const amp::NoGradGuard no_grad;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += amp::sum(amp::pow(a[i] - b[i], 2)).item<double>();
    size += amp::sum(amp::pow(b[i], 2)).item<double>();
  }
  return std::sqrt(difference / size);
}

std::vector<Tensor> gradients(const Training& training) {
  std::vector<Tensor> all;
  for (const Tensor& parameter : training.net.parameters()) all.push_back(parameter.grad());
  return all;
}

void compare_gradients() {
  const Training whole, split;
  whole.loss(0, kBatch).backward();
  for (std::int64_t first = 0; first < kBatch; first += 16)
    (split.loss(first, 16) / (kBatch / 16)).backward();
  const double difference = relative_difference(gradients(split), gradients(whole));
  std::printf("gradient in 4 of 16 and of the whole batch: %.1e apart\n", difference);
  expect(difference < 2e-3, "the gradient is that of the batch, to float16's precision");
}

}  // namespace

int main() try {
  compare_gradients();
  const std::vector<Tensor> whole = train(1);
  for (const std::int64_t pieces : {2, 8}) {
    const double difference = relative_difference(train(pieces), whole);
    std::printf("parameters: %.1e from those of the whole batch\n", difference);
    expect(difference < 5e-3, "the pieces train as the batch does");
  }
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
