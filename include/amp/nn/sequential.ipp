// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "amp/nn/sequential.hpp"

namespace amp::inline v0::nn {

AMP_COLD AnyModule Sequential::operator[](std::int64_t i) const {
  const std::size_t place = detail::checked_place("Sequential", i, size());
  return AnyModule(state().modules[place].second, state().held[place]);
}

AMP_INLINE Tensor Sequential::run(detail::Arguments arguments) const {
  const auto& modules = state().held;
  AMP_CHECK(!modules.empty() || arguments.size() == 1,
            "nn::Sequential: without modules, it takes one tensor, but is given ",
            arguments.size());
  Tensor y = modules.empty() ? *arguments[0] : modules[0]->forward(arguments);
  for (std::size_t i = 1; i < modules.size(); ++i) {
    const Tensor* const x = &y;
    y = modules[i]->forward({&x, 1});
  }
  return y;
}

}  // namespace amp::inline v0::nn
