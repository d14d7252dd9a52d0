// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stochastic gradient descent with momentum, as in torch.optim.SGD (Sutskever et al. 2013):
//   g <- g + weight_decay * w,   v <- momentum * v + g,   w <- w - lr * v          (nesterov: w <-
//   w - lr * (g + momentum * v))
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "amp/kernels/host/optim.hpp"
#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

class SGD final : public Optimizer {
 public:
  explicit SGD(std::vector<Tensor> params, const SGDOptions& options = {})
      : Optimizer("SGD", std::move(params)), options_(options) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    detail::check_rate("SGD", "lr", options.lr, kAny);
    detail::check_rate("SGD", "momentum", options.momentum, kAny);
    detail::check_rate("SGD", "weight_decay", options.weight_decay, kAny);
    AMP_CHECK(!options.nesterov || options.momentum > 0,
              "SGD: `nesterov` needs a `momentum` above 0");
  }

  /// To be changed between steps (a schedule's learning rate).
  SGDOptions& options() { return options_; }
  const SGDOptions& options() const { return options_; }

 private:
  void apply(const GradScale& scale) override {
    list_.clear();
    for (std::size_t i = 0; i < parameters().size(); ++i) {
      const Tensor& p = parameters()[i];
      const Tensor grad = p.grad();
      if (!grad.defined()) continue;
      check_gradient("SGD", i, p, grad);
      void* const momentum =
          options_.momentum != 0 ? state_of(momentum_, i, p, parameters().size()) : nullptr;
      list_.push_back(
          {p.raw_data(), grad.raw_data(), momentum, p.numel(), p.dtype(), grad.dtype()});
    }
    if (list_.empty()) return;
    const Tensor& first = parameters()[0];
    const kernels::SgdArgs args{.device = first.device(),
                                .parameters = list_.data(),
                                .count = static_cast<std::int64_t>(list_.size()),
                                .lr = options_.lr,
                                .momentum = options_.momentum,
                                .weight_decay = options_.weight_decay,
                                .nesterov = options_.nesterov,
                                .scale = scale};
    kernels::dispatch<&kernels::Backend::sgd, kernels::host::sgd>(first.device(), first.dtype(),
                                                                  args);
  }

  SGDOptions options_;
  std::vector<Tensor> momentum_;
  std::vector<kernels::SgdParameter> list_;  // rebuilt each step, its memory kept
};

}  // namespace amp::inline v0
