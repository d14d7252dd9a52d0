// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What an op on the CUDA device costs the host: time before and after the launch, and never an
// allocation once a training loop has settled. The stand-in toolkit's own are not counted.
#include <amp/amp.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_host_cost {
namespace {

thread_local std::int64_t allocations = 0;

void* counted_allocation(std::size_t bytes) {
  if (standin::Inside::depth() == 0) ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace
}  // namespace cuda_host_cost

// The whole program's; aligned memory is not counted, which tensors on the host have.
void* operator new(std::size_t bytes) { return cuda_host_cost::counted_allocation(bytes); }
void* operator new[](std::size_t bytes) { return cuda_host_cost::counted_allocation(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace cuda_host_cost {
namespace {

using amp::kCUDA;
using amp::Tensor;

struct Case {
  std::string name;
  std::function<void()> run;
};

template <class Result>
void drop(const Result&) {}

std::vector<Case> cases() {
  const amp::TensorOptions plain{.device = kCUDA}, leaf{.device = kCUDA, .requires_grad = true};
  amp::manual_seed(3);
  const Tensor x = amp::randn({16, 16}, plain), w = amp::randn({16, 16}, leaf),
               b = amp::randn({16}, leaf);
  const Tensor classes = amp::arange(16).to(amp::kInt64).to(amp::Device(kCUDA));
  const Tensor table = amp::randn({16, 4}, leaf);
  const Tensor images = amp::randn({2, 4, 8, 8}, plain), filters = amp::randn({4, 4, 3, 3}, leaf);
  const auto autocast = [](const std::function<void()>& run) {
    return [run] {
      const amp::AutocastGuard scope(kCUDA);
      run();
    };
  };
  const auto adam = std::make_shared<amp::Adam>(std::vector<Tensor>{w, b}, amp::AdamOptions{});
  const auto scaler = std::make_shared<amp::GradScaler>();
  const std::function<void()> step = [=] {
    adam->zero_grad();
    scaler->scale(amp::cross_entropy(amp::linear(x, w, b), classes)).backward();
    scaler->unscale_and_clip(*adam, 1.0);
    scaler->step(*adam);
    scaler->update();
  };
  return {
      {"add", [=] { drop(x + x); }},
      {"relu", [=] { drop(amp::relu(w)); }},
      {"matmul", [=] { drop(amp::matmul(x, w)); }},
      {"linear", [=] { drop(amp::linear(x, w, b)); }},
      {"conv2d", [=] { drop(amp::conv2d(images, filters)); }},
      {"softmax", [=] { drop(amp::softmax(w, 1)); }},
      {"layer_norm", [=] { drop(amp::layer_norm(x, {16}, b, b)); }},
      {"cross_entropy", [=] { drop(amp::cross_entropy(w, classes)); }},
      {"max_pool2d", [=] { drop(amp::max_pool2d(images, 2)); }},
      {"sum", [=] { drop(amp::sum(w)); }},
      {"dropout", [=] { drop(amp::dropout(w, 0.5, true)); }},
      {"embedding", [=] { drop(amp::embedding(classes, table)); }},
      {"cat",
       [=] {
         drop(amp::cat({x, w}, 0));
       }},
      {"transpose", [=] { drop(w.t()); }},
      {"autocast matmul", autocast([=] { drop(amp::matmul(x, w)); })},
      {"autocast linear", autocast([=] { drop(amp::linear(x, w, b)); })},
      {"autocast conv2d", autocast([=] { drop(amp::conv2d(images, filters)); })},
      {"autocast softmax", autocast([=] { drop(amp::softmax(w, 1)); })},
      {"linear and backward", [=] { amp::sum(amp::linear(x, w, b)).backward(); }},
      {"a step with Adam, scaled and clipped", step},
      {"the same, autocast", autocast(step)},
  };
}

}  // namespace

TEST_CASE("cuda host: a settled loop allocates nothing on the host", "[cuda]") {
  if (!amp::detail::host_cache_enabled()) {
    WARN("AMP_HOST_CACHE=0: nothing is reused");
    return;
  }
  for (const Case& op : cases()) {
    INFO(op.name);
    for (int i = 0; i < 5; ++i) op.run();
    const std::int64_t before = allocations;
    for (int i = 0; i < 10; ++i) op.run();
    CHECK(allocations == before);
  }
}

TEST_CASE("cuda host: the time of each op, as a table", "[.measure]") {
  standin::toolkit().schedule.set(0);
  std::printf("| what | launches | calls of the toolkit | host time, us | spread |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: |\n");
  for (const Case& op : cases()) {
    standin::Toolkit& toolkit = standin::toolkit();
    for (int i = 0; i < 5; ++i) op.run();
    const std::int64_t launches = toolkit.counters.launches, calls = toolkit.calls();
    op.run();
    const auto launched = static_cast<long>(toolkit.counters.launches - launches);
    const auto called = static_cast<long>(toolkit.calls() - calls);
    toolkit.idle = true;
    std::vector<double> times;
    for (int batch = 0; batch < 21; ++batch) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 500; ++i) op.run();
      times.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
              .count() /
          500);
    }
    toolkit.idle = false;
    std::sort(times.begin(), times.end());
    std::printf("| %s | %ld | %ld | %.2f | %.2f to %.2f |\n", op.name.c_str(), launched, called,
                times[10], times[2], times[18]);
  }
}

}  // namespace cuda_host_cost
