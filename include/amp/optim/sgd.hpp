// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stochastic gradient descent with momentum, as in torch.optim.SGD (Sutskever et al. 2013):
//   g <- g + weight_decay * w,   v <- momentum * v + g,   w <- w - lr * v          (nesterov: w <-
//   w - lr * (g + momentum * v))
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amp/kernels/optim/host.hpp"
#include "amp/optim/param_group.hpp"

namespace amp::inline v0 {

/// `moments` is the dtype of the momentum: float32, bfloat16, or that of the parameter, which is
/// what unset means with kParameter (as in torch); with other storages unset is float32. Storage
/// and moments are chosen before the first step. Everything but lr and its schedule is as it was
/// recorded when a graph replays.
struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of what is rounded stochastically
  bool zero_grad = false;  // steps, skipped ones too, end with gradients of 0; not skip_step()
};

class SGD final : public GroupedOptimizer<SGD, SGDOptions, kernels::SgdArgs> {
 public:
  explicit SGD(std::vector<Tensor> params, const SGDOptions& options = {})
      : SGD(one(std::move(params), options)) {}
  explicit SGD(const NamedTensors& params, const SGDOptions& options = {})
      : SGD(one(params, options)) {}
  explicit SGD(std::vector<Group> groups) : GroupedOptimizer("SGD") { add(std::move(groups)); }

 private:
  friend class GroupedOptimizer<SGD, SGDOptions, kernels::SgdArgs>;

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
  kernels::SgdGroup group_of(const SGDOptions& options) const {
    return {.lr = {options.lr, options.schedule},
            .momentum = options.momentum,
            .weight_decay = options.weight_decay,
            .nesterov = options.nesterov};
  }
  kernels::SgdParameter parameter_of(std::size_t i, const Tensor& grad, const SGDOptions& options) {
    const Tensor& p = parameters()[i];
    void* const momentum =
        options.momentum != 0 ? state_of(momentum_, i, choice_of(options)) : nullptr;
    return {p.raw_data(), grad.raw_data(), momentum, p.numel(), p.dtype(), grad.dtype(), {}};
  }
  static void run(const kernels::SgdArgs& args) {
    kernels::dispatch<&kernels::Backend::sgd, kernels::host::sgd>(args.device, args);
  }
  detail::PoolVector<State*> states() override { return {&momentum_}; }

  State momentum_{.name = "momentum", .may_lack = true};
};

}  // namespace amp::inline v0
