// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <new>

#include "amp/core/error.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/reduce_lr_on_plateau.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/given_tensors.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer,
                                                         const Options& options)
    : optimizer_(optimizer), options_(options) {
  const auto usable = [](double x) { return x >= 0 && x <= 0x1p1000; };
  AMP_CHECK(options.factor >= 0 && options.factor < 1,
            "ReduceLROnPlateau: `factor` must lie in [0, 1), but is ", options.factor);
  AMP_CHECK(options.patience >= 0 && options.cooldown >= 0,
            "ReduceLROnPlateau: `patience` and `cooldown` must be 0 or more, but are ",
            options.patience, " and ", options.cooldown);
  AMP_CHECK(usable(options.threshold) && usable(options.min_lr) && usable(options.eps),
            "ReduceLROnPlateau: `threshold`, `min_lr` and `eps` must be finite numbers from 0 on, "
            "but are ",
            options.threshold, ", ", options.min_lr, " and ", options.eps);
  best_ = std::numeric_limits<double>::infinity();
  if (options.mode == PlateauMode::kMax) best_ = -best_;
}

AMP_LAZY_DEFINITION bool ReduceLROnPlateau::is_better(double metric) const {
  const bool relative = options_.threshold_mode == PlateauThreshold::kRel;
  const double by = options_.threshold;
  if (options_.mode == PlateauMode::kMin)
    return metric < (relative ? best_ * (1 - by) : best_ - by);
  return metric > (relative ? best_ * (1 + by) : best_ + by);
}

AMP_LAZY_DEFINITION void ReduceLROnPlateau::reduce() {
  for (double* const lr : optimizer_.learning_rates()) {
    const double lower = (std::max)(*lr * options_.factor, options_.min_lr);
    if (*lr - lower > options_.eps) *lr = lower;
  }
}

AMP_LAZY_DEFINITION void ReduceLROnPlateau::step(double metric) {
  ++last_epoch_;
  if (is_better(metric)) {
    best_ = metric;
    num_bad_epochs_ = 0;
  } else {
    ++num_bad_epochs_;
  }
  if (cooldown_counter_ > 0) {
    --cooldown_counter_;
    num_bad_epochs_ = 0;
  }
  if (num_bad_epochs_ <= options_.patience) return;
  reduce();
  cooldown_counter_ = options_.cooldown;
  num_bad_epochs_ = 0;
}

AMP_LAZY_DEFINITION NamedTensors ReduceLROnPlateau::state_dict() const {
  return detail::or_out_of_memory([&] {
    const auto count = [](std::int64_t n) { return tensor({n}, {}); };
    return NamedTensors{{"best", full({}, best_, {.dtype = kFloat64})},
                        {"num_bad_epochs", count(num_bad_epochs_)},
                        {"cooldown_counter", count(cooldown_counter_)},
                        {"last_epoch", count(last_epoch_)}};
  });
}

AMP_LAZY_DEFINITION void ReduceLROnPlateau::load_state_dict(const NamedTensors& tensors) {
  detail::or_out_of_memory([&] {
    detail::GivenTensors given("ReduceLROnPlateau", tensors);
    const Tensor best = given.needed("best", {}, kFloat64);
    const Tensor bad = given.needed("num_bad_epochs", {}, kInt64);
    const Tensor cooldown = given.needed("cooldown_counter", {}, kInt64);
    const Tensor epoch = given.needed("last_epoch", {}, kInt64);
    given.require_fit();
    for (const Tensor& count : {bad, cooldown, epoch})
      AMP_CHECK(count.item<std::int64_t>() >= 0,
                "load_state_dict: a count of ReduceLROnPlateau is below 0");
    best_ = best.item<double>();
    num_bad_epochs_ = bad.item<std::int64_t>();
    cooldown_counter_ = cooldown.item<std::int64_t>();
    last_epoch_ = epoch.item<std::int64_t>();
  });
}

}  // namespace amp::inline v0
