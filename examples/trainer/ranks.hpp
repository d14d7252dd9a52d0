// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The processes that train together: one, or as many as mpirun started.
#pragma once

#include <amp/amp.hpp>
#include <amp/distributed.hpp>

#include <functional>
#include <memory>

namespace examples {

class Ranks {
 public:
  /// Calls program(ranks), and returns its result. If mpirun started several processes, `ranks`
  /// contains all of them, only the first one has a standard output, and an exception prints its
  /// message and ends all processes. Throws if there are several processes, but the trainer was
  /// built without MPI.
  static int run(int argc, char** argv, const std::function<int(Ranks&)>& program);

  [[nodiscard]] int rank() const { return host_ == nullptr ? 0 : host_->rank(); }
  [[nodiscard]] int size() const { return host_ == nullptr ? 1 : host_->size(); }
  [[nodiscard]] bool is_first() const { return rank() == 0; }
  [[nodiscard]] bool are_several() const { return size() > 1; }

  /// The device of this process: each process of a machine has its own GPU.
  [[nodiscard]] amp::Device device(amp::DeviceType type) const;
  /// The communicator for host memory. Null if there is only one process.
  [[nodiscard]] amp::Communicator* host() const { return host_; }
  /// The communicator for memory of that device. Null if there is only one process.
  amp::Communicator* communicator(amp::Device device);

  /// Returns whether `own` is true on any rank. All ranks call it.
  [[nodiscard]] bool any(bool own) const;
  /// Returns when all ranks have called it.
  void meet() const;

 private:
  amp::Communicator* host_ = nullptr;
  std::unique_ptr<amp::Communicator> gpus_;
};

}  // namespace examples
