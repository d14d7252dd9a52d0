// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for NCCL: what amp calls of it. Ranks are threads of one process, each with a device of
// the stand-in. An operation is work of each rank's stream, which begins when the streams of all
// its ranks have come to it and ends for all together; until then it keeps only those streams
// waiting. The arguments are checked as the NCCL documentation says, and what is undefined there
// stops the program here.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "support/cuda/inside.hpp"
#include "support/cuda/schedule.hpp"
#include "support/cuda/standin.hpp"

#define NCCL_MAJOR 2
#define NCCL_MINOR 14
#define NCCL_PATCH 3
#define NCCL_VERSION_CODE 21403
#define NCCL_UNIQUE_ID_BYTES 128

enum ncclResult_t : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};
inline const char* ncclGetErrorString(ncclResult_t result) {
  constexpr const char* kTexts[] = {
      "no error",         "unhandled cuda error", "unhandled system error", "internal error",
      "invalid argument", "invalid usage",        "remote error",           "in progress"};
  return kTexts[result];
}
struct ncclUniqueId {
  char internal[NCCL_UNIQUE_ID_BYTES];
};
struct ncclConfig_t {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
};
#define NCCL_CONFIG_INITIALIZER \
  { sizeof(ncclConfig_t), 0xcafebeef, NCCL_VERSION_CODE, INT_MIN }

enum ncclDataType_t {
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
};
enum ncclRedOp_t { ncclSum = 0, ncclMax = 2 };

namespace standin {

/// An operation that several ranks come to; of a send and its receive, both sides.
struct Meeting {
  struct Member {
    int rank;
    Queue* queue;
    const void* sent;
    void* received;
    std::thread::id caller;
    std::uint64_t submission;  // of its thread: a call, or a group of calls
    std::shared_ptr<Moment> done = std::make_shared<Moment>();
    bool arrived = false;
  };

  std::string call;
  std::size_t size;
  std::function<void(const Meeting&)> run;
  std::map<int, Member> members = {};  // that have made the call
  bool over = false, broken = false;   // broken: a member was aborted, so it never happens
  races::Clock clock = {};

  /// A call of one rank may block until the other ranks have called, so a thread that calls for
  /// several ranks has to do it in a group.
  void join(int member, Member joined) {
    for (const auto& [key, other] : members) {
      if (other.caller == joined.caller && other.submission != joined.submission)
        stop("a thread called for two ranks, and not in one group");
    }
    members.emplace(member, std::move(joined));
  }
  /// It begins after what all members' streams did before, and all go on after it.
  void arrive(int member) {
    races::tell(clock);
    members.at(member).arrived = true;
    const auto arrived = std::count_if(members.begin(), members.end(),
                                       [](const auto& entry) { return entry.second.arrived; });
    if (!broken && static_cast<std::size_t>(arrived) == size) {
      over = true;
      races::learn(clock);
      run(*this);
      for (auto& [key, each] : members) {
        races::tell(each.done->clock);
        happens(*each.done);
      }
    }
    point();
  }
  void abort(int member) {
    broken = true;
    happens(*members.at(member).done);
  }
  /// Says which queue has to go on.
  void point() {
    Queue* next = nullptr;
    for (const auto& [key, each] : members) {
      if (!each.arrived) next = each.queue;
    }
    for (auto& [key, each] : members) each.done->queue = next;
  }

 private:
  static void happens(Moment& moment) {
    moment.happened = true;
    moment.when = std::chrono::steady_clock::now();
  }
};

/// Of all ranks of a communicator: the calls that not all have made, or that are not over.
struct NcclRanks {
  int size;
  std::vector<int> devices = {};  // of the ranks that have come, by rank; -1: has not
  int come = 0;
  bool duplicate = false;
  // By sender and receiver, -1 for all ranks, and the number of the call.
  std::map<std::tuple<int, int, std::uint64_t>, std::shared_ptr<Meeting>> meetings = {};
};

/// State for tests, by rank.
struct Nccl {
  std::int64_t communicators = 0;                 // that exist
  std::map<int, std::int64_t> sent = {};          // bytes, as NCCL's rings send them
  std::map<int, ncclResult_t> asynchronous = {};  // what ncclCommGetAsyncError finds
};
inline Nccl nccl;

}  // namespace standin

