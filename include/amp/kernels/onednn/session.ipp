// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/kernels/onednn/session.hpp"

#if AMP_USE_ONEDNN

#include <chrono>
#include <cstdlib>
#include <thread>

#include "amp/core/error.hpp"
#include "amp/core/globals.ipp"

namespace amp::inline v0 {
namespace kernels::host::onednn {

AMP_INLINE Sessions::Counts& Sessions::renewed(Counts* known) {
  Counts* const fresh = amp::detail::or_out_of_memory([] { return new Counts(); });
  if (counts_.compare_exchange_strong(known, fresh)) return *fresh;  // the parent's stay
  delete fresh;
  return *known;
}

/// Registers close(), so that it runs before the destructors that were registered until now.
AMP_INLINE void Sessions::watch_exit() {
  // The C library's list of handlers has a mutex, which a child that is forked meanwhile would find
  // locked for ever. This lock lets a fork wait.
  const amp::detail::ProcessLock lock(amp::detail::LockOf::kPrimitives);
  if (has_news_.exchange(false)) (void)std::atexit(close);  // fails only without memory
}

AMP_INLINE void Sessions::close() noexcept {
  const ThreadUse& mine = thread_state<ThreadUse>();
  Sessions& all = here();
  all.closed_ = true;
  // If a signal handler called exit() within a kernel, others may wait for this thread.
  if (mine.depth != 0) return;
  Counts* const counts = all.counts_;
  if (counts == nullptr || counts->forks != amp::detail::fork_count()) return;
  for (Counts::Stripe& stripe : counts->stripes) {
    while (stripe.open > 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

}  // namespace kernels::host::onednn

AMP_THREAD_STATE(kernels::host::onednn::ThreadUse);
AMP_PROCESS_STATE(kernels::host::onednn::Sessions);

}  // namespace amp::inline v0

#endif
