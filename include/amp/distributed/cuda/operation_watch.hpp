// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Operations of a communicator on a CUDA device, for which the host does not wait, and a thread
// that detects operations that do not end.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "amp/core/warning.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/distributed/calls.hpp"
#include "amp/distributed/communicator.hpp"

namespace amp::inline v0::cuda::detail {

using Operation = amp::detail::RankNotice;

/// The operations of one communicator. Several times a second, a thread checks whether the engine
/// reports an error, or the oldest operation has taken longer than the timeout. If so, it prints a
/// warning and aborts the engine's operations, so that the device's streams can go on, and every
/// later call throws. The operations share ownership, since they may outlive the communicator.
class OperationWatch : public RefCounted {
 public:
  using Clock = std::chrono::steady_clock;

  /// An operation that was enqueued.
  struct Work final : Collective::Work {
    Work(const Ref<OperationWatch>& by, const Operation& which, int on, cudaStream_t stream)
        : watch(by), operation(which), device(on), done(on, stream) {}
    void wait() override {
      require_own_process();
      watch->require_working();
      const DeviceGuard guard(device);
      done.let_wait(current(device).handle);
    }
    void destroy() noexcept override {
      if (!is_forked()) delete this;
    }

    Ref<OperationWatch> watch;
    Operation operation;
    int device;
    Event done;
  };

  /// Each message begins with `name`.
  OperationWatch(std::string name, int device, std::chrono::milliseconds timeout)
      : name_(std::move(name)), device_(device), timeout_(timeout) {}

  /// Returns the message of the failure, or an empty string.
  std::string failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }
  void require_working() const {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw CommunicationError(failure_);
  }

  /// Marks that the calling thread uses the engine, until leave() or leave_failed(). Numbers the
  /// operation.
  void enter(Operation& operation) {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw CommunicationError(failure_);
    if (thread_ == nullptr) start();
    operation.number = ++operations_;
    inside_ = operation;
    is_inside_ = true;
    entered_ = Clock::now();
  }
  /// Watches `work` from now on, unless it is null.
  void leave(const Ref<Work>& work) {
    const std::lock_guard lock(mutex_);
    is_inside_ = false;
    if (!failure_.empty()) throw CommunicationError(failure_);
    if (!work) return;
    if (under_way_.empty()) oldest_since_ = Clock::now();
    under_way_.push_back(work);
    while (under_way_.size() > kFew && drop_if_done()) {
    }
  }
  /// Fails with `why`, and throws it, or the earlier failure of the communicator if there is one.
  [[noreturn]] void leave_failed(const Operation& operation, std::string_view why) {
    {
      const std::lock_guard lock(mutex_);
      is_inside_ = false;
    }
    fail(operation.text() + ": " + std::string(why));
    throw CommunicationError(failure());
  }

 protected:
  /// Returns the error that the engine reports, or an empty string. Called under the lock, before
  /// abort(), and only if no thread uses the engine or the timeout of that thread has passed.
  virtual std::string find_error() noexcept = 0;
  /// Ends operations that wait for other ranks. Called at most once; no thread enters afterwards.
  virtual void abort() noexcept = 0;

  const std::string& name() const { return name_; }

  /// Waits for the operations, which are watched until then, and ends the thread. If the
  /// communicator has failed, it does not wait. Returns whether the communicator has not failed.
  bool close() noexcept {
    finish();
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    if (thread_ != nullptr) thread_->join();
    thread_.reset();
    under_way_.clear();
    return failure_.empty();
  }
  /// A forked child does not delete: it has no such thread, and a mutex may have been locked.
  void destroy() noexcept override {
    if (!is_forked()) delete this;
  }

 private:
  // If more operations are pending, each new operation drops the finished ones.
  static constexpr std::size_t kFew = 64;

  /// Sets the failure and aborts. Returns false if there was a failure before.
  bool fail(const std::string& why) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_.empty()) return false;
      failure_ = name_ + ": " + why;
    }
    abort();
    return true;
  }

  void finish() noexcept {
    for (;;) {
      Ref<Work> oldest;
      {
        const std::lock_guard lock(mutex_);
        if (!failure_.empty() || under_way_.empty()) return;
        oldest = under_way_.front();
      }
      try {
        oldest->done.wait();
      } catch (...) {
        fail("the device cannot be waited for");
        return;
      }
      const std::lock_guard lock(mutex_);
      if (!under_way_.empty() && under_way_.front() == oldest) drop_oldest();
    }
  }

  void start() {
    try {
      thread_ = std::make_unique<std::thread>([this] { look_again_and_again(); });
    } catch (const std::system_error& error) {
      amp::detail::fail(name_, ": no thread can be started to watch operations: ", error.what());
    }
  }
  void look_again_and_again() noexcept {
    using std::chrono::milliseconds;
    avoid_new_context(device_);
    const auto pause = std::clamp(timeout_ / 4, milliseconds(1), milliseconds(200));
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, pause, [&] { return is_closing_; })) {
      if (!failure_.empty()) return;
      const std::string problem = find_problem();
      if (problem.empty()) continue;
      lock.unlock();
      if (fail(problem)) amp::detail::warn(failure());
      return;
    }
  }
  std::string find_problem() noexcept {
    try {
      while (drop_if_done()) {
      }
    } catch (const std::exception& error) {  // the device is lost
      return error.what();
    }
    // The engine is not called while another thread uses it, unless that thread is late: the first
    // operations of a kind connect the ranks, and so wait for them on the host.
    const bool is_stuck = is_inside_ && has_passed(entered_);
    if (is_inside_ && !is_stuck) return {};
    const Operation* const oldest = !under_way_.empty() ? &under_way_.front()->operation : nullptr;
    if (const std::string error = find_error(); !error.empty())
      return (oldest != nullptr ? oldest->text() + ": " : std::string()) + error;
    const bool is_late = oldest != nullptr && has_passed(oldest_since_);
    if (!is_late && !is_stuck) return {};
    return (is_late ? *oldest : inside_).text() + " did not end within " +
           amp::detail::to_text(timeout_.count()) +
           " ms; another rank did not come to it, or came too late";
  }
  bool has_passed(Clock::time_point since) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since) > timeout_;
  }
  bool drop_if_done() {
    if (under_way_.empty() || !under_way_.front()->done.has_happened()) return false;
    drop_oldest();
    return true;
  }
  void drop_oldest() {
    under_way_.pop_front();
    oldest_since_ = Clock::now();
  }

  const std::string name_;
  const int device_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<std::thread> thread_;  // from the first operation on

  mutable std::mutex mutex_;  // never held in a call that may wait for other ranks
  std::condition_variable changed_;
  std::string failure_;
  bool is_closing_ = false, is_inside_ = false;
  Operation inside_;
  Clock::time_point entered_, oldest_since_;
  std::int64_t operations_ = 0;
  std::deque<Ref<Work>> under_way_;  // in order; some may be done
};

}  // namespace amp::inline v0::cuda::detail
