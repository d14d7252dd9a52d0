// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A small model, and batches that are divided among ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "distributed/ranks.hpp"

namespace amp_test {

/// Batches of as many samples each, a function of their number.
class Samples {
 public:
  struct Batch {
    amp::Tensor x, y;
    std::int64_t count() const { return x.size(0); }
  };

  explicit Samples(std::int64_t count) : count_(count) {}

  Batch all(int step) const {
    std::vector<float> x, y;
    for (std::int64_t i = 0; i < count_ * 5; ++i)
      x.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i) + step)));
    for (std::int64_t i = 0; i < count_ * 3; ++i)
      y.push_back(static_cast<float>(std::cos(1.3 * static_cast<double>(i) - step)));
    return {amp::tensor(x, {count_, 5}), amp::tensor(y, {count_, 3})};
  }
  /// Without overlap, and as equal as can be.
  Batch part(int step, int rank, int ranks) const {
    const std::int64_t begin = count_ * rank / ranks, end = count_ * (rank + 1) / ranks;
    const Batch batch = all(step);
    return {batch.x.narrow(0, begin, end - begin), batch.y.narrow(0, begin, end - begin)};
  }

 private:
  std::int64_t count_;
};

struct Mlp : amp::nn::Module {
  amp::nn::Linear first, second;

  Mlp()
      : first(register_module("first", amp::nn::Linear(5, 7))),
        second(register_module("second", amp::nn::Linear(7, 3))) {}

  amp::Tensor loss(const Samples::Batch& batch) const {
    const amp::DType dtype = first.weight.dtype();
    return amp::mse_loss(second(amp::relu(first(batch.x.to(dtype)))), batch.y.to(dtype));
  }
};

/// The weights are a function of the seed. (The generator is one of the process.)
inline Mlp make_mlp(int seed) {
  Mlp model;
  int number = seed;
  for (const amp::Tensor& p : model.parameters()) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < p.numel(); ++i)
      values.push_back(
          static_cast<float>(0.4 * std::sin(2.1 * static_cast<double>(i) + 5.0 * ++number)));
    const amp::NoGradGuard no_grad;
    p.copy_(amp::tensor(values, p.shape()));
  }
  return model;
}

inline double largest_difference(const amp::NamedTensors& a, const amp::NamedTensors& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto left = a[i].second.to_vector<double>(), right = b[i].second.to_vector<double>();
    for (std::size_t j = 0; j < left.size(); ++j) {
      const double difference = std::abs(left[j] - right[j]);
      if (!(difference <= largest)) largest = difference;
    }
  }
  return largest;
}

}  // namespace amp_test
