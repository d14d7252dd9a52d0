// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The communicator of ranks that are MPI processes.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "amp/core/warning.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/distributed/add_ranks.hpp"
#include "amp/distributed/calls.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/distributed/mpi/library.hpp"

namespace amp::inline v0 {

/// Options of an MpiCommunicator.
struct MpiOptions {
  /// How long a rank waits for the others in one operation before it throws. The message names the
  /// missing ranks.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  /// The largest number of elements of one MPI call, whose counts are ints. Larger operations are
  /// divided into several calls.
  int most_elements = 1 << 30;
};

/// The ranks of an MPI communicator, for host memory.
///
/// Operations are MPI's nonblocking ones, so they progress while the rank computes if the MPI
/// library supports that, and during later calls otherwise. Sums are computed by amp, in the order
/// of the ranks, from the elements that MPI exchanges: all ranks get the same bits with any MPI
/// library, and the number of bytes sent is that of a ring.
/// Each operation is accompanied by a small one that compares the calls of all ranks, so that calls
/// that differ are an error. If a rank waits longer than the timeout, it throws a
/// CommunicationError that names the missing ranks.
///
/// Source: MPI: A Message-Passing Interface Standard, version 3.1, chapters 5 and 8.
class MpiCommunicator final : public Communicator {
 public:
  /// Works on duplicates of `communicator`, so that messages of the program do not interfere. All
  /// ranks call it. Throws if MPI is not initialised (see MpiEnvironment), or is finalised.
  explicit MpiCommunicator(MPI_Comm communicator, const MpiOptions& options = {})
      : MpiCommunicator{checked(options), detail::duplicate_comm(communicator)} {}
  /// Calls close(), and turns its error into a warning. If the communicator has failed, or is
  /// destroyed by an exception, the destructor does not wait and frees nothing: the job then has to
  /// end by MPI_Abort, which MpiEnvironment calls.
  ~MpiCommunicator() override {
    int finalized = 0;
    if (closed_ || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
    if (!has_failed() && std::uncaught_exceptions() == exceptions_) {
      try {
        close();
        return;
      } catch (const std::exception& error) {
        detail::warn("MpiCommunicator: ", error.what());
      }
    }
    detail::mpi_job_is_lost() = true;
    for (const Ref<Operation>& operation : traffic_->pending) operation->owner = nullptr;
    static_cast<void>(traffic_.release());  // leaked: MPI may still read and write it
  }

  /// Finishes all operations, waits until all ranks have called it, and frees the communicators of
  /// MPI. No operation can follow. Throws CommunicationError if a rank fails.
  void close() {
    if (closed_) return;
    require_working();
    if (size() > 1) finish(*begin({.kind = detail::RankCall::kEnd}));
    hear();
    closed_ = true;
    for (MPI_Comm* const comm : {&comms_.first, &comms_.second, &comms_.control})
      call("MPI_Comm_free", MPI_Comm_free(comm));
  }

  bool takes(Device device) const override { return device.type == kCPU; }
  std::string_view engine() const override { return "mpi"; }

 protected:
  Collective begin_all_reduce(const TensorView& values, ReduceOp op) override {
    if (size() == 1) return {};
    const Ref<Operation> operation =
        begin(detail::RankCall::of(detail::RankCall::kAllReduce, values, op));
    for_each_range(values.numel, options_.most_elements, [&](std::int64_t at, int count) {
      char* const data = address(values, at);
      if (op == ReduceOp::kSum) return begin_sum(*operation, data, count, values.dtype);
      // The bitwise "or" of floats is a zero, of either sign, only if all of them are zeros. A
      // maximum does not work: as integers, -0 is above 1, and as floats, MPI may ignore NaN.
      call("MPI_Iallreduce", MPI_Iallreduce(MPI_IN_PLACE, data, count, MPI_UINT32_T, MPI_BOR,
                                            comms_.first, operation->add_request()));
    });
    return under_way(operation);
  }

  Collective begin_reduce_scatter(const TensorView& values) override {
    if (size() == 1) return {};
    const Ref<Operation> operation =
        begin(detail::RankCall::of(detail::RankCall::kReduceScatter, values));
    const std::int64_t part = values.numel / size(), item = item_size(values.dtype);
    for_each_range(part, options_.most_elements / size(), [&](std::int64_t at, int count) {
      Exchange& exchange = operation->exchanges.emplace_back(count * item * size());
      const auto [sent, type] = of_each_part(*operation, values, count);
      call("MPI_Ialltoall",
           MPI_Ialltoall(address(values, at), sent, type, exchange.received.data(), count,
                         detail::mpi_bits(values.dtype), comms_.first, operation->add_request()));
      char* const own = address(values, rank() * part + at);
      operation->second_stage.emplace_back([=, this, &exchange, dtype = values.dtype] {
        add_parts(exchange.received.data(), count, dtype, own);
      });
    });
    return under_way(operation);
  }

  Collective begin_all_gather(const TensorView& values) override {
    if (size() == 1) return {};
    const Ref<Operation> operation =
        begin(detail::RankCall::of(detail::RankCall::kAllGather, values));
    for_each_range(values.numel / size(), options_.most_elements / size(),
                   [&](std::int64_t at, int count) {
                     const auto [received, type] = of_each_part(*operation, values, count);
                     call("MPI_Iallgather",
                          MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, address(values, at),
                                         received, type, comms_.first, operation->add_request()));
                   });
    return under_way(operation);
  }

