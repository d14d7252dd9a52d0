// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/optim/adadelta.hpp"
#include "amp/optim/adadelta.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void AdadeltaFormula::complete(const AdadeltaOptions&) {}

AMP_INLINE kernels::AdadeltaRule AdadeltaFormula::rule(const AdadeltaOptions& options) {
  return {options.rho, options.eps, options.weight_decay};
}

template <class Visitor>
void AdadeltaFormula::visit(AdadeltaOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("rho", options.rho, 1);
  f("eps", options.eps);
  f("weight_decay", options.weight_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::AdadeltaFormula>;
#endif

}  // namespace amp::inline v0
