// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "amp/device/memory.hpp"
#include "amp/distributed/add_ranks.hpp"
#include "amp/distributed/calls.hpp"
#include "amp/distributed/thread_group.hpp"

namespace amp::inline v0 {

/// The data that the threads share. The last rank to enter an operation does the work of all ranks,
/// while the others wait.
struct ThreadGroup::Shared {
  using Kind = detail::RankCall::Kind;
  struct Call {
    Kind kind = Kind::kBarrier;
    TensorView values = {};  // in host memory
    ReduceOp op = ReduceOp::kSum;
    int root = 0;
    detail::RankCaller caller = {};

    std::string text() const {
      detail::RankCall call = detail::RankCall::of(kind, values, op, root);
      call.caller = caller;
      return call.text();
    }
  };

  Shared(int count, const ThreadGroupOptions& given) : size(count), options(given) {
    calls.resize(static_cast<std::size_t>(count));
    ended.resize(static_cast<std::size_t>(count));
  }

  /// Runs one operation. Returns the failure, or an empty string.
  std::string run(int rank, const Call& call) {
    std::unique_lock lock(mutex);
    if (!failure.empty()) return failure;
    calls[static_cast<std::size_t>(rank)] = call;
    if (++arrived == size) {
      finish();
    } else {
      const std::uint64_t own = generation;
      const bool in_time = changed.wait_for(lock, options.timeout, [&] {
        return generation != own || !failure.empty() || someone_ended();
      });
      if (generation == own && failure.empty()) {
        fail(in_time ? list(true) + " has ended"
                     : list(false) + " did not come to " + call.text() + " within " +
                           detail::to_text(options.timeout.count()) + " ms");
      }
      if (generation != own) return failed_generation == own ? failure : std::string();
    }
    return failure;
  }
  void fail(std::string text) {
    if (failure.empty()) failure = std::move(text);
    changed.notify_all();
  }

  const int size;
  const ThreadGroupOptions options;
  std::mutex mutex;
  std::condition_variable changed;
  std::string failure;
  std::vector<std::optional<Call>> calls;  // of the ranks that have entered the operation
  std::vector<bool> ended;                 // ranks whose thread of run() has returned
  std::vector<std::unique_ptr<Communicator>> ranks;

 private:
  /// Lists the ranks that have not entered the operation, or only the ended ones among them, as
  /// "rank 1, rank 3".
  std::string list(bool only_ended) const {
    std::string text;
    for (std::size_t r = 0; r < calls.size(); ++r) {
      if (!calls[r] && (ended[r] || !only_ended))
        text += (text.empty() ? "rank " : ", rank ") + detail::to_text(r);
    }
    return text;
  }
  bool someone_ended() const {
    for (std::size_t r = 0; r < calls.size(); ++r) {
      if (ended[r] && !calls[r]) return true;
    }
    return false;
  }
  /// Ends the operation, after all ranks have entered it.
  void finish() {
    const Call& first = *calls[0];
    for (int r = 1; r < size && failure.empty(); ++r) {
      const std::string own = first.text(), other = calls[static_cast<std::size_t>(r)]->text();
      if (own != other)
        fail("the ranks make different calls: rank 0 " + own + ", rank " + detail::to_text(r) +
             " " + other);
    }
    if (failure.empty()) {
      work(first);
    } else {
      failed_generation = generation;
    }
    for (auto& call : calls) call.reset();
    arrived = 0;
    ++generation;
    changed.notify_all();
  }
  void work(const Call& call) const {
    std::vector<const void*> parts;
    for (const auto& each : calls) parts.push_back(each->values.data);
    const std::int64_t numel = call.values.numel, item = item_size(call.values.dtype);
    const auto bytes = static_cast<std::size_t>(numel * item);
    std::vector<unsigned char> result(bytes);
    const auto to_all = [&] {
      for (const auto& each : calls) std::memcpy(each->values.data, result.data(), bytes);
    };
    if (call.kind == Kind::kAllReduce && call.op == ReduceOp::kSum) {
      detail::add_ranks(parts, call.values.dtype, result.data(), numel);
      to_all();
    } else if (call.kind == Kind::kAllReduce) {
      auto* const any = reinterpret_cast<float*>(result.data());
      for (std::int64_t i = 0; i < numel; ++i) {
        for (const void* const part : parts) {
          if (static_cast<const float*>(part)[i] != 0) any[i] = 1;
        }
      }
      to_all();
    } else if (call.kind == Kind::kReduceScatter) {
      detail::add_ranks(parts, call.values.dtype, result.data(), numel);
      for (std::size_t r = 0; r < parts.size(); ++r) {
        const std::size_t part = bytes / parts.size();
        std::memcpy(static_cast<char*>(calls[r]->values.data) + r * part, result.data() + r * part,
                    part);
      }
    } else if (call.kind == Kind::kAllGather) {
      const std::size_t part = bytes / parts.size();
      for (std::size_t r = 0; r < parts.size(); ++r)
        std::memcpy(result.data() + r * part, static_cast<const char*>(parts[r]) + r * part, part);
      to_all();
    } else if (call.kind == Kind::kBroadcast) {
      std::memcpy(result.data(), parts[static_cast<std::size_t>(call.root)], bytes);
      to_all();
    }
  }

