// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Autocast in a pool of threads: a state that travels with a task makes it compute what it would
// have computed in place, bit for bit, whatever else runs there.
#include <amp/amp.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace pool_threads {
namespace {

using amp::OpPolicy;
using amp::Tensor;
using Values = std::vector<float>;

/// As small as a pool can be: threads that know nothing of autocast, and a queue.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  template <class Body>
  auto run(Body body) {
    auto task = std::make_shared<std::packaged_task<decltype(body())()>>(std::move(body));
    {
      const std::lock_guard lock(mutex_);
      tasks_.push([task] { (*task)(); });
    }
    wake_.notify_one();
    return task->get_future();
  }
  /// In the state that holds here.
  template <class Body>
  auto run_in_state(Body body) {
    return run([state = amp::autocast_state(), body = std::move(body)] {
      const amp::AutocastGuard scope(state);
      return body();
    });
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

/// Numbers that no 16-bit format holds.
Tensor values(std::size_t seed, std::int64_t rows, std::int64_t columns) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    all.push_back(0.1 + 0.317 * static_cast<double>((i * 7 + static_cast<int>(seed) * 3) % 11));
  return amp::tensor(all, {rows, columns}, {.dtype = amp::kFloat32});
}

/// A small network over shared weights; its own gradient, and its result.
struct Work {
  Tensor first, second;
  std::size_t seed;

  std::pair<Values, Values> operator()() const {
    const Tensor x = values(seed, 4, 8).requires_grad_();
    const Tensor hidden = amp::softmax(amp::matmul(x, first), 1);
    const Tensor loss = amp::sum(amp::exp(amp::matmul(hidden, second)) * 0.01);
    loss.backward();
    return {{loss.item<float>()}, x.grad().to_vector<float>()};
  }
};

/// Every kind of scope.
const std::vector<amp::AutocastOptions>& scopes() {
  static const std::vector<amp::AutocastOptions> all = {
      {.enabled = false},
      {.dtype = amp::kFloat16},
      {.dtype = amp::kBFloat16},
      {.dtype = amp::kFloat32},
      {.dtype = amp::kBFloat16, .cache_enabled = false},
      {.dtype = amp::kFloat16,
       .policies = {{"exp", OpPolicy::kPassthrough}, {"softmax", OpPolicy::kFloat32Math}}},
      {.dtype = amp::kBFloat16, .only_low_precision = true},
  };
  return all;
}

}  // namespace

TEST_CASE("pool: forward and backward in a carried state are those in place, bit for bit") {
  const Tensor first = values(1, 8, 8).requires_grad_(), second = values(2, 8, 8).requires_grad_();
  std::vector<std::pair<Values, Values>> in_place;
  Pool pool(3);
  std::vector<std::future<std::pair<Values, Values>>> elsewhere;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t s = 0; s < scopes().size(); ++s) {
      const amp::AutocastGuard scope(amp::kCPU, scopes()[s]);
      const Work work{first, second, s + static_cast<std::size_t>(round)};
      elsewhere.push_back(pool.run_in_state(work));  // runs beside what follows
      in_place.push_back(work());
    }
  }
  bool equal = true;
  for (std::size_t i = 0; i < in_place.size(); ++i)
    equal = equal && elsewhere[i].get() == in_place[i];
  CHECK(equal);
  // And the scopes differ, so that a lost one would show.
  CHECK(in_place[0] != in_place[1]);
  CHECK(in_place[1] != in_place[2]);
  CHECK(in_place[1] != in_place[5]);
  CHECK(in_place[2] != in_place[6]);
}

TEST_CASE("pool: a nested scope travels as one state") {
  Pool pool(2);
  const Tensor x = values(1, 4, 4);
  const amp::AutocastGuard outer(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"exp", OpPolicy::kPassthrough}}});
  const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
  const amp::AutocastGuard inner(amp::kCPU, {.policies = {{"log", OpPolicy::kFloat32Math}}});
  const auto look = [&] {
    return std::array{amp::matmul(x, x).dtype(), amp::exp(x.to(amp::kFloat16)).dtype(),
                      amp::log(x.to(amp::kBFloat16)).dtype(),
                      amp::sum(x.to(amp::kFloat16)).dtype()};
  };
  const std::array expected = {amp::kFloat16, amp::kFloat16, amp::kBFloat16, amp::kFloat32};
  CHECK(look() == expected);
  CHECK(pool.run_in_state(look).get() == expected);
}

TEST_CASE("pool: a task leaves nothing behind on its thread") {
  Pool pool(1);
  const auto state_of_thread = [] {
    return std::pair{amp::is_autocast_enabled(amp::kCPU), amp::autocast_dtype(amp::kCPU)};
  };
  const std::pair outside{false, amp::kBFloat16};
  {
    const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
    CHECK(pool.run_in_state(state_of_thread).get() == std::pair{true, amp::kFloat16});
    CHECK(pool.run(state_of_thread).get() == outside);  // without a state there is none
    auto fails = pool.run_in_state([]() -> int { throw std::runtime_error("a task that fails"); });
    CHECK_THROWS_AS(fails.get(), std::runtime_error);
  }
  CHECK(pool.run(state_of_thread).get() == outside);
}

TEST_CASE("pool: a state outlives its scope and the thread that made it") {
  amp::AutocastState state;
  std::thread([&] {
    const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16, .only_low_precision = true});
    state = amp::autocast_state();
  }).join();
  Pool pool(2);
  const auto seen = pool.run([&] {
                          const amp::AutocastGuard scope(state);
                          return std::pair{amp::autocast_dtype(amp::kCPU), amp::op_policy("exp")};
                        })
                        .get();
  CHECK(seen == std::pair{amp::kFloat16, OpPolicy::kPassthrough});
}

TEST_CASE("pool: two threads train one weight, each in its dtype, and the weight steps between") {
  // Eighths: exact in both dtypes, in whatever order the gradients add up.
  const Tensor w = amp::full({8, 8}, 1, {.requires_grad = true});
  amp::SGD sgd({w}, {.lr = 0.25});
  Pool pool(2);
  float expected = 1;
  std::atomic<int> wrong = 0;
  for (int step = 0; step < 7; ++step) {
    std::vector<std::future<void>> tasks;
    sgd.zero_grad();
    for (int i = 0; i < 8; ++i) {
      const amp::AutocastGuard scope(amp::kCPU,
                                     {.dtype = i % 2 == 0 ? amp::kFloat16 : amp::kBFloat16});
      tasks.push_back(pool.run_in_state([&, i] {
        const Tensor y = amp::matmul(amp::ones({1, 8}), w);
        if (y.dtype() != (i % 2 == 0 ? amp::kFloat16 : amp::kBFloat16)) ++wrong;
        if (y.to_vector<float>() != Values(8, 8 * expected)) ++wrong;  // of this step's weight
        (amp::sum(y) * 0.0625).backward();
      }));
    }
    for (std::future<void>& task : tasks) task.get();
    CHECK(w.grad().to_vector<float>() == Values(64, 0.5F));
    sgd.step();
    expected -= 0.125F;
  }
  CHECK(wrong == 0);
  CHECK(w.to_vector<float>() == Values(64, expected));
}

TEST_CASE("pool: a backward pass goes to another thread, its custom functions in forward's state") {
  const Tensor w = values(1, 4, 4).requires_grad_();
  const auto loss_of = [&](const Tensor& x) {
    return amp::sum(amp::custom_function(
        [](const Tensor& a, const Tensor& b) {
          return std::pair{amp::matmul(a, b), [a, b](const Tensor& grad) {
                             return std::array{amp::matmul(grad, b.t()), amp::matmul(a.t(), grad)};
                           }};
        },
        x, w));
  };
  Pool pool(3);
  const auto gradients = [&](bool in_pool) {
    std::vector<Tensor> inputs;
    std::vector<std::future<void>> tasks;
    for (std::size_t i = 0; i < 24; ++i) {
      const amp::AutocastGuard scope(amp::kCPU, scopes()[i % scopes().size()]);
      inputs.push_back(values(i, 4, 4).requires_grad_());
      const Tensor loss = loss_of(inputs.back());
      if (in_pool) {
        tasks.push_back(pool.run([loss] { loss.backward(); }));
      } else {
        loss.backward();
      }
    }
    for (std::future<void>& task : tasks) task.get();
    std::vector<Values> all;
    for (const Tensor& input : inputs) all.push_back(input.grad().to_vector<float>());
    return all;
  };
  CHECK(gradients(true) == gradients(false));
}

TEST_CASE("pool: one wrapped model serves all threads, beside scopes of their own") {
  const Tensor w = values(3, 8, 8).requires_grad_();
  const auto model = amp::autocast(amp::kCPU, {.dtype = amp::kFloat16}, [&](const Tensor& x) {
    return amp::matmul(x, w).to_vector<float>();
  });
  std::vector<Values> expected;
  for (std::size_t i = 0; i < 6; ++i) expected.push_back(model(values(i, 2, 8)));
  Pool pool(3);
  std::atomic<int> wrong = 0;
  std::vector<std::future<void>> tasks;
  for (std::size_t i = 0; i < 60; ++i) {
    const amp::AutocastGuard scope(amp::kCPU, scopes()[i % scopes().size()]);
    tasks.push_back(pool.run_in_state([&, i] {
      const amp::DType before = amp::autocast_dtype(amp::kCPU);
      if (model(values(i % 6, 2, 8)) != expected[i % 6]) ++wrong;
      if (amp::autocast_dtype(amp::kCPU) != before) ++wrong;
    }));
  }
  for (std::future<void>& task : tasks) task.get();
  CHECK(wrong == 0);
}

TEST_CASE("pool: scalers and optimizers of different threads share nothing") {
  const auto train = [] {
    amp::GradScaler scaler({.init_scale = 256, .growth_interval = 2});
    const Tensor w = values(1, 4, 4).requires_grad_();
    amp::Adam adam({w}, {.lr = 0.01});
    for (int i = 0; i < 6; ++i) {
      adam.zero_grad();
      Tensor loss;
      {
        const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
        loss = amp::mean(amp::matmul(values(static_cast<std::size_t>(i), 2, 4), w));
      }
      scaler.scale(loss).backward();
      scaler.step(adam);
      scaler.update();
    }
    return std::pair{w.to_vector<float>(), scaler.get_scale()};
  };
  const auto expected = train();
  Pool pool(3);
  std::vector<std::future<std::pair<Values, double>>> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(pool.run(train));
  for (auto& task : tasks) CHECK(task.get() == expected);
}

}  // namespace pool_threads
