// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How resampling is called.
#pragma once

#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/binding.hpp"

namespace conformance::bindings {

/// Attributes: mode, align_corners, recompute_scale_factor, antialias, whether sizes follow.
inline Outputs interpolate(In x, Case c) {
  amp::InterpolateOptions options;
  options.mode = static_cast<amp::InterpolateMode>(integer(c, 0));
  options.align_corners = flag(c, 1);
  options.recompute_scale_factor = flag(c, 2);
  options.antialias = flag(c, 3);
  const auto factor = [&](std::size_t i) { return c.attributes[5 + i]; };
  if (flag(c, 4))
    options.size = integers_from(c, 5);
  else if (c.attributes.size() == 6)
    options.scale_factor = factor(0);
  else if (c.attributes.size() == 7)
    options.scale_factor = {factor(0), factor(1)};
  else
    options.scale_factor = {factor(0), factor(1), factor(2)};
  return amp::interpolate(x[0], options);
}

inline Outputs grid_sample(In x, Case c) {
  return amp::grid_sample(x[0], x[1],
                          {.mode = static_cast<amp::GridSampleMode>(integer(c, 0)),
                           .padding_mode = static_cast<amp::PaddingMode>(integer(c, 1)),
                           .align_corners = flag(c, 2)});
}

// clang-format off
inline constexpr Binding kResample[] = {
    {"interpolate", interpolate, kFloat32Math, "input*"},
    {"interpolate(nearest)", interpolate, kOneRounding, "input*", kAnything},
    {"grid_sample", grid_sample, kFloat32Math, "input= grid="},
    {"affine_grid",
     [](In x, Case c) -> Outputs {
       return amp::affine_grid(x[0], amp::Shape(integers_from(c, 1)), flag(c, 0));
     },
     kFloat32Math, "theta*"},
};
// clang-format on

}  // namespace conformance::bindings
