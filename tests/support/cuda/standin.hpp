// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the stand-in toolkit knows: memory that is "on the device", calls by name, what is to fail.
// Tests look at it; the toolkit's own headers lie in toolkit/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace standin {

/// Everything since the last reset().
struct Counters {
  std::int64_t launches = 0;
  std::int64_t allocations = 0, frees = 0;                 // of device memory
  std::int64_t to_device = 0, to_host = 0, on_device = 0;  // copies
  std::int64_t bytes_to_device = 0, bytes_to_host = 0, bytes_on_device = 0;
  std::int64_t synchronisations = 0;  // of streams, events and devices
};

class Toolkit {
 public:
  static Toolkit& instance() {
    static Toolkit toolkit;
    return toolkit;
  }

  int devices = 2;
  Counters counters = {};

  /// The call `name` returns `status` when it is made for the nth time from now on (from 0).
  /// An empty name stands for every call.
  void fail(std::string name, int nth, int status) {
    fail_name_ = std::move(name);
    fail_after_ = nth;
    fail_status_ = status;
  }
  /// How many calls were made since fail() or reset().
  std::int64_t calls() const { return calls_; }
  std::int64_t calls_of(const std::string& name) const {
    const auto found = calls_by_name_.find(name);
    return found == calls_by_name_.end() ? 0 : found->second;
  }
  void reset() {
    counters = {};
    fail("", -1, 0);
    calls_ = 0;
    calls_by_name_.clear();
    last_error_ = 0;
  }

  /// To be asked at the beginning of each call: 0, or the status it has to return.
  int begin(const char* name) {
    ++calls_;
    ++calls_by_name_[name];
    if (fail_after_ < 0 || !(fail_name_.empty() || fail_name_ == name)) return 0;
    if (fail_after_-- > 0) return 0;
    return last_error_ = fail_status_;
  }
  int take_last_error() { return std::exchange(last_error_, 0); }

  // --- device memory ---------------------------------------------------------------------------

  void* allocate(std::size_t bytes) {
    auto* const memory = static_cast<unsigned char*>(::operator new (bytes, std::align_val_t{256}));
    for (std::size_t i = 0; i < bytes; ++i) memory[i] = 0xcd;  // fresh memory is no zeros
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
  std::size_t live_blocks() const { return blocks_.size(); }

  std::recursive_mutex mutex;

 private:
  std::map<const void*, std::size_t, std::less<>> blocks_;
  std::string fail_name_;
  int fail_after_ = -1, fail_status_ = 0;
  std::int64_t calls_ = 0;
  std::map<std::string, std::int64_t> calls_by_name_;
  int last_error_ = 0;
};

inline Toolkit& toolkit() { return Toolkit::instance(); }

}  // namespace standin
