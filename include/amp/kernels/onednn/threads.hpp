// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The threads that run oneDNN. amp divides the work and runs the parts on its own threads; oneDNN
// computes each part on the thread that calls it. So a process has one set of threads, and a fork,
// a second user thread and AMP_NUM_THREADS act on it as for all other kernels.
#pragma once

#include "amp/kernels/onednn/api.hpp"
#include "amp/kernels/onednn/session.hpp"

#if AMP_USE_ONEDNN

namespace amp::inline v0::kernels::host::onednn {

/// While it exists, within a session, oneDNN runs the calls of this thread on this thread only.
/// OpenMP stores the number for each thread separately, so no other thread sees the change.
class OnThisThread {
 public:
  OnThisThread() {
    const Library& found = library();
    ++thread_state<ThreadUse>().depth;
    if (found.max_threads == nullptr || found.set_threads == nullptr) return;
    before_ = found.max_threads();
    if (before_ != 1) found.set_threads(1);
  }
  ~OnThisThread() {
    --thread_state<ThreadUse>().depth;
    if (before_ != 1) library().set_threads(before_);
  }
  OnThisThread(const OnThisThread&) = delete;
  OnThisThread& operator=(const OnThisThread&) = delete;

 private:
  int before_ = 1;
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif
