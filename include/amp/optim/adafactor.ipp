// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amp/autocast/state.hpp"
#include "amp/core/error.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/host.hpp"
#include "amp/kernels/optim/sgd.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/combination.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/adafactor.hpp"
#include "amp/optim/rule_optimizer.ipp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/limits.hpp"

namespace amp::inline v0 {
namespace detail {

/// The shape with 1 in the place of dimension -dim, if it has at least 2 dimensions.
AMP_INLINE std::optional<Shape> flattened(Shape shape, int dim) {
  if (shape.dims() < 2) return std::nullopt;
  shape[shape.dims() - dim] = 1;
  return shape;
}
AMP_INLINE std::optional<Shape> AdafactorFormula::row_shape(const Shape& parameter) {
  return flattened(parameter, 1);
}
AMP_INLINE std::optional<Shape> AdafactorFormula::col_shape(const Shape& parameter) {
  return flattened(parameter, 2);
}
AMP_INLINE std::optional<Shape> AdafactorFormula::variance_shape(const Shape& parameter) {
  return parameter.dims() < 2 ? std::optional(parameter) : std::nullopt;
}

AMP_COLD void AdafactorFormula::complete(const AdafactorOptions& options) {
  AMP_CHECK(options.beta2_decay <= 0, "Adafactor: `beta2_decay` must not be above 0, but is ",
            options.beta2_decay);
  AMP_CHECK(!options.eps1 || *options.eps1 >= 0, "Adafactor: `eps1` must not be below 0, but is ",
            options.eps1.value_or(0));
  AMP_CHECK(options.d >= 1, "Adafactor: `d` must not be below 1, but is ", options.d);
}

AMP_INLINE kernels::AdafactorRule AdafactorFormula::rule(const AdafactorOptions& options) {
  return {.beta2_decay = options.beta2_decay,
          .eps2 = options.eps2,
          .d = options.d,
          .weight_decay = options.weight_decay,
          .eps1 = options.eps1.value_or(-1)};
}

template <class Visitor>
void AdafactorFormula::visit(AdafactorOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("eps2", options.eps2);
  f("d", options.d);
  f("weight_decay", options.weight_decay);
}

/// The distance from 1 to the next number of a dtype.
AMP_INLINE double epsilon_of(DType dtype) {
  return visit_dtype(dtype, [](auto tag) {
    return static_cast<double>(std::numeric_limits<typename decltype(tag)::type>::epsilon());
  });
}

/// Averages the squares of gradients, and puts the directions u in the gradients' place.
class AdafactorFormula::Preparation {
 public:
  using Args = kernels::OptimizerArgs<Rule>;

