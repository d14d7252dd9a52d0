// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of the stand-in toolkit: streams, captures, calls by name, calls that must fail. Tests
// read it; the toolkit's own headers are in toolkit/.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/cuda/device_memory.hpp"
#include "support/cuda/inside.hpp"
#include "support/cuda/schedule.hpp"

namespace standin {

/// Everything since the last reset(), counted when it is enqueued.
struct Counters {
  std::int64_t launches = 0;
  std::int64_t allocations = 0, frees = 0;                 // of device memory
  std::int64_t to_device = 0, to_host = 0, on_device = 0;  // copies
  std::int64_t bytes_to_device = 0, bytes_to_host = 0, bytes_on_device = 0;
  std::int64_t synchronisations = 0;                   // of streams, events and devices
  std::int64_t graph_launches = 0, graph_kernels = 0;  // the latter are not among `launches`

  void add(const Counters& more) {
    launches += more.launches;
    graph_kernels += more.graph_kernels;
    to_device += more.to_device;
    to_host += more.to_host;
    on_device += more.on_device;
    bytes_to_device += more.bytes_to_device;
    bytes_to_host += more.bytes_to_host;
    bytes_on_device += more.bytes_on_device;
  }
};

/// What exists now and has to be given back, besides device memory.
struct Live {
  std::int64_t streams = 0, events = 0, pools = 0, host_blocks = 0, graphs = 0;

  friend bool operator==(const Live&, const Live&) = default;
};

struct Stream;

/// What a stream would have done: a closure over arguments by value, and how it counts; or what is
/// to be added to the stream of each launch.
struct Node {
  std::function<void()> run;
  Counters tally;
  std::function<void(Stream&)> add = nullptr;
};

/// A capture under way: of the stream where it began, and of those that have waited for an event of
/// it since.
struct Capture {
  struct Of {
    std::size_t nodes = 0;   // that the stream added
    std::size_t joined = 0;  // of these, others have waited for
  };
  Stream* origin = nullptr;
  int mode = 0;  // cudaStreamCaptureMode: global, thread-local, relaxed
  std::thread::id thread = std::this_thread::get_id();
  std::vector<Node> nodes = {};
  std::map<Stream*, Of> streams = {};
  std::vector<void*> allocated = {};  // by its allocation nodes
  bool invalid = false;

  /// Whether it forbids this thread, which interacts in a mode of its own, the calls that might
  /// disturb it.
  bool guards(int own_mode) const {
    if (mode == 2 || own_mode == 2) return false;
    return thread == std::this_thread::get_id() || (mode == 0 && own_mode == 0);
  }
};

/// What a cudaStream_t points to.
struct Stream {
  int device = 0;
  std::uint64_t id = 0;  // never used again, unlike the address
  Queue* queue = nullptr;
  std::shared_ptr<Capture> capture = nullptr;
};

class Toolkit {
 public:
  static Toolkit& instance() {
    static Toolkit toolkit;
    return toolkit;
  }

  int devices = 2;
  Counters counters = {};
  Live live = {};
  int compute_capability = 90;
  std::bitset<64> contexts = {};  // the devices on which the process has one
  bool idle = false;  // takes launches and products, and runs none: what remains is the host's cost

  /// The call `name` returns `status` when it is made for the nth time from now on (from 0).
  /// An empty name stands for every call.
  void fail(std::string name, int nth, int status) {
    failed_.clear();
    ends_all_ = false;
    fail_name_ = std::move(name);
    fail_after_ = nth;
    fail_status_ = status;
  }
  /// The same, and after it every other call, as after an error that the device does not survive.
  void fail_for_good(std::string name, int nth, int status) {
    fail(std::move(name), nth, status);
    ends_all_ = true;
  }
  /// The call that was made to fail since fail() or reset(); empty if none was.
  const std::string& failed() const { return failed_; }
  /// How many calls were made since reset().
  std::int64_t calls() const { return calls_; }
  std::int64_t calls_of(const std::string& name) const {
    const std::lock_guard lock(mutex);
    const auto found = calls_by_name_.find(name);
    return found == calls_by_name_.end() ? 0 : found->second;
  }
  /// Launches of one kernel, by its address, since reset().
  std::int64_t launches_of(const void* kernel) const {
    const std::lock_guard lock(mutex);
    const auto found = launches_by_kernel_.find(kernel);
    return found == launches_by_kernel_.end() ? 0 : found->second;
  }
  void count_kernel(const void* kernel) {
    const Inside inside;
    ++launches_by_kernel_[kernel];
  }
  void reset() {
    // Other threads, as one that watches NCCL, may call meanwhile.
    const std::lock_guard lock(mutex);
    launches_by_kernel_.clear();
    counters = {};
    fail("", -1, 0);
    calls_ = 0;
    calls_by_name_.clear();
    last_error() = 0;
  }

  /// To be asked at the beginning of each call: 0, or the status it has to return.
  int begin(const char* name) {
    const Inside inside;
    ++calls_;
    ++calls_by_name_[name];
    if (fail_after_ < 0 || !(fail_name_.empty() || fail_name_ == name)) return 0;
    if (fail_after_-- > 0) return 0;
    failed_ = name;
    if (ends_all_) fail_ever_after();
    return last_error() = failed_.starts_with("cublas") ? blas_status(fail_status_) : fail_status_;
  }
  void set_last_error(int status) { last_error() = status; }
  int take_last_error() { return std::exchange(last_error(), 0); }

  // --- capture ---------------------------------------------------------------------------------

  std::set<Capture*> captures;