  Collective begin_broadcast(const TensorView& values, int root) override {
    if (size() == 1) return {};
    const Ref<Operation> operation =
        begin(detail::RankCall::of(detail::RankCall::kBroadcast, values, ReduceOp::kSum, root));
    for_each_range(values.numel, options_.most_elements, [&](std::int64_t at, int count) {
      call("MPI_Ibcast", MPI_Ibcast(address(values, at), count, detail::mpi_bits(values.dtype),
                                    root, comms_.first, operation->add_request()));
    });
    return under_way(operation);
  }

  void run_barrier() override {
    if (size() > 1) finish(*begin({.kind = detail::RankCall::kBarrier}));
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// Memory that MPI reads and writes during an operation.
  struct Exchange {
    explicit Exchange(std::int64_t bytes) : received(bytes) {}
    std::vector<int> counts = {}, places = {}, own_counts = {}, own_places = {};
    HostBuffer<char> received;
  };

  /// An operation that was begun.
  struct Operation final : Collective::Work {
    Operation(MpiCommunicator& communicator, const detail::RankCall& own, std::int64_t order)
        : owner(&communicator), call(own), number(order) {
      for (std::size_t i = 0; i < own.numbers().size(); ++i) {
        largest[2 * i] = own.numbers()[i];
        largest[2 * i + 1] = -own.numbers()[i];
      }
    }
    void wait() override {
      if (owner != nullptr) return owner->finish(*this);
      if (!finished) throw CommunicationError(call.text() + ": its communicator is gone");
    }
    MPI_Request* add_request() { return &requests.emplace_back(MPI_REQUEST_NULL); }
    detail::RankNotice notice() const { return {number, call}; }

    MpiCommunicator* owner;  // null if the operation is finished or the communicator destroyed
    bool finished = false;
    const detail::RankCall call;
    const std::int64_t number;
    // Maxima over ranks of each number and its negative.
    std::array<std::int64_t, 2 * std::tuple_size_v<decltype(call.numbers())>> largest = {};
    MPI_Request comparison = MPI_REQUEST_NULL;
    bool compared = false;
    std::vector<MPI_Request> requests = {};  // of the current stage
    std::vector<std::function<void()>> second_stage = {};
    std::deque<Exchange> exchanges = {};
    std::vector<MPI_Datatype> types = {};
  };

  struct Traffic {
    std::deque<Ref<Operation>> pending = {};
    std::deque<detail::RankNotice> sent = {};  // not freed before the end, since MPI reads them
  };

  MpiCommunicator(const MpiOptions& options, const detail::MpiComms& comms)
      : Communicator(comms.rank, comms.size),
        comms_(comms),
        options_(options),
        notices_(comms.size) {}

  static const MpiOptions& checked(const MpiOptions& options) {
    AMP_CHECK(options.timeout.count() > 0, "MpiCommunicator: `timeout` must be above 0, but is ",
              options.timeout.count(), " ms");
    AMP_CHECK(options.most_elements > 0,
              "MpiCommunicator: `most_elements` must be above 0, but is ", options.most_elements);
    return options;
  }
  static char* address(const TensorView& values, std::int64_t element) {
    return static_cast<char*>(values.data) + element * item_size(values.dtype);
  }
  /// Calls body(begin, count) for ranges of `numel` elements, of at most `most` each.
  template <class Body>
  static void for_each_range(std::int64_t numel, int most, Body&& body) {
    most = most < 1 ? 1 : most;
    for (std::int64_t begin = 0; begin < numel; begin += most)
      body(begin, static_cast<int>(numel - begin < most ? numel - begin : most));
  }
  /// Returns the count and the type by which a call names `count` elements of each of size() parts.
  std::pair<int, MPI_Datatype> of_each_part(Operation& operation, const TensorView& values,
                                            int count) {
    const MPI_Datatype type = detail::mpi_bits(values.dtype);
    const std::int64_t part = values.numel / size();
    if (count == part) return {count, type};
    MPI_Datatype some = MPI_DATATYPE_NULL;
    call("MPI_Type_contiguous", MPI_Type_contiguous(count, type, &some));
    MPI_Datatype& apart = operation.types.emplace_back(MPI_DATATYPE_NULL);
    const auto stride = static_cast<MPI_Aint>(part * item_size(values.dtype));
    call("MPI_Type_create_resized", MPI_Type_create_resized(some, 0, stride, &apart));
    call("MPI_Type_commit", MPI_Type_commit(&apart));
    call("MPI_Type_free", MPI_Type_free(&some));
    return {1, apart};
  }

  void add_parts(const char* parts, std::int64_t numel, DType dtype, void* sums) const {
    std::vector<const void*> all;
    for (int r = 0; r < size(); ++r) all.push_back(parts + r * numel * item_size(dtype));
    detail::add_ranks(all, dtype, sums, numel);
  }

  /// Each rank receives its part of the elements from all others, adds them, and sends the sums to
  /// all.
  void begin_sum(Operation& operation, char* data, int count, DType dtype) {
    const auto place = [&](int r) { return static_cast<int>(std::int64_t{count} * r / size()); };
    const int own = place(rank() + 1) - place(rank());
    const std::int64_t item = item_size(dtype);
    const MPI_Datatype type = detail::mpi_bits(dtype);
    Exchange& exchange = operation.exchanges.emplace_back(std::int64_t{own} * size() * item);
    for (int r = 0; r < size(); ++r) {
      exchange.places.push_back(place(r));
      exchange.counts.push_back(place(r + 1) - place(r));
      exchange.own_places.push_back(r * own);
      exchange.own_counts.push_back(own);
    }
    call("MPI_Ialltoallv",
         MPI_Ialltoallv(data, exchange.counts.data(), exchange.places.data(), type,
                        exchange.received.data(), exchange.own_counts.data(),
                        exchange.own_places.data(), type, comms_.first, operation.add_request()));
    operation.second_stage.emplace_back([=, this, &operation, &exchange] {
      add_parts(exchange.received.data(), own, dtype,
                data + exchange.places[static_cast<std::size_t>(rank())] * item);
      call("MPI_Iallgatherv",
           MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, exchange.counts.data(),
                           exchange.places.data(), type, comms_.second, operation.add_request()));
    });
  }

