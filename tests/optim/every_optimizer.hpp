// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The optimizers beyond those of storage_cases.hpp, with options that use all of their states.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <amp/amp.hpp>

namespace optim_test {

/// What every optimizer's options have.
struct Common {
  amp::Schedule schedule = {};
  amp::WeightStorage storage = amp::WeightStorage::kParameter;
  std::optional<amp::DType> moments = {};
};
using Maker = std::function<std::unique_ptr<amp::Optimizer>(const std::vector<amp::Tensor>& params,
                                                            const Common& common)>;
template <class Optimizer>
Maker maker(const typename Optimizer::Options& options) {
  return [=](const std::vector<amp::Tensor>& params, const Common& common) {
    auto all = options;
    all.schedule = common.schedule;
    all.storage = common.storage;
    all.moments = common.moments;
    all.seed = 5;
    return std::make_unique<Optimizer>(params, all);
  };
}

inline const std::vector<std::pair<std::string_view, Maker>>& every_optimizer() {
  static const std::vector<std::pair<std::string_view, Maker>> all = {
      {"SGD, dampened", maker<amp::SGD>({.lr = 0.1, .momentum = 0.9, .dampening = 0.5})},
      {"Adam, amsgrad",
       maker<amp::Adam>({.lr = 0.01, .beta1 = 0.3, .amsgrad = true, .maximize = true})},
      {"AdamW, amsgrad", maker<amp::AdamW>({.lr = 0.01, .beta2 = 0.9, .amsgrad = true})},
      {"RMSprop", maker<amp::RMSprop>({.weight_decay = 0.1})},
      {"RMSprop, centered", maker<amp::RMSprop>({.eps = 1e-3, .momentum = 0.5, .centered = true})},
      {"Adagrad", maker<amp::Adagrad>({.lr = 0.1, .lr_decay = 0.1})},
      {"Adadelta", maker<amp::Adadelta>({.weight_decay = 0.1})},
      {"Adamax", maker<amp::Adamax>({.lr = 0.01})},
      {"NAdam", maker<amp::NAdam>({.lr = 0.01, .decoupled_weight_decay = true})},
      {"RAdam", maker<amp::RAdam>({.lr = 0.01, .beta2 = 0.7})},
      {"Adafactor", maker<amp::Adafactor>({.lr = 0.05, .weight_decay = 0.1})},
  };
  return all;
}

}  // namespace optim_test
