// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// SGD and Adam once more, element by element in double, from the formulas of torch.optim's
// documentation: what the tests hold amp's against. And a problem to run both on.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <amp/amp.hpp>

#include "support/numbers.hpp"

namespace optim_test {

using amp_test::difference;
using Values = std::vector<double>;

struct ReferenceSGD {
  amp::SGDOptions options;
  Values velocity = {};
  bool first = true;

  void step(Values& w, const Values& gradient) {
    if (first) velocity.assign(w.size(), 0);
    for (std::size_t i = 0; i < w.size(); ++i) {
      double d = gradient[i] + options.weight_decay * w[i];
      if (options.momentum != 0) {
        velocity[i] = first ? d : options.momentum * velocity[i] + d;
        d = options.nesterov ? d + options.momentum * velocity[i] : velocity[i];
      }
      w[i] -= options.lr * d;
    }
    first = false;
  }
};

struct ReferenceAdam {
  amp::AdamOptions options;
  bool decoupled = false;
  Values m = {}, v = {};
  int t = 0;

  void step(Values& w, const Values& gradient) {
    if (t == 0) m.assign(w.size(), 0), v.assign(w.size(), 0);
    ++t;
    const double decay = options.weight_decay.value_or(decoupled ? 1e-2 : 0);
    for (std::size_t i = 0; i < w.size(); ++i) {
      double g = gradient[i];
      if (decoupled)
        w[i] *= 1 - options.lr * decay;
      else
        g += decay * w[i];
      m[i] = options.beta1 * m[i] + (1 - options.beta1) * g;
      v[i] = options.beta2 * v[i] + (1 - options.beta2) * g * g;
      const double m_hat = m[i] / (1 - std::pow(options.beta1, t));
      const double v_hat = v[i] / (1 - std::pow(options.beta2, t));
      w[i] -= options.lr * m_hat / (std::sqrt(v_hat) + options.eps);
    }
  }
};

inline Values initial_weights(std::size_t n) {
  Values w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = std::sin(1.0 + 3.0 * static_cast<double>(i));
  return w;
}
/// A gradient that changes with step and element, and is 0 for some.
inline Values gradient_at(int step, std::size_t n) {
  Values g(n);
  for (std::size_t i = 0; i < n; ++i) {
    g[i] = i % 7 == 3 ? 0 : std::cos(0.3 * step + 0.9 * static_cast<double>(i)) / (1 + step % 5);
  }
  return g;
}

inline amp::Tensor to_tensor(const Values& values, amp::DType dtype) {
  return amp::tensor(values, {static_cast<std::int64_t>(values.size())}, {.dtype = dtype});
}

/// What the gradients are once they are of `dtype`.
inline Values rounded(const Values& values, amp::DType dtype) {
  return to_tensor(values, dtype).to_vector<double>();
}

/// Steps both from equal weights with equal gradients; the largest difference on the way.
template <class Optimizer, class Reference, class Options>
double run_against(Reference reference, const Options& options, amp::DType dtype, int steps,
                   std::size_t n = 37) {
  const amp::Tensor parameter = to_tensor(initial_weights(n), dtype).requires_grad_();
  Optimizer optimizer({parameter}, options);
  Values w = rounded(initial_weights(n), dtype);
  double largest = 0;
  for (int step = 0; step < steps; ++step) {
    const Values gradient = rounded(gradient_at(step, n), dtype);
    parameter.set_grad(to_tensor(gradient, dtype));
    optimizer.step();
    reference.step(w, gradient);
    const double d = difference(parameter.to_vector<double>(), w);
    largest = d <= largest ? largest : d;
  }
  return largest;
}

}  // namespace optim_test