  Preparation(const Args& args, kernels::DescriptorTable* table,
              const std::vector<Tensor>& parameters)
      : args_(args) {
    const AutocastGuard exact(args.device.type, {.enabled = false});
    unscale(table, parameters);
    direct(parameters);
    store();
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  /// The arguments of the step.
  const Args& args() const { return args_; }

 private:
  AMP_LAZY void unscale(kernels::DescriptorTable* table, const std::vector<Tensor>& parameters);
  AMP_LAZY void direct(const std::vector<Tensor>& parameters);
  AMP_LAZY void store();
  AMP_LAZY Tensor direction(const kernels::OptimizerParameter<Rule>& row, const Rule& rule,
                            const Tensor& parameter, const Tensor& gradient);
  /// The state after this step, in which `squares` count with `weight`.
  AMP_LAZY Tensor average(const kernels::OptimizerParameter<Rule>& row, std::size_t s,
                          const Tensor& squares, const Tensor& weight);

  Args args_;
  std::vector<Tensor> gradients_;  // unscaled, in float32 or float64; then the directions
  std::vector<std::vector<kernels::OptimizerParameter<Rule>>> rows_;
  std::vector<kernels::OptimizerGroup<Rule>> groups_;
  std::vector<std::pair<Tensor, Tensor>> averages_;  // states, and what they become
};

/// A step of SGD from 0, whose rate is -1: the gradients.
AMP_LAZY_DEFINITION void AdafactorFormula::Preparation::unscale(
    kernels::DescriptorTable* table, const std::vector<Tensor>& parameters) {
  using Sgd = kernels::SgdRule;
  std::vector<std::vector<kernels::OptimizerParameter<Sgd>>> rows;
  std::vector<kernels::OptimizerGroup<Sgd>> groups;
  for (std::int64_t g = 0; g < args_.count; ++g) {
    const kernels::OptimizerGroup<Rule>& group = args_.groups[g];
    auto& list = rows.emplace_back();
    for (std::int64_t i = 0; i < group.count; ++i) {
      const kernels::OptimizerParameter<Rule>& row = group.parameters[i];
      const DType dtype = row.dtype == kFloat64 ? kFloat64 : kFloat32;
      const Tensor& gradient = gradients_.emplace_back(
          zeros(parameters[row.weight.index].shape(), {.dtype = dtype, .device = args_.device}));
      list.push_back({.parameter = gradient.raw_data(),
                      .gradient = row.gradient,
                      .states = {},
                      .step = nullptr,
                      .numel = row.numel,
                      .dtype = dtype,
                      .gradient_dtype = row.gradient_dtype,
                      .state_dtype = dtype});
    }
    groups.push_back({.parameters = list.data(),
                      .count = group.count,
                      .settings = {.lr = {.rate = -1, .schedule = {}},
                                   .rule = {},
                                   .zero_grad = group.settings.zero_grad,
                                   .maximize = group.settings.maximize}});
  }
  const Tensor uncounted = zeros({}, {.dtype = kInt64, .device = args_.device});
  const kernels::OptimizerArgs<Sgd> args{
      .device = args_.device,
      .groups = groups.data(),
      .count = args_.count,
      .applied = static_cast<std::int64_t*>(uncounted.raw_data()),
      .scale = args_.scale,
      .table = table};
  kernels::dispatch_step<Sgd, kernels::host::optimizer_step<Sgd>>(args.device, args, kName);
}

AMP_LAZY_DEFINITION void AdafactorFormula::Preparation::direct(
    const std::vector<Tensor>& parameters) {
  const bool skips = args_.device.type == kCPU && args_.scale.skips();
  std::size_t next = 0;
  for (std::int64_t g = 0; g < args_.count; ++g) {
    const kernels::OptimizerGroup<Rule>& group = args_.groups[g];
    auto& list = rows_.emplace_back(group.parameters, group.parameters + group.count);
    for (kernels::OptimizerParameter<Rule>& row : list) {
      Tensor& gradient = gradients_[next++];
      if (!skips && row.numel > 0)
        gradient = direction(row, group.settings.rule, parameters[row.weight.index], gradient);
      row.gradient = gradient.raw_data();
      row.gradient_dtype = gradient.dtype();
      for (void*& state : row.states) state = nullptr;
    }
    groups_.push_back(
        {.parameters = list.data(), .count = group.count, .settings = group.settings});
    groups_.back().settings.maximize = groups_.back().settings.zero_grad = false;
  }
  args_.groups = groups_.data();
}

AMP_LAZY_DEFINITION Tensor AdafactorFormula::Preparation::direction(
    const kernels::OptimizerParameter<Rule>& row, const Rule& rule, const Tensor& parameter,
    const Tensor& gradient) {
  const bool is_whole = row.weight.storage == WeightStorage::kParameter;
  const double eps =
      rule.eps1 >= 0 ? rule.eps1 : epsilon_of(is_whole ? parameter.dtype() : kFloat32);
  const Tensor step = from_blob(row.step, {}, {.dtype = kInt64, .device = args_.device});
  const Tensor weight = pow(step.to(kFloat64) + 1, rule.beta2_decay);
  const Tensor squares = square(gradient);
  Tensor variance;
  if (parameter.dim() < 2) {
    variance = average(row, 2, squares, weight);
  } else {
    const Tensor rows = average(row, 0, mean(squares, -1, true), weight);
    const Tensor columns = average(row, 1, mean(squares, -2, true), weight);
    variance = rows / clamp_min(mean(rows, -2, true), eps) * columns;
  }
  return gradient / sqrt(clamp_min(variance, eps * eps));
}

AMP_LAZY_DEFINITION Tensor
AdafactorFormula::Preparation::average(const kernels::OptimizerParameter<Rule>& row, std::size_t s,
                                       const Tensor& squares, const Tensor& weight) {
  const Tensor own =
      from_blob(row.states[s], squares.shape(), {.dtype = row.state_dtype, .device = args_.device});
  return averages_.emplace_back(own, lerp(own.to(squares.dtype()), squares, weight)).second;
}

/// Unless the step is skipped, which on CUDA only the device knows.
AMP_LAZY_DEFINITION void AdafactorFormula::Preparation::store() {
  const float* const found_inf = args_.scale.found_inf;
  args_.scale = {.found_inf = found_inf};
  const bool may_skip = found_inf != nullptr && args_.device.type != kCPU;
  for (const auto& [own, next] : averages_) {
    if (!may_skip) {
      own.copy_(next);
      continue;
    }
    const Tensor found =
        from_blob(const_cast<float*>(found_inf), {}, {.dtype = kFloat32, .device = args_.device});
    own.copy_(amp::where(eq(found, 0), next, own));
  }
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::AdafactorFormula>;
#endif

}  // namespace amp::inline v0
