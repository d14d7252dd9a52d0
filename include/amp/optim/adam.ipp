// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/optim/adam.hpp"
#include "amp/optim/adam.hpp"
#include "amp/optim/rule_optimizer.ipp"

namespace amp::inline v0 {
namespace detail {

template <bool kDecoupled>
void AdamFormula<kDecoupled>::complete(AdamOptions& options) {
  if (!options.weight_decay) options.weight_decay = kDecoupled ? 1e-2 : 0.0;
  AMP_CHECK(!options.amsgrad || options.moments != kUInt8, kName,
            ": `amsgrad` takes no `moments` of uint8, whose random rounding it would collect");
}

template <bool kDecoupled>
kernels::AdamRule AdamFormula<kDecoupled>::rule(const AdamOptions& options) {
  return {options.beta1,         options.beta2, options.eps,
          *options.weight_decay, kDecoupled,    options.amsgrad};
}

template <bool kDecoupled>
template <class Visitor>
void AdamFormula<kDecoupled>::visit(AdamOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("beta1", options.beta1, 1);
  f("beta2", options.beta2, 1);
  f("eps", options.eps);
  f("weight_decay", *options.weight_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::AdamFormula<false>>;
template class RuleOptimizer<detail::AdamFormula<true>>;
#endif

}  // namespace amp::inline v0
