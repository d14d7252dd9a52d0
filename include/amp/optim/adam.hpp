// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adam (Kingma and Ba 2015, arXiv 1412.6980, algorithm 1) and AdamW (Loshchilov and Hutter 2019,
// arXiv 1711.05101), as in torch:
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
// with g + weight_decay * w in place of g (Adam), or w scaled by 1 - lr * weight_decay first
// (AdamW). t counts the steps applied to a parameter: on the device, so that a skipped step does
// not count.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amp/kernels/host/optim.hpp"
#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  std::optional<double> weight_decay = {};  // unset: 0 for Adam, 1e-2 for AdamW, as in torch
};

namespace detail {

class AdamBase : public Optimizer {
 public:
  /// To be changed between steps (a schedule's learning rate).
  AdamOptions& options() { return options_; }
  const AdamOptions& options() const { return options_; }

 protected:
  AdamBase(std::string_view name, std::vector<Tensor> params, const AdamOptions& options,
           bool decoupled)
      : Optimizer(name, std::move(params)), name_(name), options_(options), decoupled_(decoupled) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    check_rate(name, "lr", options.lr, kAny);
    check_rate(name, "beta1", options.beta1, 1);
    check_rate(name, "beta2", options.beta2, 1);
    check_rate(name, "eps", options.eps, kAny);
    if (!options_.weight_decay) options_.weight_decay = decoupled ? 1e-2 : 0.0;
    check_rate(name, "weight_decay", *options_.weight_decay, kAny);
    steps_ = zeros({parameters().size()}, {.dtype = kInt64, .device = parameters()[0].device()});
  }

 private:
  void apply(const GradScale& scale) override {
    list_.clear();
    auto* const steps = static_cast<std::int64_t*>(steps_.raw_data());
    for (std::size_t i = 0; i < parameters().size(); ++i) {
      const Tensor& p = parameters()[i];
      const Tensor grad = p.grad();
      if (!grad.defined()) continue;
      check_gradient(name_, i, p, grad);
      list_.push_back({p.raw_data(), grad.raw_data(), state_of(exp_avg_, i, p, parameters().size()),
                       state_of(exp_avg_sq_, i, p, parameters().size()), steps + i, p.numel(),
                       p.dtype(), grad.dtype()});
    }
    if (list_.empty()) return;
    const Tensor& first = parameters()[0];
    const kernels::AdamArgs args{.device = first.device(),
                                 .parameters = list_.data(),
                                 .count = static_cast<std::int64_t>(list_.size()),
                                 .lr = options_.lr,
                                 .beta1 = options_.beta1,
                                 .beta2 = options_.beta2,
                                 .eps = options_.eps,
                                 .weight_decay = options_.weight_decay.value_or(0),
                                 .decoupled = decoupled_,
                                 .scale = scale};
    kernels::dispatch<&kernels::Backend::adam, kernels::host::adam>(first.device(), first.dtype(),
                                                                    args);
  }

  std::string_view name_;
  AdamOptions options_;
  bool decoupled_;
  Tensor steps_;  // int64, one per parameter
  std::vector<Tensor> exp_avg_, exp_avg_sq_;
  std::vector<kernels::AdamParameter> list_;  // rebuilt each step, its memory kept
};

}  // namespace detail

class Adam final : public detail::AdamBase {
 public:
  explicit Adam(std::vector<Tensor> params, const AdamOptions& options = {})
      : AdamBase("Adam", std::move(params), options, false) {}
};

/// Weight decay decoupled from the gradient.
class AdamW final : public detail::AdamBase {
 public:
  explicit AdamW(std::vector<Tensor> params, const AdamOptions& options = {})
      : AdamBase("AdamW", std::move(params), options, true) {}
};

}  // namespace amp::inline v0
