// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "amp/autocast/state.hpp"
#include "amp/core/error.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/host.hpp"
#include "amp/ops/addmm.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/ops/vector_norm.hpp"
#include "amp/optim/muon.hpp"
#include "amp/optim/rule_optimizer.ipp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void MuonFormula::complete(const MuonOptions& options) {
  AMP_CHECK(options.ns_steps >= 0 && options.ns_steps < 100,
            "Muon: `ns_steps` must lie in [0, 100), but is ", options.ns_steps);
  for (const double c : options.ns_coefficients)
    AMP_CHECK(std::fabs(c) <= 0x1p100, "Muon: `ns_coefficients` must be finite, but one is ", c);
  AMP_CHECK(is_low_precision(options.ns_dtype) || options.ns_dtype == kFloat32,
            "Muon: `ns_dtype` must be bfloat16, float16 or float32, but is ", options.ns_dtype);
}

AMP_INLINE kernels::MuonRule MuonFormula::rule(const MuonOptions& options) {
  const auto& c = options.ns_coefficients;
  return {.momentum = options.momentum,
          .weight_decay = options.weight_decay,
          .nesterov = options.nesterov,
          .ns_coefficients = {c[0], c[1], c[2]},
          .ns_eps = options.eps,
          .ns_steps = options.ns_steps,
          .ns_dtype = options.ns_dtype,
          .adjust = options.adjust_lr_fn,
          .averages = true};
}

template <class Visitor>
void MuonFormula::visit(MuonOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("weight_decay", options.weight_decay);
  f("momentum", options.momentum, 1);
  f("eps", options.eps);
}

AMP_COLD void MuonFormula::check_parameter(std::size_t i, const Tensor& parameter) {
  AMP_CHECK(parameter.dim() == 2, "Muon: params[", i, "], ", describe(parameter),
            ", must be a matrix; give other parameters to AdamW");
}

/// The factor of the rate of a matrix with so many rows and columns.
inline double muon_ratio(MuonAdjust adjust, std::int64_t rows, std::int64_t columns) {
  const auto a = static_cast<double>(rows), b = static_cast<double>(columns);
  if (adjust == MuonAdjust::kMatchRMSAdamW) return 0.2 * std::sqrt((std::max)(a, b));
  const double ratio = b > 0 ? a / b : 1;
  return std::sqrt(adjust == MuonAdjust::kOriginal ? (std::max)(1.0, ratio) : ratio);
}

/// Returns matrices [N, A, B] made orthogonal, contiguous and in rule.ns_dtype.
AMP_LAZY Tensor orthogonal(const Tensor& matrices, const kernels::MuonRule& rule) {
  const auto& [a, b, c] = rule.ns_coefficients;
  const bool is_tall = matrices.size(1) > matrices.size(2);
  Tensor x = matrices.to(rule.ns_dtype);
  if (x.numel() == 0) return x;
  if (is_tall) x = x.transpose(1, 2);
  const Tensor norms = linalg_vector_norm(x, 2, {1, 2}, true);
  x = x / where(lt(norms, rule.ns_eps), rule.ns_eps, norms);
  for (std::int64_t step = 0; step < rule.ns_steps; ++step) {
    const Tensor gram = bmm(x, x.transpose(1, 2));
    x = baddbmm(x, baddbmm(gram, gram, gram, {.beta = b, .alpha = c}), x, {.beta = a});
  }
  return (is_tall ? x.transpose(1, 2) : x).contiguous();
}

/// The first pass and the iterations: the averages of gradients are orthogonalised and take the
/// gradients' place.
class MuonFormula::Preparation {
 public:
  using Args = kernels::OptimizerArgs<Rule>;

