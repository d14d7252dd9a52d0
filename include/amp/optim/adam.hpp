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
#include "amp/optim/param_group.hpp"

namespace amp::inline v0 {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  std::optional<double> weight_decay = {};  // unset: 0 for Adam, 1e-2 for AdamW, as in torch
  Schedule schedule = {};                   // of lr
};

namespace detail {

/// Adam and AdamW: Derived::kDecoupled tells them apart.
template <class Derived>
class AdamBase : public GroupedOptimizer<Derived, AdamOptions> {
  using Base = GroupedOptimizer<Derived, AdamOptions>;
  using typename Optimizer::State;

 public:
  using typename Base::Group;

 protected:
  using Base::Base;

 private:
  friend Base;

  static void validate(std::string_view name, AdamOptions& options) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    if (!options.weight_decay) options.weight_decay = Derived::kDecoupled ? 1e-2 : 0.0;
    check_rate(name, "lr", options.lr, kAny);
    check_rate(name, "beta1", options.beta1, 1);
    check_rate(name, "beta2", options.beta2, 1);
    check_rate(name, "eps", options.eps, kAny);
    check_rate(name, "weight_decay", *options.weight_decay, kAny);
  }
  template <class Visitor>
  static void visit(AdamOptions& options, Visitor&& f) {
    f("lr", options.lr);
    f("beta1", options.beta1);
    f("beta2", options.beta2);
    f("eps", options.eps);
    f("weight_decay", *options.weight_decay);
  }
  void grown() {
    for (std::size_t i = steps_.tensors.size(); i < this->parameters().size(); ++i)
      steps_.tensors.push_back(
          zeros({}, {.dtype = kInt64, .device = this->parameters()[i].device()}));
  }
  void step_group(std::size_t first, std::size_t last, const AdamOptions& options,
                  const GradScale& scale, const kernels::LearningRate& lr) {
    list_.clear();
    const std::size_t count = this->parameters().size();
    for (std::size_t i = first; i < last; ++i) {
      const Tensor& p = this->parameters()[i];
      const Tensor grad = p.grad();
      if (!grad.defined()) continue;
      list_.push_back({p.raw_data(), grad.raw_data(), exp_avg_.of(i, p, count),
                       exp_avg_sq_.of(i, p, count),
                       static_cast<std::int64_t*>(steps_.tensors[i].raw_data()), p.numel(),
                       p.dtype(), grad.dtype()});
    }
    if (list_.empty()) return;
    const Tensor& any = this->parameters()[0];
    const kernels::AdamArgs args{.device = any.device(),
                                 .parameters = list_.data(),
                                 .count = static_cast<std::int64_t>(list_.size()),
                                 .lr = lr,
                                 .beta1 = options.beta1,
                                 .beta2 = options.beta2,
                                 .eps = options.eps,
                                 .weight_decay = *options.weight_decay,
                                 .decoupled = Derived::kDecoupled,
                                 .scale = scale};
    kernels::dispatch<&kernels::Backend::adam, kernels::host::adam>(any.device(), any.dtype(),
                                                                    args);
  }
  std::vector<State*> states() override { return {&steps_, &exp_avg_, &exp_avg_sq_}; }

  State steps_{"step", true}, exp_avg_{"exp_avg"}, exp_avg_sq_{"exp_avg_sq"};
  std::vector<kernels::AdamParameter> list_;  // rebuilt each step, its memory kept
};

}  // namespace detail

class Adam final : public detail::AdamBase<Adam> {
 public:
  static constexpr bool kDecoupled = false;
  explicit Adam(std::vector<Tensor> params, const AdamOptions& options = {})
      : Adam(std::vector<Group>{{.params = std::move(params), .options = options}}) {}
  explicit Adam(const NamedTensors& params, const AdamOptions& options = {})
      : Adam(std::vector<Group>{named(params, options)}) {}
  explicit Adam(std::vector<Group> groups) : AdamBase("Adam") { add(std::move(groups)); }
};

/// Weight decay decoupled from the gradient.
class AdamW final : public detail::AdamBase<AdamW> {
 public:
  static constexpr bool kDecoupled = true;
  explicit AdamW(std::vector<Tensor> params, const AdamOptions& options = {})
      : AdamW(std::vector<Group>{{.params = std::move(params), .options = options}}) {}
  explicit AdamW(const NamedTensors& params, const AdamOptions& options = {})
      : AdamW(std::vector<Group>{named(params, options)}) {}
  explicit AdamW(std::vector<Group> groups) : AdamBase("AdamW") { add(std::move(groups)); }
};

}  // namespace amp::inline v0
