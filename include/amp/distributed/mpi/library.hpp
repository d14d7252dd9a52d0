// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Includes <mpi.h>, as the only header of amp, and turns errors of MPI into exceptions.
#pragma once

// Without the C++ bindings, which MPI 3 removed.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <cstddef>
#include <string>

#include "amp/core/error.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/types/dtype.hpp"

#if MPI_VERSION < 3
#error \
    "<amp/distributed/mpi.hpp> needs MPI 3, whose operations can be under way while a rank computes"
#endif

namespace amp::inline v0::detail {

/// Throws CommunicationError if a call of MPI failed.
inline void require_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) length = 0;
  throw CommunicationError(std::string(call) + ": " +
                           std::string(text, static_cast<std::size_t>(length)));
}

/// Returns the MPI type that copies elements of a dtype.
inline MPI_Datatype mpi_bits(DType dtype) {
  switch (item_size(dtype)) {
    case 8:
      return MPI_UINT64_T;
    case 4:
      return MPI_UINT32_T;
    case 2:
      return MPI_UINT16_T;
    default:
      return MPI_UINT8_T;
  }
}

/// Whether this process has abandoned a communicator on which other ranks may still wait. The job
/// then cannot end by MPI_Finalize, which waits for all ranks.
AMP_EXPORT inline bool& mpi_job_is_lost() {
  static bool lost = false;
  return lost;
}

/// The communicators of MPI. All ranks must begin the operations on one in the same order. Second
/// stages begin when the first ones are done, at a different time on each rank, so they have their
/// own communicator.
struct MpiComms {
  MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
  MPI_Comm control = MPI_COMM_NULL;  // compares calls, and carries the notices of the ranks
  int rank = 0, size = 1;
};
inline MpiComms duplicate_comm(MPI_Comm communicator) {
  int initialized = 0, finalized = 0;
  require_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
  require_mpi(MPI_Finalized(&finalized), "MPI_Finalized");
  AMP_CHECK(initialized != 0 && finalized == 0, "MpiCommunicator: MPI is ",
            finalized != 0 ? "finalised already" : "not initialised; see amp::run_mpi");
  AMP_CHECK(communicator != MPI_COMM_NULL, "MpiCommunicator: `communicator` is MPI_COMM_NULL");
  int between_groups = 0;
  require_mpi(MPI_Comm_test_inter(communicator, &between_groups), "MPI_Comm_test_inter");
  AMP_CHECK(between_groups == 0, "MpiCommunicator: `communicator` is one between two groups");
  MpiComms comms;
  for (MPI_Comm* const comm : {&comms.first, &comms.second, &comms.control}) {
    require_mpi(MPI_Comm_dup(communicator, comm), "MPI_Comm_dup");
    require_mpi(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  require_mpi(MPI_Comm_rank(comms.first, &comms.rank), "MPI_Comm_rank");
  require_mpi(MPI_Comm_size(comms.first, &comms.size), "MPI_Comm_size");
  return comms;
}

}  // namespace amp::inline v0::detail
