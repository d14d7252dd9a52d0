// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "amp/nn/activation.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn {

AMP_COLD PReLU::PReLU(std::int64_t num_parameters, double init) {
  weight = register_parameter("weight", full({num_parameters}, init));
  set_extra_repr({{"num_parameters", num_parameters}});
}

}  // namespace amp::inline v0::nn
