// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/optim/lion.hpp"
#include "amp/optim/lion.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void LionFormula::complete(const LionOptions&) {}

AMP_INLINE kernels::LionRule LionFormula::rule(const LionOptions& options) {
  return {options.beta1, options.beta2, options.weight_decay};
}

template <class Visitor>
void LionFormula::visit(LionOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("beta1", options.beta1, 1);
  f("beta2", options.beta2, 1);
  f("weight_decay", options.weight_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::LionFormula>;
#endif

}  // namespace amp::inline v0
