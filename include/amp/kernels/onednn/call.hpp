// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Primitives that are ready to run. Each thread caches the primitives that it created, by what they
// compute. A training step with the same sizes as an earlier one creates none, and no thread waits
// for another.
#pragma once

#include "amp/kernels/onednn/api.hpp"

#if AMP_USE_ONEDNN

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <unordered_map>

#include "amp/core/function_ref.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/onednn/packed_copies.hpp"
#include "amp/kernels/onednn/threads.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// One argument of a primitive: DNNL_ARG_SRC and the like, and its layout.
struct Argument {
  int name;
  MemoryDesc::Pointer desc;
};

/// A primitive with its arguments, for the thread that created it. Empty if oneDNN has none, or
/// only slow reference code.
class Call {
 public:
  static constexpr int kMostArguments = 4;

  Call() = default;
  Call(const PrimitiveDesc& desc, std::initializer_list<Argument> arguments) {
    if (desc == nullptr || is_reference(desc)) return;
    dnnl_primitive_t made = nullptr;
    if (!succeeded(dnnl_primitive_create(&made, desc.get()))) return;
    primitive_.reset(made);
    for (const Argument& argument : arguments) {
      if (argument.desc != nullptr) add(argument);
    }
    const MemoryDesc::Pointer scratchpad = expected(desc, dnnl_query_scratchpad_md);
    scratch_bytes_ = scratchpad == nullptr ? 0 : bytes_of(scratchpad);
    if (scratch_bytes_ != 0) add({DNNL_ARG_SCRATCHPAD, scratchpad});
  }

  explicit operator bool() const { return primitive_ != nullptr; }

  /// Returns the layout that the primitive expects for one of its arrays: dnnl_query_weights_md and
  /// the like.
  MemoryDesc::Pointer expects(dnnl_query_t what) const {
    const_dnnl_primitive_desc_t desc = nullptr;
    require(dnnl_primitive_get_primitive_desc(primitive_.get(), &desc),
            "dnnl_primitive_get_primitive_desc");
    return dnnl_primitive_desc_query_md(desc, what, 0);
  }

  /// Runs the primitive with the addresses of the arguments, in the order in which they were named.
  void run(dnnl_stream_t stream, std::initializer_list<const void*> addresses) const {
    const HostBuffer<std::byte> scratch(scratch_bytes_);
    int i = 0;
    for (const void* const address : addresses) point(i++, const_cast<void*>(address));
    if (scratch_bytes_ != 0) point(i++, scratch.data());
    require(dnnl_primitive_execute(primitive_.get(), stream, i, arguments_.data()),
            "dnnl_primitive_execute");
  }

 private:
  void add(const Argument& argument) {
    dnnl_memory_t made = nullptr;
    require(dnnl_memory_create(&made, argument.desc, library().engine, DNNL_MEMORY_NONE),
            "dnnl_memory_create");
    const auto i = static_cast<std::size_t>(count_++);
    memories_[i].reset(made);
    arguments_[i] = {argument.name, made};
  }
  void point(int i, void* address) const {
    require(dnnl_memory_set_data_handle(arguments_[static_cast<std::size_t>(i)].memory, address),
            "dnnl_memory_set_data_handle");
  }

  Primitive primitive_;
  std::array<Memory, kMostArguments + 1> memories_;
  std::array<dnnl_exec_arg_t, kMostArguments + 1> arguments_ = {};
  std::int64_t scratch_bytes_ = 0;
  int count_ = 0;
};

/// The key of a call: its kind, dtypes, sizes and strides. Equal keys mean equal primitives.
using CallKey = PackKey;
struct CallKeyHash {
  std::size_t operator()(const CallKey& key) const {
    std::uint64_t hash = 14695981039346656037u;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 1099511628211u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// The calls that a thread has created: at most kMost, the last used ones.
class Calls {
 public:
  static constexpr std::size_t kMost = 512;

  static Calls& of_this_thread() {
    static thread_local Calls calls;
    return calls;
  }

  dnnl_stream_t stream() const { return stream_.get(); }
  std::size_t size() const { return calls_.size(); }

  /// Returns the call of this key, created by make() if there is none yet.
  const Call& get(const CallKey& key, FunctionRef<Call()> make) {
    const auto found = calls_.find(key);
    if (found != calls_.end()) [[likely]] {
      found->second.used = ++clock_;
      return found->second.call;
    }
    // Without the lock, a child forked while oneDNN creates a primitive would wait for ever.
    const amp::detail::ProcessLock lock(amp::detail::LockOf::kPrimitives);
    return amp::detail::or_out_of_memory([&]() -> const Call& {
      if (calls_.size() >= kMost) drop_oldest();
      ++library().primitives_made;
      return calls_.emplace(key, Entry{make(), ++clock_}).first->second.call;
    });
  }

 private:
  struct Entry {
    Call call;
    std::uint64_t used;
  };
  using Stream = Owned<dnnl_stream_t, dnnl_stream_destroy>;

  Calls() {
    dnnl_stream_t made = nullptr;
    require(dnnl_stream_create(&made, library().engine, dnnl_stream_default_flags),
            "dnnl_stream_create");
    stream_.reset(made);
  }
  void drop_oldest() {
    auto oldest = calls_.begin();
    for (auto i = calls_.begin(); i != calls_.end(); ++i) {
      if (i->second.used < oldest->second.used) oldest = i;
    }
    calls_.erase(oldest);
  }

  Stream stream_;
  std::unordered_map<CallKey, Entry, CallKeyHash> calls_;
  std::uint64_t clock_ = 0;
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif
