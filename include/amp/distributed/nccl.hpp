// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ranks with one GPU each, through NCCL 2.14 or newer. The CMake target amp::nccl links it:
//
//   amp::NcclCommunicator world({amp::kCUDA, local_rank}, processes);  // of MPI, for example
//   const amp::Tensor x = amp::ones({3}, {.device = world.device()});
//   world.all_reduce(x).wait();
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/device/capture.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/stream.hpp"
#include "amp/distributed/communicator.hpp"
#include "amp/distributed/cuda/add_rows.hpp"
#include "amp/distributed/cuda/communication_stream.hpp"
#include "amp/distributed/cuda/operation_watch.hpp"
#include "amp/tensor/factory.hpp"

#if NCCL_VERSION_CODE < 21400
#error "amp/distributed/nccl.hpp needs NCCL 2.14 or newer"
#endif

namespace amp::inline v0 {

/// Options of an NcclCommunicator.
struct NcclOptions {
  /// How long an operation may be the oldest unfinished one. The time includes earlier work of the
  /// device, since the host runs ahead.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
};

namespace cuda::detail {

inline std::string describe(ncclResult_t result, const char* call, ncclComm_t comm) {
  std::string text = std::string(call) + ": " + ncclGetErrorString(result);
  const char* const more = ncclGetLastError(comm);
  if (more != nullptr && *more != '\0') text += std::string(": ") + more;
  return text;
}
inline void require(ncclResult_t result, const char* call, ncclComm_t comm = nullptr) {
  if (result != ncclSuccess) throw CommunicationError(describe(result, call, comm));
}

/// An NCCL communicator and its unfinished operations.
class WatchedNccl final : public OperationWatch {
 public:
  /// Waits until all ranks have called it. The device must be current.
  WatchedNccl(int device, int rank, int size, const ncclUniqueId& id, const NcclOptions& options)
      : OperationWatch(name_of(rank, size), device, options.timeout), is_owned_(true) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    const ncclResult_t made = ncclCommInitRankConfig(&comm_, size, id, rank, &config);
    if (made != ncclSuccess)
      throw CommunicationError(name() + ": " + describe(made, "ncclCommInitRankConfig", nullptr));
  }
  WatchedNccl(int device, int rank, int size, ncclComm_t comm, const NcclOptions& options)
      : OperationWatch(name_of(rank, size), device, options.timeout),
        comm_(comm),
        is_owned_(false) {}
  ~WatchedNccl() override { give_back(); }

  /// Must not be used if the communicator has failed.
  ncclComm_t comm() const { return comm_; }
  void give_back() noexcept {
    if (close() && is_owned_ && comm_ != nullptr) (void)ncclCommDestroy(comm_);
    comm_ = nullptr;
  }

 private:
  static std::string name_of(int rank, int size) {
    return "NCCL, rank " + amp::detail::to_text(rank) + " of " + amp::detail::to_text(size);
  }
  std::string find_error() noexcept override {
    ncclResult_t found = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(comm_, &found);
    if (asked != ncclSuccess) found = asked;
    if (found == ncclSuccess || found == ncclInProgress) return {};
    return describe(found, "ncclCommGetAsyncError", comm_);
  }
  void abort() noexcept override { (void)ncclCommAbort(comm_); }

  ncclComm_t comm_ = nullptr;
  bool is_owned_;
};

/// Groups the sends and receives of its lifetime into one NCCL operation. The destructor ends the
/// group if an exception has skipped end().
class NcclGroup {
 public:
  NcclGroup() { require(ncclGroupStart(), "ncclGroupStart"); }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;
  ~NcclGroup() {
    if (is_open_) (void)ncclGroupEnd();
  }
  void end(ncclComm_t comm) {
    is_open_ = false;
    cuda::detail::require(ncclGroupEnd(), "ncclGroupEnd", comm);
  }

