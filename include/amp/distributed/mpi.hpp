// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ranks that are processes, on one machine or several, started by MPI: <amp/distributed.hpp> for
// host memory. Needs MPI 3; the program must link it.
#pragma once

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>

#include "amp/distributed.hpp"
#include "amp/distributed/mpi/communicator.hpp"

namespace amp::inline v0 {

/// Initialises MPI and finalises it at the end of the scope, unless MPI was initialised before. If
/// the scope is left by an exception, or a communicator has failed, it ends the job on all ranks
/// (MPI_Abort), since other ranks may wait for this one.
class MpiEnvironment {
 public:
  /// Initialises MPI, unless the program has done so.
  [[nodiscard]] MpiEnvironment(int& argc, char**& argv) {
    int initialized = 0;
    detail::require_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized != 0) return;
    int provided = 0;
    detail::require_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided),
                        "MPI_Init_thread");
    owns_ = true;
    // Some libraries report errors of requests here, and not on the communicator of the request.
    detail::require_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
                        "MPI_Comm_set_errhandler");
  }
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;
  ~MpiEnvironment() {
    if (std::uncaught_exceptions() != exceptions_ || detail::mpi_job_is_lost()) abort();
    if (owns_) (void)MPI_Finalize();
  }

  /// The rank of this process in MPI_COMM_WORLD.
  int rank() const {
    int rank = 0;
    detail::require_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    return rank;
  }
  /// Ends the job on all ranks with status 1.
  [[noreturn]] static void abort() noexcept {
    (void)std::fflush(nullptr);
    (void)MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::_Exit(EXIT_FAILURE);
  }

 private:
  bool owns_ = false;
  int exceptions_ = std::uncaught_exceptions();
};

/// The body of main() in a program that mpirun starts: initialises MPI, calls program(communicator)
/// with all ranks, and finalises MPI. Returns what `program` returns, or 0 if that is void. If
/// `program` throws on a rank, prints "rank R: " and the message to stderr, and ends the job on all
/// ranks.
template <std::invocable<MpiCommunicator&> Program>
int run_mpi(int argc, char** argv, Program&& program, const MpiOptions& options = {}) {
  const MpiEnvironment environment(argc, argv);
  std::string failure = "an exception that is no std::exception";
  try {
    MpiCommunicator world(MPI_COMM_WORLD, options);
    int status = EXIT_SUCCESS;
    if constexpr (std::is_void_v<std::invoke_result_t<Program&, MpiCommunicator&>>)
      program(world);
    else
      status = program(world);
    world.close();
    return status;
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
  }
  std::fprintf(stderr, "rank %d: %s\n", environment.rank(), failure.c_str());
  MpiEnvironment::abort();
}

}  // namespace amp::inline v0
