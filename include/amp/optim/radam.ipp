// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/optim/radam.hpp"
#include "amp/optim/radam.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void RAdamFormula::complete(const RAdamOptions&) {}

AMP_INLINE kernels::RAdamRule RAdamFormula::rule(const RAdamOptions& options) {
  return {options.beta1, options.beta2, options.eps, options.weight_decay,
          options.decoupled_weight_decay};
}

template <class Visitor>
void RAdamFormula::visit(RAdamOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("beta1", options.beta1, 1);
  f("beta2", options.beta2, 1);
  f("eps", options.eps);
  f("weight_decay", options.weight_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::RAdamFormula>;
#endif

}  // namespace amp::inline v0
