// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// bfloat16 needs no loss scale: it has the exponents of float32, so that small gradients are
// preserved. float16 flushes the same gradients to zero and learns nothing, unless a scaler brings
// them into its range.
#include <amp/amp.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using amp::Tensor;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "08_bfloat16: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

struct Precision {
  const char* name = "";
  amp::DType dtype = amp::kFloat32;
  bool scaling = false;
  bool keeps_small_gradients = true;  // the expectation
};

constexpr Precision kPrecisions[] = {
    {.name = "float16", .dtype = amp::kFloat16, .keeps_small_gradients = false},
    {.name = "float16 and scaler", .dtype = amp::kFloat16, .scaling = true},
    {.name = "bfloat16", .dtype = amp::kBFloat16},
};

/// d(loss)/d(weight) of a loss whose gradient is 2^-20: a sum of 256 terms of 2^-28, each of which
/// passes through the 16-bit result of linear.
double small_gradient(const Precision& precision) {
  constexpr std::int64_t kTerms = 256;
  const Tensor x = amp::ones({kTerms, 1});
  const Tensor weight = amp::ones({1, 1}, {.requires_grad = true});
  amp::SGD optimizer({weight});
  amp::GradScaler scaler({.enabled = precision.scaling});
  Tensor loss;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = precision.dtype});
    loss = amp::sum(amp::linear(x, weight)) * (0x1p-20 / kTerms);
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  return weight.grad().item<double>();
}

struct Outcome {
  double before = 0, after = 0;  // loss, divided by its unit
  bool moved = false;
};

/// A regression whose loss is measured in a tiny unit.
Outcome train(const Precision& precision) {
  constexpr double kUnit = 0x1p-24;
  amp::manual_seed(8);
  const Tensor x = amp::randn({256, 8});
  const Tensor y = amp::matmul(x, amp::randn({8, 1}));
  const amp::nn::Linear model(8, 1);
  const Tensor start = model.weight.detach().clone();

  // Adam divides by the size of the gradients; its eps must be smaller.
  amp::Adam optimizer(model.parameters(), {.lr = 0.05, .eps = 1e-12});
  amp::GradScaler scaler({.enabled = precision.scaling});
  Outcome outcome;
  for (int step = 0; step < 100; ++step) {
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = precision.dtype});
      loss = amp::mse_loss(model(x), y) * kUnit;
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    outcome.after = loss.item<double>() / kUnit;
    if (step == 0) outcome.before = outcome.after;
  }
  const Tensor moved = amp::ne(model.weight.detach(), start);
  outcome.moved = amp::max(moved).item<bool>();
  return outcome;
}

}  // namespace

int main() try {
  for (const Precision& precision : kPrecisions) {
    const double gradient = small_gradient(precision);
    std::printf("%-18s  gradient %a\n", precision.name, gradient);
    expect(gradient == (precision.keeps_small_gradients ? 0x1p-20 : 0),
           "float16 alone flushes the gradient, which else arrives unharmed");
  }
  for (const Precision& precision : kPrecisions) {
    const auto [before, after, moved] = train(precision);
    std::printf("%-18s  loss %.2e -> %.2e\n", precision.name, before, after);
    expect(moved == precision.keeps_small_gradients, "weights move just where gradients arrive");
    expect(!moved || after < 0.01 * before, "a model whose weights move learns");
  }
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
