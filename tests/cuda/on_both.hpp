// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An op on the host and on the CUDA device, and how far its results are apart. Another source of
// the program includes <amp/cuda.cuh>.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace cuda_test {

using Tensors = std::vector<amp::Tensor>;

/// Whether the device has a math library of its own (pow, cos), which rounds otherwise than the
/// host's: a GPU, built by tests/device.cmake.
#if defined(AMP_TEST_GPU)
inline constexpr bool kOwnMath = true;
#else
inline constexpr bool kOwnMath = false;
#endif

inline constexpr amp::DType kFloats[] = {amp::kFloat64,  amp::kFloat32,    amp::kFloat16,
                                         amp::kBFloat16, amp::kFloat8E4M3, amp::kFloat8E5M2};
inline constexpr amp::DType kIntegers[] = {amp::kInt64, amp::kInt32, amp::kUInt8, amp::kBool};

/// Large tensors are compared in a few dtypes only: fibers take their time.
inline bool worth_while(const amp::Shape& shape, amp::DType dtype) {
  return shape.numel() <= 400 || dtype == amp::kFloat32 || dtype == amp::kFloat16 ||
         dtype == amp::kInt32;
}

/// One rounding, or what sums in another order may differ by.
inline double tolerance(amp::DType dtype) {
  if (dtype == amp::kFloat64) return 1e-13;
  if (dtype == amp::kFloat32) return 1e-6;
  double epsilon = 0;
  amp::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  });
  return epsilon;
}

/// Returns the largest difference over the largest magnitude, or over `least` if that is larger;
/// infinite if the tensors differ in anything but finite values.
inline double difference(const amp::Tensor& expected, const amp::Tensor& actual, double least = 0) {
  if (actual.device().type != amp::kCUDA || expected.dtype() != actual.dtype() ||
      expected.shape() != actual.shape())
    return HUGE_VAL;
  const auto a = expected.to_vector<double>(), b = actual.to_vector<double>();
  double worst = 0, largest = least;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i]) continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return HUGE_VAL;
    worst = std::fmax(worst, std::fabs(a[i] - b[i]));
  }
  for (const double x : a) largest = std::isfinite(x) ? std::fmax(largest, std::fabs(x)) : largest;
  return worst == 0 ? 0 : worst / largest;
}

/// Whether all bits are those of `expected`, signs of zero included. On a GPU all NaN are the same:
/// which one an operation gives is the processor's choice.
inline bool same_bits(const amp::Tensor& expected, const amp::Tensor& actual) {
  if (actual.device().type != amp::kCUDA || expected.dtype() != actual.dtype() ||
      expected.shape() != actual.shape())
    return false;
  const amp::Tensor a = expected.contiguous(), b = actual.to(amp::kCPU).contiguous();
  const auto bytes = static_cast<std::size_t>(a.numel() * amp::item_size(a.dtype()));
  const bool equal = bytes == 0 || std::memcmp(a.operand().data, b.operand().data, bytes) == 0;
#if defined(AMP_TEST_GPU)
  if (equal || !amp::is_floating_point(a.dtype())) return equal;
  const std::vector<double> of_a = a.to_vector<double>(), of_b = b.to_vector<double>();
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), [](double x, double y) {
    return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
  });
#else
  return equal;
#endif
}

inline Tensors as_list(amp::Tensor tensor) { return {std::move(tensor)}; }
inline Tensors as_list(Tensors tensors) { return tensors; }

/// Returns op(leaves), a tensor or a list, on a device, followed by the gradients of all
/// floating-point leaves if the first result has a gradient. Undefined inputs stay so.
template <class Op>
Tensors run(amp::Device device, const Tensors& inputs, const Op& op) {
  Tensors leaves;
  for (const amp::Tensor& x : inputs) {
    leaves.push_back(x.defined() ? x.to(device).detach() : x);
    if (x.defined() && amp::is_floating_point(x.dtype())) leaves.back().requires_grad_();
  }
  Tensors results = as_list(op(leaves));
  const amp::Tensor& y = results[0];
  if (!y.requires_grad()) return results;
  const amp::RngState state = amp::get_rng_state();
  amp::manual_seed(11);
  y.backward(amp::randn(y.shape()).to(y.dtype()).to(device));
  amp::set_rng_state(state);
  for (const amp::Tensor& leaf : leaves) {
    if (leaf.defined() && leaf.grad().defined()) results.push_back(leaf.grad());
  }
  return results;
}

/// Checks that both devices' results differ by `limit` at most; if that is 0, that all bits are
/// equal. `least` is the magnitude of terms that may cancel.
template <class Op>
void compare(const Tensors& inputs, double limit, const Op& op, double least = 0) {
  const amp::RngState state = amp::get_rng_state();
  const Tensors host = run(amp::kCPU, inputs, op);
  amp::set_rng_state(state);
  const Tensors device = run(amp::kCUDA, inputs, op);
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO("result " << i << " of " << to_string(inputs[0].shape()) << " "
                   << amp::name(inputs[0].dtype()));
    if (limit == 0) {
      CHECK(same_bits(host[i], device[i]));
    } else {
      CHECK(difference(host[i], device[i], least) <= limit);
    }
  }
}

}  // namespace cuda_test
