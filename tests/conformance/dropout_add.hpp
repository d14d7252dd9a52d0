// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// dropout_add against its parts: dropout, and a sum.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace conformance::properties {

/// All numbers are small integers, so that every sum is exact in every dtype.
inline void dropout_add_of_parts(const amp::Device& device, amp::DType dtype) {
  using amp::Tensor;
  const auto leaf = [&](const amp::Shape& shape, std::int64_t modulus, amp::DType of) {
    std::vector<double> values(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(static_cast<std::int64_t>(i) % modulus - 3);
    return amp::tensor(values, shape, {.dtype = of, .device = device, .requires_grad = true});
  };
  const auto check = [&](const amp::Shape& shape, amp::DType residual_dtype, bool transposed) {
    INFO("shape " << shape << ", residual " << amp::name(residual_dtype));
    const Tensor x = leaf(shape, 7, dtype), residual = leaf(shape, 11, residual_dtype);
    const Tensor apart = leaf(shape, 7, dtype);
    const auto as_read = [&](const Tensor& t) { return transposed ? t.t() : t; };
    amp::manual_seed(21);
    const Tensor y = amp::dropout_add(as_read(x), as_read(residual), 0.5);
    amp::manual_seed(21);
    const Tensor dropped = amp::dropout(as_read(apart), 0.5);
    CHECK(amp::name(y.dtype()) == amp::name(amp::promote_types(dtype, residual_dtype)));
    CHECK(y.to_vector<double>() == (dropped.to(y.dtype()) + as_read(residual)).to_vector<double>());
    const auto gradient = [&](const Tensor& of) {
      return amp::full(of.shape(), 3, {.dtype = of.dtype(), .device = device});
    };
    y.backward(gradient(y));
    dropped.backward(gradient(dropped));
    CHECK(amp::name(x.grad().dtype()) == amp::name(dtype));
    CHECK(x.grad().to_vector<double>() == apart.grad().to_vector<double>());
    CHECK(amp::name(residual.grad().dtype()) == amp::name(residual_dtype));
    CHECK(residual.grad().to_vector<double>() ==
          std::vector<double>(static_cast<std::size_t>(shape.numel()), 3));
  };
  for (const amp::DType residual : {dtype, amp::kFloat32, amp::kFloat64}) {
    check({33, 40}, residual, false);
    check({5}, residual, false);
    check({30, 41}, residual, true);
  }
  // Memory that no vector begins in.
  const Tensor x = leaf({27}, 7, dtype).narrow(0, 1, 26), residual = leaf({27}, 11, dtype);
  amp::manual_seed(22);
  const auto y = amp::dropout_add(x, residual.narrow(0, 0, 26), 0.5).to_vector<double>();
  amp::manual_seed(22);
  const auto dropped = amp::dropout(x.clone(), 0.5).to_vector<double>();
  const auto added = residual.to_vector<double>();
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == dropped[i] + added[i]);

  // Nothing is drawn where nothing is dropped.
  amp::manual_seed(23);
  const auto next = amp::rand({4}).to_vector<float>();
  amp::manual_seed(23);
  CHECK(amp::dropout_add(x, x, 0.5, false).to_vector<double>() == (x + x).to_vector<double>());
  CHECK(amp::dropout_add(x, x, 0).to_vector<double>() == (x + x).to_vector<double>());
  CHECK(amp::rand({4}).to_vector<float>() == next);
  CHECK(amp::dropout_add(x, x, 1).to_vector<double>() == x.to_vector<double>());
}

}  // namespace conformance::properties
