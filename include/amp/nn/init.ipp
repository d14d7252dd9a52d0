// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/init.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/masking.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/random.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn::init {

namespace detail {

struct Fans {
  std::int64_t in, out;
};
AMP_COLD Fans fans(std::string_view call, const Tensor& tensor) {
  amp::detail::check_floating(call, "tensor", tensor);
  AMP_CHECK(tensor.dim() >= 2, call, ": `tensor` must have at least 2 dimensions, but is ",
            describe(tensor));
  std::int64_t area = 1;
  for (int d = 2; d < tensor.dim(); ++d) area *= tensor.size(d);
  return {tensor.size(1) * area, tensor.size(0) * area};
}

AMP_COLD void check_matrix(std::string_view call, const Tensor& tensor) {
  amp::detail::check_defined(call, "tensor", tensor);
  AMP_CHECK(tensor.dim() == 2, call, ": `tensor` must be a matrix, but is ", describe(tensor));
}

/// Where and in which dtype numbers for a tensor are drawn.
AMP_COLD TensorOptions drawn_as(const Tensor& tensor) {
  return {.dtype = promote_types(tensor.dtype(), kFloat32), .device = tensor.device()};
}

AMP_COLD Tensor write(const Tensor& tensor, const Tensor& values) {
  const NoGradGuard no_grad;
  return tensor.copy_(values);
}

AMP_COLD void check_number(std::string_view call, std::string_view argument, double number,
                           const Tensor& tensor) {
  AMP_CHECK(std::isfinite(number), call, ": `", argument, "` must be finite, but is ", number);
  amp::detail::check_holds(call, argument, number, tensor.dtype());
}

AMP_LAZY Tensor draw_uniform(std::string_view call, const Tensor& tensor, double a, double b) {
  check_number(call, "a", a, tensor);
  check_number(call, "b", b, tensor);
  AMP_CHECK(a <= b, call, ": `a` must not be above `b`, but they are ", a, " and ", b);
  const NoGradGuard no_grad;
  return write(tensor, rand(tensor.shape(), drawn_as(tensor)) * (b - a) + a);
}
AMP_LAZY Tensor draw_normal(std::string_view call, const Tensor& tensor, double mean, double std) {
  check_number(call, "mean", mean, tensor);
  check_number(call, "std", std, tensor);
  AMP_CHECK(std >= 0, call, ": `std` must not be negative, but is ", std);
  return write(tensor, normal(mean, std, tensor.shape(), drawn_as(tensor)));
}

/// The numbers that draw() gives, each drawn anew until rejected() does not say that it is bad.
template <class Draw, class Rejected>
Tensor draw_until_accepted(const Draw& draw, const Rejected& rejected) {
  Tensor values = draw();
  Tensor pending = rejected(values);
  while (any(pending).template item<bool>()) {
    values = where(pending, draw(), values);
    pending = logical_and(pending, rejected(values));
  }
  return values;
}

AMP_LAZY double kaiming_deviation(std::string_view call, const Tensor& tensor,
                                  const KaimingOptions& options) {
  const Fans fan = fans(call, tensor);
  AMP_CHECK(std::isfinite(options.a), call, ": `a` must be finite, but is ", options.a);
  const std::int64_t count = options.mode == FanMode::kFanIn ? fan.in : fan.out;
  return calculate_gain(options.nonlinearity, options.a) /
         std::sqrt(static_cast<double>((std::max)(count, std::int64_t{1})));
}

/// Makes the rows of `rows` [count, length], contiguous float64 on the CPU, count <= length,
/// orthonormal: each loses its parts along those before it, twice, since the first time leaves what
/// was rounded (Giraud et al. 2005). The rows before a panel of some are one matrix.
AMP_LAZY void orthonormalise(const Tensor& rows) {
  const std::int64_t count = rows.size(0), length = rows.size(1), panel = 32;
  const auto dot = [&](const double* x, const double* y) {
    double sums[8] = {};  // which compilers add as a vector
    std::int64_t i = 0;
    for (; i + 8 <= length; i += 8) {
      for (std::int64_t lane = 0; lane < 8; ++lane) sums[lane] += x[i + lane] * y[i + lane];
    }
    for (; i < length; ++i) sums[0] += x[i] * y[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  };
  for (std::int64_t begin = 0; begin < count; begin += panel) {
    const std::int64_t end = (std::min)(begin + panel, count);
    for (int pass = 0; pass < 2; ++pass) {
      const Tensor own = rows.narrow(0, begin, end - begin);
      if (begin > 0) {
        const Tensor before = rows.narrow(0, 0, begin);
        own.copy_(own - matmul(matmul(own, before.t()), before));
      }
      double* const data = rows.data<double>();
      for (std::int64_t r = begin; r < end; ++r) {
        double* const row = data + r * length;
        for (std::int64_t other = begin; other < r; ++other) {
          const double* const direction = data + other * length;
          const double part = dot(row, direction);
          for (std::int64_t i = 0; i < length; ++i) row[i] -= part * direction[i];
        }
        const double norm = std::sqrt(dot(row, row));
        for (std::int64_t i = 0; i < length; ++i) row[i] /= norm;
      }
    }
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor uniform_(const Tensor& tensor, double a, double b) {
  amp::detail::check_floating("nn::init::uniform_", "tensor", tensor);
  return detail::draw_uniform("nn::init::uniform_", tensor, a, b);
}
AMP_LAZY_DEFINITION Tensor normal_(const Tensor& tensor, double mean, double std) {
  amp::detail::check_floating("nn::init::normal_", "tensor", tensor);
  return detail::draw_normal("nn::init::normal_", tensor, mean, std);
}

AMP_LAZY_DEFINITION Tensor trunc_normal_(const Tensor& tensor, double mean, double std, double a,
                                         double b) {
  constexpr std::string_view kCall = "nn::init::trunc_normal_";
  amp::detail::check_floating(kCall, "tensor", tensor);
  detail::check_number(kCall, "mean", mean, tensor);
  detail::check_number(kCall, "std", std, tensor);
  AMP_CHECK(std > 0, kCall, ": `std` must be positive, but is ", std);
  AMP_CHECK(a < b, kCall, ": `a` must be below `b`, but they are ", a, " and ", b);
  const NoGradGuard no_grad;
  const TensorOptions options = detail::drawn_as(tensor);
  const auto below = [&](double x) { return std::erfc((mean - x) / (std * std::sqrt(2.0))) / 2; };
  if (below(b) - below(a) > 0.3) {
    return detail::write(tensor,
                         detail::draw_until_accepted(
                             [&] { return normal(mean, std, tensor.shape(), options); },
                             [&](const Tensor& x) { return logical_or(lt(x, a), gt(x, b)); }));
  }
  // Few normal numbers would fall there: uniform ones are accepted in proportion to their density.
  const double peak = (std::clamp)(mean, a, b);
  a = (std::max)(a, peak - 40 * std);  // beyond is nothing
  b = (std::min)(b, peak + 40 * std);
  const double highest = -0.5 * ((peak - mean) / std) * ((peak - mean) / std);
  return detail::write(tensor, detail::draw_until_accepted(
                                   [&] { return rand(tensor.shape(), options) * (b - a) + a; },
                                   [&](const Tensor& x) {
                                     const Tensor z = (x - mean) / std;
                                     return gt(log(rand(x.shape(), options)),
                                               z * z * -0.5 - highest);
                                   }));
}

AMP_LAZY_DEFINITION Tensor constant_(const Tensor& tensor, double value) {
  amp::detail::check_defined("nn::init::constant_", "tensor", tensor);
  const NoGradGuard no_grad;
  return tensor.fill_(value);
}
AMP_LAZY_DEFINITION Tensor ones_(const Tensor& tensor) {
  amp::detail::check_defined("nn::init::ones_", "tensor", tensor);
  return constant_(tensor, 1);
}
AMP_LAZY_DEFINITION Tensor zeros_(const Tensor& tensor) {
  amp::detail::check_defined("nn::init::zeros_", "tensor", tensor);
  return constant_(tensor, 0);
}
AMP_LAZY_DEFINITION Tensor eye_(const Tensor& tensor) {
  detail::check_matrix("nn::init::eye_", tensor);
  return detail::write(tensor, eye(tensor.size(0), tensor.size(1),
                                   {.dtype = tensor.dtype(), .device = tensor.device()}));
}
AMP_LAZY_DEFINITION Tensor dirac_(const Tensor& tensor, std::int64_t groups) {
  amp::detail::check_defined("nn::init::dirac_", "tensor", tensor);
  AMP_CHECK(tensor.dim() >= 3 && tensor.dim() <= 5,
            "nn::init::dirac_: `tensor` must have 3, 4 or 5 dimensions, but is ", describe(tensor));
  AMP_CHECK(groups >= 1 && tensor.size(0) % groups == 0, "nn::init::dirac_: `groups` ", groups,
            " must divide the extent of dimension 0, ", tensor.size(0));
  const NoGradGuard no_grad;
  const Tensor values = zeros(tensor.shape());
  Tensor middle = values;  // of the kernels: [out, in]
  for (int d = tensor.dim() - 1; d >= 2 && tensor.numel() > 0; --d)
    middle = middle.select(d, tensor.size(d) / 2);
  const std::int64_t in_group = tensor.size(0) / groups;
  const std::int64_t channels = (std::min)(in_group, tensor.size(1));
  for (std::int64_t g = 0; g < groups && tensor.numel() > 0; ++g)
    middle.narrow(0, g * in_group, channels).narrow(1, 0, channels).copy_(eye(channels));
  return detail::write(tensor, values);
}

AMP_LAZY_DEFINITION Tensor xavier_uniform_(const Tensor& tensor, double gain) {
  const detail::Fans fans = detail::fans("nn::init::xavier_uniform_", tensor);
  const double bound = gain * std::sqrt(6 / static_cast<double>(fans.in + fans.out));
  if (tensor.numel() == 0) return tensor;
  return detail::draw_uniform("nn::init::xavier_uniform_", tensor, -std::abs(bound),
                              std::abs(bound));
}
AMP_LAZY_DEFINITION Tensor xavier_normal_(const Tensor& tensor, double gain) {
  const detail::Fans fans = detail::fans("nn::init::xavier_normal_", tensor);
  if (tensor.numel() == 0) return tensor;
  return detail::draw_normal(
      "nn::init::xavier_normal_", tensor, 0,
      std::abs(gain) * std::sqrt(2 / static_cast<double>(fans.in + fans.out)));
}

AMP_COLD double calculate_gain(Nonlinearity nonlinearity, double param) {
  switch (nonlinearity) {
    case Nonlinearity::kTanh:
      return 5.0 / 3;
    case Nonlinearity::kReLU:
      return std::sqrt(2.0);
    case Nonlinearity::kLeakyReLU:
      return std::sqrt(2 / (1 + param * param));
    case Nonlinearity::kSELU:
      return 0.75;
    case Nonlinearity::kLinear:
    case Nonlinearity::kSigmoid:
      break;
  }
  return 1;
}

AMP_LAZY_DEFINITION Tensor kaiming_uniform_(const Tensor& tensor, const KaimingOptions& options) {
  const double bound =
      std::sqrt(3.0) * detail::kaiming_deviation("nn::init::kaiming_uniform_", tensor, options);
  if (tensor.numel() == 0) return tensor;
  return detail::draw_uniform("nn::init::kaiming_uniform_", tensor, -bound, bound);
}
AMP_LAZY_DEFINITION Tensor kaiming_normal_(const Tensor& tensor, const KaimingOptions& options) {
  const double std = detail::kaiming_deviation("nn::init::kaiming_normal_", tensor, options);
  if (tensor.numel() == 0) return tensor;
  return detail::draw_normal("nn::init::kaiming_normal_", tensor, 0, std);
}

AMP_LAZY_DEFINITION Tensor orthogonal_(const Tensor& tensor, double gain) {
  constexpr std::string_view kCall = "nn::init::orthogonal_";
  (void)detail::fans(kCall, tensor);
  detail::check_number(kCall, "gain", gain, tensor);
  if (tensor.numel() == 0) return tensor;
  const NoGradGuard no_grad;
  const std::int64_t rows = tensor.size(0), columns = tensor.numel() / rows;
  const Tensor drawn =
      normal(0, 1, {(std::min)(rows, columns), (std::max)(rows, columns)}, {.dtype = kFloat64});
  detail::orthonormalise(drawn);
  const Tensor matrix = rows <= columns ? drawn : drawn.t();
  return detail::write(tensor, (matrix * gain).reshape(tensor.shape()));
}

AMP_LAZY_DEFINITION Tensor sparse_(const Tensor& tensor, double sparsity, double std) {
  constexpr std::string_view kCall = "nn::init::sparse_";
  detail::check_matrix(kCall, tensor);
  amp::detail::check_floating(kCall, "tensor", tensor);
  AMP_CHECK(sparsity >= 0 && sparsity <= 1, kCall, ": `sparsity` must lie in [0, 1], but is ",
            sparsity);
  detail::check_number(kCall, "std", std, tensor);
  AMP_CHECK(std >= 0, kCall, ": `std` must not be negative, but is ", std);
  const NoGradGuard no_grad;
  const std::int64_t rows = tensor.size(0), columns = tensor.size(1);
  const auto zeros = static_cast<std::size_t>(std::ceil(sparsity * static_cast<double>(rows)));
  const Tensor values = normal(0, std, tensor.shape());
  float* const data = values.data<float>();
  for (std::int64_t column = 0; column < columns; ++column) {
    const auto order = randperm(rows).template to_vector<std::int64_t>();
    for (std::size_t i = 0; i < zeros; ++i) data[order[i] * columns + column] = 0;
  }
  return detail::write(tensor, values);
}

AMP_COLD Tensor uniform(const Shape& shape, double bound) {
  const NoGradGuard no_grad;
  return rand(shape) * (2 * bound) - bound;
}

AMP_COLD Tensor fan_in_uniform(const Shape& shape, std::int64_t fan_in) {
  return uniform(shape, fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0);
}

}  // namespace amp::inline v0::nn::init
