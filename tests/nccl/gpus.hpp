// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Runs a function on ranks that are threads, with a device of the stand-in each.
#pragma once

#include <nccl.h>
#include <amp/cuda.hpp>
#include <amp/distributed/nccl.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "distributed/ranks.hpp"
#include "support/cuda/standin.hpp"

namespace amp_test {

/// Asked for once by amp, and so set before all tests.
inline const bool has_four_devices = (standin::toolkit().devices = 4, true);

inline constexpr amp::NcclOptions kPatientNccl{.timeout = std::chrono::seconds(60)};
inline constexpr amp::NcclOptions kImpatientNccl{.timeout = std::chrono::milliseconds(100)};

/// body(world) of each rank; `world` may be asked for the communicator that carried the id.
struct Gpu {
  amp::NcclCommunicator& world;
  amp::Communicator& threads;

  int rank() const { return world.rank(); }
  int size() const { return world.size(); }
  amp::TensorOptions options(amp::DType dtype = amp::kFloat32) const {
    return {.dtype = dtype, .device = world.device()};
  }
  amp::Tensor full(amp::Shape shape, double value, amp::DType dtype = amp::kFloat32) const {
    return amp::full(shape, value, options(dtype));
  }
};

/// body(gpu) of each rank, in order.
template <class Body>
auto on_gpus(int size, Body&& body, const amp::NcclOptions& options = kPatientNccl) {
  return on_ranks(size, [&](amp::Communicator& threads) {
    amp::NcclCommunicator world({amp::kCUDA, threads.rank()}, threads, options);
    return body(Gpu{world, threads});
  });
}

/// The message of the CommunicationError that `call` throws; empty if it throws nothing, and marked
/// if it throws another amp::Error.
template <class Call>
std::string communication_error_of(Call&& call) {
  try {
    call();
  } catch (const amp::CommunicationError& error) {
    return error.what();
  } catch (const amp::Error& error) {
    return std::string("no CommunicationError: ") + error.what();
  }
  return {};
}

/// Collects warnings, of any thread, for as long as it lives.
class Warnings {
 public:
  Warnings()
      : before_(amp::set_warning_handler([this](std::string_view text) {
          const std::lock_guard lock(mutex_);
          texts_.emplace_back(text);
        })) {}
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  ~Warnings() { amp::set_warning_handler(before_); }

  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
  amp::WarningHandler before_;
};

}  // namespace amp_test