  Ref<Operation> begin(detail::RankCall own) {
    own.caller = caller();
    AMP_CHECK(!closed_, own.text(), ": the communicator is closed");
    const auto operation = make_ref<Operation>(*this, own, begun_++);
    traffic_->pending.push_back(operation);
    call("MPI_Iallreduce", MPI_Iallreduce(MPI_IN_PLACE, operation->largest.data(),
                                          static_cast<int>(operation->largest.size()), MPI_INT64_T,
                                          MPI_MAX, comms_.control, &operation->comparison));
    return operation;
  }
  Collective under_way(const Ref<Operation>& operation) {
    advance();
    return Collective(Ref<Collective::Work>(operation));
  }
  void call(const char* name, int status, const Operation* operation = nullptr) {
    try {
      detail::require_mpi(status, name);
    } catch (const CommunicationError& error) {
      fail((operation == nullptr ? "" : operation->notice().text() + ": ") + error.what());
    }
  }

  bool is_done(MPI_Request& request, const Operation& operation) {
    int done = 0;
    call("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE), &operation);
    return done != 0;
  }
  bool stage_is_done(Operation& operation) {
    if (!operation.compared) {
      if (!is_done(operation.comparison, operation)) return false;
      const auto own = operation.call.numbers();
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (operation.largest[2 * i] != own[i] || operation.largest[2 * i + 1] != -own[i])
          report_difference(operation);
      }
      operation.compared = true;
    }
    while (!operation.requests.empty() && is_done(operation.requests.back(), operation))
      operation.requests.pop_back();
    return operation.requests.empty();
  }
  /// Advances the pending operations without waiting. Second stages begin in the order of the
  /// calls, which is the same on all ranks.
  void advance() {
    std::deque<Ref<Operation>>& pending = traffic_->pending;
    for (const Ref<Operation>& operation : pending) {
      if (!stage_is_done(*operation)) {
        if (operation->second_stage.empty()) continue;
        break;
      }
      for (const auto& stage : std::exchange(operation->second_stage, {})) stage();
    }
    while (!pending.empty() && pending.front()->second_stage.empty() &&
           stage_is_done(*pending.front())) {
      for (MPI_Datatype& type : pending.front()->types) call("MPI_Type_free", MPI_Type_free(&type));
      pending.front()->finished = true;
      pending.front()->owner = nullptr;
      pending.pop_front();
    }
  }

