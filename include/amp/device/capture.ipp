// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

#include "amp/core/address_set.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/device/capture.hpp"
#include "amp/device/memory.hpp"

namespace amp::inline v0 {
namespace detail {

struct AMP_EXPORT CurrentCapture {
  Capture* capture = nullptr;
};
struct AMP_EXPORT CaptureIds {
  std::atomic<std::uint64_t> last = 0;
};

AMP_COLD std::uint64_t new_capture_id() {
  return process_state<CaptureIds>().last.fetch_add(1) + 1;
}

AMP_COLD GraphMemory::GraphMemory() : id_(new_capture_id()) {}
AMP_COLD GraphMemory::~GraphMemory() {
  for (const Block& block : blocks_) deallocate(block.device, block.memory, block.bytes);
}
AMP_COLD void GraphMemory::begin_call() {
  for (Block& block : blocks_) block.is_taken = false;
}
AMP_COLD void* GraphMemory::take(Device device, std::int64_t bytes, bool may_allocate) {
  Block* best = nullptr;
  for (Block& block : blocks_) {
    if (block.is_taken || block.device != device || block.bytes < bytes) continue;
    if (best == nullptr || block.bytes < best->bytes) best = &block;
  }
  if (best == nullptr) {
    if (!may_allocate) return nullptr;
    blocks_.reserve(blocks_.size() + 1);
    best = &blocks_.emplace_back(Block{device, bytes, allocate(device, bytes), true});
  }
  best->is_taken = true;
  return best->memory;
}

struct Capture::Notes {
  std::vector<Ref<Replayable>> objects = {};
  AddressSet known = {};
  std::unordered_map<std::string_view, Replayable*> singles = {};
  std::unordered_map<const void*, std::string_view> open = {};
  std::string_view stray = {};
  std::string refused = {};
};

AMP_COLD Capture::Capture(Device device, void* stream, std::shared_ptr<GraphMemory> memory,
                          bool is_recording)
    : device_(device),
      stream_(stream),
      memory_(std::move(memory)),
      id_(new_capture_id()),
      is_recording_(is_recording),
      notes_(std::make_unique<Notes>()) {
  memory_->begin_call();
}
AMP_COLD Capture::~Capture() {
  while (!notes_->objects.empty()) notes_->objects.pop_back();
}

AMP_INLINE void Capture::add(Replayable& object) {
  if (contains(object)) return;
  notes_->objects.emplace_back(&object);
  notes_->known.insert(&object);
}
AMP_INLINE bool Capture::contains(const Replayable& object) const {
  return notes_->known.contains(&object);
}
AMP_INLINE Replayable*& Capture::single_of(std::string_view type) { return notes_->singles[type]; }

AMP_COLD void* Capture::memory(Device device, std::int64_t bytes, std::string_view what) {
  if (bytes == 0) return nullptr;
  void* const taken = memory_->take(device, bytes, !is_recording_);
  if (taken == nullptr)
    amp::detail::refuse("Graph: the callable ", what, "; every call has to do the same");
  return taken;
}

AMP_COLD void Capture::open(const void* owner, std::string_view what) {
  notes_->open.insert_or_assign(owner, what);
}
AMP_COLD void Capture::close(const void* owner, std::string_view what) noexcept {
  if (notes_->open.erase(owner) == 0 && notes_->stray.empty()) notes_->stray = what;
}
AMP_COLD void Capture::refuse(std::string_view message) {
  if (notes_->refused.empty()) notes_->refused = message;
}

AMP_COLD void Capture::finish() const {
  if (!notes_->refused.empty()) throw Error(notes_->refused);
  AMP_CHECK(notes_->stray.empty(), "Graph: the callable ends ", notes_->stray,
            ", which it did not begin; record whole steps");
  if (!notes_->open.empty()) {
    fail("Graph: the callable does not end ", notes_->open.begin()->second, "; record whole steps");
  }
  if (!is_recording_) return;
  for (const auto& object : notes_->objects) object->after_recording();
}
AMP_COLD void Capture::before_replay() const {
  for (const auto& object : notes_->objects) object->before_replay();
}
AMP_COLD void Capture::after_replay() const {
  for (std::size_t i = notes_->objects.size(); i-- > 0;) notes_->objects[i]->after_replay();
}

AMP_INLINE Capture* Capture::current() { return thread_state<CurrentCapture>().capture; }

AMP_INLINE CaptureScope::CaptureScope(Capture& capture) {
  thread_state<CurrentCapture>().capture = &capture;
}
AMP_INLINE CaptureScope::~CaptureScope() { thread_state<CurrentCapture>().capture = nullptr; }

AMP_INLINE bool in_graph_call() { return Capture::current() != nullptr; }
AMP_INLINE bool in_recording() {
  const Capture* const call = Capture::current();
  return call != nullptr && call->is_recording();
}
AMP_INLINE std::uint64_t capture_id() {
  const Capture* const call = Capture::current();
  return call != nullptr ? call->id() : 0;
}
AMP_INLINE void open_in_graph_call(const void* owner, std::string_view what) {
  if (Capture* const call = Capture::current()) call->open(owner, what);
}
AMP_INLINE void close_in_graph_call(const void* owner, std::string_view what) noexcept {
  if (Capture* const call = Capture::current()) call->close(owner, what);
}

AMP_COLD void throw_refusal(const MessagePart* parts, std::size_t count) {
  try {
    throw_error(parts, count);
  } catch (const Error& error) {
    if (Capture* const call = Capture::current()) call->refuse(error.what());
    throw;
  }
}

}  // namespace detail

AMP_THREAD_STATE(detail::CurrentCapture);
AMP_PROCESS_STATE(detail::CaptureIds);

}  // namespace amp::inline v0