struct ncclComm {
  std::shared_ptr<standin::NcclRanks> ranks;
  int rank, device;
  bool aborted = false, busy = false;
  std::map<std::tuple<int, int, int>, std::uint64_t> calls = {};  // by sender, receiver and side
};
using ncclComm_t = ncclComm*;

namespace standin {

inline std::map<ncclComm_t, std::shared_ptr<ncclComm>> nccl_communicators;
inline std::map<std::string, std::shared_ptr<NcclRanks>> nccl_ids;

/// The call's own hold of a communicator, which another thread may abort meanwhile.
inline std::shared_ptr<ncclComm> find(ncclComm_t comm) {
  const auto found = nccl_communicators.find(comm);
  if (found == nccl_communicators.end())
    stop("a communicator was used that is null, destroyed or aborted");
  return found->second;
}
inline ncclResult_t begin_nccl(const char* name) {
  const int status = toolkit().begin(name);
  if (status != 0) (void)toolkit().take_last_error();
  return static_cast<ncclResult_t>(status);
}

/// One operation of one rank, checked.
struct NcclCall {
  std::shared_ptr<ncclComm> comm;
  Stream* stream;
  int from, to;      // a sender and a receiver; -1: all ranks
  int member;        // of the meeting
  std::size_t size;  // members
  std::string text;
  const void* sent;
  void* received;
  std::function<void(const Meeting&)> run;
  std::int64_t bytes_sent;
};

/// A thread's ncclGroupStart() that were not ended, and what came since.
struct NcclOpenGroup {
  int depth = 0;
  ncclResult_t failure = ncclSuccess;
  std::vector<NcclCall> calls = {};
};
inline thread_local NcclOpenGroup nccl_group;

/// A stream comes to all operations of a group before it waits for any.
inline void add_nccl_calls(const std::vector<NcclCall>& calls, std::uint64_t submission) {
  std::vector<std::shared_ptr<Meeting>> joined;
  for (const NcclCall& call : calls) {
    NcclRanks& ranks = *call.comm->ranks;
    const int side = call.from < 0 ? 0 : call.member;
    const std::tuple key(call.from, call.to, call.comm->calls[{call.from, call.to, side}]++);
    std::erase_if(ranks.meetings, [](const auto& entry) { return entry.second->over; });
    auto& meeting = ranks.meetings[key];
    if (meeting == nullptr)
      meeting = std::make_shared<Meeting>(Meeting{call.text, call.size, call.run});
    if (meeting->call != call.text) stop("the ranks of a communicator make different calls");
    meeting->join(call.member, {call.comm->rank, call.stream->queue, call.sent, call.received,
                                std::this_thread::get_id(), submission});
    meeting->point();
    joined.push_back(meeting);
    nccl.sent[call.comm->rank] += call.bytes_sent;
    toolkit().add(*call.stream,
                  {.run = [meeting, member = call.member] { meeting->arrive(member); }});
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& done = joined[i]->members.at(calls[i].member).done;
    toolkit().add(*calls[i].stream, {.after = done});
  }
}
inline ncclResult_t run_nccl_calls(const std::vector<NcclCall>& calls) {
  for (const NcclCall& call : calls) {
    Capture* const capture = call.stream->capture.get();
    if (capture != nullptr && capture->invalid) return ncclUnhandledCudaError;
    if (call.comm->busy) stop("two threads use a communicator at a time");
  }
  static std::uint64_t submissions = 0;
  const std::uint64_t submission = ++submissions;
  std::map<Stream*, std::vector<NcclCall>> by_stream;
  for (const NcclCall& call : calls) by_stream[call.stream].push_back(call);
  for (const auto& entry : by_stream) {
    Stream* const stream = entry.first;
    const std::vector<NcclCall>& all = entry.second;
    if (Capture* const capture = stream->capture.get()) {
      capture->nodes.push_back({.run = nullptr, .tally = {}, .add = [all](Stream& launched) {
                                  std::vector<NcclCall> again = all;
                                  for (NcclCall& call : again) call.stream = &launched;
                                  add_nccl_calls(again, ++submissions);
                                }});
      ++capture->streams[stream].nodes;
      continue;
    }
    for (const NcclCall& call : all) call.comm->busy = true;
    add_nccl_calls(all, submission);
    for (const NcclCall& call : all) call.comm->busy = false;
  }
  for (const NcclCall& call : calls) {
    if (call.comm->aborted) return ncclInternalError;
  }
  return ncclSuccess;
}

inline std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclUint8:
      return 1;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclFloat64:
      return 8;
  }
  stop("a data type that the stand-in does not know");
}
/// body(T{}) with the type of the numbers.
template <class Body>
void visit_nccl_type(ncclDataType_t type, const Body& body) {
  switch (type) {
    case ncclUint8:
      return body(std::uint8_t{});
    case ncclInt32:
      return body(std::int32_t{});
    case ncclUint32:
      return body(std::uint32_t{});
    case ncclInt64:
      return body(std::int64_t{});
    case ncclFloat32:
      return body(float{});
    case ncclFloat64:
      return body(double{});
  }
}
/// Adds in the order of ranks, as a ring does that begins at rank 0. Integers wrap around.
template <class T>
T combine(T a, T b, ncclRedOp_t op) {
  if (op == ncclMax) return a < b ? b : a;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}
