// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training loop: a module, Adam, a scope of autocast around the forward pass, and a GradScaler
// around the backward pass. If both are switched off, the same lines train in float32; the losses
// of the two runs agree.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "02_training_loop: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

/// Two linear layers with a norm between them.
struct Net : amp::nn::Module {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(16, 64))};
  amp::nn::LayerNorm norm{register_module("norm", amp::nn::LayerNorm({64}))};
  amp::nn::Linear second{register_module("second", amp::nn::Linear(64, 4))};

  amp::Tensor forward(const amp::Tensor& x) const { return second(amp::gelu(norm(first(x)))); }
};

struct History {
  std::vector<double> losses;
  std::int64_t skipped = 0;
};

/// Learns in which of four random directions a point lies farthest.
History train(bool mixed_precision, int steps) {
  amp::manual_seed(7);  // the same points and initial weights for every run
  const amp::Tensor points = amp::randn({256, 16});
  const amp::Tensor classes = amp::argmax(amp::matmul(points, amp::randn({16, 4})), 1);

  const Net net;
  amp::Adam optimizer(net.named_parameters(), {.lr = 5e-3});
  amp::GradScaler scaler({.enabled = mixed_precision});
  History history;
  for (int step = 0; step < steps; ++step) {
    amp::Tensor loss;
    {
      // The scope ends before backward(), which runs in the dtypes of the forward pass.
      const amp::AutocastGuard autocast(amp::kCPU,
                                        {.dtype = amp::kFloat16, .enabled = mixed_precision});
      const amp::Tensor logits = net.forward(points);
      expect(logits.dtype() == (mixed_precision ? amp::kFloat16 : amp::kFloat32),
             "linear computes in the dtype of the scope");
      loss = amp::cross_entropy(logits, classes);
    }
    expect(loss.dtype() == amp::kFloat32, "a loss is float32");
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    history.losses.push_back(loss.item<double>());
  }
  for (const amp::Tensor& parameter : net.parameters())
    expect(parameter.dtype() == amp::kFloat32, "the parameters stay float32");
  history.skipped = scaler.counters().skipped;
  return history;
}

}  // namespace

int main() try {
  const int steps = 60;
  const History full = train(false, steps), mixed = train(true, steps);
  double apart = 0;
  std::printf("step  float32   mixed\n");
  for (std::size_t step = 0; step < full.losses.size(); ++step) {
    if (step % 10 == 0 || step + 1 == full.losses.size())
      std::printf("%4zu   %.4f  %.4f\n", step, full.losses[step], mixed.losses[step]);
    apart = std::max(apart, std::abs(mixed.losses[step] - full.losses[step]));
  }
  std::printf("at most %.1e apart; steps skipped: %lld of %d\n", apart,
              static_cast<long long>(mixed.skipped), steps);
  expect(apart > 0 && apart < 0.01, "mixed precision follows float32, and is not it");
  expect(mixed.losses.back() < 0.1 * mixed.losses.front(), "the loss falls to a tenth");
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
