// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A block of a parameter's step: gradients, weights and states as floats or doubles.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/coefficients.hpp"
#include "amp/kernels/optim/host/block_moments.hpp"
#include "amp/kernels/optim/host/step_loop.hpp"
#include "amp/kernels/optim/host/weights.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

/// One parameter of a step.
template <class Rule>
struct StepRow {
  const GroupSettings<Rule>* group;
  const OptimizerParameter<Rule>* p;
  double rate, factor;   // learning rate; factor of the gradient
  std::int64_t applied;  // the steps before this one
  bool streams = false;  // whether copies bypass the caches
  double trust = 1;      // if kTrusts<Rule>

  bool keeps_state(int s) const { return group->rule.keeps_state(s); }
  RoundingBits random_bits(RoundingBits::Array array) const {
    return RoundingBits::of(group->seed, p->weight.index, applied, array);
  }
  template <class C>
  typename Rule::template Coefficients<C> coefficients() const {
    return coefficients_of<Rounded<C>>(*p, group->rule, rate, trust);
  }
  /// Sets elements [at, at + n) of the gradient to 0.
  void zero_gradient(std::int64_t at, std::int64_t n) const {
    if (n == 0) return;  // it may have no memory
    std::memset(address(p->gradient, p->gradient_dtype, at), 0,
                static_cast<std::size_t>(n * item_size(p->gradient_dtype)));
  }
};

/// Elements [at, at + n), at most kBlock. Arrays of type C are used in place, others in buffers.
template <class C, class Rule>
class StepBlock {
 public:
  StepBlock(const StepRow<Rule>& row, std::int64_t at, std::int64_t n)
      : row_(row),
        at_(at),
        n_(n),
        weights(*row.p, row.random_bits(RoundingBits::kWeights), at, n),
        gradients(fetch(address(row.p->gradient, row.p->gradient_dtype, at), row.p->gradient_dtype,
                        n, buffers_[Rule::kStates])) {
    for (int s = 0; s < Rule::kStates; ++s) {
      if (!row.keeps_state(s)) continue;
      if (kIsFloat && kTakesBlocks<Rule> && row.p->state_dtype == kUInt8) {
        decode(s);
        continue;
      }
      kept_[s] = address(row.p->states[s], row.p->state_dtype, at);
      states[s] = const_cast<C*>(fetch(kept_[s], row.p->state_dtype, n, buffers_[s]));
    }
  }
  StepBlock(const StepBlock&) = delete;
  StepBlock& operator=(const StepBlock&) = delete;

  /// Writes weights and states back to where they are stored.
  void write() {
    const OptimizerParameter<Rule>& p = *row_.p;
    weights.write();
    for (int s = 0; s < Rule::kStates; ++s) {
      if (!row_.keeps_state(s)) continue;
      if (kIsFloat && kTakesBlocks<Rule> && p.state_dtype == kUInt8) {
        encode(s);
      } else if (s == Rule::kStochasticState && row_.group->stochastic_state &&
                 p.state_dtype == kBFloat16) {
        store_stochastic(states[s], p.states[s], kBFloat16, at_, n_,
                         row_.random_bits(RoundingBits::kState));
      } else {
        store(states[s], kept_[s], p.state_dtype, n_);
      }
    }
  }

 private:
  static constexpr bool kIsFloat = std::is_same_v<C, float>;

  void decode(int s) {
    if constexpr (kIsFloat && kTakesBlocks<Rule>) {
      states[s] = buffers_[s];
      s < Rule::kSignedStates ? decode_moments<true>(row_.p->states[s], at_, n_, buffers_[s])
                              : decode_moments<false>(row_.p->states[s], at_, n_, buffers_[s]);
    }
  }
  void encode(int s) {
    if constexpr (kIsFloat && kTakesBlocks<Rule>) {
      const RoundingBits bits = row_.random_bits(RoundingBits::kState);
      s < Rule::kSignedStates ? encode_moments<true>(states[s], row_.p->states[s], at_, n_, bits)
                              : encode_moments<false>(states[s], row_.p->states[s], at_, n_, bits);
    }
  }

  const StepRow<Rule>& row_;
  std::int64_t at_, n_;
  void* kept_[Rule::kStates];  // where the states are stored
  C buffers_[Rule::kStates + 1][kBlock];

 public:
  Weights<C, OptimizerParameter<Rule>> weights;
  const C* gradients;
  C* states[Rule::kStates] = {};
};

}  // namespace amp::inline v0::kernels::host::detail
