// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A process forks while its other threads compute: the child finds every lock free, starts threads
// of its own, and computes what the parent would.
#include <amp/amp.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/child.hpp"

namespace fork_of_threads {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kAddressSanitizer = false;
#endif

using amp::Tensor;
using amp_test::status_of_child;

/// Threads that call their function again and again, until the end.
class Busy {
 public:
  explicit Busy(const std::vector<std::function<void()>>& functions) {
    for (const auto& function : functions) {
      threads_.emplace_back([this, function] {
        while (!stop_) {
          function();
          ++rounds_;
        }
      });
    }
    while (rounds_ < 10) std::this_thread::yield();
  }
  ~Busy() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> rounds_ = 0;
  std::vector<std::thread> threads_;
};

/// What all threads and children compute with: weights that they share, and nobody writes.
struct Shared {
  Tensor x = amp::full({16, 64}, 0.5), w = amp::full({32, 64}, 0.25, {.requires_grad = true});
  Tensor many = amp::full({1 << 16}, 1.0);

  /// Through copies of a weight, the gradient of a leaf, random numbers, elements laid out anew,
  /// and more of them than one thread takes.
  double run() const {
    const amp::AutocastGuard autocast(amp::kCPU);
    const Tensor y = amp::dropout(amp::linear(x, w), 0.0, true);
    amp::mean(y).backward();
    const Tensor pixels = amp::detail::channels_last(many.reshape({4, 16, 32, 32}));
    return amp::mean(amp::relu(many + many)).item<double>() + amp::mean(y).item<double>() +
           amp::mean(pixels).item<double>();
  }
};

/// Steps of its own, on this thread alone.
void train() {
  amp::SGD optimizer(std::vector{amp::rand({4, 4}, {.requires_grad = true})}, {.lr = 0.1});
  amp::GradScaler scaler;
  scaler.scale(amp::sum(optimizer.parameters()[0])).backward();
  scaler.unscale_(optimizer);
  amp::clip_grad_norm_(optimizer.parameters(), 1.0);
  (void)scaler.step(optimizer);
  scaler.update();
}

TEST_CASE("fork: a child computes, whatever the parent's other threads do", "[fork]") {
  if (kAddressSanitizer) AMP_TEST_SKIP("the address sanitizer's own locks do not survive a fork");
  const Shared shared;
  const double expected = shared.run();
  const auto child = [&] {
    shared.w.set_grad({});
    if (shared.run() != expected || !shared.w.grad().defined()) return 1;
    const std::vector<float> gradient = shared.w.grad().to_vector<float>();
    for (const float g : gradient) {
      if (g != gradient[0] || g == 0) return 2;
    }
    train();
    return 0;
  };
  const Busy busy({[&] { (void)shared.run(); }, [&] { (void)shared.run(); }, train});
  int hung = 0, wrong = 0;
  for (int i = 0; i < 120 && hung == 0; ++i) {
    const std::optional<int> status = status_of_child(child);
    hung += status ? 0 : 1;
    wrong += status && *status != 0 ? 1 : 0;
  }
  CHECK(hung == 0);
  CHECK(wrong == 0);
}

TEST_CASE("fork: a child has threads of its own, and so has its child", "[fork]") {
  amp::parallel_for(4, [](std::int64_t) {});
  const auto spread = [] {
    std::vector<int> done(64);
    amp::parallel_for(64, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
    return done == std::vector<int>(64, 1) && amp::num_threads() >= 1;
  };
  CHECK(status_of_child([&] {
          const std::optional<int> grandchild =
              status_of_child([&] { return spread() ? 0 : 1; }, std::chrono::seconds(5));
          return grandchild == 0 && spread() ? 0 : 1;
        }) == 0);
}

}  // namespace
}  // namespace fork_of_threads
