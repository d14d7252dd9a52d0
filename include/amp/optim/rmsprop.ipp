// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/optim/rmsprop.hpp"
#include "amp/optim/rmsprop.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void RMSpropFormula::complete(const RMSpropOptions&) {}

AMP_INLINE kernels::RMSpropRule RMSpropFormula::rule(const RMSpropOptions& options) {
  return {options.alpha, options.eps, options.weight_decay, options.momentum, options.centered};
}

template <class Visitor>
void RMSpropFormula::visit(RMSpropOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("alpha", options.alpha);
  f("eps", options.eps);
  f("weight_decay", options.weight_decay);
  f("momentum", options.momentum);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::RMSpropFormula>;
#endif

}  // namespace amp::inline v0
