// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ranks that are processes, on one machine or many, started by MPI: <amp/distributed.hpp> on the
// memory of the host. Needs MPI 3, and links it.
#pragma once

#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1  // the C++ bindings, which MPI 3 has no longer
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/distributed.hpp"
#include "amp/distributed/add_ranks.hpp"

namespace amp::inline v0 {

struct MpiOptions {
  /// How long a rank waits for the others in one operation before it throws, naming those that did
  /// not come.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  /// Elements that one call of MPI may take, whose counts are ints; more take several calls.
  int most_elements = 1 << 30;
};

namespace detail {

/// Throws CommunicationError if a call of MPI failed.
inline void require_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) length = 0;
  throw CommunicationError(std::string(call) + ": " +
                           std::string(text, static_cast<std::size_t>(length)));
}

/// What moves elements of a dtype.
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
/// What adds them; not for 16 bits.
inline MPI_Datatype mpi_number(DType dtype) {
  switch (dtype) {
    case kFloat64:
      return MPI_DOUBLE;
    case kFloat32:
      return MPI_FLOAT;
    case kInt64:
      return MPI_INT64_T;
    default:
      return MPI_INT32_T;
  }
}

/// One operation under way, in one stage or two.
class MpiOperation final : public Collective::Work {
 public:
  MpiOperation(std::function<void(MpiOperation&)> finishes, std::string text)
      : finishes_(std::move(finishes)), text_(std::move(text)) {}

  void wait() override {
    if (!finished) finishes_(*this);
  }

  const std::string& text() const { return text_; }
  MPI_Request request = MPI_REQUEST_NULL;
  bool finished = false;
  /// What comes after the request is done, once; it may make another request.
  std::function<void(MpiOperation&)> then = {};
  // Memory that MPI reads and writes meanwhile.
  std::vector<int> counts = {}, places = {}, own_counts = {}, own_places = {};
  std::vector<unsigned char> memory = {};

 private:
  std::function<void(MpiOperation&)> finishes_;  // this one, and all before it
  std::string text_;
};

}  // namespace detail

/// The ranks of an MPI communicator. Takes memory of the host.
///
/// Operations are MPI's nonblocking ones, so they go on while the rank computes, as far as the
/// MPI library does that. Sums of 16-bit elements are computed by amp from what MPI has
/// exchanged, since MPI has no such types: they take as many bytes as a ring would.
/// If a rank waits for longer than the timeout, it throws, and names the ranks that did not come.
///
/// Source: MPI: A Message-Passing Interface Standard, version 3.1, chapters 5 and 8.
class MpiCommunicator final : public Communicator {
 public:
  /// Over a duplicate of `communicator`, so that its messages are its own. MPI is initialised, by
  /// MpiEnvironment or otherwise. All ranks call it. Throws if MPI is not initialised, or is
  /// finalised.
  explicit MpiCommunicator(MPI_Comm communicator, const MpiOptions& options = {})
      : MpiCommunicator(duplicate(communicator, options), options) {}
  /// Waits for operations that were begun. Only what is destroyed by an exception, or failed,
  /// is left as it is: the job then has to end by MPI_Abort, as run_mpi does it.
  ~MpiCommunicator() override {
    int finalized = 0;
    if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
    if (has_failed() || std::uncaught_exceptions() != exceptions_) return;
    try {
      if (!pending_.empty()) finish(*pending_.back());
      for (MPI_Request& notice : notices_) (void)MPI_Request_free(&notice);
      (void)MPI_Comm_free(&comms_.notices);
      (void)MPI_Comm_free(&comms_.own);
    } catch (const std::exception&) {  // nothing more can be done here
    }
  }

  bool takes(Device device) const override { return device.type == kCPU; }
  std::string_view engine() const override { return "mpi"; }

 protected:
  Collective begin_all_reduce(const TensorView& values, ReduceOp op) override {
    Collective last;
    for_each_range(values, [&](char* data, int count) {
      if (is_low_precision(values.dtype)) {
        last = begin_low_precision_sum(data, count, values.dtype);
      } else {
        detail::MpiOperation& operation = add("all_reduce", values);
        // Whether any word is not 0: the largest of their bits as integers. MPI's maximum of floats
        // is undefined for NaN.
        const bool any = op == ReduceOp::kAny;
        call("MPI_Iallreduce",
             MPI_Iallreduce(MPI_IN_PLACE, data, count,
                            any ? MPI_UINT32_T : detail::mpi_number(values.dtype),
                            any ? MPI_MAX : MPI_SUM, comms_.own, &operation.request));
        last = handle(operation);
      }
    });
    return last;
  }

