// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What all layers know of a Graph (device/cuda/graph.hpp): warm-ups, recording and replays.
//
// A Graph calls a function several times, on a stream of its own. The first calls are warm-ups:
// their work is done, and they leave behind the memory that the last call needs. The last call is
// the recording: its work is recorded, and not done. Each replay launches all of that work,
// without calling the function. What the host has to do for a replay is done by objects:
//
// - Before the launch they update what the recorded work reads: learning rates, the place in
//   the stream of random numbers, copies of weights, lists of tensors.
// - After the launch they note what the work writes: the versions of that memory move.
//
// Such an object is a Replayable. It is added to the Capture of the call that uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/refcount.hpp"
#include "amp/core/type_name.hpp"
#include "amp/device/device.hpp"

namespace amp::inline v0::detail {

/// An object that takes part in the replays of a graph. What it refers to outlives the graph.
class AMP_EXPORT Replayable : public RefCounted {
 public:
  /// Called once, when the recorded function has returned.
  virtual void after_recording() {}
  /// Called before each launch, in the order in which the objects were added. It may enqueue work
  /// on the current stream, which is that of the launch. It may not wait for the device.
  virtual void before_replay() {}
  /// Called after each launch, in the reverse order.
  virtual void after_replay() {}
};

/// What the calls of one Graph share: an id, and memory for what is written before a replay. The
/// graph's other work does not use this memory. (A tensor's memory may have been a temporary's
/// earlier in the call, and each replay writes the temporary again.)
class AMP_EXPORT GraphMemory {
 public:
  GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory();

  std::uint64_t id() const { return id_; }
  /// The next call may take all of the memory again.
  void begin_call();
  /// Returns the smallest block that is large enough and was not taken in this call: so no block
  /// has two uses in one call, and calls may take blocks in any order. If there is none, returns a
  /// new block, or null unless `may_allocate`.
  void* take(Device device, std::int64_t bytes, bool may_allocate);

 private:
  struct Block {
    Device device;
    std::int64_t bytes;
    void* memory;
    bool is_taken;
  };
  std::uint64_t id_;
  std::vector<Block> blocks_;
};

/// One call of the function that a Graph records: a warm-up or the recording.
class AMP_EXPORT Capture {
 public:
  Capture(Device device, void* stream, std::shared_ptr<GraphMemory> memory, bool is_recording);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();

  /// Returns the call that this thread is in; null outside of the functions of Graphs.
  static Capture* current();

  /// The ids of the call and of its graph. They are unique in the process and not 0.
  std::uint64_t id() const { return id_; }
  std::uint64_t graph() const { return memory_->id(); }
  Device device() const { return device_; }
  bool is_recording() const { return is_recording_; }
  /// Returns whether work on this stream is part of the call. A warm-up may work anywhere.
  bool takes_work_of(Device device, const void* stream) const {
    return !is_recording_ || (device == device_ && stream == stream_);
  }

  /// Adds an object, unless it was added before. The objects of the recording live as long as the
  /// graph. Those of a warm-up take part in no replay, but live until the end of the call: so it
  /// leaves behind as much memory as the recording needs. Objects are released in the reverse
  /// order.
  void add(Replayable& object);
  /// Makes an object of `args` and adds it.
  template <class T, class... Args>
  T& make(Args&&... args) {
    const Ref<T> made = make_ref<T>(std::forward<Args>(args)...);
    add(*made);
    return *made;
  }
  /// Returns the call's only T, which is made of `args` and added at the first use. A type is known
  /// by its name, which shared objects agree on and which needs no RTTI.
  template <class T, class... Args>
  T& single(Args&&... args) {
    Replayable*& known = single_of(name_holding_type<T>());
    if (known == nullptr) known = &make<T>(std::forward<Args>(args)...);
    return static_cast<T&>(*known);
  }
  bool contains(const Replayable& object) const;

  /// Returns memory that an object of the call writes before replays. It lives as long as the graph
  /// and has no other use in the call. If a recording asks for more than its warm-ups did, it is
  /// refused with the reason `what`, which follows the words "the callable".
  void* memory(Device device, std::int64_t bytes, std::string_view what);

  /// `owner` begins something that has to end within the call, or ends it. `what`, a literal, names
  /// it in an error message.
  void open(const void* owner, std::string_view what);
  void close(const void* owner, std::string_view what) noexcept;

  /// Lets finish() throw an error with this message. The first message counts.
  void refuse(std::string_view message);

  // --- called by Graph ---------------------------------------------------------------------------

  /// Ends the call. Throws if it was refused, or if something does not begin and end within it.
  void finish() const;
  void before_replay() const;
  void after_replay() const;

 private:
  Replayable*& single_of(std::string_view type);

  Device device_;
  void* stream_;
  std::shared_ptr<GraphMemory> memory_;
  std::uint64_t id_;
  bool is_recording_;
  struct Notes;
  const std::unique_ptr<Notes> notes_;
};

/// While it exists, `capture` is this thread's current call.
class CaptureScope {
 public:
  [[nodiscard]] explicit CaptureScope(Capture& capture);
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;
  ~CaptureScope();
};

/// Whether this thread is in a call of a Graph's function, be it a warm-up or the recording.
bool in_graph_call();
/// Whether it is in the recording: what it enqueues now is done by replays, and not before.
bool in_recording();
/// The id of the call; 0 outside. What was computed under one id is not current under another:
/// replays do the work of the recording alone.
std::uint64_t capture_id();
/// Capture::open and close of the current call; nothing outside.
void open_in_graph_call(const void* owner, std::string_view what);
void close_in_graph_call(const void* owner, std::string_view what) noexcept;

[[noreturn, gnu::cold]] void throw_refusal(const MessagePart* parts, std::size_t count);

/// Throws the parts as one message. The current call, if there is one, then gives no graph, even if
/// its function catches the exception.
template <class... Parts>
[[noreturn, gnu::cold]] void refuse(const Parts&... parts) {
  const MessagePart list[] = {MessagePart(parts)...};
  throw_refusal(list, sizeof...(parts));
}

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/device/capture.ipp"
#endif
