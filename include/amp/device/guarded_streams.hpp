// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The streams to which StreamGuards direct work, of all threads.
#pragma once

#include <vector>

#include "amp/core/function_ref.hpp"
#include "amp/core/globals.hpp"

namespace amp::inline v0::detail {

struct AMP_EXPORT GuardedStreams {
  struct Entry {
    int device;
    void* stream;
  };
  std::vector<Entry> entries = {};  // one for each guard
};

/// Whether is_meant(stream) for one of them on the device. No guard ends meanwhile, so the streams
/// exist.
bool any_guarded_stream(int device, FunctionRef<bool(void*)> is_meant);

}  // namespace amp::inline v0::detail
