// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The names in a list of named tensors.
#pragma once

#include <amp/tensor.hpp>

#include <string>
#include <vector>

namespace amp_test {

using Names = std::vector<std::string>;

inline Names names(const amp::NamedTensors& tensors) {
  Names all;
  for (const auto& entry : tensors) all.push_back(entry.first);
  return all;
}

}  // namespace amp_test
