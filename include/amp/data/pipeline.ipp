// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <iterator>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/data/pipeline.hpp"
#include "amp/device/parallel.hpp"

namespace amp::inline v0::data::detail {

AMP_COLD Pipeline::Pipeline(std::int64_t workers, std::int64_t slots)
    : workers_(workers),
      signals_(std::make_unique<Signals>()),
      states_(static_cast<std::size_t>(slots), State::kEmpty),
      errors_(states_.size()) {}

AMP_COLD Pipeline::~Pipeline() = default;

AMP_COLD bool Pipeline::is_forked() const {
  return !threads_.empty() && forks_ != amp::detail::fork_count();
}

AMP_COLD void Pipeline::require_own_process() const {
  AMP_CHECK(!is_forked(),
            "DataLoader: its workers belong to the process from which this one was forked; make "
            "the loader after the fork");
}

AMP_COLD void Pipeline::start_threads() {
  forks_ = amp::detail::fork_count();
  try {
    while (std::ssize(threads_) < workers_) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the system allows no more: go on with these
    workers_ = std::ssize(threads_);
  }
}

AMP_COLD void Pipeline::start(std::int64_t first, std::int64_t end) {
  require_own_process();
  if (std::ssize(threads_) < workers_) start_threads();
  {
    const std::lock_guard lock(signals_->mutex);
    next_made_ = next_taken_ = first;
    end_ = end;
  }
  signals_->wake.notify_all();
}

AMP_COLD std::size_t Pipeline::wait() {
  require_own_process();
  const auto slot = static_cast<std::size_t>(next_taken_ % slots());
  std::exception_ptr error;
  if (threads_.empty()) {
    states_[slot] = made(next_taken_, slot);
  }
  {
    std::unique_lock lock(signals_->mutex);
    signals_->done.wait(lock, [&] { return states_[slot] != State::kEmpty; });
    if (states_[slot] == State::kMade) return slot;
    error = std::exchange(errors_[slot], {});
  }
  free(slot);
  std::rethrow_exception(error);
}

AMP_COLD void Pipeline::free(std::size_t slot) {
  {
    const std::lock_guard lock(signals_->mutex);
    states_[slot] = State::kEmpty;
    ++next_taken_;
  }
  signals_->wake.notify_one();
}

AMP_COLD auto Pipeline::made(std::int64_t batch, std::size_t slot) noexcept -> State {
  try {
    make(batch, slot);
    return State::kMade;
  } catch (...) {
    errors_[slot] = std::current_exception();
    return State::kFailed;
  }
}

AMP_COLD void Pipeline::work() {
  amp::detail::compute_alone();
  std::unique_lock lock(signals_->mutex);
  for (;;) {
    signals_->wake.wait(
        lock, [&] { return ending_ || (next_made_ < end_ && next_made_ < next_taken_ + slots()); });
    if (ending_) return;
    const std::int64_t batch = next_made_++;
    const auto slot = static_cast<std::size_t>(batch % slots());
    ++active_;
    lock.unlock();
    const State state = made(batch, slot);
    lock.lock();
    states_[slot] = state;
    --active_;
    signals_->done.notify_all();
  }
}

AMP_COLD void Pipeline::stop() noexcept {
  if (is_forked()) return;
  std::unique_lock lock(signals_->mutex);
  end_ = next_made_;
  stopping_ = true;
  signals_->done.wait(lock, [&] { return active_ == 0; });
  stopping_ = false;
  for (State& state : states_) state = State::kEmpty;
  for (std::exception_ptr& error : errors_) error = {};
}

AMP_COLD void Pipeline::join() noexcept {
  const bool forked = is_forked();
  if (!forked) {
    stop();
    {
      const std::lock_guard lock(signals_->mutex);
      ending_ = true;
    }
    signals_->wake.notify_all();
  }
  for (std::thread& thread : threads_) forked ? thread.detach() : thread.join();
  threads_.clear();
  if (forked) (void)signals_.release();  // for ever locked, or awaited by threads of the parent
}

}  // namespace amp::inline v0::data::detail