  Collective begin_reduce_scatter(const TensorView& values) override {
    const std::int64_t part = values.numel / size(), item = item_size(values.dtype);
    if (values.numel > options_.most_elements) return begin_all_reduce(values, ReduceOp::kSum);
    auto* const data = static_cast<char*>(values.data);
    char* const own = data + rank() * part * item;
    detail::MpiOperation& operation = add("reduce_scatter", values);
    const auto count = static_cast<int>(part);
    if (is_low_precision(values.dtype)) {
      operation.memory.resize(static_cast<std::size_t>(values.numel * item));
      call("MPI_Ialltoall", MPI_Ialltoall(data, count, MPI_UINT16_T, operation.memory.data(), count,
                                          MPI_UINT16_T, comms_.own, &operation.request));
      operation.then = [=, dtype = values.dtype, ranks = size()](detail::MpiOperation& done) {
        add_parts(done.memory.data(), ranks, part, dtype, own);
      };
    } else {
      operation.memory.resize(static_cast<std::size_t>(part * item));
      call("MPI_Ireduce_scatter_block",
           MPI_Ireduce_scatter_block(data, operation.memory.data(), count,
                                     detail::mpi_number(values.dtype), MPI_SUM, comms_.own,
                                     &operation.request));
      operation.then = [=](detail::MpiOperation& done) {
        std::memcpy(own, done.memory.data(), done.memory.size());
      };
    }
    return handle(operation);
  }

