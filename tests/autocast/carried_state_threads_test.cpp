// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// autocast(state, callable): a state that other threads enter with a task.
#include <amp/amp.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace carried_state_threads {

using amp::Tensor;

namespace {

Tensor product(const Tensor& x) { return amp::matmul(x, x); }

/// One thread that runs what it is given, in order.
class Worker {
 public:
  ~Worker() {
    submit({});
    thread_.join();
  }
  void submit(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
  }

 private:
  void run() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task) return;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_{[this] { run(); }};
};

}  // namespace

TEST_CASE("threads: a task under a carried state computes what it does inline") {
  const Tensor x = amp::randn({8, 8});
  Tensor here, there;
  amp::DType after = amp::kFloat16;
  {
    Worker worker;
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    here = product(x);
    worker.submit(amp::autocast(amp::autocast_state(), [&] { there = product(x); }));
    worker.submit([&] { after = product(x).dtype(); });
  }
  REQUIRE(there.dtype() == amp::kFloat16);
  CHECK(there.to(amp::kFloat32).to_vector<float>() == here.to(amp::kFloat32).to_vector<float>());
  CHECK(after == amp::kFloat32);
}

TEST_CASE("threads: arguments, results and errors pass through") {
  const amp::AutocastState off = amp::autocast_state();
  auto add = amp::autocast(off, [calls = 0](int a, int& b) mutable {
    b += a;
    return ++calls;
  });
  int sum = 1;
  CHECK(add(2, sum) == 1);
  CHECK(add(3, sum) == 2);
  CHECK(sum == 6);
  const auto same = amp::autocast(off, [](int& value) -> int& { return value; });
  CHECK(&same(sum) == &sum);

  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kFloat16});
  const auto thrower = amp::autocast(off, [] {
    CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
    throw amp::Error("thrown in the task");
  });
  CHECK_THROWS_AS(thrower(), amp::Error);
  CHECK(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("threads: two states at once never mix") {
  const Tensor x = amp::ones({4, 4}), w = amp::ones({4, 4}, {.requires_grad = true});
  std::atomic<int> wrong = 0;
  const auto task = [&](amp::DType dtype) {
    amp::AutocastState state;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = dtype});
      state = amp::autocast_state();
    }
    return amp::autocast(state, [&, dtype] {
      if (amp::matmul(x, w).dtype() != dtype || amp::autocast_dtype(amp::kCPU) != dtype) ++wrong;
    });
  };
  const auto half = task(amp::kFloat16), brain = task(amp::kBFloat16);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        t % 2 == 0 ? half() : brain();  // threads 0 and 2 and threads 1 and 3 share one callable
        if (i % 7 == t) t % 2 == 0 ? brain() : half();
        if (amp::is_autocast_enabled(amp::kCPU)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads: a producer prepares batches in the consumer's precision") {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Tensor> queue;
  const amp::nn::Linear project(4, 4);
  std::vector<amp::DType> dtypes;
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"exp", amp::OpPolicy::kPassthrough}}});
  std::thread producer(amp::autocast(amp::autocast_state(), [&] {
    for (int i = 0; i < 20; ++i) {
      const amp::NoGradGuard no_grad;
      const Tensor batch = amp::exp(project(amp::ones({2, 4})));
      const std::lock_guard lock(mutex);
      queue.push_back(batch);
      changed.notify_one();
    }
  }));
  for (int i = 0; i < 20; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !queue.empty(); });
    const Tensor batch = queue.front();
    queue.pop_front();
    lock.unlock();
    dtypes.push_back(batch.dtype());
    dtypes.push_back(project(batch).dtype());
  }
  producer.join();
  CHECK(dtypes == std::vector<amp::DType>(40, amp::kFloat16));
}

TEST_CASE("threads: lists of policies by module are made by several at once") {
  struct Net : amp::nn::Layer<Net> {
    amp::nn::Linear fc{register_module("fc", amp::nn::Linear(4, 4))};
    Tensor forward(const Tensor& x) const { return fc(x); }
  };
  const Net net;
  static constexpr amp::CustomOp kAtOnce("registered_at_once", amp::OpPolicy::kLowPrecision);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string other = "other" + std::to_string(i) + "/";
        const amp::AutocastGuard autocast(
            amp::kCPU, {.dtype = amp::kFloat16,
                        .policies = {{"fc/", t % 2 == 0 ? amp::OpPolicy::kFloat32
                                                        : amp::OpPolicy::kLowPrecision},
                                     {other, amp::OpPolicy::kFloat32}}});
        if (net(amp::ones({1, 4})).dtype() != (t % 2 == 0 ? amp::kFloat32 : amp::kFloat16)) ++wrong;
        const Tensor y = amp::autocast_call(
            kAtOnce, [](const Tensor& x) { return amp::neg(x); }, amp::ones({1}));
        if (y.dtype() != amp::kFloat16) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace carried_state_threads
