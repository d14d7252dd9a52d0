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
  /// Calls program(ranks), and returns what it returns. In a process that mpirun started with
  /// others all of them are in `ranks`, and only the first has a standard output. If the program
  /// throws there, the message is printed and all processes end. Throws if there are others, but
  /// the trainer was built without MPI.
  static int run(int argc, char** argv, const std::function<int(Ranks&)>& program);

  [[nodiscard]] int rank() const { return host_ == nullptr ? 0 : host_->rank(); }
  [[nodiscard]] int size() const { return host_ == nullptr ? 1 : host_->size(); }
  [[nodiscard]] bool is_first() const { return rank() == 0; }
  [[nodiscard]] bool are_several() const { return size() > 1; }

  /// The device of this process: each on one machine has a GPU of its own.
  [[nodiscard]] amp::Device device(amp::DeviceType type) const;
  /// For memory of the host. Null if there is one process.
  [[nodiscard]] amp::Communicator* host() const { return host_; }
  /// For memory of that device. Null if there is one process.
  amp::Communicator* communicator(amp::Device device);

  /// Whether it holds on any rank. All ranks call it.
  [[nodiscard]] bool any(bool own) const;
  /// Returns when all ranks have called it.
  void meet() const;

 private:
  amp::Communicator* host_ = nullptr;
  std::unique_ptr<amp::Communicator> gpus_;
};

}  // namespace examples
