// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A process has contexts on the devices that it uses, and on no others: each takes memory of its
// device.
#include <amp/cuda.hpp>
#include <amp/device/cuda/device_guard.hpp>
#include <amp/device/host_copy.hpp>
#include <amp/dlpack.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "cuda/dlpack_peer.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

namespace cuda_contexts {
namespace {

using amp::Device;
using amp::kCUDA;
using amp::Tensor;

standin::Toolkit& toolkit() { return standin::toolkit(); }

void forget_contexts() {
  toolkit().finish();
  toolkit().contexts.reset();
  for (auto& active : amp::process_state<amp::cuda::detail::KnownContexts>().active) active = false;
}

/// Does as a thread of a process that has not used a device yet. Returns what is current then.
int in_new_thread(const std::function<void()>& body) {
  int current = -1;
  const std::string error = amp_test::error_of_thread([&] {
    body();
    (void)cudaGetDevice(&current);
  });
  CHECK(error.empty());
  return current;
}
int in_new_process(const std::function<void()>& body) {
  amp::cuda::shutdown();
  forget_contexts();
  const int current = in_new_thread(body);
  amp::cuda::shutdown();
  return current;
}
std::string contexts() {
  std::string devices;
  for (std::size_t d = 0; d < toolkit().contexts.size(); ++d) {
    if (toolkit().contexts[d]) devices += (devices.empty() ? "" : " ") + std::to_string(d);
  }
  return devices;
}

constexpr Device kSecond{kCUDA, 1};

struct Training {
  Tensor x = amp::ones({8, 4}, {.device = kSecond}), loss;
  amp::nn::Linear layer{4, 1};
  std::unique_ptr<amp::AdamW> optimizer;

