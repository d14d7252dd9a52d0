// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/optim/lamb.hpp"
#include "amp/optim/lamb.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void LambFormula::complete(const LAMBOptions&) {}

AMP_INLINE kernels::LambRule LambFormula::rule(const LAMBOptions& options) {
  return {options.beta1, options.beta2, options.eps, options.weight_decay};
}

template <class Visitor>
void LambFormula::visit(LAMBOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("beta1", options.beta1, 1);
  f("beta2", options.beta2, 1);
  f("eps", options.eps);
  f("weight_decay", options.weight_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::LambFormula>;
#endif

}  // namespace amp::inline v0