 private:
  bool is_open_ = true;
};

/// Returns the same id on all ranks of `bootstrap`, made by rank 0, after each rank has called
/// prepare(). If one rank throws, all throw: they would otherwise wait for it in
/// ncclCommInitRankConfig, which has no timeout.
template <class Prepare>
ncclUniqueId share_nccl_id(Communicator& bootstrap, const Prepare& prepare) {
  AMP_CHECK(bootstrap.takes(kCPU), "NcclCommunicator: `bootstrap` must take memory of the host");
  ncclUniqueId id{};
  std::exception_ptr problem;
  try {
    prepare();
    if (bootstrap.rank() == 0) require(ncclGetUniqueId(&id), "ncclGetUniqueId");
  } catch (...) {
    problem = std::current_exception();
  }
  std::vector<unsigned char> failed(static_cast<std::size_t>(bootstrap.size()));
  failed[static_cast<std::size_t>(bootstrap.rank())] = problem != nullptr;
  bootstrap.all_gather(TensorView{failed.data(), bootstrap.size(), kUInt8, kCPU}).wait();
  bootstrap.broadcast(TensorView{&id, sizeof id, kUInt8, kCPU}).wait();
  if (problem) std::rethrow_exception(problem);
  for (std::size_t r = 0; r < failed.size(); ++r) {
    if (failed[r] != 0)
      throw CommunicationError("NcclCommunicator: rank " + amp::detail::to_text(r) +
                               " has thrown an error before it came to NCCL");
  }
  return id;
}

}  // namespace cuda::detail

/// A group of ranks with one GPU each; a rank is a process or a thread.
///
/// Order: operations run on the communicator's own stream, concurrently with later work of the
/// current stream, until wait(). The host waits only in barrier(), and for the other ranks in the
/// first operations of a kind, when NCCL connects them. While a CUDA graph is captured, by
/// amp::cuda::Graph (in its warm-ups as well) or by the program, they run on the captured stream
/// itself, and wait() does nothing.
/// Sums of 16-bit elements: each rank receives one part of all ranks' elements, adds them, rounds
/// once, and sends the sums to all. This takes as many bytes as NCCL's own sums, which round on
/// each rank. It needs memory, which is reused; in a capture not of amp::cuda::Graph it throws.
/// Errors: a thread watches the operations, except those that a graph replays. If NCCL reports an
/// error, or an operation takes longer than the timeout, it prints a warning and calls
/// ncclCommAbort, so that the device's streams can go on. The results of the operations are then
/// undefined, and every later call throws CommunicationError. NCCL does not report which rank was
/// missing. Nor are the calls of ranks compared, as by the other engines: ranks that call different
/// operations may wait for each other until the timeout, and operations of equal sizes that ranks
/// call in another order, such as those of two DataParallels, silently get wrong values. Run a new
/// program with MPI or with threads first.
/// Lifetime: destroy it before amp::cuda::shutdown(), and after graphs that contain its operations.
/// The destructor waits for unfinished operations, unless the communicator has failed.
///
/// Source: NCCL User Guide; torch.distributed's ProcessGroupNCCL.
class NcclCommunicator final : public Communicator {
 public:
  /// Waits until `size` ranks have called it with the same `id`, each with a different device. NCCL
  /// waits without a timeout.
  NcclCommunicator(Device device, int rank, int size, const ncclUniqueId& id,
                   const NcclOptions& options = {})
      : Communicator(rank, size), device_(device) {
    prepare(options);
    join(id, options);
  }
  /// Has the ranks of `bootstrap`, which distributes the id and is not used afterwards. All ranks
  /// call it. If it fails on one of them, all throw.
  NcclCommunicator(Device device, Communicator& bootstrap, const NcclOptions& options = {})
      : Communicator(bootstrap.rank(), bootstrap.size()), device_(device) {
    join(cuda::detail::share_nccl_id(bootstrap, [&] { prepare(options); }), options);
  }
  /// Uses a communicator that the program owns. The program must destroy `comm` after this object,
  /// unless is_aborted().
  explicit NcclCommunicator(ncclComm_t comm, const NcclOptions& options = {})
      : Communicator(ask(ncclCommUserRank, "ncclCommUserRank", comm),
                     ask(ncclCommCount, "ncclCommCount", comm)),
        device_(kCUDA, ask(ncclCommCuDevice, "ncclCommCuDevice", comm)) {
    prepare(options);
    nccl_ = make_ref<cuda::detail::WatchedNccl>(device_.index, rank(), size(), comm, options);
  }
  ~NcclCommunicator() override {
    if (cuda::detail::is_forked()) return;
    nccl_->give_back();
    const StreamGuard guard(device_, stream_->get());
    scratch_ = Tensor();
    word_ = Tensor();
  }

  bool takes(Device device) const override { return device == device_; }
  std::string_view engine() const override { return "nccl"; }
  /// The device of this rank.
  Device device() const { return device_; }
  /// Returns whether the communicator has failed, so that ncclCommAbort was called.
  bool is_aborted() const { return !nccl_->failure().empty(); }

