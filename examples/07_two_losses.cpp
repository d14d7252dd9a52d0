// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Two opposed losses, one scaler: a generator learns to sample from a normal distribution that only
// a discriminator sees (Goodfellow et al. 2014, arXiv 1406.2661). detach() keeps the
// discriminator's loss out of the generator.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using amp::Tensor;
using amp::nn::Linear;
using amp::nn::Sequential;
using amp::nn::SiLU;

constexpr double kMean = 3, kDeviation = 0.5;  // of the distribution to learn
constexpr std::int64_t kBatch = 128, kNoise = 4;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "07_two_losses: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

/// The loss of these scores if the samples are real, or generated.
Tensor judge(const Tensor& scores, bool real) {
  return amp::binary_cross_entropy_with_logits(scores, amp::full(scores.shape(), real ? 1 : 0));
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments(const Sequential& generator) {
  const amp::NoGradGuard no_grad;
  const Tensor samples = generator(amp::randn({4096, kNoise}));
  const Tensor mean = amp::mean(samples);
  const Tensor variance = amp::mean(amp::pow(samples - mean, 2));
  return {.mean = mean.item<double>(), .deviation = std::sqrt(variance.item<double>())};
}

}  // namespace

int main() try {
  amp::manual_seed(11);
  const Sequential generator(Linear(kNoise, 16), SiLU(), Linear(16, 1));
  const Sequential discriminator(Linear(1, 32), SiLU(), Linear(32, 32), SiLU(), Linear(32, 1));
  amp::Adam generator_adam(generator.parameters(), {.lr = 2e-3, .beta1 = 0.5});
  amp::Adam discriminator_adam(discriminator.parameters(), {.lr = 4e-3, .beta1 = 0.5});
  amp::GradScaler scaler;

  const Moments start = moments(generator);
  std::printf("to learn: mean %.2f, deviation %.2f\n", kMean, kDeviation);
  std::printf("step   0: mean %5.2f, deviation %.2f\n", start.mean, start.deviation);
  for (int step = 1; step <= 600; ++step) {
    const Tensor real = amp::randn({kBatch, 1}) * kDeviation + kMean;
    Tensor drawn, discriminator_loss, generator_loss;

    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      drawn = generator(amp::randn({kBatch, kNoise}));
      discriminator_loss =
          judge(discriminator(real), true) + judge(discriminator(drawn.detach()), false);
    }
    generator_adam.zero_grad();
    discriminator_adam.zero_grad();
    scaler.scale(discriminator_loss).backward();
    scaler.step(discriminator_adam);
    for (const Tensor& parameter : generator.parameters())
      expect(!parameter.grad().defined(), "detach() keeps this loss out of the generator");

    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      generator_loss = judge(discriminator(drawn), true);  // sees the weights just stepped
    }
    // This adds to the discriminator's gradients as well; the next zero_grad drops them.
    scaler.scale(generator_loss).backward();
    scaler.step(generator_adam);
    scaler.update();

    if (step % 150 == 0) {
      const Moments now = moments(generator);
      std::printf("step %3d: mean %5.2f, deviation %.2f; losses %.2f and %.2f\n", step, now.mean,
                  now.deviation, discriminator_loss.item<double>(), generator_loss.item<double>());
    }
  }

  const Moments end = moments(generator);
  const amp::GradScalerCounters counters = scaler.counters();
  std::printf("steps applied %lld, skipped %lld\n", static_cast<long long>(counters.applied),
              static_cast<long long>(counters.skipped));
  expect(std::abs(start.mean - kMean) > 2, "the generator starts far away");
  expect(std::abs(end.mean - kMean) < 0.5, "it finds the mean");
  expect(end.deviation > 0.2 && end.deviation < 0.9, "it finds the deviation");
  expect(counters.applied + counters.skipped == 2 * 600, "both optimizers step in each cycle");
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