/// Elements [first, first + count) of what all ranks send, combined.
inline std::vector<unsigned char> reduced(const Meeting& all, std::size_t first, std::size_t count,
                                          ncclDataType_t type, ncclRedOp_t op) {
  std::vector<unsigned char> result(count * size_of(type));
  visit_nccl_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i < count; ++i) {
      T sum{};
      for (const auto& [rank, member] : all.members) {
        T value;
        std::memcpy(&value, static_cast<const T*>(member.sent) + first + i, sizeof value);
        sum = rank == 0 ? value : combine(sum, value, op);
      }
      std::memcpy(result.data() + i * sizeof(T), &sum, sizeof sum);
    }
  });
  return result;
}

inline void require_memory(const ncclComm& comm, const void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  if (!toolkit().on_device(memory, bytes) || toolkit().memory.device_of(memory) != comm.device)
    stop("a communicator was given memory that is not, or not all, on its device");
}
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto* const begin = static_cast<const char*>(a);
  const auto* const other = static_cast<const char*>(b);
  return begin < other + b_bytes && other < begin + a_bytes;
}
/// Memory that is sent and received must be the same from `in_place` on, or lie apart.
inline void require_apart(const void* sent, std::size_t sent_bytes, const void* received,
                          std::size_t received_bytes, bool in_place) {
  if (!in_place && overlap(sent, sent_bytes, received, received_bytes))
    stop("memory of an operation overlaps, but not as in-place operations do");
}

/// Runs the call, or lists it for the end of the group.
inline ncclResult_t submit(NcclCall call) {
  if (call.stream->device != call.comm->device)
    stop("a communicator was given a stream of another device");
  if (nccl_group.depth == 0) return run_nccl_calls({std::move(call)});
  nccl_group.calls.push_back(std::move(call));
  return ncclSuccess;
}
/// The text tells calls apart that do not belong together.
inline std::string text_of(const char* name, std::size_t count, int type, int detail) {
  return std::string(name) + " " + std::to_string(count) + " " + std::to_string(type) + " " +
         std::to_string(detail);
}
inline NcclCall of_all(ncclComm_t handle, cudaStream_t stream, std::string text, const void* sent,
                       void* received, std::function<void(const Meeting&)> run, std::size_t bytes) {
  auto comm = find(handle);
  const int rank = comm->rank;
  const auto size = static_cast<std::size_t>(comm->ranks->size);
  return {std::move(comm),
          &toolkit().stream_of(stream, standin_device),
          -1,
          -1,
          rank,
          size,
          std::move(text),
          sent,
          received,
          std::move(run),
          static_cast<std::int64_t>(bytes)};
}

}  // namespace standin

