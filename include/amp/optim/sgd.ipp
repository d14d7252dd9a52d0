// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/optim/sgd.hpp"
#include "amp/optim/rule_optimizer.ipp"
#include "amp/optim/sgd.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void SgdFormula::complete(const SGDOptions& options) {
  AMP_CHECK(!options.nesterov || options.momentum > 0,
            "SGD: `nesterov` needs a `momentum` above 0");
  AMP_CHECK(options.dampening >= 0 && options.dampening <= 1,
            "SGD: `dampening` must lie in [0, 1], but is ", options.dampening);
  AMP_CHECK(!options.nesterov || options.dampening == 0,
            "SGD: `nesterov` needs a `dampening` of 0, but it is ", options.dampening);
}

AMP_INLINE kernels::SgdRule SgdFormula::rule(const SGDOptions& options) {
  return {options.momentum, options.dampening, options.weight_decay, options.nesterov};
}

template <class Visitor>
void SgdFormula::visit(SGDOptions& options, Visitor&& f) {
  f("lr", options.lr);
  f("momentum", options.momentum);
  f("weight_decay", options.weight_decay);
}

}  // namespace detail

#if !AMP_HEADER_ONLY
template class RuleOptimizer<detail::SgdFormula>;
#endif

}  // namespace amp::inline v0