  /// This thread's (cudaThreadExchangeStreamCaptureMode).
  static int& capture_mode() {
    static thread_local int mode = 0;
    return mode;
  }
  /// To be asked by each call that a capture may not see: whether one did, and is invalid now.
  bool disturbs_capture() {
    bool disturbs = false;
    for (Capture* const capture : captures) {
      if (!capture->guards(capture_mode())) continue;
      capture->invalid = disturbs = true;
    }
    return disturbs;
  }
  /// To be asked by each call that waits for a device, or for all (-1), in whatever thread and
  /// mode: whether a stream of it captures. Such captures are invalid now.
  bool breaks_capture(int device) {
    bool breaks = false;
    for (Capture* const capture : captures) {
      for (const auto& [stream, of] : capture->streams) {
        if (device < 0 || stream->device == device) capture->invalid = breaks = true;
      }
    }
    return breaks;
  }
  /// Whether a stream captures that the legacy stream of the device waits for.
  bool captures_blocking(int device) const {
    for (const Capture* const capture : captures) {
      for (const auto& [stream, of] : capture->streams) {
        if (stream->device == device && stream->queue->blocking) return true;
      }
    }
    return false;
  }

  // --- streams ---------------------------------------------------------------------------------

  /// A new stream often has the address of one that was destroyed, as with the driver.
  Stream* open_stream(int device, bool blocking) {
    const Inside inside;
    if (spare_streams_.empty()) spare_streams_.push_back(std::make_unique<Stream>());
    auto stream = std::move(spare_streams_.back());
    spare_streams_.pop_back();
    *stream = {device, ++streams_opened_, &schedule.open(device, blocking)};
    Stream* const address = stream.get();
    streams_.emplace(address, std::move(stream));
    return address;
  }
  void close_stream(Stream* stream) {
    const Inside inside;
    schedule.close(*stream->queue);
    spare_streams_.push_back(std::move(streams_.extract(stream).mapped()));
  }
  /// The legacy stream of a device is the one without an address.
  Stream& stream_of(Stream* stream, int device) {
    if (stream != nullptr) {
      if (streams_.count(stream) == 0) stop("a stream was used that is destroyed");
      return *stream;
    }
    Stream*& legacy = legacy_[device];
    if (legacy == nullptr) legacy = open_stream(device, false);
    return *legacy;
  }
  bool is_legacy(const Stream& stream) const {
    const auto found = legacy_.find(stream.device);
    return found != legacy_.end() && found->second == &stream;
  }

  /// Does in the stream's turn, or when the graph is launched, what the stream was told to.
  void enqueue(Stream& stream, const Counters& tally, std::function<void()> run) {
    const Inside inside;
    if (Capture* const capture = stream.capture.get()) {
      capture->nodes.push_back({std::move(run), tally});
      ++capture->streams[&stream].nodes;
      return;
    }
    counters.add(tally);
    if (!idle) add(stream, {.run = std::move(run)});
  }
  /// Adds to a stream that does not capture. The legacy stream and the blocking ones wait for each
  /// other.
  void add(Stream& stream, Work work) {
    const Inside inside;
    const bool legacy = is_legacy(stream);
    if (legacy || stream.queue->blocking) {
      const auto order = [&](Stream& other) {
        if (other.device != stream.device || &other == &stream) return;
        if (!(legacy ? other.queue->blocking : is_legacy(other))) return;
        if (auto end = schedule.end_of(*other.queue))
          schedule.add(*stream.queue, {.after = std::move(end)});
      };
      for (const auto& [address, other] : streams_) order(*other);
    }
    schedule.add(*stream.queue, std::move(work));
  }
  /// Waits for all work of all streams: the host may then read what is "on the device".
  void finish() {
    const Inside inside;
    const std::lock_guard lock(mutex);
    schedule.finish();
  }

  // --- device memory ---------------------------------------------------------------------------

  DeviceMemory memory;
  Schedule schedule;  // goes first at exit: what is pending may hold memory
  std::recursive_mutex& mutex = schedule.mutex;

  /// Whether [address, address + bytes) is inside one allocation.
  bool on_device(const void* address, std::size_t bytes = 1) const {
    return memory.contains(address, bytes);
  }
  /// Returns the beginning and end of the allocation that contains an address; null if none does.
  std::pair<const void*, const void*> block_of(const void* address) const {
    return memory.block_of(address);
  }
  std::size_t live_blocks() const { return memory.live_blocks(); }

  std::map<const void*, std::size_t, std::less<>> pinned;  // page-locked host memory
  bool is_pinned(const void* address) const {
    const auto after = pinned.upper_bound(address);
    if (after == pinned.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return address < static_cast<const char*>(begin) + bytes;
  }

 private:
  /// This thread's.
  static int& last_error() {
    static thread_local int status = 0;
    return status;
  }
  void fail_ever_after() {
    fail_name_.clear();
    fail_after_ = 0;
  }
  /// What cuBLAS makes of a status of the runtime: ALLOC_FAILED, EXECUTION_FAILED.
  static int blas_status(int status) { return status == 2 ? 3 : status > 16 ? 13 : status; }

  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  std::vector<std::unique_ptr<Stream>> spare_streams_;
  std::map<int, Stream*> legacy_;
  std::uint64_t streams_opened_ = 0;
  std::string fail_name_, failed_;
  int fail_after_ = -1, fail_status_ = 0;
  bool ends_all_ = false;
  std::int64_t calls_ = 0;
  std::map<std::string, std::int64_t> calls_by_name_;
  std::map<const void*, std::int64_t> launches_by_kernel_;
};

inline Toolkit& toolkit() { return Toolkit::instance(); }

}  // namespace standin
