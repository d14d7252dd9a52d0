// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The programs of examples/models beside their PyTorch twins: the same weights, the same batches and
// so the same losses. goldens/make_models.py has the same formulas.
#pragma once

#include "goldens/blocks.hpp"
#include "models/run.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"
#include "support/splitmix64.hpp"

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace models_test {

inline constexpr int kSteps = 20;

/// Multiples of 2^-23 in [-1, 1), of float64.
inline amp::Tensor uniform(const amp::Shape& shape, std::uint64_t salt) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = amp_test::splitmix64(salt << 32 | i) >> 40;
    values[i] = static_cast<double>(bits) * 0x1p-23 - 1;
  }
  return amp::tensor(values, shape);
}
/// The same in a dtype, for batches.
inline amp::Tensor inputs(const amp::Shape& shape, int salt, amp::DType dtype) {
  return uniform(shape, 1000 + static_cast<std::uint64_t>(salt)).to(dtype);
}
/// Numbers from 0 to count - 1, of int64.
inline amp::Tensor classes(const amp::Shape& shape, std::int64_t count, int salt) {
  const amp::Tensor numbers = uniform(shape, 2000 + static_cast<std::uint64_t>(salt));
  return ((numbers + 1) / 2 * count).to(amp::kInt64);
}

/// The module in this dtype. Weights of matrices and kernels are by the formula, as small as their
/// inputs are many, and so are biases; other vectors are 1.
template <class Module>
Module filled(Module module, amp::DType dtype) {
  const amp::NoGradGuard no_grad;
  std::uint64_t k = 0;
  for (const auto& [name, parameter] : module.named_parameters()) {
    amp::Tensor values = uniform(parameter.shape(), k++);
    if (parameter.dim() > 1)
      values /= std::sqrt(static_cast<double>(parameter[0].numel()));
    else if (name.ends_with("bias"))
      values /= 8;
    else
      values.fill_(1);
    parameter.copy_(values);
  }
  module.to(dtype);
  return module;
}

/// How far losses may be from PyTorch's, relative where they are above 1. In float64 this tells
/// whether the programs are the same; the others round differently, which training makes more of.
struct Tolerance {
  double fp64 = 1e-10, fp32 = 1e-3, bf16 = 5e-2, fp16 = 3e-2;
};

/// Trains in each precision. `train(precision, dtype)` begins with a model of that dtype, and returns
/// a function of i: the loss of step i.
template <class Train>
void compare(const std::string& name, const Train& train, const Tolerance& tolerance = {}) {
  static const std::vector<goldens::Block> blocks = goldens::read_blocks("models.txt");
  const auto run = [&](const char* precision, double most) {
    const bool is_double = precision == std::string("fp64");
    examples::Precision options = examples::precision(is_double ? "fp32" : precision);
    options.scaler.init_scale = 1024;  // far from overflow, where last digits would decide
    const auto step = train(options, is_double ? amp::kFloat64 : amp::kFloat32);
    std::vector<double> losses;
    for (int i = 0; i < kSteps; ++i) losses.push_back(step(i).item());
    INFO(name << ' ' << precision);
    const goldens::Block& block = goldens::titled(blocks, name + ' ' + precision);
    CHECK(amp_test::difference(losses, block["losses"].values) <= most);
  };
  run("fp64", tolerance.fp64);
  run("fp32", tolerance.fp32);
  run("bf16", tolerance.bf16);
  run("fp16", tolerance.fp16);
}

}  // namespace models_test
