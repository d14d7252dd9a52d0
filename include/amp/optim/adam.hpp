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

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amp/kernels/optim/host.hpp"
#include "amp/optim/param_group.hpp"

namespace amp::inline v0 {

/// `moments` as in SGDOptions. exp_avg_sq in kBFloat16 is rounded stochastically: with beta2 =
/// 0.999 it moves by less than half of bfloat16's last bit, and nearest rounding would never let it
/// fall. (Unset, a bfloat16 parameter in kParameter has just that, as in torch.)
struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  std::optional<double> weight_decay = {};  // unset: 0 for Adam, 1e-2 for AdamW, as in torch
  Schedule schedule = {};                   // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of what is rounded stochastically
  bool zero_grad = false;  // steps, skipped ones too, end with gradients of 0; not skip_step()
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
            .decoupled = Derived::kDecoupled,
            .stochastic_squares = options.moments == kBFloat16};
  }
  kernels::AdamParameter parameter_of(std::size_t i, const Tensor& grad,
                                      const AdamOptions& options) {
    const Tensor& p = this->parameters()[i];
    const detail::StateChoice choice = Base::choice_of(options);
    void* const exp_avg = this->state_of(exp_avg_, i, choice);
    void* const exp_avg_sq = this->state_of(exp_avg_sq_, i, choice);
    const auto steps = static_cast<std::int64_t*>(steps_.tensors[i].raw_data());
    return {p.raw_data(), grad.raw_data(), exp_avg,      exp_avg_sq, steps,
            p.numel(),    p.dtype(),       grad.dtype(), {}};
  }
  static void run(const kernels::AdamArgs& args) {
    kernels::dispatch<&kernels::Backend::adam, kernels::host::adam>(args.device, args);
  }
  PoolVector<State*> states() override { return {&steps_, &exp_avg_, &exp_avg_sq_}; }

  State steps_{.name = "step", .kind = State::kCount}, exp_avg_{.name = "exp_avg"},
      exp_avg_sq_{.name = "exp_avg_sq"};
};

}  // namespace detail

class Adam final : public detail::AdamBase<Adam> {
 public:
  static constexpr bool kDecoupled = false;
  explicit Adam(std::vector<Tensor> params, const AdamOptions& options = {})
      : Adam(one(std::move(params), options)) {}
  explicit Adam(const NamedTensors& params, const AdamOptions& options = {})
      : Adam(one(params, options)) {}
  explicit Adam(std::vector<Group> groups) : AdamBase("Adam") { add(std::move(groups)); }
};

/// Weight decay decoupled from the gradient.
class AdamW final : public detail::AdamBase<AdamW> {
 public:
  static constexpr bool kDecoupled = true;
  explicit AdamW(std::vector<Tensor> params, const AdamOptions& options = {})
      : AdamW(one(std::move(params), options)) {}
  explicit AdamW(const NamedTensors& params, const AdamOptions& options = {})
      : AdamW(one(params, options)) {}
  explicit AdamW(std::vector<Group> groups) : AdamBase("AdamW") { add(std::move(groups)); }
};

}  // namespace amp::inline v0
