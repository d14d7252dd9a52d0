// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Two models, two optimizers, one scaler: each optimizer steps separately, and one update() ends
// the cycle for both. If the gradients of one overflow, only its step is skipped. Both share one
// scale, which backs off once, even if the gradients of both overflow.
#include <amp/amp.hpp>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

using amp::Tensor;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "06_two_optimizers: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

struct Net : amp::nn::Module {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(8, 32))};
  amp::nn::Linear second{register_module("second", amp::nn::Linear(32, 1))};

  /// The mean squared error of the prediction of y.
  Tensor loss(const Tensor& x, const Tensor& y) const {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return amp::mse_loss(second(amp::silu(first(x))), y);
  }
  /// All weights, one after the other.
  [[nodiscard]] std::vector<float> values() const {
    std::vector<Tensor> flat;
    for (const Tensor& parameter : parameters()) flat.push_back(parameter.detach().flatten());
    return amp::cat(flat).to_vector<float>();
  }
};

/// The models whose gradients overflow in this batch.
struct Batch {
  bool first_overflows = false, second_overflows = false;
};

}  // namespace

int main() try {
  amp::manual_seed(6);
  const Tensor x = amp::randn({32, 8}), y = amp::randn({32, 1});
  const Tensor poisoned = amp::full(x.shape(), std::numeric_limits<double>::infinity());

  const Net first, second;
  amp::SGD sgd(first.named_parameters(), {.lr = 0.05, .momentum = 0.9});
  amp::Adam adam(second.named_parameters(), {.lr = 0.01});
  amp::GradScaler scaler({.init_scale = 1024});

  std::printf("step  first    second   scale\n");
  const Batch batches[] = {
      {}, {}, {.second_overflows = true}, {}, {.first_overflows = true, .second_overflows = true},
      {}};
  int step = 0;
  for (const auto& [first_overflows, second_overflows] : batches) {
    const std::vector<float> first_before = first.values(), second_before = second.values();
    const double scale_before = scaler.get_scale();

    sgd.zero_grad();
    adam.zero_grad();
    const Tensor loss = first.loss(first_overflows ? poisoned : x, y);
    const Tensor other_loss = second.loss(second_overflows ? poisoned : x, y);
    for (const Tensor& scaled : scaler.scale({loss, other_loss})) scaled.backward();
    const amp::StepResult of_sgd = scaler.step(sgd), of_adam = scaler.step(adam);
    scaler.update();

    const auto outcome = [](const amp::StepResult& result) {
      return result.skipped() ? "skipped" : "taken";
    };
    std::printf("%4d  %-7s  %-7s  %g\n", step++, outcome(of_sgd), outcome(of_adam),
                scaler.get_scale());
    expect(of_sgd.skipped() == first_overflows && of_adam.skipped() == second_overflows,
           "a step is skipped for its own optimizer's gradients only");
    expect((first.values() == first_before) == first_overflows &&
               (second.values() == second_before) == second_overflows,
           "a skipped step leaves the parameters alone, a step taken moves them");
    const bool any = first_overflows || second_overflows;
    expect(scaler.get_scale() == (any ? scale_before / 2 : scale_before),
           "the scale backs off once per update");
  }

  const amp::GradScalerCounters counters = scaler.counters();
  std::printf("%lld steps applied (%lld by SGD, %lld by Adam), %lld skipped\n",
              static_cast<long long>(counters.applied), static_cast<long long>(sgd.applied_steps()),
              static_cast<long long>(adam.applied_steps()),
              static_cast<long long>(counters.skipped));
  expect(sgd.applied_steps() == 5 && adam.applied_steps() == 4, "a skipped step does not count");
  expect(counters.applied == 9 && counters.skipped == 3, "the scaler counts the steps of both");
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
