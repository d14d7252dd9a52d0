// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/optim/adagrad.hpp"
#include "amp/optim/adagrad.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void AdagradFormula::complete(const AdagradOptions&) {}

AMP_INLINE kernels::AdagradRule AdagradFormula::rule(const AdagradOptions& options) {
  return {options.lr_decay, options.weight_decay, options.eps};
}

template <class Visitor>
void AdagradFormula::visit(AdagradOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("lr_decay", options.lr_decay);
  f("weight_decay", options.weight_decay);
  f("initial_accumulator_value", options.initial_accumulator_value);
  f("eps", options.eps);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::AdagradFormula>;
#endif

}  // namespace amp::inline v0