  int arrived = 0;
  std::uint64_t generation = 0, failed_generation = ~std::uint64_t{0};
};

class ThreadGroup::Rank final : public Communicator {
 public:
  Rank(int rank, Shared& shared) : Communicator(rank, shared.size), shared_(shared) {}

  bool takes(Device) const override { return true; }
  std::string_view engine() const override { return "threads"; }

 protected:
  using Kind = Shared::Kind;

  Collective begin_all_reduce(const TensorView& values, ReduceOp op) override {
    return run({.kind = Kind::kAllReduce, .values = values, .op = op});
  }
  Collective begin_reduce_scatter(const TensorView& values) override {
    return run({.kind = Kind::kReduceScatter, .values = values});
  }
  Collective begin_all_gather(const TensorView& values) override {
    return run({.kind = Kind::kAllGather, .values = values});
  }
  Collective begin_broadcast(const TensorView& values, int root) override {
    return run({.kind = Kind::kBroadcast, .values = values, .root = root});
  }
  void run_barrier() override { run({.kind = Kind::kBarrier}); }

 private:
  Collective run(Shared::Call call) {
    call.caller = caller();
    const TensorView values = call.values;
    const std::int64_t bytes = values.numel * item_size(values.dtype);
    std::vector<unsigned char> copy;
    if (values.device.type != kCPU) {
      copy.resize(static_cast<std::size_t>(bytes));
      copy_bytes(kCPU, copy.data(), values.device, values.data, bytes);
      call.values.data = copy.data();
    }
    if (std::string failure = shared_.run(rank(), call); !failure.empty()) fail(std::move(failure));
    if (values.device.type != kCPU)
      copy_bytes(values.device, values.data, kCPU, copy.data(), bytes);
    return {};
  }

  Shared& shared_;
};

AMP_COLD ThreadGroup::ThreadGroup(int size, const ThreadGroupOptions& options) {
  AMP_CHECK(size >= 1, "ThreadGroup: `size` must be at least 1, but is ", size);
  AMP_CHECK(options.timeout.count() > 0, "ThreadGroup: `timeout` must be above 0, but is ",
            options.timeout.count(), " ms");
  detail::or_out_of_memory([&] {
    shared_ = std::make_unique<Shared>(size, options);
    for (int r = 0; r < size; ++r) shared_->ranks.push_back(std::make_unique<Rank>(r, *shared_));
  });
}

AMP_COLD ThreadGroup::~ThreadGroup() = default;

AMP_COLD int ThreadGroup::size() const { return shared_->size; }

AMP_COLD Communicator& ThreadGroup::communicator(int rank) {
  AMP_CHECK(rank >= 0 && rank < size(), "ThreadGroup: `rank` must lie in [0, ", size(),
            "), but is ", rank);
  return *shared_->ranks[static_cast<std::size_t>(rank)];
}

AMP_COLD void ThreadGroup::run(int size, FunctionRef<void(Communicator&)> body,
                               const ThreadGroupOptions& options) {
  ThreadGroup group(size, options);
  Shared& shared = *group.shared_;
  std::exception_ptr first;
  const auto run_rank = [&](int rank) {
    std::string failure;
    std::exception_ptr thrown;
    try {
      body(group.communicator(rank));
    } catch (const std::exception& error) {
      thrown = std::current_exception();
      failure = error.what();
    } catch (...) {
      thrown = std::current_exception();
      failure = "an exception that is no std::exception";
    }
    const std::lock_guard lock(shared.mutex);
    if (thrown && !first) first = thrown;
    if (thrown) shared.fail("rank " + detail::to_text(rank) + " has thrown: " + failure);
    shared.ended[static_cast<std::size_t>(rank)] = true;
    shared.changed.notify_all();
  };
  std::vector<std::thread> threads;
  try {
    for (int r = 0; r < size; ++r) threads.emplace_back(run_rank, r);
  } catch (const std::exception& error) {  // no thread could be started
    const std::lock_guard lock(shared.mutex);
    if (!first) first = std::make_exception_ptr(Error(std::string("ThreadGroup: ") + error.what()));
    shared.fail("a rank could not be started");
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace amp::inline v0
