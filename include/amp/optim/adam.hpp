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
class AdamBase : public GroupedOptimizer<Derived, AdamOptions, kernels::AdamArgs> {
  using Base = GroupedOptimizer<Derived, AdamOptions, kernels::AdamArgs>;
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
  kernels::AdamGroup group_of(const AdamOptions& options) const {
    return {.lr = {options.lr, options.schedule},
            .beta1 = options.beta1,
            .beta2 = options.beta2,
            .eps = options.eps,
            .weight_decay = *options.weight_decay,
            .decoupled = Derived::kDecoupled};
  }
  kernels::AdamParameter parameter_of(std::size_t i, const Tensor& grad, const AdamOptions&) {
    const Tensor& p = this->parameters()[i];
    const std::size_t count = this->parameters().size();
    void* const exp_avg = exp_avg_.of(i, p, count);
    void* const exp_avg_sq = exp_avg_sq_.of(i, p, count);
    const auto steps = static_cast<std::int64_t*>(steps_.tensors[i].raw_data());
    return {p.raw_data(), grad.raw_data(), exp_avg,      exp_avg_sq, steps,
            p.numel(),    p.dtype(),       grad.dtype(), {}};
  }
  static void run(const kernels::AdamArgs& args, DType dtype) {
    kernels::dispatch<&kernels::Backend::adam, kernels::host::adam>(args.device, dtype, args);
  }
  std::vector<State*> states() override { return {&steps_, &exp_avg_, &exp_avg_sq_}; }

  State steps_{"step", true}, exp_avg_{"exp_avg"}, exp_avg_sq_{"exp_avg_sq"};
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
