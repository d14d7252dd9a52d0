// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How this process was started, as launchers say it in the environment.
#pragma once

#include <optional>

namespace amp::inline v0 {

/// One of several processes that were started together.
struct LaunchInfo {
  int processes = 1;
  int local_rank = 0;  // among those of this machine: which GPU to take
};

/// What mpirun of Open MPI, MPICH or MVAPICH, or Slurm's srun says of this process: its environment
/// is read, and no library needed. Nothing if the process was started alone. So a program can
/// refuse to train several times the same if it was built without MPI.
std::optional<LaunchInfo> launch_info();

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/launcher.ipp"
#endif
