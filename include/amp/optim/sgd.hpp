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
#include "amp/optim/param_group.hpp"

namespace amp::inline v0 {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
  Schedule schedule = {};  // of lr
};

class SGD final : public GroupedOptimizer<SGD, SGDOptions> {
 public:
  explicit SGD(std::vector<Tensor> params, const SGDOptions& options = {})
      : SGD(std::vector<Group>{{.params = std::move(params), .options = options}}) {}
  explicit SGD(const NamedTensors& params, const SGDOptions& options = {})
      : SGD(std::vector<Group>{named(params, options)}) {}
  explicit SGD(std::vector<Group> groups) : GroupedOptimizer("SGD") { add(std::move(groups)); }

 private:
  friend class GroupedOptimizer<SGD, SGDOptions>;

  static void validate(std::string_view name, const SGDOptions& options) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    detail::check_rate(name, "lr", options.lr, kAny);
    detail::check_rate(name, "momentum", options.momentum, kAny);
    detail::check_rate(name, "weight_decay", options.weight_decay, kAny);
    AMP_CHECK(!options.nesterov || options.momentum > 0,
              "SGD: `nesterov` needs a `momentum` above 0");
  }
  template <class Visitor>
  static void visit(SGDOptions& options, Visitor&& f) {
    f("lr", options.lr);
    f("momentum", options.momentum);
    f("weight_decay", options.weight_decay);
  }
  void step_group(std::size_t first, std::size_t last, const SGDOptions& options,
                  const GradScale& scale, const kernels::LearningRate& lr) {
    list_.clear();
    for (std::size_t i = first; i < last; ++i) {
      const Tensor& p = parameters()[i];
      const Tensor grad = p.grad();
      if (!grad.defined()) continue;
      void* const momentum =
          options.momentum != 0 ? momentum_.of(i, p, parameters().size()) : nullptr;
      list_.push_back(
          {p.raw_data(), grad.raw_data(), momentum, p.numel(), p.dtype(), grad.dtype()});
    }
    if (list_.empty()) return;
    const Tensor& any = parameters()[0];
    const kernels::SgdArgs args{.device = any.device(),
                                .parameters = list_.data(),
                                .count = static_cast<std::int64_t>(list_.size()),
                                .lr = lr,
                                .momentum = options.momentum,
                                .weight_decay = options.weight_decay,
                                .nesterov = options.nesterov,
                                .scale = scale};
    kernels::dispatch<&kernels::Backend::sgd, kernels::host::sgd>(any.device(), any.dtype(), args);
  }
  std::vector<State*> states() override { return {&momentum_}; }

  State momentum_{"momentum"};
  std::vector<kernels::SgdParameter> list_;  // rebuilt each step, its memory kept
};

}  // namespace amp::inline v0
