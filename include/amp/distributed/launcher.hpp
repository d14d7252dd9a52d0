// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How this process was started, read from the environment variables that launchers set.
#pragma once

#include <optional>

namespace amp::inline v0 {

/// One of several processes that were started together.
struct LaunchInfo {
  int processes = 1;
  int local_rank = 0;  // its index among the processes of this machine: the GPU to use
};

/// Returns what mpirun of Open MPI, MPICH or MVAPICH, or Slurm's srun set in the environment, or
/// nothing if the process was started alone. It needs no library, so that a program that was built
/// without MPI can refuse to train the same model several times.
std::optional<LaunchInfo> launch_info();

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/launcher.ipp"
#endif