  Collective begin_all_gather(const TensorView& values) override {
    const std::int64_t part = values.numel / size();
    const MPI_Datatype type = detail::mpi_bits(values.dtype);
    if (part <= options_.most_elements) {
      detail::MpiOperation& operation = add("all_gather", values);
      call("MPI_Iallgather",
           MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data, static_cast<int>(part),
                          type, comms_.own, &operation.request));
      return handle(operation);
    }
    Collective last;
    for (int r = 0; r < size(); ++r) {
      auto* const data = static_cast<char*>(values.data) + r * part * item_size(values.dtype);
      last = begin_broadcast({data, part, values.dtype, values.device}, r);
    }
    return last;
  }

  Collective begin_broadcast(const TensorView& values, int root) override {
    Collective last;
    for_each_range(values, [&](char* data, int count) {
      detail::MpiOperation& operation = add("broadcast", values);
      call("MPI_Ibcast", MPI_Ibcast(data, count, detail::mpi_bits(values.dtype), root, comms_.own,
                                    &operation.request));
      last = handle(operation);
    });
    return last;
  }

  void run_barrier() override {
    detail::MpiOperation& operation = add("barrier");
    call("MPI_Ibarrier", MPI_Ibarrier(comms_.own, &operation.request));
    finish(operation);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Comms {
    MPI_Comm own = MPI_COMM_NULL, notices = MPI_COMM_NULL;
    int rank = 0, size = 1;
  };
  /// What a rank says that has waited for long: in which operation.
  struct Notice {
    std::int64_t number = -1;
    char text[104] = {};
  };

  MpiCommunicator(const Comms& comms, const MpiOptions& options)
      : Communicator(comms.rank, comms.size),
        comms_(comms),
        options_(options),
        heard_(static_cast<std::size_t>(comms.size)) {}

  static Comms duplicate(MPI_Comm communicator, const MpiOptions& options) {
    AMP_CHECK(options.timeout.count() > 0, "MpiCommunicator: `timeout` must be above 0, but is ",
              options.timeout.count(), " ms");
    AMP_CHECK(options.most_elements > 0,
              "MpiCommunicator: `most_elements` must be above 0, but is ", options.most_elements);
    int initialized = 0, finalized = 0;
    detail::require_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    detail::require_mpi(MPI_Finalized(&finalized), "MPI_Finalized");
    AMP_CHECK(initialized != 0 && finalized == 0, "MpiCommunicator: MPI is ",
              finalized != 0 ? "finalised already" : "not initialised; see amp::run_mpi");
    AMP_CHECK(communicator != MPI_COMM_NULL, "MpiCommunicator: `communicator` is MPI_COMM_NULL");
    int between_groups = 0;
    detail::require_mpi(MPI_Comm_test_inter(communicator, &between_groups), "MPI_Comm_test_inter");
    AMP_CHECK(between_groups == 0, "MpiCommunicator: `communicator` is one between two groups");
    Comms comms;
    detail::require_mpi(MPI_Comm_dup(communicator, &comms.own), "MPI_Comm_dup");
    detail::require_mpi(MPI_Comm_dup(communicator, &comms.notices), "MPI_Comm_dup");
    for (const MPI_Comm comm : {comms.own, comms.notices})
      detail::require_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN),
                          "MPI_Comm_set_errhandler");
    detail::require_mpi(MPI_Comm_rank(comms.own, &comms.rank), "MPI_Comm_rank");
    detail::require_mpi(MPI_Comm_size(comms.own, &comms.size), "MPI_Comm_size");
    return comms;
  }

  static void add_parts(const unsigned char* parts, int ranks, std::int64_t numel, DType dtype,
                        void* sums) {
    std::vector<const void*> all;
    for (int r = 0; r < ranks; ++r) all.push_back(parts + r * numel * item_size(dtype));
    detail::add_ranks(all, dtype, sums, numel);
  }

  /// Of all elements each rank gets a share from all others, adds it up, and sends the sums to all.
  Collective begin_low_precision_sum(char* data, int count, DType dtype) {
    detail::MpiOperation& operation = add("all_reduce", {data, count, dtype});
    const auto ranks = static_cast<std::size_t>(size());
    for (int r = 0; r < size(); ++r) {
      const std::int64_t begin = std::int64_t{count} * r / size(),
                         end = std::int64_t{count} * (r + 1) / size();
      operation.places.push_back(static_cast<int>(begin));
      operation.counts.push_back(static_cast<int>(end - begin));
    }
    const int own = operation.counts[static_cast<std::size_t>(rank())];
    operation.own_counts.assign(ranks, own);
    for (int r = 0; r < size(); ++r) operation.own_places.push_back(r * own);
    operation.memory.resize(ranks * static_cast<std::size_t>(own) * 2);
    call("MPI_Ialltoallv",
         MPI_Ialltoallv(data, operation.counts.data(), operation.places.data(), MPI_UINT16_T,
                        operation.memory.data(), operation.own_counts.data(),
                        operation.own_places.data(), MPI_UINT16_T, comms_.own, &operation.request));
    operation.then = [=, this](detail::MpiOperation& done) {
      const int place = done.places[static_cast<std::size_t>(rank())];
      add_parts(done.memory.data(), size(), own, dtype, data + 2 * std::int64_t{place});
      call("MPI_Iallgatherv",
           MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, done.counts.data(),
                           done.places.data(), MPI_UINT16_T, comms_.own, &done.request));
    };
    return handle(operation);
  }

  /// body(data, count) for ranges of the elements that one call may take.
  template <class Body>
  void for_each_range(const TensorView& values, Body&& body) {
    for (std::int64_t begin = 0; begin < values.numel; begin += options_.most_elements) {
      const std::int64_t count =
          std::min<std::int64_t>(values.numel - begin, options_.most_elements);
      body(static_cast<char*>(values.data) + begin * item_size(values.dtype),
           static_cast<int>(count));
    }
  }

  detail::MpiOperation& add(const char* name, const TensorView& values = {}) {
    std::string text = name;
    if (values.numel != 0)
      text += " of " + std::to_string(values.numel) + " " + to_string(values.dtype);
    pending_.push_back(make_ref<detail::MpiOperation>(
        [this](detail::MpiOperation& operation) { finish(operation); }, std::move(text)));
    return *pending_.back();
  }
  static Collective handle(detail::MpiOperation& operation) {
    return Collective(Ref<Collective::Work>(&operation));
  }
  void call(const char* name, int status) {
    try {
      detail::require_mpi(status, name);
    } catch (const CommunicationError& error) {
      fail(error.what());
    }
  }

  /// Finishes the operation and those before it: all ranks in the same order.
  void finish(detail::MpiOperation& operation) {
    while (!operation.finished) {
      require_working();
      const Ref<detail::MpiOperation> first = pending_.front();
      complete(*first);
      while (auto then = std::exchange(first->then, {})) {
        then(*first);
        complete(*first);
      }
      first->finished = true;
      ++finished_;
      pending_.pop_front();
    }
  }

  /// Waits for the request.
  void complete(detail::MpiOperation& operation) {
    const Clock::time_point began = Clock::now();
    for (std::int64_t round = 0;; ++round) {
      int done = 0;
      call("MPI_Test", MPI_Test(&operation.request, &done, MPI_STATUS_IGNORE));
      if (done != 0) return;
      std::this_thread::yield();
      if (round % 64 != 0) continue;
      const auto waited = Clock::now() - began;
      const bool heard = hear();
      if (told_ != finished_ && (heard || waited >= options_.timeout / 2)) tell(operation);
      if (waited >= options_.timeout) report(operation);
    }
  }

  /// Says to all others in which operation this rank waits.
  void tell(const detail::MpiOperation& operation) {
    told_ = finished_;
    // MPI reads it until it is sent, which may be never.
    const auto notice = std::make_shared<Notice>();
    notice->number = finished_;
    operation.text().copy(notice->text, sizeof notice->text - 1);
    sent_.push_back(notice);
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      MPI_Request& request = notices_.emplace_back(MPI_REQUEST_NULL);
      call("MPI_Isend",
           MPI_Isend(notice.get(), sizeof(Notice), MPI_BYTE, r, 0, comms_.notices, &request));
    }
  }
  /// Takes what others say; whether there was anything.
  bool hear() {
    bool any = false;
    for (;;) {
      int there = 0;
      MPI_Status status;
      call("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, 0, comms_.notices, &there, &status));
      if (there == 0) return any;
      any = true;
      Notice notice;
      call("MPI_Recv", MPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, 0,
                                comms_.notices, MPI_STATUS_IGNORE));
      heard_[static_cast<std::size_t>(status.MPI_SOURCE)] = notice;
    }
  }
  [[noreturn]] void report(const detail::MpiOperation& operation) {
    std::string missing, elsewhere, waiting;
    const auto list = [](std::string& text, int r) {
      text += (text.empty() ? "rank " : ", rank ") + std::to_string(r);
    };
    for (int r = 0; r < size(); ++r) {
      const Notice& notice = heard_[static_cast<std::size_t>(r)];
      if (r == rank() || (notice.number == finished_ && operation.text() == notice.text)) {
        list(waiting, r);
      } else {
        list(missing, r);
        if (notice.number >= 0)
          elsewhere += "; rank " + std::to_string(r) + " waits in " + notice.text +
                       ", its number " + std::to_string(notice.number);
      }
    }
    const std::string text = operation.text() + ", number " + std::to_string(finished_);
    if (missing.empty())
      fail("all ranks came to " + text + ", but it did not end within " +
           std::to_string(options_.timeout.count()) + " ms");
    fail(missing + " did not come to " + text + ", within " +
         std::to_string(options_.timeout.count()) + " ms; " + waiting + " waited" + elsewhere);
  }

  Comms comms_;
  MpiOptions options_;
  int exceptions_ = std::uncaught_exceptions();
  std::deque<Ref<detail::MpiOperation>> pending_;
  std::int64_t finished_ = 0, told_ = -1;  // operations, all told; the one that others were told of
  std::vector<Notice> heard_;              // the last of each rank
  std::vector<std::shared_ptr<Notice>> sent_;
  std::deque<MPI_Request> notices_;
};

