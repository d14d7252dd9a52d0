// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Flat buffers as programs without tensors have them: all weights in one, all gradients in another,
// and views of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "optim/storage_cases.hpp"

namespace storage_test {

/// The elements of `values`, one behind the other, in a dtype on a device; a tensor is what owns
/// the memory here.
struct FlatBuffer {
  Tensor memory;
  std::vector<Tensor> parts;
  std::vector<std::int64_t> begins;

  FlatBuffer(const Tensors& like, DType dtype, amp::Device device) {
    std::int64_t total = 0;
    for (const Tensor& t : like) total += t.numel();
    memory = amp::zeros({total}, {.dtype = dtype, .device = device});
    for (const Tensor& t : like) {
      begins.push_back(parts.empty() ? 0 : begins.back() + parts.back().numel());
      parts.push_back(memory.narrow(0, begins.back(), t.numel()));
    }
  }
  void set(const Tensors& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].numel() != 0) parts[i].copy_(values[i].detach());
  }
  amp::TensorView view(std::size_t i, const std::string& name = {}) const {
    auto* const begin = static_cast<unsigned char*>(memory.raw_data());
    return {begin + begins[i] * amp::item_size(memory.dtype()), parts[i].numel(), memory.dtype(),
            memory.device(), name};
  }
};

/// A model over flat buffers, beside an equal one over tensors.
struct ViewedModel {
  Case c;
  FlatBuffer weights, gradients;
  std::unique_ptr<amp::Optimizer> optimizer;

  ViewedModel(const Case& kind, const Tensors& params, DType gradient_dtype)
      : c(kind),
        weights(params, kind.dtype, params[0].device()),
        gradients(params, gradient_dtype, params[0].device()) {
    weights.set(params);
    std::vector<amp::ParameterView> views;
    for (std::size_t i = 0; i < params.size(); ++i)
      views.push_back({.weight = weights.view(i), .gradient = gradients.view(i)});
    optimizer =
        build_as(c, [&]<class Optimizer>(const auto& options) -> std::unique_ptr<amp::Optimizer> {
          return std::make_unique<Optimizer>(views, options);
        });
  }
  void set_gradients(const Tensors& params) const {
    Tensors all;
    for (const Tensor& p : params) all.push_back(p.grad());
    gradients.set(all);
  }
};

}  // namespace storage_test
