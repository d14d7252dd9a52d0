// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The training that PyTorch's tests of GradScaler share (_run_scaling_case): two Linear(8, 8) in a
// row, four batches, mean squared error, SGD with rate 1, an infinite gradient at batch 2; once
// with the scaler enabled and once disabled, each beside a control that knows of no scaler.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <amp/amp.hpp>

#include "support/catch.hpp"

namespace semantics_test {

struct Network {
  amp::Tensor w1, b1, w2, b2;

  explicit Network(std::uint64_t seed) {
    amp::manual_seed(seed);
    const auto uniform = [](const amp::Shape& shape) {  // torch.nn.Linear's initialisation
      return ((amp::rand(shape) * 2 - 1) * (1 / std::sqrt(8.0))).requires_grad_();
    };
    w1 = uniform({8, 8});
    b1 = uniform({8});
    w2 = uniform({8, 8});
    b2 = uniform({8});
  }
  amp::Tensor operator()(const amp::Tensor& x) const {
    return amp::linear(amp::linear(x, w1, b1), w2, b2);
  }
  std::vector<amp::Tensor> parameters() const { return {w1, b1, w2, b2}; }
  void poison() const { w2.grad().fill_(std::numeric_limits<double>::infinity()); }
};

struct Batch {
  amp::Tensor input, target;
};
using Data = std::vector<Batch>;

inline Data make_data() {
  amp::manual_seed(100);
  Data data;
  for (int i = 0; i < 4; ++i) {
    const amp::Tensor input = amp::randn({8, 8});
    data.push_back({input, amp::randn({8, 8})});
  }
  return data;
}

constexpr std::size_t kSkipIter = 2;

/// The largest difference of the parameters; infinite where one is not finite.
inline double difference(const Network& a, const Network& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto x = a.parameters()[i].to_vector<double>(), y = b.parameters()[i].to_vector<double>();
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double d = std::abs(x[j] - y[j]);
      largest = d <= largest ? largest : std::isfinite(d) ? d : HUGE_VAL;
    }
  }
  return largest;
}

/// The factor of the scale after `unskipped` good and `skipped` bad steps, growth_interval being 1.
struct Expect {
  int unskipped, skipped;
  double tolerance = 0;  // of parameters; 0: bit for bit, as powers of two are
};

/// run(data, network, optimizer, scaler, scaled) trains, by the scaler or as the control.
template <class Optimizer = amp::SGD, class Options = amp::SGDOptions, class Run>
void run_scaling_case(const Expect& expect, Run run, const Options& options = {.lr = 1}) {
  const Data data = make_data();
  for (const bool enabled : {true, false}) {
    INFO("enabled " << enabled);
    const Network control(7), scaled(7), start(7);
    Optimizer control_optimizer(control.parameters(), options),
        scaled_optimizer(scaled.parameters(), options);
    amp::GradScaler scaler({.init_scale = 128, .growth_interval = 1, .enabled = enabled});
    run(data, control, control_optimizer, scaler, false);
    run(data, scaled, scaled_optimizer, scaler, true);
    const double factor = std::pow(2.0, expect.unskipped) * std::pow(0.5, expect.skipped);
    CHECK(scaler.get_scale() == (enabled ? 128 * factor : 1.0));
    CHECK(difference(control, scaled) <= expect.tolerance);
    CHECK(difference(control, start) > 0.01);
  }
}

}  // namespace semantics_test
