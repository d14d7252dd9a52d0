// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of optimizer steps over many tensors: one call, so that a device can do it in one
// launch. Rule is an optimizer's formula, such as AdamRule.
#pragma once

#include <cstdint>

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

/// Whether there are hyperparameters for which a rule needs no states; the default ones are such,
/// then.
template <class Rule>
inline constexpr bool kMayLackStates = !Rule{}.keeps_states();

/// Whether a rule multiplies the rate of each parameter by its trust ratio.
template <class Rule>
inline constexpr bool kTrusts = requires {
  requires Rule::kTrusts;
};

/// Calls a rule's update with the states in an array.
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
  std::int64_t* step;           // if Rule::kCountsSteps: the applied steps, incremented by this one
  std::int64_t numel;
  DType dtype, gradient_dtype, state_dtype;
  LowPrecisionCopies copies = {};
  StoredWeight weight = {};

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

  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

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
