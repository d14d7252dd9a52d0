// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a thread notes while it records its work on a device, to be replayed without host code: the
// layers above leave here what a replay has to do in their place. Knows no device's interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/refcount.hpp"
#include "amp/device/device.hpp"
#include "amp/device/rng_state.hpp"

namespace amp::inline v0::detail {

/// Of one call of the recorded function: of a warm-up, which does its work, or of the recording,
/// which does none.
class AMP_EXPORT Capture {
 public:
  using Bump = void (*)(RefCounted&);

  /// What the calls of one graph share. Its memory is nobody else's: a temporary's may be another's
  /// later in the same call.
  struct Graph {
    std::uint64_t id;  // not 0
    std::vector<std::shared_ptr<void>> kept = {};
  };

  Capture(Device device, void* stream, std::uint64_t id, Graph& graph, bool is_recording)
      : device_(device), stream_(stream), id_(id), graph_(graph), is_recording_(is_recording) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  Device device() const { return device_; }
  void* stream() const { return stream_; }
  /// Of this call alone, never 0: what was computed under another is not there at each replay.
  std::uint64_t id() const { return id_; }
  bool is_recording() const { return is_recording_; }
  std::uint64_t graph() const { return graph_.id; }

  /// The nth object asked for in this call is the nth of the warm-up before: made once, it lives
  /// until the graph is destroyed. All are of one type.
  template <class T>
  T& kept() {
    if (asked_for_ == graph_.kept.size()) graph_.kept.push_back(std::make_shared<T>());
    return *static_cast<T*>(graph_.kept[asked_for_++].get());
  }

  /// The work writes `memory`: each replay calls bump(memory), and the graph keeps it.
  void wrote(RefCounted& memory, Bump bump) {
    written_.try_emplace(&memory, Ref<RefCounted>(&memory), bump);
  }
  bool writes(RefCounted& memory) const { return written_.contains(&memory); }

  /// `call` brings to the device what the host may have changed since: a learning rate. Called
  /// before each launch, on the stream that it goes to; whatever it refers to outlives the graph.
  /// It may not wait for the device.
  void before_replay(std::function<void()> call) { before_replay_.push_back(std::move(call)); }
  /// `call` looks at what the recorded function left behind; called once, when it returned.
  void when_recorded(std::function<void()> call) { when_recorded_.push_back(std::move(call)); }
  /// `call` notes what a replay, now enqueued, leaves behind.
  void after_replay(std::function<void()> call) { after_replay_.push_back(std::move(call)); }

  void end_recording() const {
    for (const auto& call : when_recorded_) call();
  }
  void prepare_replay() const {
    for (const auto& call : before_replay_) call();
  }
  void end_replay() const {
    for (const auto& [memory, entry] : written_) entry.second(*memory);
    for (const auto& call : after_replay_) call();
  }

  /// Something begins that has to end within the call: `what`, a literal, tells it in an error
  /// message.
  void open(const void* owner, std::string_view what) { open_.insert_or_assign(owner, what); }
  void close(const void* owner, std::string_view what) noexcept {
    if (open_.erase(owner) == 0 && stray_.empty()) stray_ = what;
  }
  void require_closed() const {
    AMP_CHECK(stray_.empty(), "Graph: the callable ends ", stray_,
              ", which it did not begin; record whole steps");
    if (!open_.empty())
      fail("Graph: the callable does not end ", open_.begin()->second, "; record whole steps");
  }

  /// Random numbers of the device: a replay takes as many blocks as were taken here, from `base`
  /// on.
  RngState* random_base = nullptr;
  std::int64_t random_blocks = 0;

  /// Notes what cannot be recorded. The first is said in the end, also where the callable went on.
  void refuse(std::string_view message) {
    if (refused_.empty()) refused_ = message;
  }
  void require_accepted() const {
    if (!refused_.empty()) throw Error(refused_);
  }

 private:
  Device device_;
  void* stream_;
  std::uint64_t id_;
  Graph& graph_;
  std::size_t asked_for_ = 0;
  bool is_recording_;
  std::unordered_map<RefCounted*, std::pair<Ref<RefCounted>, Bump>> written_;
  std::vector<std::function<void()>> before_replay_, when_recorded_, after_replay_;
  std::unordered_map<const void*, std::string_view> open_;
  std::string_view stray_;
  std::string refused_;
};

struct AMP_EXPORT CurrentCapture {
  Capture* capture = nullptr;
};

/// What this thread is in: a recording, or the warm-ups before it; else null.
inline Capture* current_capture() { return thread_state<CurrentCapture>().capture; }
/// The same, null in a warm-up.
inline Capture* current_recording() {
  Capture* const capture = current_capture();
  return capture != nullptr && capture->is_recording() ? capture : nullptr;
}
/// 0 outside. What was computed under one id may not be taken for current under another.
inline std::uint64_t capture_id() {
  const Capture* const capture = current_capture();
  return capture != nullptr ? capture->id() : 0;
}

/// Until its end, this thread notes in `capture`.
class CaptureScope {
 public:
  [[nodiscard]] explicit CaptureScope(Capture& capture) {
    thread_state<CurrentCapture>().capture = &capture;
  }
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;
  ~CaptureScope() { thread_state<CurrentCapture>().capture = nullptr; }
};

/// Throws the parts as one message, and sees to it that no graph comes of `recording`.
template <class... Parts>
[[noreturn, gnu::cold]] void refuse(Capture& recording, const Parts&... parts) {
  try {
    fail(parts...);
  } catch (const Error& error) {
    recording.refuse(error.what());
    throw;
  }
}

}  // namespace amp::inline v0::detail
