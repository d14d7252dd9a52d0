// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Runs a function on ranks that are threads, and collects what each returns: Catch's assertions are
// for one thread.
#pragma once

#include <amp/amp.hpp>
#include <amp/distributed.hpp>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/error_of.hpp"

namespace amp_test {

inline constexpr amp::ThreadGroupOptions kPatient{.timeout = std::chrono::seconds(60)};

/// body(communicator) of each rank, in order.
template <class Body>
auto on_ranks(int size, Body&& body, const amp::ThreadGroupOptions& options = kPatient) {
  using Result = std::invoke_result_t<Body&, amp::Communicator&>;
  std::vector<std::optional<Result>> slots(static_cast<std::size_t>(size));  // one thread, one slot
  amp::ThreadGroup::run(
      size,
      [&](amp::Communicator& world) {
        slots[static_cast<std::size_t>(world.rank())] = body(world);
      },
      options);
  std::vector<Result> results;
  for (std::optional<Result>& slot : slots) results.push_back(std::move(*slot));
  return results;
}

/// What body(communicator) of each rank throws; empty if nothing.
template <class Body>
std::vector<std::string> errors_on_ranks(int size, Body&& body,
                                         const amp::ThreadGroupOptions& options = kPatient) {
  return on_ranks(
      size,
      [&](amp::Communicator& world) {
        return error_of([&] {
          body(world);
          return 0;
        });
      },
      options);
}

/// The bits of a tensor.
inline std::string raw_bits(const amp::Tensor& tensor) {
  const amp::Tensor host = tensor.detach().to(amp::kCPU).contiguous();
  return {static_cast<const char*>(host.raw_data()),
          static_cast<std::size_t>(host.numel() * amp::item_size(host.dtype()))};
}
inline std::string raw_bits(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}
inline std::string raw_bits(const amp::NamedTensors& tensors) {
  std::string bits;
  for (const auto& entry : tensors) bits += raw_bits(entry.second);
  return bits;
}

}  // namespace amp_test
