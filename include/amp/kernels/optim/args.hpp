// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of optimizer steps over many tensors: one call, so that a device can do it in one
// launch. Rule is an optimizer's formula, such as AdamRule.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/schedule.hpp"
#include "amp/kernels/optim/weight_storage.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"

namespace amp::inline v0::kernels {

/// Copies of a weight to which a step writes the new values, rounded. Null if there is none.
struct LowPrecisionCopies {
  void* float16 = nullptr;
  void* bfloat16 = nullptr;

  friend bool operator==(const LowPrecisionCopies&, const LowPrecisionCopies&) = default;
};

/// Whether there are hyperparameters for which a rule needs no state `s`; the default ones are
/// such, then.
template <class Rule>
AMP_HOST_DEVICE constexpr bool may_lack(int s) {
  return !Rule{}.keeps_state(s);
}

/// The number of states that kernels compiled for speed know; others know all kStates.
template <class Rule>
AMP_HOST_DEVICE constexpr int plain_states() {
  if constexpr (requires { Rule::kPlainStates; }) return Rule::kPlainStates;
  return Rule::kStates;
}
/// Whether a rule with these hyperparameters needs the kernels that know all states.
template <class Rule>
constexpr bool keeps_more(const Rule& rule) {
  for (int s = plain_states<Rule>(); s < Rule::kStates; ++s) {
    if (rule.keeps_state(s)) return true;
  }
  return false;
}

/// Whether a rule with these hyperparameters needs the number of steps of each parameter.
template <class Rule>
constexpr bool counts_steps(const Rule& rule) {
  if constexpr (requires { rule.counts_steps(); }) return rule.counts_steps();
  return Rule::kCountsSteps;
}

/// Whether a rule keeps the product of a factor of each step for every parameter.
template <class Rule>
inline constexpr bool kKeepsProduct = requires {
  &Rule::factor_of_step;
};

/// Whether the rate of each parameter depends on a ratio: rule.trust(weights, directions, numel) of
/// the sums of the squares of the weights and of the directions of their step. The directions are
/// those of Rule::direct if Rule::kDirects, else the gradients.
template <class Rule>
inline constexpr bool kTrusts = requires {
  requires Rule::kTrusts;
};

/// Calls a rule's update with the states in an array.
AMP_EITHER_SIDE
template <class Rule, class Coefficients, class V, std::size_t kStates>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE void update_with(const Coefficients& k, V& grad, V& weight,
                                                   V (&states)[kStates]) {
  static_assert(kStates >= 1 && kStates <= 3);
  if constexpr (kStates == 1) {
    Rule::update(k, grad, weight, states[0]);
  } else if constexpr (kStates == 2) {
    Rule::update(k, grad, weight, states[0], states[1]);
  } else {
    Rule::update(k, grad, weight, states[0], states[1], states[2]);
  }
}

template <class Rule>
struct OptimizerParameter {
  void* parameter;
  void* gradient;
  void* states[Rule::kStates];  // null unless rule.keeps_state(s)
  std::int64_t* step;  // the applied steps, incremented by this one; null unless counts_steps(rule)
  std::int64_t numel;
  DType dtype, gradient_dtype;
  DType state_dtype;  // kUInt8: blocks (block_moments.hpp)
  LowPrecisionCopies copies = {};
  StoredWeight weight = {};
  double* product = nullptr;  // if kKeepsProduct<Rule>: of the applied steps' factors

  friend bool operator==(const OptimizerParameter&, const OptimizerParameter&) = default;
};

/// What the parameters of a group share.
template <class Rule>
struct GroupSettings {
  LearningRate lr;
  Rule rule;
  std::uint64_t seed = 0;         // of stochastic rounding
  bool zero_grad = false;         // sets gradients to 0 afterwards, those of a skipped step as well
  bool stochastic_state = false;  // rounds Rule::kStochasticState so, if that is bfloat16
  bool maximize = false;          // steps along the gradient, not against it

  /// The factor of gradients of this dtype.
  AMP_HOST_DEVICE double factor(const GradScale& scale, DType gradient) const {
    const double factor = scale.factor(gradient);
    return maximize ? -factor : factor;
  }

  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

/// Returns the coefficients of a parameter's next step, of which `trust` is the ratio if
/// kTrusts<Rule>. V is as in AdamRule::coefficients.
AMP_EITHER_SIDE
template <class V, class Rule>
AMP_HOST_DEVICE auto coefficients_of(const OptimizerParameter<Rule>& p, const Rule& rule,
                                     double rate, [[maybe_unused]] double trust = 1) {
  const std::int64_t t = p.step != nullptr ? *p.step + 1 : 0;
  if constexpr (kKeepsProduct<Rule>) {
    return rule.template coefficients<V>(rate, t, *p.product);
  } else if constexpr (kTrusts<Rule>) {
    return rule.template coefficients<V>(rate, t, trust);
  } else {
    return rule.template coefficients<V>(rate, t);
  }
}
/// Counts a step of a parameter, after it was made.
template <class Rule>
AMP_HOST_DEVICE void count_step(const OptimizerParameter<Rule>& p,
                                [[maybe_unused]] const Rule& rule) {
  if (p.step == nullptr) return;
  ++*p.step;
  if constexpr (kKeepsProduct<Rule>) *p.product *= rule.factor_of_step(*p.step);
}

template <class Rule>
struct OptimizerGroup {
  const OptimizerParameter<Rule>* parameters = nullptr;
  std::int64_t count = 0;
  GroupSettings<Rule> settings;
};

/// A step of all groups. If the kernel throws, nothing was written.
template <class Rule>
struct OptimizerArgs {
  Device device;
  const OptimizerGroup<Rule>* groups;
  std::int64_t count;
  std::int64_t* applied;  // on the device: the applied steps, incremented by this one
  GradScale scale;
  DescriptorTable* table = nullptr;
};

}  // namespace amp::inline v0::kernels
