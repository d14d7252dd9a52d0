// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ten thousand steps of mixed-precision training hold as much memory as a hundred.
#include <amp/amp.hpp>

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <vector>

#include "support/catch.hpp"

namespace soak {
namespace {

// A sanitizer slows each step tenfold, and keeps freed memory aside on purpose.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif
constexpr int kSteps = kSanitized ? 1000 : 10000;
constexpr int kWarm = 100;

struct Network {
  std::vector<amp::Tensor> parameters;

  Network() {
    amp::manual_seed(2);
    for (const amp::Shape& shape : {amp::Shape(2, 1, 3, 3), amp::Shape(2), amp::Shape(8, 18),
                                    amp::Shape(8), amp::Shape(3, 8), amp::Shape(3)}) {
      parameters.push_back((amp::randn(shape) * 0.3).requires_grad_());
    }
  }
  amp::Tensor forward(const amp::Tensor& x) const {
    const auto& p = parameters;
    const amp::Tensor features =
        amp::max_pool2d(amp::relu(amp::conv2d(x, p[0], p[1], {.padding = 1})), 2);
    return amp::linear(amp::relu(amp::linear(features.flatten(1), p[2], p[3])), p[4], p[5]);
  }
};

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct Footprint {
  std::int64_t current, peak, cache_entries, cache_bytes;
};

Footprint footprint() {
  const amp::MemoryStats memory = amp::memory_stats();
  const amp::AutocastCacheStats cache = amp::autocast_cache_stats();
  return {memory.current_bytes, memory.peak_bytes, cache.entries, cache.bytes};
}

}  // namespace

TEST_CASE("soak: a long mixed-precision loop keeps memory flat") {
  const Network network;
  amp::Adam adam(network.parameters, amp::AdamOptions{.lr = 1e-3});
  amp::GradScaler scaler({.growth_interval = 20});  // overflows, and skips, again and again
  const amp::Tensor x = amp::randn({4, 1, 6, 6}), y = amp::tensor({0, 1, 2, 1}, {4});
  amp::reset_peak_memory();
  Footprint warm{}, end{};
  std::int64_t resident = 0;
  double first = 0, last = 0;
  for (int step = 1; step <= kSteps; ++step) {
    const amp::Tensor loss = [&] {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      return amp::cross_entropy(network.forward(x), y);
    }();
    adam.zero_grad();
    scaler.scale(loss).backward();
    (void)scaler.unscale_and_clip(adam, 1);
    scaler.step(adam);
    scaler.update();
    last = loss.item<double>();
    if (step == 1) first = last;
    if (step == kWarm) warm = footprint();
    if (step == kSteps) end = footprint();
    if (step == kSteps / 10) resident = resident_bytes();
  }
  CHECK(end.current == warm.current);
  CHECK(end.peak == warm.peak);
  CHECK(end.cache_entries == warm.cache_entries);
  CHECK(end.cache_bytes == warm.cache_bytes);
  CHECK(end.cache_entries >= 6);
  if (!kSanitized) CHECK(resident_bytes() - resident < (std::int64_t{2} << 20));

  CHECK(last < 0.5 * first);  // it did train
  CHECK(scaler.counters().skipped > 0);
  CHECK(scaler.counters().applied + scaler.counters().skipped == kSteps);
}

}  // namespace soak