  Preparation(const Args& args, kernels::DescriptorTable* table,
              const std::vector<Tensor>& parameters)
      : args_(args) {
    for (std::int64_t g = 0; g < args.count; ++g) collect(args.groups[g], parameters);
    average(table);
    orthogonalise();
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  /// The arguments of the second pass.
  const Args& args() const { return args_; }

 private:
  /// The parameters of a group that have one shape and dtype. A group of the kernel points to them.
  struct Batch {
    kernels::GroupSettings<Rule> settings;
    std::vector<kernels::OptimizerParameter<Rule>> rows;
    Tensor first;     // a parameter
    Tensor matrices;  // of all
  };

  AMP_LAZY void collect(const kernels::OptimizerGroup<Rule>& group,
                        const std::vector<Tensor>& parameters);
  AMP_LAZY void average(kernels::DescriptorTable* table);
  AMP_LAZY void orthogonalise();
  /// Where the matrix of a row lies.
  static void* matrix(const Batch& batch, std::size_t row) {
    const Tensor& all = batch.matrices;
    const std::int64_t bytes = batch.first.numel() * item_size(all.dtype());
    return static_cast<char*>(all.raw_data()) + static_cast<std::int64_t>(row) * bytes;
  }

  Args args_;
  std::vector<Batch> batches_;
  std::vector<kernels::OptimizerGroup<Rule>> groups_;
};

AMP_LAZY_DEFINITION void MuonFormula::Preparation::collect(
    const kernels::OptimizerGroup<Rule>& group, const std::vector<Tensor>& parameters) {
  const std::size_t before = batches_.size();
  for (std::int64_t i = 0; i < group.count; ++i) {
    const kernels::OptimizerParameter<Rule>& row = group.parameters[i];
    const Tensor& p = parameters[row.weight.index];
    std::size_t at = before;
    while (at < batches_.size() &&
           (batches_[at].first.shape() != p.shape() || batches_[at].first.dtype() != p.dtype()))
      ++at;
    if (at == batches_.size()) batches_.push_back({group.settings, {}, p, {}});
    batches_[at].rows.push_back(row);
  }
}

AMP_LAZY_DEFINITION void MuonFormula::Preparation::average(kernels::DescriptorTable* table) {
  std::vector<std::vector<kernels::OptimizerParameter<Rule>>> rows;
  std::vector<kernels::OptimizerGroup<Rule>> groups;
  for (Batch& batch : batches_) {
    const Tensor& p = batch.first;
    const DType dtype = p.dtype() == kFloat64 ? kFloat64 : batch.settings.rule.ns_dtype;
    batch.matrices = make_tensor({batch.rows.size(), p.size(0), p.size(1)}, dtype, p.device());
    auto& list = rows.emplace_back(batch.rows);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].parameter = matrix(batch, i);
      list[i].dtype = dtype;
      list[i].copies = {};
      list[i].weight = {};
    }
    groups.push_back({.parameters = list.data(),
                      .count = static_cast<std::int64_t>(list.size()),
                      .settings = batch.settings});
  }
  const Tensor uncounted = zeros({}, {.dtype = kInt64, .device = args_.device});
  Args args = args_;
  args.groups = groups.data();
  args.count = static_cast<std::int64_t>(groups.size());
  args.applied = static_cast<std::int64_t*>(uncounted.raw_data());
  args.table = table;
  kernels::dispatch_step<Rule, kernels::host::optimizer_step<Rule>>(args.device, args, kName);
}

AMP_LAZY_DEFINITION void MuonFormula::Preparation::orthogonalise() {
  const AutocastGuard exact(args_.device.type, {.enabled = false});
  for (Batch& batch : batches_) {
    kernels::GroupSettings<Rule>& settings = batch.settings;
    batch.matrices = orthogonal(batch.matrices, settings.rule);
    settings.rule.averages = settings.maximize = settings.zero_grad = false;
    settings.rule.ratio =
        muon_ratio(settings.rule.adjust, batch.first.size(0), batch.first.size(1));
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      batch.rows[i].gradient = matrix(batch, i);
      batch.rows[i].gradient_dtype = batch.matrices.dtype();
      batch.rows[i].states[0] = nullptr;
    }
    groups_.push_back({.parameters = batch.rows.data(),
                       .count = static_cast<std::int64_t>(batch.rows.size()),
                       .settings = settings});
  }
  args_.groups = groups_.data();
  args_.count = static_cast<std::int64_t>(groups_.size());
  args_.scale = {.found_inf = args_.scale.found_inf};
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::MuonFormula>;
#endif

}  // namespace amp::inline v0
