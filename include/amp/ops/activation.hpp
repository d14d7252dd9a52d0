// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Activations and elementary functions, each with its derivative.
#pragma once

#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

/// max(0, x); the gradient at 0 is 0.
[[nodiscard]] inline Tensor relu(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::relu, kernels::host::relu>(
      "relu", "relu", input, false, [](const Tensor&, const Tensor& output) {
        return [output = autograd::SavedTensor(output)](const Tensor& grad) {
          return detail::binary_kernel<&kernels::Backend::relu_backward,
                                       kernels::host::relu_backward>(grad, output.get("relu"),
                                                                     grad.shape(), grad.dtype());
        };
      });
}

/// |x|; the gradient at 0 is 0.
[[nodiscard]] inline Tensor abs(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::abs, kernels::host::abs>(
      "abs", "abs", input, false, [](const Tensor& x, const Tensor&) {
        return [x = autograd::SavedTensor(x)](const Tensor& grad) {
          const Tensor& saved = x.get("abs");
          const Tensor positive = detail::scalar_kernel<&kernels::Backend::gt, kernels::host::gt>(
              saved, 0, false, grad.dtype());
          const Tensor negative = detail::scalar_kernel<&kernels::Backend::lt, kernels::host::lt>(
              saved, 0, false, grad.dtype());
          return detail::mul(grad,
                             detail::binary_kernel<&kernels::Backend::sub, kernels::host::sub>(
                                 positive, negative, grad.shape(), grad.dtype()));
        };
      });
}

/// e^x
[[nodiscard]] inline Tensor exp(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::exp, kernels::host::exp>(
      "exp", "exp", input, true, [](const Tensor&, const Tensor& output) {
        return [output = autograd::SavedTensor(output)](const Tensor& grad) {
          return detail::mul(grad, output.get("exp"));
        };
      });
}

/// The natural logarithm.
[[nodiscard]] inline Tensor log(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::log, kernels::host::log>(
      "log", "log", input, true, [](const Tensor& x, const Tensor&) {
        return [x = autograd::SavedTensor(x)](const Tensor& grad) {
          return detail::div(grad, x.get("log"));
        };
      });
}

/// d sqrt(x)/dx = 1 / (2 sqrt(x))
[[nodiscard]] inline Tensor sqrt(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::sqrt, kernels::host::sqrt>(
      "sqrt", "sqrt", input, true, [](const Tensor&, const Tensor& output) {
        return [output = autograd::SavedTensor(output)](const Tensor& grad) {
          return detail::div(grad, detail::scale(output.get("sqrt"), 2));
        };
      });
}

/// d tanh(x)/dx = 1 - tanh(x)^2
[[nodiscard]] inline Tensor tanh(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::tanh, kernels::host::tanh>(
      "tanh", "tanh", input, true, [](const Tensor&, const Tensor& output) {
        return [output = autograd::SavedTensor(output)](const Tensor& grad) {
          const Tensor& y = output.get("tanh");
          return detail::mul(grad,
                             detail::scalar_kernel<&kernels::Backend::sub, kernels::host::sub>(
                                 detail::mul(y, y), 1, true, y.dtype()));
        };
      });
}

/// 1 / (1 + e^-x); the derivative is y (1 - y)
[[nodiscard]] inline Tensor sigmoid(const Tensor& input) {
  return detail::unary_op<&kernels::Backend::sigmoid, kernels::host::sigmoid>(
      "sigmoid", "sigmoid", input, true, [](const Tensor&, const Tensor& output) {
        return [output = autograd::SavedTensor(output)](const Tensor& grad) {
          const Tensor& y = output.get("sigmoid");
          const Tensor complement =
              detail::scalar_kernel<&kernels::Backend::sub, kernels::host::sub>(y, 1, true,
                                                                                y.dtype());
          return detail::mul(grad, detail::mul(y, complement));
        };
      });
}

/// input^exponent; the derivative is exponent * input^(exponent - 1)
template <Arithmetic Number>
[[nodiscard]] Tensor pow(const Tensor& input, Number exponent) {
  return autocasting::call(
      "pow",
      [&](const Tensor& x) {
        const auto power = [](const Tensor& base, double e, DType dtype) {
          return detail::scalar_kernel<&kernels::Backend::pow, kernels::host::pow>(base, e, false,
                                                                                   dtype);
        };
        const DType dtype = detail::float_result_type(detail::scalar_result_type<Number>(x));
        const auto e = static_cast<double>(exponent);
        const Tensor output = power(x, e, dtype);
        if (autograd::recording(x)) {
          autograd::record(
              "pow", output,
              [x = autograd::SavedTensor(x), e, power](
                  const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor& base = x.get("pow");
                if (e == 0) return {zeros_like(base)};
                return {detail::mul(grad, detail::scale(power(base, e - 1, base.dtype()), e))};
              },
              x);
        }
        return output;
      },
      input);
}

}  // namespace amp::inline v0
