// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a step over many parameters costs on the CUDA device: launches, and nothing else. Tables
// that the device keeps between steps are sent again only if they changed.
#include <amp/cuda.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_step_calls {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Tensors = std::vector<Tensor>;

constexpr std::size_t kCount = 300;

/// Counters of what `call` does.
template <class Call>
standin::Counters counted(const Call& call) {
  const standin::Counters before = standin::toolkit().counters;
  call();
  standin::Counters now = standin::toolkit().counters;
  now.launches -= before.launches;
  now.allocations -= before.allocations;
  now.synchronisations -= before.synchronisations;
  now.to_device -= before.to_device;
  now.to_host -= before.to_host;
  now.on_device -= before.on_device;
  return now;
}
/// Launches of `call`, which does nothing else.
template <class Call>
std::int64_t launches(const Call& call) {
  const standin::Counters now = counted(call);
  CHECK(now.allocations == 0);
  CHECK(now.synchronisations == 0);
  CHECK(now.to_device + now.to_host + now.on_device == 0);
  return now.launches;
}

/// Parameters of all sizes, with gradients of the given dtype.
Tensors parameters(std::size_t count, amp::Device device, amp::DType gradients = amp::kFloat32) {
  amp::manual_seed(41);
  Tensors all;
  for (std::size_t i = 0; i < count; ++i) {
    const amp::Shape shape{static_cast<std::int64_t>(1 + i * i % 37)};
    all.push_back(amp::randn(shape).to(device).detach().requires_grad_());
    all.back().set_grad(amp::randn(shape).to(gradients).to(device));
  }
  return all;
}

template <class Optimizer>
void check_cycle(Optimizer&& optimizer) {
  amp::GradScaler scaler({.init_scale = 8});
  (void)scaler.inverse_scale_data(kCUDA);
  const auto clip = [&] { (void)scaler.unscale_and_clip(optimizer, 1.0); };
  const auto step = [&] { (void)scaler.step(optimizer); };
  const auto update = [&] { scaler.update(); };
  for (int i = 0; i < 2; ++i) {
    clip();
    step();
    update();
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(launches(clip) <= 2);  // the word of the cycle set to 0; one pass
    CHECK(launches(step) <= 1);
    CHECK(launches(update) <= 1);
  }
  for (int i = 0; i < 3; ++i) {  // the pass that tests alone comes with the step
    CHECK(launches(step) <= 3);
    CHECK(launches(update) <= 1);
  }
  CHECK(scaler.counters().applied == 8);
}

TEST_CASE("cuda step: a cycle over 300 parameters is four launches", "[cuda][cached]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16}) {
    INFO(name(dtype));
    check_cycle(amp::Adam(parameters(kCount, kCUDA, dtype), {.lr = 0.01}));
    check_cycle(amp::AdamW(parameters(kCount, kCUDA, dtype), {.lr = 0.01}));
    check_cycle(amp::SGD(parameters(kCount, kCUDA, dtype), {.lr = 0.01, .momentum = 0.9}));
  }
}

TEST_CASE("cuda step: two optimizers of one scaler keep their tables", "[cuda][cached]") {
  amp::Adam first(parameters(kCount, kCUDA), {.lr = 0.01});
  amp::SGD second(parameters(kCount / 2, kCUDA), {.lr = 0.01});
  amp::GradScaler scaler({.init_scale = 8});
  (void)scaler.inverse_scale_data(kCUDA);
  const auto cycle = [&] {
    (void)scaler.unscale_and_clip(first, 1.0);
    (void)scaler.unscale_and_clip(second, 1.0);
    (void)scaler.step(first);
    (void)scaler.step(second);
    scaler.update();
  };
  for (int i = 0; i < 2; ++i) cycle();
  for (int i = 0; i < 3; ++i) CHECK(launches(cycle) <= 7);
}

TEST_CASE("cuda step: optimizers that take turns keep their tables as well", "[cuda]") {
  amp::Adam first(parameters(kCount, kCUDA), {.lr = 0.01});
  amp::SGD second(parameters(kCount / 2, kCUDA), {.lr = 0.01});
  amp::GradScaler scaler({.init_scale = 8});
  (void)scaler.inverse_scale_data(kCUDA);
  const auto turn = [&](auto& optimizer) {
    (void)scaler.unscale_and_clip(optimizer, 1.0);
    (void)scaler.step(optimizer);
    scaler.update();
  };
  for (int i = 0; i < 4; ++i) {
    const std::int64_t of_first = counted([&] { turn(first); }).launches;
    const std::int64_t of_second = counted([&] { turn(second); }).launches;
    if (i > 0) CHECK(of_first <= 4);
    if (i > 0) CHECK(of_second <= 4);
  }
}

/// What changes between steps, and how many launches its next step takes on the device.
struct Change {
  std::function<void(amp::Adam&, amp::Device)> make;
  std::int64_t launches;
};

