// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Processes by MPI, and GPUs by NCCL, if the trainer was built with these.
#include "trainer/ranks.hpp"

#if defined(AMP_TRAINER_MPI)
#include <amp/distributed/mpi.hpp>
#endif
#if defined(AMP_TRAINER_NCCL)
#include <amp/distributed/nccl.hpp>
#endif

#include <cstdio>
#include <string>

namespace examples {

int Ranks::run(int argc, char** argv, const std::function<int(Ranks&)>& program) {
  Ranks ranks;
  const std::optional<amp::LaunchInfo> launched = amp::launch_info();
  if (!launched) return program(ranks);
#if defined(AMP_TRAINER_MPI)
  return amp::run_mpi(argc, argv, [&](amp::MpiCommunicator& world) {
    ranks.host_ = &world;
    if (world.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
      throw amp::Error("/dev/null cannot be opened");
    const int status = program(ranks);
    ranks.gpus_.reset();
    return status;
  });
#else
  (void)argc;
  (void)argv;
  throw amp::Error(std::to_string(launched->processes) +
                   " processes were started, but this trainer was built without MPI, because none "
                   "was found (Debian: libopenmpi-dev); each would train alone");
#endif
}

amp::Device Ranks::device(amp::DeviceType type) const {
  if (type == amp::kCPU || !are_several()) return type;
  return {type, amp::launch_info().value_or(amp::LaunchInfo()).local_rank};
}

amp::Communicator* Ranks::communicator(amp::Device device) {
  if (host_ == nullptr || device.type == amp::kCPU) return host_;
#if defined(AMP_TRAINER_NCCL)
  if (gpus_ == nullptr) gpus_ = std::make_unique<amp::NcclCommunicator>(device, *host_);
  return gpus_.get();
#else
  throw amp::Error("several processes with GPUs need NCCL, which this trainer was built without");
#endif
}

bool Ranks::any(bool own) const {
  if (host_ == nullptr) return own;
  const amp::Tensor word = amp::full({}, own ? 1 : 0);
  host_->all_reduce(word, amp::ReduceOp::kAny).wait();
  return word.item<float>() != 0;
}

void Ranks::meet() const {
  if (host_ != nullptr) host_->barrier();
}

}  // namespace examples