/// Each call holds the lock, and may have been told to fail: a group then fails at its end.
#define STANDIN_NCCL_CALL_WITHOUT_CONTEXT(name)                      \
  const standin::races::Quiet standin_quiet;                         \
  const std::lock_guard standin_lock(standin::toolkit().mutex);      \
  const standin::Inside standin_inside;                              \
  if (const ncclResult_t standin_status = standin::begin_nccl(name); \
      standin_status != ncclSuccess)                                 \
  return standin::nccl_group.failure = standin_status
#define STANDIN_NCCL_CALL(name)            \
  STANDIN_NCCL_CALL_WITHOUT_CONTEXT(name); \
  standin::toolkit().contexts.set(static_cast<std::size_t>(standin_device))

inline const char* ncclGetLastError(ncclComm_t) { return "as the stand-in NCCL was told"; }

// --- communicators

inline ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  STANDIN_NCCL_CALL_WITHOUT_CONTEXT("ncclGetUniqueId");
  static int made = 0;
  *id = {};
  const std::string text = "stand-in " + std::to_string(++made);
  std::memcpy(id->internal, text.c_str(), text.size());
  return ncclSuccess;
}
/// Waits for all ranks of the id.
inline ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                           ncclConfig_t* config) {
  STANDIN_NCCL_CALL("ncclCommInitRankConfig");
  auto& toolkit = standin::toolkit();
  if (comm == nullptr || config == nullptr || size < 1 || rank < 0 || rank >= size)
    return ncclInvalidArgument;
  if (config->size != sizeof(ncclConfig_t) || config->magic != 0xcafebeef)
    return ncclInvalidArgument;
  if (config->blocking == 0) standin::stop("the stand-in's communicators are blocking");
  const std::string name(id.internal, sizeof id.internal);
  auto& ranks = standin::nccl_ids[name];
  if (ranks == nullptr) {
    ranks = std::make_shared<standin::NcclRanks>(standin::NcclRanks{size});
    ranks->devices.assign(static_cast<std::size_t>(size), -1);
  }
  const auto own = ranks;
  int& device = own->devices.at(static_cast<std::size_t>(rank));
  if (own->size != size || device != -1 || own->come == size)
    standin::stop("a rank came twice to a communicator, or to one of another size");
  own->duplicate =
      own->duplicate || std::count(own->devices.begin(), own->devices.end(), standin_device) != 0;
  device = standin_device;
  ++own->come;
  toolkit.schedule.wake_others();
  while (own->come < size) toolkit.schedule.sleep();
  standin::nccl_ids.erase(name);
  if (own->duplicate) return ncclInvalidUsage;
  const auto made = std::make_shared<ncclComm>(ncclComm{own, rank, standin_device});
  standin::nccl_communicators[made.get()] = made;
  ++standin::nccl.communicators;
  *comm = made.get();
  return ncclSuccess;
}
/// When the operations are over.
inline ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  STANDIN_NCCL_CALL("ncclCommDestroy");
  const auto own = standin::find(comm);
  if (standin::nccl_group.depth != 0) standin::stop("a communicator was destroyed in a group");
  for (const auto& [key, meeting] : own->ranks->meetings) {
    for (const auto& [member, joined] : meeting->members) {
      if (joined.rank == own->rank && !meeting->over)
        standin::stop("a communicator was destroyed while its operations were under way");
    }
  }
  if (own->busy) standin::stop("a communicator was destroyed in a call of it");
  standin::nccl_communicators.erase(comm);
  --standin::nccl.communicators;
  return ncclSuccess;
}
/// What the rank waits for ends undone. Any thread may call it, also while another is in a call.
inline ncclResult_t ncclCommAbort(ncclComm_t comm) {
  STANDIN_NCCL_CALL("ncclCommAbort");
  const auto own = standin::find(comm);
  own->aborted = true;
  for (const auto& [key, meeting] : own->ranks->meetings) {
    for (const auto& [member, joined] : meeting->members) {
      if (joined.rank == own->rank && !meeting->over) meeting->abort(member);
    }
  }
  standin::nccl_communicators.erase(comm);
  --standin::nccl.communicators;
  standin::toolkit().schedule.wake_others();
  return ncclSuccess;
}
/// Any thread may call it.
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* found) {
  STANDIN_NCCL_CALL("ncclCommGetAsyncError");
  const auto set = standin::nccl.asynchronous.find(standin::find(comm)->rank);
  *found = set != standin::nccl.asynchronous.end() ? set->second : ncclSuccess;
  return ncclSuccess;
}
inline ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  STANDIN_NCCL_CALL("ncclCommCount");
  *count = standin::find(comm)->ranks->size;
  return ncclSuccess;
}
inline ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device) {
  STANDIN_NCCL_CALL("ncclCommCuDevice");
  *device = standin::find(comm)->device;
  return ncclSuccess;
}
inline ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  STANDIN_NCCL_CALL("ncclCommUserRank");
  *rank = standin::find(comm)->rank;
  return ncclSuccess;
}

