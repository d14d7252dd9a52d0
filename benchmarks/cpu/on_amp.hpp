// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Helpers of the workloads in amp.
#pragma once

#include <amp/amp.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "worker.hpp"

namespace cpu_benchmark {

using amp::Tensor;

// Each returns nothing if the workload is not in its file.
std::optional<Workload> load_training_step(const Request& request);
std::optional<Workload> load_optimizer_step(const Request& request);
std::optional<Workload> load_operation(const Request& request);

/// Returns the dtype of a precision; float32 needs no autocast.
inline amp::DType dtype_of(const std::string& precision) {
  if (precision == "bf16") return amp::kBFloat16;
  if (precision == "fp16") return amp::kFloat16;
  require(precision == "fp32", "the precision '" + precision + "'; there are fp32, bf16 and fp16");
  return amp::kFloat32;
}

/// Returns numbers in [-bound, bound).
inline Tensor numbers(const amp::Shape& shape, std::uint32_t seed, float bound = 1) {
  return amp::tensor(numbers_in(shape.numel(), seed, bound), shape);
}
/// Returns whole numbers in [0, limit).
inline Tensor classes(const amp::Shape& shape, std::uint32_t seed, std::uint32_t limit) {
  return amp::tensor(classes_in(shape.numel(), seed, limit), shape);
}

/// Returns the elements of a tensor that are compared.
inline std::vector<double> some_elements(const Tensor& tensor) {
  const std::vector<double> all = tensor.to_vector<double>();
  std::vector<double> elements;
  for (const std::int64_t i : some_of(tensor.numel()))
    elements.push_back(all[static_cast<std::size_t>(i)]);
  return elements;
}

}  // namespace cpu_benchmark
