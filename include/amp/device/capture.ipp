// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/device/capture.hpp"

namespace amp::inline v0 {
namespace detail {

struct Capture::Notes {
  std::unordered_map<RefCounted*, std::pair<Ref<RefCounted>, Bump>> written = {};
  std::vector<std::function<void()>> before_replay = {}, when_recorded = {}, after_replay = {};
  std::unordered_map<const void*, std::string_view> open = {};
  std::string_view stray = {};
  std::string refused = {};
};

AMP_COLD Capture::Capture(Device device, void* stream, std::uint64_t id, Graph& graph,
                          bool is_recording)
    : device_(device),
      stream_(stream),
      id_(id),
      graph_(graph),
      is_recording_(is_recording),
      notes_(std::make_unique<Notes>()) {}
AMP_COLD Capture::~Capture() = default;

AMP_INLINE void Capture::wrote(RefCounted& memory, Bump bump) {
  notes_->written.try_emplace(&memory, Ref<RefCounted>(&memory), bump);
}
AMP_INLINE bool Capture::writes(RefCounted& memory) const {
  return notes_->written.contains(&memory);
}

AMP_COLD void Capture::before_replay(std::function<void()> call) {
  notes_->before_replay.push_back(std::move(call));
}
AMP_COLD void Capture::when_recorded(std::function<void()> call) {
  notes_->when_recorded.push_back(std::move(call));
}
AMP_COLD void Capture::after_replay(std::function<void()> call) {
  notes_->after_replay.push_back(std::move(call));
}

AMP_COLD void Capture::end_recording() const {
  for (const auto& call : notes_->when_recorded) call();
}
AMP_COLD void Capture::prepare_replay() const {
  for (const auto& call : notes_->before_replay) call();
}
AMP_COLD void Capture::end_replay() const {
  for (const auto& [memory, entry] : notes_->written) entry.second(*memory);
  for (const auto& call : notes_->after_replay) call();
}

AMP_COLD void Capture::open(const void* owner, std::string_view what) {
  notes_->open.insert_or_assign(owner, what);
}
AMP_COLD void Capture::close(const void* owner, std::string_view what) noexcept {
  if (notes_->open.erase(owner) == 0 && notes_->stray.empty()) notes_->stray = what;
}
AMP_COLD void Capture::require_closed() const {
  AMP_CHECK(notes_->stray.empty(), "Graph: the callable ends ", notes_->stray,
            ", which it did not begin; record whole steps");
  if (!notes_->open.empty()) {
    fail("Graph: the callable does not end ", notes_->open.begin()->second, "; record whole steps");
  }
}

AMP_COLD void Capture::refuse(std::string_view message) {
  if (notes_->refused.empty()) notes_->refused = message;
}
AMP_COLD void Capture::require_accepted() const {
  if (!notes_->refused.empty()) throw Error(notes_->refused);
}

struct AMP_EXPORT CurrentCapture {
  Capture* capture = nullptr;
};

AMP_INLINE Capture* current_capture() { return thread_state<CurrentCapture>().capture; }
AMP_INLINE Capture* current_recording() {
  Capture* const capture = current_capture();
  return capture != nullptr && capture->is_recording() ? capture : nullptr;
}
AMP_INLINE std::uint64_t capture_id() {
  const Capture* const capture = current_capture();
  return capture != nullptr ? capture->id() : 0;
}

AMP_INLINE CaptureScope::CaptureScope(Capture& capture) {
  thread_state<CurrentCapture>().capture = &capture;
}
AMP_INLINE CaptureScope::~CaptureScope() { thread_state<CurrentCapture>().capture = nullptr; }

AMP_COLD void throw_refusal(Capture& recording, const MessagePart* parts, std::size_t count) {
  try {
    throw_error(parts, count);
  } catch (const Error& error) {
    recording.refuse(error.what());
    throw;
  }
}

}  // namespace detail

AMP_THREAD_STATE(detail::CurrentCapture);

}  // namespace amp::inline v0
