// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// All that a training step changes, by value, for tests that compare it bit for bit.
#pragma once

#include <amp/amp.hpp>

#include <functional>
#include <string>
#include <vector>

namespace amp_test {

using Values = std::vector<std::vector<double>>;

inline Values values_of(const amp::NamedTensors& tensors) {
  Values all;
  for (const auto& [name, tensor] : tensors) {
    all.push_back(tensor.to_vector<double>());
    all.back().insert(all.back().begin(),
                      static_cast<double>(std::hash<std::string>()(name) >> 11));
  }
  return all;
}

struct StepState {
  Values stepped;  // parameters and what the optimizer remembers
  amp::GradScalerState scaler = {};
  Values running;  // statistics, which the forward pass moves

  friend bool operator==(const StepState&, const StepState&) = default;
};

/// The state of a step that threw is that before it or that after it, for the parameters with the
/// optimizer, then the scaler, and the running statistics each, in the order in which they move.
inline bool is_whole(const StepState& now, const StepState& before, const StepState& after) {
  const bool stepped = now.stepped != before.stepped;
  return (!stepped || now.stepped == after.stepped) &&
         (now.scaler == before.scaler || (stepped && now.scaler == after.scaler)) &&
         (now.running == after.running || (!stepped && now.running == before.running));
}

}  // namespace amp_test
