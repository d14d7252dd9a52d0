// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A network whose weights are bfloat16 and nothing else: rounded to nearest, they hardly move,
// since a step is below half of their last bit; every other storage ends where float32 does.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace bf16_weights {
namespace {

using amp::DType;
using amp::kBFloat16;
using amp::kFloat32;
using amp::Tensor;
using amp::WeightStorage;
using enum WeightStorage;

constexpr std::int64_t kPoints = 256, kInputs = 6, kHidden = 16, kClasses = 4;
constexpr int kSteps = 600;

/// Points around the centres of their classes, which overlap: no network gets to a loss of 0.
struct Data {
  Tensor x, targets;

  Data() {
    amp::manual_seed(21);
    const Tensor centres = amp::randn({kClasses, kInputs}) * 1.2;
    std::vector<std::int64_t> classes;
    for (std::int64_t i = 0; i < kPoints; ++i) classes.push_back(i % kClasses);
    targets = amp::tensor(classes, {kPoints});
    x = amp::embedding(targets, centres) + amp::randn({kPoints, kInputs});
  }
};

/// Two layers, in the dtype of their weights.
struct Network {
  std::vector<Tensor> weights;

  explicit Network(DType dtype) {
    amp::manual_seed(22);
    weights = {amp::randn({kHidden, kInputs}) * 0.4, amp::zeros({kHidden}),
               amp::randn({kClasses, kHidden}) * 0.25, amp::zeros({kClasses})};
    for (Tensor& w : weights) {  // equal beginnings
      w = w.to(kBFloat16).to(dtype).detach().requires_grad_();
    }
  }
  Tensor loss(const Data& data) const {
    const Tensor x = data.x.to(weights[0].dtype());
    const Tensor hidden = amp::relu(amp::linear(x, weights[0], weights[1]));
    return amp::cross_entropy(amp::linear(hidden, weights[2], weights[3]).to(kFloat32),
                              data.targets);
  }
};

struct Outcome {
  double start, end;
};

template <class Optimizer, class Options>
Outcome train(const Data& data, DType dtype, Options options, WeightStorage storage,
              std::optional<DType> moments) {
  options.storage = storage;
  options.moments = moments;
  options.schedule = amp::cosine_schedule(kSteps);
  options.zero_grad = true;
  const Network network(dtype);
  Optimizer optimizer(network.weights, options);
  const double start = network.loss(data).template item<double>();
  for (int step = 0; step < kSteps; ++step) {
    network.loss(data).backward();
    optimizer.step();
  }
  return {start, network.loss(data).template item<double>()};
}

template <class Optimizer, class Options>
void check_storages(const Options& options) {
  const Data data;
  const Outcome wide = train<Optimizer>(data, kFloat32, options, kParameter, {});
  CHECK(wide.end < 0.5 * wide.start);
  CHECK(wide.end > 0.05);  // 1 % of it is more than the rounding of what is in between
  const Outcome nearest = train<Optimizer>(data, kBFloat16, options, kParameter, kFloat32);
  CHECK(nearest.end > 1.25 * wide.end);
  for (const WeightStorage storage : {kMaster, kRemainder, kStochastic, kKahan}) {
    for (const DType moments : {kFloat32, kBFloat16}) {
      const Outcome o = train<Optimizer>(data, kBFloat16, options, storage, moments);
      INFO(amp::name(storage) << " " << amp::name(moments));
      CHECK(std::fabs(o.end / wide.end - 1) < 0.01);
    }
  }
}

}  // namespace

TEST_CASE("bf16 weights: SGD ends where float32 does, unless it rounds to nearest") {
  check_storages<amp::SGD>(amp::SGDOptions{.lr = 0.02, .momentum = 0.9});
}

TEST_CASE("bf16 weights: AdamW ends where float32 does, unless it rounds to nearest") {
  check_storages<amp::AdamW>(amp::AdamOptions{.lr = 2e-3});
}

}  // namespace bf16_weights