  /// Waits for the operation and all earlier ones.
  void finish(Operation& operation) {
    Clock::time_point began;
    std::int64_t number = -1;  // of the operation that is waited for
    for (std::int64_t round = 0;; ++round) {
      require_working();
      advance();
      if (operation.owner == nullptr) return;
      const Operation& first = *traffic_->pending.front();
      if (std::exchange(number, first.number) != first.number) began = Clock::now();
      std::this_thread::yield();
      if (round % 64 != 0) continue;
      const auto waited = Clock::now() - began;
      const bool heard = hear();
      if (told_ != number && (heard || waited >= options_.timeout / 2)) tell(first);
      if (waited >= options_.timeout) report(first);
    }
  }

  /// Sends all other ranks a notice of the operation in which this rank waits.
  void tell(const Operation& operation) {
    told_ = operation.number;
    const detail::RankNotice& notice = traffic_->sent.emplace_back(operation.notice());
    for (int r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      MPI_Request request = MPI_REQUEST_NULL;
      call("MPI_Isend",
           MPI_Isend(&notice, sizeof notice, MPI_BYTE, r, 0, comms_.control, &request));
      call("MPI_Request_free", MPI_Request_free(&request));
    }
  }
  /// Receives the notices of other ranks. Returns whether there was any.
  bool hear() {
    for (bool any = false;; any = true) {
      int there = 0;
      MPI_Status status;
      call("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, 0, comms_.control, &there, &status));
      if (there == 0) return any;
      call("MPI_Recv", MPI_Recv(&notices_.of(status.MPI_SOURCE), sizeof(detail::RankNotice),
                                MPI_BYTE, status.MPI_SOURCE, 0, comms_.control, MPI_STATUS_IGNORE));
    }
  }

  [[noreturn]] void report(const Operation& operation) {
    notices_.of(rank()) = operation.notice();
    fail(notices_.missing_text(operation.notice(), operation.compared, options_.timeout.count()));
  }
  /// Fails with a text of what each rank called. All ranks detect the difference, and send notices.
  [[noreturn]] void report_difference(const Operation& operation) {
    tell(operation);
    notices_.of(rank()) = operation.notice();
    const Clock::duration patience = std::chrono::seconds(2);
    const auto end = Clock::now() + (options_.timeout < patience ? options_.timeout : patience);
    while (Clock::now() < end && !notices_.have_come_to(operation.number)) hear();
    fail(notices_.difference_text(operation.number));
  }

  detail::MpiComms comms_;
  MpiOptions options_;
  int exceptions_ = std::uncaught_exceptions();
  bool closed_ = false;
  std::unique_ptr<Traffic> traffic_ = std::make_unique<Traffic>();
  std::int64_t begun_ = 0, told_ = -1;  // operations begun; the last one that tell() sent
  detail::RankNotices notices_;
};

}  // namespace amp::inline v0