// --- operations of all ranks

inline ncclResult_t ncclAllReduce(const void* sent, void* received, std::size_t count,
                                  ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                  cudaStream_t stream) {
  STANDIN_NCCL_CALL("ncclAllReduce");
  const std::size_t bytes = count * standin::size_of(type);
  const auto size = static_cast<std::size_t>(standin::find(comm)->ranks->size);
  standin::require_memory(*comm, sent, bytes);
  standin::require_memory(*comm, received, bytes);
  standin::require_apart(sent, bytes, received, bytes, sent == received);
  return standin::submit(standin::of_all(
      comm, stream, standin::text_of("ncclAllReduce", count, type, op), sent, received,
      [=](const standin::Meeting& all) {
        const auto result = standin::reduced(all, 0, count, type, op);
        for (const auto& [rank, member] : all.members)
          std::memcpy(member.received, result.data(), result.size());
      },
      2 * (size - 1) * bytes / size));
}
inline ncclResult_t ncclReduceScatter(const void* sent, void* received, std::size_t count,
                                      ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                      cudaStream_t stream) {
  STANDIN_NCCL_CALL("ncclReduceScatter");
  const std::size_t part = count * standin::size_of(type);
  const auto size = static_cast<std::size_t>(standin::find(comm)->ranks->size);
  const auto own = static_cast<std::size_t>(comm->rank) * part;
  standin::require_memory(*comm, sent, size * part);
  standin::require_memory(*comm, received, part);
  standin::require_apart(sent, size * part, received, part,
                         static_cast<const char*>(sent) + own == received);
  return standin::submit(standin::of_all(
      comm, stream, standin::text_of("ncclReduceScatter", count, type, op), sent, received,
      [=](const standin::Meeting& all) {
        const auto result = standin::reduced(all, 0, size * count, type, op);
        for (const auto& [rank, member] : all.members)
          std::memcpy(member.received, result.data() + static_cast<std::size_t>(rank) * part, part);
      },
      (size - 1) * part));
}
inline ncclResult_t ncclAllGather(const void* sent, void* received, std::size_t count,
                                  ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  STANDIN_NCCL_CALL("ncclAllGather");
  const std::size_t part = count * standin::size_of(type);
  const auto size = static_cast<std::size_t>(standin::find(comm)->ranks->size);
  const auto own = static_cast<std::size_t>(comm->rank) * part;
  standin::require_memory(*comm, sent, part);
  standin::require_memory(*comm, received, size * part);
  standin::require_apart(sent, part, received, size * part,
                         sent == static_cast<const char*>(received) + own);
  return standin::submit(standin::of_all(
      comm, stream, standin::text_of("ncclAllGather", count, type, 0), sent, received,
      [=](const standin::Meeting& all) {
        std::vector<unsigned char> result;
        for (const auto& [rank, member] : all.members) {
          const auto* const begin = static_cast<const unsigned char*>(member.sent);
          result.insert(result.end(), begin, begin + part);
        }
        for (const auto& [rank, member] : all.members)
          std::memcpy(member.received, result.data(), result.size());
      },
      (size - 1) * part));
}
inline ncclResult_t ncclBroadcast(const void* sent, void* received, std::size_t count,
                                  ncclDataType_t type, int root, ncclComm_t comm,
                                  cudaStream_t stream) {
  STANDIN_NCCL_CALL("ncclBroadcast");
  const std::size_t bytes = count * standin::size_of(type);
  const int size = standin::find(comm)->ranks->size;
  if (root < 0 || root >= size) return ncclInvalidArgument;
  if (comm->rank == root) standin::require_memory(*comm, sent, bytes);
  standin::require_memory(*comm, received, bytes);
  standin::require_apart(sent, bytes, received, bytes, sent == received);
  return standin::submit(standin::of_all(
      comm, stream, standin::text_of("ncclBroadcast", count, type, root), sent, received,
      [=](const standin::Meeting& all) {
        const auto* const begin = static_cast<const unsigned char*>(all.members.at(root).sent);
        const std::vector<unsigned char> values(begin, begin + bytes);
        for (const auto& [rank, member] : all.members)
          std::memcpy(member.received, values.data(), bytes);
      },
      (comm->rank + 1) % size == root ? 0 : bytes));  // the last of the ring sends nothing
}

