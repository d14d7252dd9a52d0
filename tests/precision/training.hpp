// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A model with everything that initialize has to see, and its training at an opt level, on any
// device.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <amp/amp.hpp>

#include "optim/storage_cases.hpp"

namespace precision_test {

namespace nn = amp::nn;
using amp::Tensor;
using storage_test::Bits;
using storage_test::bits_of;

/// Convolution, every normalisation, a tied and a frozen parameter, and one that no loss reaches.
struct Net : nn::Module {
  nn::Conv2d conv{register_module("conv", nn::Conv2d(2, 4, 3))};
  nn::BatchNorm2d batch{register_module("batch", nn::BatchNorm2d(4))};
  nn::GroupNorm group{register_module("group", nn::GroupNorm(2, 4))};
  nn::Linear first{register_module("first", nn::Linear(16, 16))};
  nn::LayerNorm layer{register_module("layer", nn::LayerNorm({16}))};
  Tensor tied{register_parameter("tied", first.weight)};
  nn::RMSNorm rms{register_module("rms", nn::RMSNorm({16}))};
  nn::Linear last{register_module("last", nn::Linear(16, 3))};
  Tensor unused{register_parameter("unused", amp::ones({5}))};

  Net() { last.bias.requires_grad_(false); }
  Tensor forward(const Tensor& x) const {
    const Tensor features = amp::relu(group(batch(conv(x)))).flatten(1);
    const Tensor hidden = amp::gelu(layer(first(features)));
    return last(amp::gelu(rms(amp::linear(hidden, tied))));
  }
};

inline amp::NamedTensors trained(const nn::Module& model) {
  amp::NamedTensors all;
  for (const auto& entry : model.named_parameters()) {
    if (entry.second.requires_grad()) all.push_back(entry);
  }
  return all;
}

template <class Optimizer>
auto options_of() {
  if constexpr (std::is_same_v<Optimizer, amp::SGD>) {
    return amp::SGDOptions{.lr = 0.02, .momentum = 0.9};
  } else {
    return amp::AdamOptions{.lr = 5e-3};
  }
}

template <class Optimizer>
struct Training {
  Net net;
  Optimizer optimizer;
  amp::Precision precision;
  amp::GradScaler scaler;
  Tensor x, y;

  Training(std::uint64_t seed, amp::Device device, amp::OptLevel level,
           const amp::PrecisionOptions& options)
      : net(seeded(seed, device)),
        optimizer(trained(net), options_of<Optimizer>()),
        precision(amp::initialize(net, optimizer, level, options)),
        scaler(precision.scaler),
        x(amp::zeros({8, 2, 4, 4}, {.device = device})),
        y(amp::zeros({8, 3}, {.device = device})) {}
  static Net seeded(std::uint64_t seed, amp::Device device) {
    amp::manual_seed(seed);
    Net made;
    made.to(device);
    return made;
  }
  void load(int i) const {
    amp::manual_seed(static_cast<std::uint64_t>(100 + i));
    x.copy_(amp::randn(x.shape()));
    y.copy_(amp::randn(y.shape()));
  }
  void step() {
    optimizer.zero_grad();
    scaler.scale(amp::mse_loss(precision.forward(net, x), y)).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  void step(int i) {
    load(i);
    step();
  }
  std::vector<Bits> outcome() const {
    std::vector<Bits> all;
    for (const auto& entry : net.state_dict()) all.push_back(bits_of(entry.second));
    for (const auto& entry : optimizer.state_dict()) all.push_back(bits_of(entry.second));
    for (const Tensor& master : optimizer.master_weights()) all.push_back(bits_of(master));
    return all;
  }
};

}  // namespace precision_test
