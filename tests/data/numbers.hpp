// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A small data set whose examples say which they are, and what a loader gives.
#pragma once

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <vector>

namespace amp_test {

using Indices = std::vector<std::int64_t>;

/// Example i: the float i, and i.
struct Numbers : amp::data::Dataset<Numbers> {
  std::int64_t count = 10;

  explicit Numbers(std::int64_t size) : count(size) {}
  std::int64_t size() const { return count; }
  amp::data::Example<amp::Tensor, std::int64_t> get(std::int64_t i) const {
    return {amp::full({1}, static_cast<double>(i)), i};
  }
};

/// The targets of each batch.
template <class Loader>
std::vector<Indices> batches_of(Loader& loader) {
  std::vector<Indices> batches;
  for (const auto& batch : loader)
    batches.push_back(batch.target.template to_vector<std::int64_t>());
  return batches;
}

/// The same in one list.
template <class Loader>
Indices epoch_of(Loader& loader) {
  Indices all;
  for (const Indices& batch : batches_of(loader)) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

}  // namespace amp_test
