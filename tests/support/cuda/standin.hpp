// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the stand-in toolkit knows: memory that is "on the device", calls by name, what is to fail.
// Tests look at it; the toolkit's own headers lie in toolkit/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace standin {

/// Everything since the last reset().
struct Counters {
  std::int64_t launches = 0;
  std::int64_t allocations = 0, frees = 0;                 // of device memory
  std::int64_t to_device = 0, to_host = 0, on_device = 0;  // copies
  std::int64_t bytes_to_device = 0, bytes_to_host = 0, bytes_on_device = 0;
  std::int64_t synchronisations = 0;                   // of streams, events and devices
  std::int64_t graph_launches = 0, graph_kernels = 0;  // the latter are not among `launches`
};

/// What exists now and has to be given back, besides device memory.
struct Live {
  std::int64_t streams = 0, events = 0, pools = 0, host_blocks = 0, graphs = 0;

  friend bool operator==(const Live&, const Live&) = default;
};

/// What a stream would have done: a closure over arguments by value.
struct Node {
  std::function<void()> run;
  bool kernel;
};

/// A capture under way, of one stream.
struct Capture {
  std::vector<Node> nodes = {};
  std::thread::id thread = std::this_thread::get_id();
  int mode = 0;  // cudaStreamCaptureMode: global, thread-local, relaxed
  bool invalid = false;

  /// Whether it forbids this thread the calls that might disturb it.
  bool guards() const { return mode == 0 || (mode == 1 && thread == std::this_thread::get_id()); }
};

/// While one exists, its thread is inside of the toolkit: what happens there is not amp's doing.
class Inside {
 public:
  Inside() { ++depth(); }
  ~Inside() { --depth(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  static int& depth() {
    static thread_local int depth = 0;
    return depth;
  }
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
  bool idle = false;  // takes launches and products, and runs none: what remains is the host's cost

  /// The call `name` returns `status` when it is made for the nth time from now on (from 0).
  /// An empty name stands for every call.
  void fail(std::string name, int nth, int status) {
    failed_.clear();
    fail_name_ = std::move(name);
    fail_after_ = nth;
    fail_status_ = status;
  }
  /// The call that was made to fail since fail() or reset(); empty where none was.
  const std::string& failed() const { return failed_; }
  /// How many calls were made since reset().
  std::int64_t calls() const { return calls_; }
  std::int64_t calls_of(const std::string& name) const {
    const auto found = calls_by_name_.find(name);
    return found == calls_by_name_.end() ? 0 : found->second;
  }
  /// Launches of one kernel, by its address, since reset().
  std::int64_t launches_of(const void* kernel) const {
    const auto found = launches_by_kernel_.find(kernel);
    return found == launches_by_kernel_.end() ? 0 : found->second;
  }
  void count_kernel(const void* kernel) {
    const Inside inside;
    ++launches_by_kernel_[kernel];
  }
  void reset() {
    launches_by_kernel_.clear();
    counters = {};
    fail("", -1, 0);
    calls_ = 0;
    calls_by_name_.clear();
    last_error_ = 0;
  }

  /// To be asked at the beginning of each call: 0, or the status it has to return.
  int begin(const char* name) {
    const Inside inside;
    ++calls_;
    ++calls_by_name_[name];
    if (fail_after_ < 0 || !(fail_name_.empty() || fail_name_ == name)) return 0;
    if (fail_after_-- > 0) return 0;
    failed_ = name;
    return last_error_ = failed_.starts_with("cublas") ? blas_status(fail_status_) : fail_status_;
  }
  void set_last_error(int status) { last_error_ = status; }
  int take_last_error() { return std::exchange(last_error_, 0); }

  // --- capture ---------------------------------------------------------------------------------

  std::set<Capture*> captures;

  /// To be asked by each call that a capture may not see: whether one did, and is invalid now.
  bool disturbs_capture() {
    bool disturbs = false;
    for (Capture* const capture : captures) {
      if (!capture->guards()) continue;
      capture->invalid = disturbs = true;
    }
    return disturbs;
  }
  /// Does now, or when the graph is launched, what a stream was told to; null: it does not capture.
  template <class Closure>
  void record_or_run(Capture* capture, bool kernel, const Closure& closure) {
    const Inside inside;
    if (capture != nullptr) {
      capture->nodes.push_back({closure, kernel});
    } else {
      counters.launches += kernel;
      if (!idle) closure();
    }
  }
  void replay(const std::vector<Node>& nodes) {
    ++counters.graph_launches;
    for (const Node& node : nodes) {
      counters.graph_kernels += node.kernel;
      node.run();
    }
  }

  // --- device memory ---------------------------------------------------------------------------

  void* allocate(std::size_t bytes) {
    const Inside inside;
    auto* const memory = static_cast<unsigned char*>(::operator new (bytes, std::align_val_t{256}));
    // Fresh memory is no zeros. Of what is large, a workspace, the first will do.
    std::memset(memory, 0xcd, bytes < kFilled ? bytes : kFilled);
    blocks_[memory] = bytes;
    ++counters.allocations;
    return memory;
  }
  /// Whether this was an allocation.
  bool free(void* memory) {
    const auto block = blocks_.find(memory);
    if (block == blocks_.end()) return false;
    blocks_.erase(block);
    ::operator delete (memory, std::align_val_t{256});
    ++counters.frees;
    return true;
  }
  /// Whether [memory, memory + bytes) is inside one allocation.
  bool on_device(const void* memory, std::size_t bytes = 1) const {
    const auto* const begin = static_cast<const unsigned char*>(memory);
    auto block = blocks_.upper_bound(begin);
    if (block == blocks_.begin()) return false;
    --block;
    return begin + bytes <= static_cast<const unsigned char*>(block->first) + block->second;
  }
  /// Where the allocation begins and ends that an address is in; null where in none.
  std::pair<const void*, const void*> block_of(const void* memory) const {
    if (!on_device(memory)) return {};
    const auto block = std::prev(blocks_.upper_bound(memory));
    return {block->first, static_cast<const char*>(block->first) + block->second};
  }
  std::size_t live_blocks() const { return blocks_.size(); }

  std::recursive_mutex mutex;

 private:
  static constexpr std::size_t kFilled = std::size_t{1} << 20;

  /// What cuBLAS makes of a status of the runtime: ALLOC_FAILED, EXECUTION_FAILED.
  static int blas_status(int status) { return status == 2 ? 3 : status > 16 ? 13 : status; }

  std::map<const void*, std::size_t, std::less<>> blocks_;
  std::string fail_name_, failed_;
  int fail_after_ = -1, fail_status_ = 0;
  std::int64_t calls_ = 0;
  std::map<std::string, std::int64_t> calls_by_name_;
  std::map<const void*, std::int64_t> launches_by_kernel_;
  int last_error_ = 0;
};

inline Toolkit& toolkit() { return Toolkit::instance(); }

}  // namespace standin