TEST_CASE("cuda step: only what changed is sent again, and the step sees it", "[cuda]") {
  const auto gradient = [](amp::Adam& optimizer, std::size_t i, amp::DType dtype) {
    const Tensor& p = optimizer.parameters()[i];
    amp::manual_seed(i);
    p.set_grad(amp::randn(p.shape()).to(dtype).to(p.device()));
  };
  const std::vector<Change> changes{
      {[](amp::Adam&, amp::Device) {}, 1},
      {[](amp::Adam& a, amp::Device) { a.options().lr = 0.05; }, 2},
      {[](amp::Adam& a, amp::Device) { a.options().schedule = amp::step_schedule(2); }, 2},
      {[](amp::Adam& a, amp::Device) { a.options().beta1 = 0.8; }, 2},
      {[&](amp::Adam& a, amp::Device) { gradient(a, 7, amp::kFloat32); }, 2},
      {[&](amp::Adam& a, amp::Device) { gradient(a, kCount - 1, amp::kBFloat16); }, 2},
      {[&](amp::Adam& a, amp::Device) { a.parameters()[kCount - 1].set_grad(Tensor()); }, 1},
      {[&](amp::Adam& a, amp::Device) { gradient(a, kCount - 1, amp::kFloat32); }, 2},
      {[](amp::Adam&, amp::Device) {}, 1}};
  const auto train = [&](amp::Device device) {
    amp::Adam optimizer(parameters(kCount, device), {.lr = 0.01, .eps = 1e-3});
    for (int i = 0; i < 2; ++i) optimizer.step();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      INFO("change " << i);
      changes[i].make(optimizer, device);
      const std::int64_t count = counted([&] { optimizer.step(); }).launches;
      if (device.type == kCUDA) CHECK(count <= changes[i].launches);
    }
    optimizer.add_param_group({.params = parameters(40, device), .options = {.lr = 0.3}});
    for (int i = 0; i < 2; ++i) optimizer.step();
    Tensors left = optimizer.parameters();
    for (const auto& [name, tensor] : optimizer.state_dict()) left.push_back(tensor);
    return left;
  };
  const Tensors host = train(amp::kCPU), device = train(kCUDA);
  REQUIRE(host.size() == device.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    INFO("tensor " << i);
    const amp::Device where = device[i].device();
    if (where.type == kCUDA) CHECK(cuda_test::difference(host[i], device[i]) <= 1e-5);
  }
}

TEST_CASE("cuda step: the step writes the copies that autocast uses", "[cuda]") {
  amp::manual_seed(42);
  Tensors weights;
  for (std::int64_t i = 0; i < 5; ++i)
    weights.push_back(amp::randn({9 + i, 8}, {.device = kCUDA, .requires_grad = true}));
  const Tensor x = amp::randn({3, 8}, {.device = kCUDA}).to(amp::kFloat16);
  amp::AdamW optimizer(weights, {.lr = 0.01});
  amp::GradScaler scaler({.init_scale = 4});
  const amp::AutocastOptions half{.dtype = amp::kFloat16};
  Tensors outputs;
  const auto forward = [&] {
    const amp::AutocastGuard autocast(kCUDA, half);
    outputs.clear();
    for (const Tensor& w : weights) outputs.push_back(amp::linear(x, w));
  };
  std::optional<standin::Counters> first;
  const std::int64_t refreshes = amp::autocast_cache_stats().refreshes;
  for (int i = 0; i < 6; ++i) {
    INFO("step " << i);
    const standin::Counters of_forward = counted(forward);
    if (!first) first = of_forward;
    if (i > 0) CHECK(of_forward.launches <= first->launches - 5);
    for (std::size_t w = 0; w < weights.size(); ++w) {
      const amp::NoGradGuard no_grad;
      const Tensor expected = amp::linear(x, weights[w].detach().to(amp::kFloat16));
      CHECK(outputs[w].to_vector<float>() == expected.to_vector<float>());
    }
    Tensor loss = amp::zeros({}, {.device = kCUDA});
    for (const Tensor& y : outputs) loss = loss + amp::sum(y * y);
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    outputs.clear();
    loss = Tensor();
    if (i == 3) weights[2].grad().fill_(HUGE_VAL);  // skipped: the copies stay, and stay right
    (void)scaler.unscale_and_clip(optimizer, 1.0);
    CHECK(scaler.step(optimizer).skipped() == (i == 3));
    scaler.update();
  }
  CHECK(amp::autocast_cache_stats().refreshes == refreshes + 5);
}

TEST_CASE("cuda step: a graph reads a table of its own", "[cuda]") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    const amp::StreamGuard guard(kCUDA, stream);
    const Tensor p = amp::zeros({4}, {.device = kCUDA, .requires_grad = true});
    const Tensor one = amp::ones({4}, {.device = kCUDA}), ten = one * 10;
    amp::SGD optimizer({p}, {.lr = 1});
    p.set_grad(one);
    optimizer.step();  // -1, and a table that is kept
    Tensors room;
    for (int i = 0; i < 8; ++i) room.push_back(amp::empty({4}, {.device = kCUDA}));
    room.clear();
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    optimizer.step();
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    cudaGraphExec_t replay = nullptr;
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    p.set_grad(ten);
    optimizer.step();                                         // -10
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);  // -1
    optimizer.step();                                         // -10
    CHECK(p.to_vector<float>() == std::vector<float>(4, -22));
    CHECK(optimizer.applied_steps() == 4);
    REQUIRE(cudaGraphExecDestroy(replay) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  }
  amp::cuda::shutdown();
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

}  // namespace
}  // namespace cuda_step_calls