 protected:
  Collective begin_all_reduce(const TensorView& values, ReduceOp op) override {
    const auto count = static_cast<std::size_t>(values.numel);
    if (item_size(values.dtype) == 2) return add_16_bits(RankCall::kAllReduce, values);
    // kAny takes the maximum of the bits as integers: NaN is large among them, while NCCL's maximum
    // of floats may drop it. (-0 is large as well, and would hide others; no found_inf is -0.)
    const bool sum = op == ReduceOp::kSum;
    return begin(RankCall::of(RankCall::kAllReduce, values, op), 0, [&](const Place& place) {
      cuda::detail::require(
          ncclAllReduce(values.data, values.data, count, sum ? type_of(values.dtype) : ncclUint32,
                        sum ? ncclSum : ncclMax, place.comm, place.stream),
          "ncclAllReduce", place.comm);
    });
  }
  Collective begin_reduce_scatter(const TensorView& values) override {
    if (item_size(values.dtype) == 2) return add_16_bits(RankCall::kReduceScatter, values);
    return begin(RankCall::of(RankCall::kReduceScatter, values), 0, [&](const Place& place) {
      const std::int64_t part = values.numel / size();
      char* const own = bytes(values) + rank() * part * item_size(values.dtype);
      cuda::detail::require(
          ncclReduceScatter(values.data, own, static_cast<std::size_t>(part), type_of(values.dtype),
                            ncclSum, place.comm, place.stream),
          "ncclReduceScatter", place.comm);
    });
  }
  Collective begin_all_gather(const TensorView& values) override {
    return begin(RankCall::of(RankCall::kAllGather, values), 0, [&](const Place& place) {
      gather(bytes(values), values.numel / size() * item_size(values.dtype), place);
    });
  }
  Collective begin_broadcast(const TensorView& values, int root) override {
    return begin(
        RankCall::of(RankCall::kBroadcast, values, ReduceOp::kSum, root), 0,
        [&](const Place& place) {
          cuda::detail::require(
              ncclBroadcast(values.data, values.data,
                            static_cast<std::size_t>(values.numel * item_size(values.dtype)),
                            ncclUint8, root, place.comm, place.stream),
              "ncclBroadcast", place.comm);
        });
  }
  void run_barrier() override {
    const int index = device_.index;
    if (amp::detail::in_graph_call())
      amp::detail::refuse("barrier: waits for the device, and cannot be part of a Graph");
    AMP_CHECK(!cuda::detail::is_capturing(index, cuda::detail::current(index).handle),
              "barrier: waits for the device, and the current stream is being captured");
    if (size() > 1 && !word_.defined()) {
      const StreamGuard guard(device_, stream_->get());
      word_ = zeros({1}, {.device = device_});
    }
    const Ref<Work> all = enqueue({.kind = RankCall::kBarrier}, 0, [&](const Place& place) {
      cuda::detail::require(ncclAllReduce(word_.raw_data(), word_.raw_data(), 1, ncclFloat32,
                                          ncclSum, place.comm, place.stream),
                            "ncclAllReduce", place.comm);
    });
    if (all) all->done.wait();
    if (std::string failure = nccl_->failure(); !failure.empty()) fail(std::move(failure));
  }

 private:
  using RankCall = amp::detail::RankCall;
  using Work = cuda::detail::OperationWatch::Work;
  /// Where an operation is enqueued. `scratch` has as many bytes as the operation requested.
  struct Place {
    ncclComm_t comm;
    cudaStream_t stream;
    char* scratch;
  };

  void prepare(const NcclOptions& options) {
    const int devices = cuda::detail::device_count();
    AMP_CHECK(device_.type == kCUDA && device_.index >= 0 && device_.index < devices,
              "NcclCommunicator: `device` must be one of the ", devices,
              " CUDA devices of this machine, but is ", device_);
    AMP_CHECK(options.timeout.count() > 0, "NcclCommunicator: `timeout` must be above 0, but is ",
              options.timeout.count(), " ms");
    stream_.emplace(device_.index);
  }
  void join(const ncclUniqueId& id, const NcclOptions& options) {
    const cuda::detail::DeviceGuard guard(device_.index);
    nccl_ = make_ref<cuda::detail::WatchedNccl>(device_.index, rank(), size(), id, options);
  }
  static int ask(ncclResult_t (*question)(ncclComm_t, int*), const char* call, ncclComm_t comm) {
    AMP_CHECK(comm != nullptr, "NcclCommunicator: `comm` must not be null");
    int answer = 0;
    cuda::detail::require(question(comm, &answer), call, comm);
    return answer;
  }
  static char* bytes(const TensorView& values) { return static_cast<char*>(values.data); }
  static ncclDataType_t type_of(DType dtype) {
    switch (dtype) {
      case kFloat64:
        return ncclFloat64;
      case kInt64:
        return ncclInt64;
      case kInt32:
        return ncclInt32;
      default:
        return ncclFloat32;
    }
  }