// --- from rank to rank

namespace standin {

/// The side of the sender is member 0, that of the receiver 1. The kth send from one rank to
/// another belongs to the kth receive.
inline ncclResult_t side_of(bool sends, const void* sent, void* received, std::size_t count,
                            ncclDataType_t type, int peer, ncclComm_t handle, cudaStream_t stream) {
  auto comm = find(handle);
  if (peer < 0 || peer >= comm->ranks->size) return ncclInvalidArgument;
  const std::size_t bytes = count * size_of(type);
  require_memory(*comm, sends ? sent : received, bytes);
  const int rank = comm->rank, from = sends ? rank : peer, to = sends ? peer : rank;
  const auto run = [bytes](const Meeting& both) {
    std::memmove(both.members.at(1).received, both.members.at(0).sent, bytes);
  };
  return submit({std::move(comm), &toolkit().stream_of(stream, standin_device), from, to,
                 sends ? 0 : 1, 2, text_of("ncclSend", count, type, 0), sent, received, run,
                 sends && peer != rank ? static_cast<std::int64_t>(bytes) : 0});
}

}  // namespace standin

inline ncclResult_t ncclSend(const void* sent, std::size_t count, ncclDataType_t type, int peer,
                             ncclComm_t comm, cudaStream_t stream) {
  STANDIN_NCCL_CALL("ncclSend");
  return standin::side_of(true, sent, nullptr, count, type, peer, comm, stream);
}
inline ncclResult_t ncclRecv(void* received, std::size_t count, ncclDataType_t type, int peer,
                             ncclComm_t comm, cudaStream_t stream) {
  STANDIN_NCCL_CALL("ncclRecv");
  return standin::side_of(false, nullptr, received, count, type, peer, comm, stream);
}
inline ncclResult_t ncclGroupStart() {
  STANDIN_NCCL_CALL("ncclGroupStart");
  if (standin::nccl_group.depth++ == 0) standin::nccl_group.failure = ncclSuccess;
  return ncclSuccess;
}
/// If a call of the group failed, none of it is done.
inline ncclResult_t ncclGroupEnd() {
  const standin::races::Quiet quiet;
  const std::lock_guard lock(standin::toolkit().mutex);
  const standin::Inside inside;
  auto& group = standin::nccl_group;
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth != 0) return ncclSuccess;
  const auto calls = std::exchange(group.calls, {});
  if (const ncclResult_t told = standin::begin_nccl("ncclGroupEnd"); told != ncclSuccess)
    return told;
  return group.failure != ncclSuccess ? group.failure : standin::run_nccl_calls(calls);
}