  Training() {
    layer->to(kSecond);
    optimizer = std::make_unique<amp::AdamW>(layer->parameters());
  }
  void step() {
    optimizer->zero_grad();
    loss = amp::mean(layer->forward(x));
    loss.backward();
    optimizer->step();
  }
};

TEST_CASE("cuda contexts: a process that uses cuda:1 alone has one context", "[cuda]") {
  const int current = in_new_process([] {
    (void)amp::cuda::memory_stats(0);
    amp::cuda::reset_peak_memory(0);
    amp::cuda::empty_cache();
    CHECK(contexts().empty());
    {
      Training training;
      CHECK(contexts() == "1");
      for (int i = 0; i < 3; ++i) training.step();
      CHECK(training.loss.item<float>() < 10);
      amp::GradScaler scaler;
      training.optimizer->zero_grad();
      scaler.scale(amp::mean(training.layer->forward(training.x))).backward();
      scaler.step(*training.optimizer);
      scaler.update();
      CHECK(scaler.get_scale() > 0);
      CHECK(contexts() == "1");
      const auto graph = std::make_unique<amp::cuda::Graph>([&] { training.step(); },
                                                            amp::cuda::GraphOptions{.device = 1});
      graph->replay();
      amp::detail::HostCopy copy;
      copy.start(training.loss.device(), training.loss.raw_data(), 4);
      for (int i = 0; i < 100 && copy.data() == nullptr; ++i) toolkit().finish();
      CHECK(copy.data() != nullptr);
      CHECK(contexts() == "1");
      (void)amp::cuda::memory_stats(0);
      CHECK(amp::cuda::memory_stats(0).reserved == 0);
      CHECK(amp::cuda::memory_stats(1).reserved > 0);
      amp::cuda::reset_peak_memory(0);
      amp::cuda::reset_peak_memory(1);
      amp::cuda::empty_cache();
      CHECK(contexts() == "1");
    }
    amp::cuda::shutdown();
    CHECK(contexts() == "1");
  });
  CHECK(contexts() == "1");
  CHECK(current == 1);  // for device 0, which the thread never chose, would need a context
}

TEST_CASE("cuda contexts: each call may be a thread's first", "[cuda]") {
  std::unique_ptr<Training> training;
  std::unique_ptr<amp::cuda::Graph> graph;
  std::unique_ptr<amp::detail::HostCopy> copy;
  Tensor some;
  cudaStream_t stream = nullptr;
  amp::cuda::shutdown();
  forget_contexts();
  (void)in_new_thread([&] {
    training = std::make_unique<Training>();
    training->step();
    graph = std::make_unique<amp::cuda::Graph>([&] { training->step(); },
                                               amp::cuda::GraphOptions{.device = 1});
    some = amp::ones({300}, {.device = kSecond});
    copy = std::make_unique<amp::detail::HostCopy>();
    copy->start(some.device(), some.raw_data(), 4);
    stream = amp::cuda::current_stream(1);
  });
  CHECK(contexts() == "1");
  const auto first = [&](const char* call, const std::function<void()>& body) {
    INFO(call);
    (void)in_new_thread(body);
    CHECK(contexts() == "1");
  };
  first("data of a copy", [&] { (void)copy->data(); });
  first("end of a copy", [&] { copy.reset(); });
  first("copy", [&] { CHECK(some.to_vector<float>()[7] == 1); });
  first("current stream", [&] { CHECK(amp::cuda::current_stream(1) == stream); });
  first("statistics", [&] { CHECK(amp::cuda::memory_stats(1).allocated > 0); });
  first("peak", [&] { amp::cuda::reset_peak_memory(1); });
  first("allocation", [&] { (void)amp::empty({300}, {.device = kSecond}); });
  first("record_stream", [&] { amp::cuda::record_stream(some, nullptr); });
  first("export", [&] {
    auto* const managed = amp::to_dlpack<cuda_dlpack::Managed>(some, {.stream = nullptr});
    managed->deleter(managed);
  });
  first("deallocation", [&] { some = Tensor(); });
  first("replay", [&] { graph->replay(); });
  first("matmul", [&] { training->step(); });
  first("end of a graph", [&] { graph.reset(); });
  first("end of a model", [&] { training.reset(); });
  first("empty_cache", [&] { amp::cuda::empty_cache(); });
  first("shutdown", [&] { amp::cuda::shutdown(); });
}

TEST_CASE("cuda contexts: a device that the program chose is current again", "[cuda]") {
  const int current = in_new_process([] {
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    (void)amp::ones({2}, {.device = kSecond});
    int now = -1;
    CHECK(cudaGetDevice(&now) == cudaSuccess);
    CHECK(now == 0);
  });
  CHECK(current == 0);
  CHECK(contexts() == "0 1");
}

TEST_CASE("cuda contexts: the driver is asked once, and no call is added for one device",
          "[cuda][cached]") {
  (void)in_new_process([] {
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    const Tensor here = amp::ones({2}, {.device = kCUDA}),
                 there = amp::ones({2}, {.device = kSecond});
    for (const Tensor& x : {here, there}) (void)amp::exp(x);
    toolkit().reset();
    for (int i = 0; i < 5; ++i) (void)amp::exp(there);
    CHECK(toolkit().calls_of("cuDevicePrimaryCtxGetState") == 0);
    CHECK(toolkit().calls_of("cudaSetDevice") == 10);
    CHECK(toolkit().calls_of("cudaGetDevice") == 5);
    toolkit().reset();
    for (int i = 0; i < 5; ++i) (void)amp::exp(here);
    CHECK(toolkit().calls_of("cudaSetDevice") == 0);
    CHECK(toolkit().calls_of("cudaGetDevice") == 5);
  });
}

TEST_CASE("cuda contexts: the stand-in counts a context too many", "[cuda]") {
  (void)in_new_process([] {
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(contexts() == "1");
    REQUIRE(cudaSetDevice(0) == cudaSuccess);  // what a guard that does not ask does at its end
    CHECK(contexts() == "0 1");
    toolkit().contexts.reset();
    std::size_t free = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(contexts() == "0");
  });
}

}  // namespace
}  // namespace cuda_contexts
