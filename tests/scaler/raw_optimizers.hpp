// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers as users without amp's tensors write them, over memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <amp/amp.hpp>

namespace scaler_test {

/// The least that a GradScaler takes: gradients() and step(). Float32 weights, gradients of type T.
template <class T>
struct RawSGD {
  std::vector<float> weights;
  std::vector<T> gradient;
  double lr = 1;
  int steps = 0;
  bool fails = false;

  std::vector<amp::TensorView> gradients() {
    return {{gradient.data(), static_cast<std::int64_t>(gradient.size()), amp::dtype_of<T>,
             amp::kCPU, "raw"}};
  }
  void step() {
    if (fails) throw std::runtime_error("a step that fails");
    ++steps;
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] -= static_cast<float>(lr * static_cast<double>(gradient[i]));
  }
};

/// The same, scale-aware: reads the three words itself.
template <class T>
struct AwareSGD : RawSGD<T> {
  using RawSGD<T>::step;
  void step(const amp::GradScale& scale) {
    if (this->fails) throw std::runtime_error("a step that fails");
    if (*scale.found_inf != 0) return;
    ++this->steps;
    const double factor = static_cast<double>(*scale.inverse) *
                          static_cast<double>(scale.clip != nullptr ? *scale.clip : 1.0F);
    for (std::size_t i = 0; i < this->weights.size(); ++i) {
      this->weights[i] -=
          static_cast<float>(this->lr * static_cast<double>(this->gradient[i]) * factor);
    }
  }
};

template <class Optimizer>
Optimizer make_raw(const std::vector<double>& weights, const std::vector<double>& gradient,
                   double lr = 1) {
  Optimizer optimizer;
  using T = typename decltype(optimizer.gradient)::value_type;
  for (const double w : weights) optimizer.weights.push_back(static_cast<float>(w));
  for (const double g : gradient) optimizer.gradient.push_back(static_cast<T>(g));
  optimizer.lr = lr;
  return optimizer;
}

/// Makes unscale_ and step legal, as a user without a loss tensor does.
inline void start(amp::GradScaler& scaler) { (void)scaler.scale_data(amp::kCPU); }

/// A leaf with the gradient that a loss scaled by hand would have left.
inline amp::Tensor parameter(const std::vector<double>& values, const std::vector<double>& gradient,
                             amp::DType dtype = amp::kFloat32) {
  const amp::Shape shape(values.size());
  const amp::Tensor p = amp::tensor(values, shape, {.dtype = dtype, .requires_grad = true});
  p.set_grad(amp::tensor(gradient, shape, {.dtype = dtype}));
  return p;
}

}  // namespace scaler_test
