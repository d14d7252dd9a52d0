// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/lambda_lr.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/given_tensors.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION LambdaLR::LambdaLR(Optimizer& optimizer, Factor factor)
    : LambdaLR(optimizer, detail::or_out_of_memory([&] {
                 return std::vector<Factor>(optimizer.learning_rates().size(), std::move(factor));
               })) {}

AMP_LAZY_DEFINITION LambdaLR::LambdaLR(Optimizer& optimizer, std::vector<Factor> factors)
    : optimizer_(optimizer), factors_(std::move(factors)) {
  const std::vector<double*> rates = optimizer.learning_rates();
  AMP_CHECK(factors_.size() == rates.size(), "LambdaLR: the optimizer has ", rates.size(),
            " groups, but there are ", factors_.size(), " functions");
  for (const Factor& factor : factors_)
    AMP_CHECK(factor != nullptr, "LambdaLR: a function is empty");
  detail::or_out_of_memory([&] {
    for (const double* const rate : rates) base_lrs_.push_back(*rate);
  });
  set_rates(0);
}

AMP_LAZY_DEFINITION void LambdaLR::set_rates(std::int64_t t) {
  detail::or_out_of_memory([&] {
    const std::vector<double*> rates = optimizer_.learning_rates();
    AMP_CHECK(rates.size() == base_lrs_.size(), "LambdaLR: the optimizer has ", rates.size(),
              " groups now, but had ", base_lrs_.size(), "; make another LambdaLR");
    std::vector<double> next;
    for (std::size_t g = 0; g < rates.size(); ++g) {
      const double factor = factors_[g](t);
      AMP_CHECK(factor >= 0 && factor <= 0x1p1000,
                "LambdaLR: the factor of a rate must be a finite number from 0 on, but is ", factor,
                " at t = ", t);
      next.push_back(base_lrs_[g] * factor);
    }
    for (std::size_t g = 0; g < rates.size(); ++g) *rates[g] = next[g];
  });
}

AMP_LAZY_DEFINITION void LambdaLR::step() {
  set_rates(last_epoch_ + 1);
  ++last_epoch_;
}

AMP_LAZY_DEFINITION NamedTensors LambdaLR::state_dict() const {
  return detail::or_out_of_memory([&] {
    return NamedTensors{{"last_epoch", tensor({last_epoch_}, {})},
                        {"base_lrs", tensor(base_lrs_, {base_lrs_.size()})}};
  });
}

AMP_LAZY_DEFINITION void LambdaLR::load_state_dict(const NamedTensors& tensors) {
  detail::or_out_of_memory([&] {
    detail::GivenTensors given("LambdaLR", tensors);
    const Tensor epoch = given.needed("last_epoch", {}, kInt64);
    const Tensor base_lrs = given.needed("base_lrs", {base_lrs_.size()}, kFloat64);
    given.require_fit();
    const auto t = epoch.item<std::int64_t>();
    AMP_CHECK(t >= 0, "load_state_dict: \"last_epoch\" counts steps, but is below 0");
    base_lrs_ = base_lrs.to_vector<double>();
    last_epoch_ = t;
  });
}

}  // namespace amp::inline v0
