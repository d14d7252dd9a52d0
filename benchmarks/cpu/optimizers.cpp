// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Steps of optimizers over eight matrices, 8.4 million parameters: Adam with moments of 32, 16 and 8
// bits, Adam beside an average of the weights, and Muon. Prints JSON for optimizers.py: milliseconds
// of a step, and bytes of state for each parameter.
#include <amp/amp.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using amp::Tensor;

constexpr int kMatrices = 8, kSteps = 11;
constexpr std::int64_t kRows = 512, kColumns = 2048;

std::vector<Tensor> make_parameters() {
  amp::manual_seed(1);
  std::vector<Tensor> parameters;
  for (int i = 0; i < kMatrices; ++i) {
    parameters.push_back(amp::randn({kRows, kColumns}, {.requires_grad = true}));
    parameters.back().set_grad(amp::randn({kRows, kColumns}));
  }
  return parameters;
}

double bytes_of(const amp::NamedTensors& state) {
  double bytes = 0;
  for (const auto& [name, tensor] : state)
    bytes += static_cast<double>(tensor.numel() * amp::item_size(tensor.dtype()));
  return bytes / static_cast<double>(kMatrices * kRows * kColumns);
}

/// The first step of Adam is lr along the sign of the gradient, whatever the dtype of its moments.
void verify(const amp::AdamOptions& options) {
  const std::vector<Tensor> parameters = make_parameters();
  const Tensor before = parameters[0].detach().clone();
  amp::AdamW(parameters, options).step();
  const Tensor gradient = parameters[0].grad();
  const Tensor apart = parameters[0].detach() - before + options.lr * gradient.sign();
  const Tensor beyond_eps = gradient.abs() > 1e-3;
  AMP_CHECK((apart * beyond_eps).abs().max().item() < 1e-6, "a step of AdamW is wrong");
}

void print(const char* name, double bytes, const std::function<void()>& step) {
  std::vector<double> times;
  step();
  for (int i = 0; i < kSteps; ++i) {
    const auto start = std::chrono::steady_clock::now();
    step();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  std::printf("{\"name\": \"%s\", \"least\": %.3f, \"median\": %.3f, \"bytes\": %.2f}\n", name,
              times.front(), times[kSteps / 2], bytes);
}

template <class O>
void measure(const char* name, const typename O::Options& options) {
  O optimizer(make_parameters(), options);
  optimizer.step();
  const double bytes = bytes_of(optimizer.state_dict());
  print(name, bytes, [&] { optimizer.step(); });
}

}  // namespace

int main() {
  for (const amp::DType moments : {amp::kFloat32, amp::kBFloat16, amp::kUInt8}) {
    const amp::AdamOptions options{.weight_decay = 0, .moments = moments};
    verify(options);
    measure<amp::AdamW>(("AdamW, moments " + std::string(amp::name(moments))).c_str(), options);
  }
  {
    amp::AdamW optimizer(make_parameters(), {});
    amp::ExponentialMovingAverage average(optimizer, {.decay = 0.999});
    optimizer.step();
    const double bytes = bytes_of(optimizer.state_dict()) + bytes_of(average.state_dict());
    print("AdamW and an average of the weights", bytes, [&] { optimizer.step(); });
  }
  measure<amp::Muon>("Muon", {});
}