  void gather(char* values, std::int64_t part_bytes, const Place& place) const {
    cuda::detail::require(
        ncclAllGather(values + rank() * part_bytes, values, static_cast<std::size_t>(part_bytes),
                      ncclUint8, place.comm, place.stream),
        "ncclAllGather", place.comm);
  }

  /// Each rank adds one part, and also the remaining elements, which are fewer than the ranks.
  Collective add_16_bits(RankCall::Kind kind, const TensorView& values) {
    const std::int64_t part = 2 * (values.numel / size()), rest = 2 * (values.numel % size());
    char* const own = bytes(values) + rank() * part;
    char* const left = bytes(values) + size() * part;
    const std::int64_t parts = (size() * part + 255) / 256 * 256;
    return begin(RankCall::of(kind, values), parts + size() * rest, [=, this](const Place& place) {
      cuda::detail::NcclGroup group;
      for (int peer = 0; peer < size(); ++peer) {
        exchange(bytes(values) + peer * part, place.scratch + peer * part, part, peer, place);
        exchange(left, place.scratch + parts + peer * rest, rest, peer, place);
      }
      group.end(place.comm);
      cuda::detail::add_rows(device_, values.dtype, size(), part / 2, place.scratch, own);
      cuda::detail::add_rows(device_, values.dtype, size(), rest / 2, place.scratch + parts, left);
      if (kind == RankCall::kAllReduce && part != 0) gather(bytes(values), part, place);
    });
  }
  static void exchange(const char* sent, char* received, std::int64_t count, int peer,
                       const Place& place) {
    if (count == 0) return;
    const auto amount = static_cast<std::size_t>(count);
    cuda::detail::require(ncclSend(sent, amount, ncclUint8, peer, place.comm, place.stream),
                          "ncclSend", place.comm);
    cuda::detail::require(ncclRecv(received, amount, ncclUint8, peer, place.comm, place.stream),
                          "ncclRecv", place.comm);
  }
  template <class Call>
  Collective begin(const RankCall& own, std::int64_t scratch, const Call& call) {
    return Collective(enqueue(own, scratch, call));
  }
  /// Returns the work for which the current stream has to wait, or null if there is none.
  template <class Call>
  Ref<Work> enqueue(const RankCall& own, std::int64_t scratch, const Call& call) {
    cuda::detail::Operation operation{.call = own};
    operation.call.caller = caller();
    cuda::detail::require_own_process();
    if (size() == 1) return {};
    const int index = device_.index;
    const cuda::detail::DeviceGuard device(index);
    const cudaStream_t now = cuda::detail::current(index).handle;
    cuda::detail::require_recorded(index, now);
    const bool is_captured = cuda::detail::is_capturing(index, now);
    const bool is_in_order = is_captured || amp::detail::in_graph_call();
    const cudaStream_t stream = is_in_order ? now : stream_->get();
    const StreamGuard guard(device_, stream);
    // Replays may come while other operations are under way, so a graph has its own.
    Tensor of_graph;
    Tensor& memory = is_in_order ? of_graph : scratch_;
    if (scratch != 0 && (!memory.defined() || memory.numel() < scratch)) {
      memory = Tensor();
      memory = empty({scratch}, {.dtype = kUInt8, .device = device_});
    }
    if (!is_in_order) cuda::detail::wait_for(index, stream, now);
    try {
      nccl_->enter(operation);
      Ref<Work> work;
      try {
        void* const data = scratch != 0 ? memory.raw_data() : nullptr;
        call(Place{nccl_->comm(), stream, static_cast<char*>(data)});
        if (!is_captured) work = make_ref<Work>(nccl_, operation, index, stream);
      } catch (const std::exception& error) {
        nccl_->leave_failed(operation, error.what());
      }
      nccl_->leave(work);
      return is_in_order ? Ref<Work>() : work;
    } catch (const CommunicationError& error) {
      fail(error.what());
    }
  }

  Device device_;
  std::optional<cuda::detail::CommunicationStream> stream_;
  Ref<cuda::detail::WatchedNccl> nccl_;
  Tensor scratch_;  // of sums of 16 bits
  Tensor word_;     // of barrier()
};

}  // namespace amp::inline v0
