// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/optim/nadam.hpp"
#include "amp/optim/nadam.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void NAdamFormula::complete(const NAdamOptions&) {}

AMP_INLINE kernels::NAdamRule NAdamFormula::rule(const NAdamOptions& options) {
  return {options.beta1,        options.beta2,          options.eps,
          options.weight_decay, options.momentum_decay, options.decoupled_weight_decay};
}

template <class Visitor>
void NAdamFormula::visit(NAdamOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("beta1", options.beta1, 1);
  f("beta2", options.beta2, 1);
  f("eps", options.eps);
  f("weight_decay", options.weight_decay);
  f("momentum_decay", options.momentum_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::NAdamFormula>;
#endif

}  // namespace amp::inline v0
