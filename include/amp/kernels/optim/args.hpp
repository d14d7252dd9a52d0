// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of optimizer steps over many tensors: one call, so that a device can do it in one
// launch. Rule is an optimizer's formula, as AdamRule.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/schedule.hpp"
#include "amp/kernels/optim/weight_storage.hpp"
#include "amp/kernels/traversal/descriptor_table.hpp"

namespace amp::inline v0::kernels {

/// Copies of a weight that a step keeps equal to it, rounded. Null where there is none.
struct LowPrecisionCopies {
  void* float16 = nullptr;
  void* bfloat16 = nullptr;

  friend bool operator==(const LowPrecisionCopies&, const LowPrecisionCopies&) = default;
};

/// Whether there are hyperparameters with which a rule keeps no states: the default ones, then.
template <class Rule>
inline constexpr bool kMayLackStates = !Rule{}.keeps_states();

/// Whether a rule multiplies the rate of each parameter with its trust ratio.
template <class Rule>
inline constexpr bool kTrusts = requires {
  requires Rule::kTrusts;
};

/// A rule's update, with states in an array.
AMP_EITHER_SIDE
template <class Rule, class Coefficients, class V>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE void update_with(const Coefficients& k, V& grad, V& weight,
                                                   V (&states)[Rule::kStates]) {
  if constexpr (Rule::kStates == 1) {
    Rule::update(k, grad, weight, states[0]);
  } else {
    Rule::update(k, grad, weight, states[0], states[1]);
  }
}

template <class Rule>
struct OptimizerParameter {
  void* parameter;
  void* gradient;
  void* states[Rule::kStates];  // null unless rule.keeps_states()
  std::int64_t* step;           // if Rule::kCountsSteps: applied ones, to which this one is added
  std::int64_t numel;
  DType dtype, gradient_dtype, state_dtype;
  LowPrecisionCopies copies = {};
  StoredWeight weight = {};

  friend bool operator==(const OptimizerParameter&, const OptimizerParameter&) = default;
};

/// What the parameters of a group have in common.
template <class Rule>
struct GroupSettings {
  LearningRate lr;
  Rule rule;
  std::uint64_t seed = 0;         // of what is rounded stochastically
  bool zero_grad = false;         // gradients are 0 afterwards, those of a skipped step as well
  bool stochastic_state = false;  // rounds Rule::kStochasticState so, if that is bfloat16

  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

template <class Rule>
struct OptimizerGroup {
  const OptimizerParameter<Rule>* parameters = nullptr;
  std::int64_t count = 0;
  GroupSettings<Rule> settings;
};

/// A step of all groups, taken whole: where the kernel throws, nothing was written.
template <class Rule>
struct OptimizerArgs {
  Device device;
  const OptimizerGroup<Rule>* groups;
  std::int64_t count;
  std::int64_t* applied;  // on the device: the steps taken before, to which this one is added
  GradScale scale;
  DescriptorTable* table = nullptr;
};

}  // namespace amp::inline v0::kernels
