// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Primitives that are ready to run. Each thread caches the primitives that it created, by what they
// compute. A training step with the same sizes as an earlier one creates none, and no thread waits
// for another.
#pragma once

#include "amp/kernels/onednn/api.hpp"

#if AMP_USE_ONEDNN

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "amp/core/function_ref.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/onednn/packed_copies.hpp"
#include "amp/kernels/onednn/threads.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// Throws amp::Error if little memory is left. oneDNN 2.6 writes the code of its kernels without
/// asking whether it got memory for it.
inline void require_memory_for_code() {
  constexpr std::size_t kBytes = std::size_t{1} << 24;  // more than any kernel was seen to need
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw amp::detail::OutOfMemory();
  (void)::munmap(memory, kBytes);
}

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

  /// Runs the primitive with the addresses of the arguments, in the order in which they were named;
  /// null for one that it does not have.
  void run(dnnl_stream_t stream, std::initializer_list<const void*> addresses) const {
    if (is_news_) [[unlikely]]
      require_memory_for_code();  // oneDNN writes some of it when it runs
    const HostBuffer<std::byte> scratch(scratch_bytes_);
    int i = 0;
    for (const void* const address : addresses) {
      if (address != nullptr) point(i++, const_cast<void*>(address));
    }
    if (scratch_bytes_ != 0) point(i++, scratch.data());
    require(dnnl_primitive_execute(primitive_.get(), stream, i, arguments_.data()),
            "dnnl_primitive_execute");
    if (!is_news_) [[likely]]
      return;
    is_news_ = false;
    Sessions::here().note_news();
  }

  /// The call is the first one of its like: when it runs, oneDNN may make statics.
  void mark_as_news() { is_news_ = true; }

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
  mutable bool is_news_ = false;
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

/// Which calls were made in this process, roughly: by their kinds, and by the order of magnitude of
/// their sizes. So there are few, and each has code and tables of its own in oneDNN.
class AMP_EXPORT KnownCalls {
 public:
  /// Adds a call. Returns whether it is the first one of its like.
  bool add(CallKey key) {
    constexpr std::int64_t kSmall = 8;
    for (std::int64_t& word : key) {
      if (word >= kSmall) word = kSmall + 64 - std::countl_zero(static_cast<std::uint64_t>(word));
    }
    return known_.insert(key).second;
  }

 private:
  std::unordered_set<CallKey, CallKeyHash> known_;
};

/// The calls that a thread has created: at most kMost, the last used ones.
class AMP_EXPORT Calls {
 public:
  static constexpr std::size_t kMost = 512;

  static Calls& of_this_thread() { return thread_object<Calls>(); }

  ~Calls() {  // oneDNN's objects need oneDNN
    const Session session;
    if (session) {
      made_.reset();
    } else {
      (void)made_.release();
    }
  }

  dnnl_stream_t stream() const { return made_->stream.get(); }
  std::size_t size() const { return made_->calls.size(); }

  /// Returns the call of this key, created by make() if there is none yet.
  const Call& get(const CallKey& key, FunctionRef<Call()> make) {
    Made& all = *made_;
    const auto found = all.calls.find(key);
    if (found != all.calls.end()) [[likely]] {
      found->second.used = ++all.clock;
      return found->second.call;
    }
    // Without the lock, a child forked while oneDNN creates a primitive would wait for ever.
    const amp::detail::ProcessLock lock(amp::detail::LockOf::kPrimitives);
    return amp::detail::or_out_of_memory([&]() -> const Call& {
      if (all.calls.size() >= kMost) all.drop_oldest();
      ++library().primitives_made;
      require_memory_for_code();
      Call& made = all.calls.emplace(key, Entry{make(), ++all.clock}).first->second.call;
      if (process_state<KnownCalls>().add(key)) {
        made.mark_as_news();
        Sessions::here().note_news();
      }
      return made;
    });
  }

 private:
  struct Entry {
    Call call;
    std::uint64_t used;
  };
  struct Made {
    Owned<dnnl_stream_t, dnnl_stream_destroy> stream;
    std::unordered_map<CallKey, Entry, CallKeyHash> calls = {};
    std::uint64_t clock = 0;

    Made() {
      dnnl_stream_t made = nullptr;
      require(dnnl_stream_create(&made, library().engine, dnnl_stream_default_flags),
              "dnnl_stream_create");
      stream.reset(made);
    }
    void drop_oldest() {
      auto oldest = calls.begin();
      for (auto i = calls.begin(); i != calls.end(); ++i) {
        if (i->second.used < oldest->second.used) oldest = i;
      }
      calls.erase(oldest);
    }
  };

  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif
