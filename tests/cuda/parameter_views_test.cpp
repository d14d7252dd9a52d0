// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers over memory of the user's on the CUDA device: bit for bit those over tensors, in as
// many launches, without waiting; and in graphs.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/device.hpp"
#include "optim/view_memory.hpp"
#include "support/catch.hpp"

namespace cuda_parameter_views {
namespace {

using namespace storage_test;
using amp::kCUDA;
using amp::kFloat16;
using amp::kFloat32;

/// One cycle, clipped.
void cycle(amp::GradScaler& scaler, amp::Optimizer& optimizer) {
  (void)scaler.unscale_and_clip(optimizer, 1.0);
  (void)scaler.step(optimizer);
  scaler.update();
}

TEST_CASE("cuda parameter views: every optimizer steps as over tensors, bit for bit", "[cuda]") {
  for (const Case& c : cases()) {
    const DType gradient_dtype = c.dtype == kFloat32 ? kFloat16 : c.dtype;
    INFO(c.text());
    const Tensors params = parameters(c.dtype, kCUDA);
    const auto tensors = make(c, params);
    const ViewedModel viewed(c, params, gradient_dtype);
    amp::GradScaler one({.init_scale = 64}), other({.init_scale = 64});
    for (amp::GradScaler* const scaler : {&one, &other}) (void)scaler->scale_data(kCUDA);
    for (int step = 0; step < 3; ++step) {
      set_gradients(params, step, gradient_dtype, 64);
      viewed.set_gradients(params);
      if (step == 2) {
        one.unscale_(*tensors);
        other.unscale_(*viewed.optimizer);
        one.step(*tensors);
        other.step(*viewed.optimizer);
      } else {
        cycle(one, *tensors);
        cycle(other, *viewed.optimizer);
      }
    }
    CHECK(bits_of(viewed.weights.parts, *viewed.optimizer) == bits_of(params, *tensors));
  }
}

TEST_CASE("cuda parameter views: the step writes the 16-bit copy, where nothing is aligned",
          "[cuda]") {
  const Tensors params = parameters(kFloat32, kCUDA);
  for (const DType dtype : {kFloat16, amp::kBFloat16}) {
    const FlatBuffer weights(params, kFloat32, kCUDA), gradients(params, dtype, kCUDA),
        copies(params, dtype, kCUDA);
    weights.set(params);
    std::vector<amp::ParameterView> views;
    for (std::size_t i = 0; i < params.size(); ++i)
      views.push_back({weights.view(i), gradients.view(i), copies.view(i)});
    amp::AdamW optimizer(views, {.lr = 0.1});
    CHECK(bits_of(copies.memory) == bits_of(weights.memory.to(dtype)));
    for (int step = 0; step < 2; ++step) {
      gradients.memory.fill_(0.5 - step);
      const Bits before = bits_of(copies.memory);
      optimizer.step();
      CHECK(bits_of(copies.memory) == bits_of(weights.memory.to(dtype)));
      CHECK(bits_of(copies.memory) != before);
    }
    optimizer.zero_grad();
    CHECK(bits_of(gradients.memory) == bits_of(amp::zeros_like(gradients.memory)));
  }
}

TEST_CASE("cuda parameter views: a graph replays what eager code does", "[cuda]") {
  const Case c{Formula::kAdamW, kFloat16, WeightStorage::kMaster};
  const Tensors params = parameters(c.dtype, kCUDA);
  ViewedModel models[2] = {ViewedModel(c, params, kFloat16), ViewedModel(c, params, kFloat16)};
  amp::GradScaler eager({.init_scale = 4}), recorded({.init_scale = 4});
  const auto load = [&](int i) {
    set_gradients(params, i, kFloat16, 4);
    if (i == 3) params[2].grad().fill_(HUGE_VAL);
    for (const ViewedModel& model : models) model.set_gradients(params);
  };
  (void)eager.scale_data(kCUDA);
  (void)recorded.scale_data(kCUDA);
  load(100);
  for (int i = 0; i < 2; ++i) cycle(eager, *models[0].optimizer);
  amp::cuda::Graph graph([&] { cycle(recorded, *models[1].optimizer); }, {.warmup = 2});
  for (int i = 0; i < 6; ++i) {
    load(i);
    cycle(eager, *models[0].optimizer);
    graph.replay();
  }
  CHECK(recorded.counters().skipped == 1);
  CHECK(bits_of(models[0].weights.parts, *models[0].optimizer) ==
        bits_of(models[1].weights.parts, *models[1].optimizer));
}

#if !defined(AMP_TEST_GPU)
/// What `call` does on the device.
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
  return now;
}

TEST_CASE("cuda parameter views: as many launches as over tensors, and no wait", "[cuda][cached]") {
  for (const Case& c :
       {Case{Formula::kAdam, kFloat32}, Case{Formula::kAdamW, kFloat16, WeightStorage::kMaster}}) {
    INFO(c.text());
    const Tensors params = parameters(c.dtype, kCUDA);
    const auto tensors = make(c, params);
    const ViewedModel viewed(c, params, kFloat16);
    set_gradients(params, 1, kFloat16);
    viewed.set_gradients(params);
    amp::GradScaler scaler({.init_scale = 1});
    (void)scaler.scale_data(kCUDA);
    for (int i = 0; i < 2; ++i) {
      cycle(scaler, *tensors);
      cycle(scaler, *viewed.optimizer);
    }
    const standin::Counters expected = counted([&] { cycle(scaler, *tensors); });
    const standin::Counters actual = counted([&] { cycle(scaler, *viewed.optimizer); });
    CHECK(actual.launches == expected.launches);
    CHECK(actual.allocations == 0);
    CHECK(actual.synchronisations == 0);
    CHECK(actual.to_device + actual.to_host == 0);
    const standin::Counters norm =
        counted([&] { const Tensor word = amp::grad_norm(viewed.optimizer->gradients()); });
    CHECK(norm.synchronisations == 0);
    CHECK(norm.to_host == 0);
  }
}
#endif

}  // namespace
}  // namespace cuda_parameter_views
