// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checks backward against central finite differences in float64: with v(h) = <g, f(x + h e_i)>,
//   d<g, f(x)>/dx_i = (8 (v(h) - v(-h)) - (v(2h) - v(-2h))) / 12h + O(h^4)
// and one fixed cotangent g of irregular values, so that errors cannot cancel.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace amp_test {

using Tensors = std::vector<amp::Tensor>;

struct GradcheckOptions {
  double step = 1e-4;       // of kinks and ties, inputs keep twice that distance
  double tolerance = 2e-9;  // relative, absolute below 1
};

namespace detail {

/// Irregular numbers of either sign, none near 0, no two equal.
inline amp::Tensor irregular(const amp::Shape& shape, double phase) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wave = std::sin(phase + 1.7 * static_cast<double>(i + 1));
    values[i] = wave < 0 ? wave - 0.25 : wave + 0.25;
  }
  return amp::tensor(values, shape);
}

inline double inner_product(const amp::Tensor& a, const amp::Tensor& b) {
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace detail

/// A float64 leaf of irregular values that requires gradients.
inline amp::Tensor leaf(const amp::Shape& shape, double phase = 0) {
  return detail::irregular(shape, phase).requires_grad_();
}
/// The same over a base with its dimensions the other way round: strided, but a leaf.
inline amp::Tensor strided_leaf(const amp::Shape& shape, double phase = 0) {
  const int n = shape.dims();
  std::vector<std::int64_t> reversed(static_cast<std::size_t>(n)), order(reversed);
  for (int d = 0; d < n; ++d) {
    reversed[static_cast<std::size_t>(d)] = shape[n - 1 - d];
    order[static_cast<std::size_t>(d)] = n - 1 - d;
  }
  return detail::irregular(reversed, phase).permute(order).detach().requires_grad_();
}

/// Returns an empty text if the gradients of f(inputs) agree with finite differences, else which do
/// not. The inputs are float64 leaves; f may use them in any way, but must not depend on anything
/// else that changes.
inline std::string gradcheck(const std::function<amp::Tensor(const Tensors&)>& f,
                             const Tensors& inputs, const GradcheckOptions& options = {}) {
  std::ostringstream report;
  report.precision(12);
  for (const amp::Tensor& input : inputs) input.set_grad({});
  const amp::Tensor output = f(inputs);
  if (!output.requires_grad()) return "the output requires no gradient";
  const amp::Tensor cotangent = detail::irregular(output.shape(), 0.5).to(output.dtype());
  output.backward(cotangent);

  const amp::NoGradGuard no_grad;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const amp::Tensor& input = inputs[k];
    if (!input.grad().defined()) {
      report << "input " << k << " has no gradient\n";
      continue;
    }
    if (!(input.grad().shape() == input.shape()) || input.grad().dtype() != input.dtype()) {
      report << "input " << k << " has a gradient " << amp::describe(input.grad()) << '\n';
      continue;
    }
    const auto analytic = input.grad().to_vector<double>();
    const auto values = input.to_vector<double>();
    const auto value_with = [&](std::size_t i, double step) {
      std::vector<double> moved = values;
      moved[i] += step;
      input.copy_(amp::tensor(moved, input.shape()));
      return detail::inner_product(f(inputs), cotangent);
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double h = options.step;
      const double near = value_with(i, h) - value_with(i, -h);
      const double far = value_with(i, 2 * h) - value_with(i, -2 * h);
      const double numeric = (8 * near - far) / (12 * h);
      const double error = std::abs(analytic[i] - numeric);
      if (!(error <= options.tolerance * std::max(1.0, std::abs(numeric)))) {
        report << "input " << k << ", element " << i << ": gradient " << analytic[i]
               << ", by differences " << numeric << '\n';
      }
    }
    input.copy_(amp::tensor(values, input.shape()));
  }
  return report.str();
}

}  // namespace amp_test
