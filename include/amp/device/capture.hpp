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
#include <string_view>
#include <vector>

#include "amp/core/error.hpp"
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

  Capture(Device device, void* stream, std::uint64_t id, Graph& graph, bool is_recording);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();

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
  void wrote(RefCounted& memory, Bump bump);
  bool writes(RefCounted& memory) const;

  /// `call` brings to the device what the host may have changed since: a learning rate. Called
  /// before each launch, on the stream that it goes to; whatever it refers to outlives the graph.
  /// It may not wait for the device.
  void before_replay(std::function<void()> call);
  /// `call` looks at what the recorded function left behind; called once, when it returned.
  void when_recorded(std::function<void()> call);
  /// `call` notes what a replay, now enqueued, leaves behind.
  void after_replay(std::function<void()> call);

  void end_recording() const;
  void prepare_replay() const;
  void end_replay() const;

  /// Something begins that has to end within the call: `what`, a literal, tells it in an error
  /// message.
  void open(const void* owner, std::string_view what);
  void close(const void* owner, std::string_view what) noexcept;
  void require_closed() const;

  /// Random numbers of the device: a replay takes as many blocks as were taken here, from `base`
  /// on.
  RngState* random_base = nullptr;
  std::int64_t random_blocks = 0;

  /// Notes what cannot be recorded. The first is said in the end, also where the callable went on.
  void refuse(std::string_view message);
  void require_accepted() const;

 private:
  Device device_;
  void* stream_;
  std::uint64_t id_;
  Graph& graph_;
  std::size_t asked_for_ = 0;
  bool is_recording_;
  struct Notes;
  const std::unique_ptr<Notes> notes_;
};

/// What this thread is in: a recording, or the warm-ups before it; else null.
Capture* current_capture();
/// The same, null in a warm-up.
Capture* current_recording();
/// 0 outside. What was computed under one id may not be taken for current under another.
std::uint64_t capture_id();

/// Until its end, this thread notes in `capture`.
class CaptureScope {
 public:
  [[nodiscard]] explicit CaptureScope(Capture& capture);
  CaptureScope(const CaptureScope&) = delete;
  CaptureScope& operator=(const CaptureScope&) = delete;
  ~CaptureScope();
};

[[noreturn, gnu::cold]] void throw_refusal(Capture& recording, const MessagePart* parts,
                                           std::size_t count);

/// Throws the parts as one message, and sees to it that no graph comes of `recording`.
template <class... Parts>
[[noreturn, gnu::cold]] void refuse(Capture& recording, const Parts&... parts) {
  const MessagePart list[] = {MessagePart(parts)...};
  throw_refusal(recording, list, sizeof...(parts));
}

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/device/capture.ipp"
#endif
