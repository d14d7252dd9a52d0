// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Decides whether to call a library again for work that it failed to do.
#pragma once

#include <cstdint>
#include <string>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/libraries.hpp"

namespace amp::inline v0::cuda::detail {

/// What a failed call of a library tells about the next one.
enum class Failure : std::uint8_t {
  kLasting,  // it will fail again: the library does not support it
  kUnclear,  // the library does not say why; the device may have been full
  kPassing,  // there was no memory for it
};

/// The history of one problem with a library.
struct Attempt {
  bool ran = false;
  bool noted = false;  // whether the failure was recorded
  int failures = 0;    // the failures that count against the library

  /// After this many failures of unclear reason the library is not called again.
  static constexpr int kMost = 3;
  bool is_given_up() const { return failures >= kMost; }
};

/// Takes down that a library failed to do what it never did before; other kernels then do it. Of a
/// failure in a stream that is captured nothing is kept, since the capture may be its reason.
/// Throws then, unless it is a lasting one: that is said before anything is enqueued, so that other
/// kernels can still become part of the graph.
inline void note_failure(int device, Attempt& attempt, Failure failure,
                         const LibraryRefusal& refusal) {
  const bool captured = amp::detail::in_recording() || is_capturing(device, current_stream(device));
  AMP_CHECK(!captured || failure == Failure::kLasting, refusal.reason, ": ", refusal.problem,
            ", while the stream is captured into a CUDA graph; run it once before the capture");
  if (!captured && failure == Failure::kLasting) attempt.failures = Attempt::kMost;
  if (!captured && failure == Failure::kUnclear) ++attempt.failures;
  if (attempt.noted) return;
  attempt.noted = true;
  note_refusal(refusal);
}

}  // namespace amp::inline v0::cuda::detail