/// Initialises MPI, unless it is already, and then finalises it at its end. If the scope is left by
/// an exception, it ends the job on all ranks (MPI_Abort), since others may wait for this one.
class MpiEnvironment {
 public:
  [[nodiscard]] MpiEnvironment(int& argc, char**& argv) {
    int initialized = 0;
    detail::require_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized != 0) return;
    int provided = 0;
    detail::require_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided),
                        "MPI_Init_thread");
    owns_ = true;
  }
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;
  ~MpiEnvironment() {
    if (std::uncaught_exceptions() != exceptions_) abort();
    if (owns_) (void)MPI_Finalize();
  }

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

/// What main() calls in a program that is started by mpirun: initialises MPI, calls
/// program(communicator) with all ranks, and finalises. Returns what the program returns, 0 if
/// that is nothing. If it throws on one rank, prints "rank 1: " and the message to stderr, and ends
/// the job on all ranks.
template <std::invocable<MpiCommunicator&> Program>
int run_mpi(int argc, char** argv, Program&& program, const MpiOptions& options = {}) {
  const MpiEnvironment environment(argc, argv);
  try {
    MpiCommunicator world(MPI_COMM_WORLD, options);
    if constexpr (std::is_void_v<std::invoke_result_t<Program&, MpiCommunicator&>>) {
      program(world);
      return EXIT_SUCCESS;
    } else {
      return program(world);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", environment.rank(), error.what());
    MpiEnvironment::abort();
  }
}

}  // namespace amp::inline v0
