// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/scaler/step_result.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_COLD bool StepResult::skipped() const {
  return found_inf_.defined() && found_inf_.item<float>() != 0;
}
AMP_COLD const float* StepResult::skipped_data() const {
  return found_inf_.defined() ? found_inf_.const_data<float>() : nullptr;
}

}  // namespace amp::inline v0
