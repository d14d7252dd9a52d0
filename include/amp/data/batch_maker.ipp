// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "amp/core/error.hpp"
#include "amp/data/batch_maker.hpp"

namespace amp::inline v0::data::detail {

/// The message of the exception under way.
AMP_COLD std::string message_under_way() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

AMP_COLD void fail_example(std::int64_t index) {
  std::throw_with_nested(
      ExampleError("DataLoader: example " + std::to_string(index) + ": " + message_under_way()));
}

AMP_COLD void fail_batch(std::int64_t epoch, std::int64_t batch,
                         std::span<const std::int64_t> indices) {
  constexpr std::size_t kMostNamed = 16;
  std::string names;
  for (std::size_t i = 0; i < indices.size() && i < kMostNamed; ++i)
    names += (i == 0 ? "" : ", ") + std::to_string(indices[i]);
  if (indices.size() > kMostNamed) names += ", ...";
  std::throw_with_nested(Error("DataLoader: batch " + std::to_string(batch) + " of epoch " +
                               std::to_string(epoch) + ", of the examples " + names + ": " +
                               message_under_way()));
}

}  // namespace amp::inline v0::data::detail
