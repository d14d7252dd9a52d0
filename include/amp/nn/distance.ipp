// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "amp/nn/distance.hpp"
#include "amp/nn/init.hpp"

namespace amp::inline v0::nn {

AMP_COLD Bilinear::Bilinear(std::int64_t in1_features, std::int64_t in2_features,
                            std::int64_t out_features, const LinearOptions& options) {
  weight = register_parameter(
      "weight", init::fan_in_uniform({out_features, in1_features, in2_features}, in1_features));
  if (options.bias)
    bias = register_parameter("bias", init::fan_in_uniform({out_features}, in1_features));
  set_extra_repr({{"in1_features", in1_features},
                  {"in2_features", in2_features},
                  {"out_features", out_features},
                  {"bias", options.bias}});
}

}  // namespace amp::inline v0::nn
