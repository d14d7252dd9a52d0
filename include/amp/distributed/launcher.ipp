// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "amp/core/config.hpp"
#include "amp/distributed/launcher.hpp"

namespace amp::inline v0 {
namespace detail {

/// Returns the number in the first of these variables that holds a number.
AMP_COLD std::optional<int> number_in_environment(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
  }
  return {};
}

}  // namespace detail

AMP_COLD std::optional<LaunchInfo> launch_info() {
  auto processes =
      detail::number_in_environment({"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE"});
  // Slurm sets the number of tasks for the batch script as well, but the rank only for processes
  // that srun started.
  if (!processes && detail::number_in_environment({"SLURM_PROCID"}) &&
      detail::number_in_environment({"SLURM_STEP_NUM_TASKS"}))
    processes = detail::number_in_environment({"SLURM_STEP_NUM_TASKS"});
  if (!processes || *processes < 2) return {};
  const auto local =
      detail::number_in_environment({"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                                     "MPI_LOCALRANKID", "SLURM_LOCALID"});
  return LaunchInfo{.processes = *processes, .local_rank = local.value_or(0)};
}

}  // namespace amp::inline v0
