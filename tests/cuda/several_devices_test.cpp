// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One scaler, and losses and gradients on several devices: it does what a scaler beside them would
// do, and what PyTorch's does; on another device than its own each word is that device's; between
// CUDA devices the host never waits.
#include <amp/cuda.hpp>
#include <amp/device/cuda/context.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/user_stream.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // kSanitize

namespace cuda_several_devices {

using amp::Device;
using amp::GradScaler;
using amp::kCPU;
using amp::kCUDA;
using amp::Tensor;
using amp_test::error_of;
using amp_test::UserStream;
using Catch::Matchers::ContainsSubstring;
using Devices = std::vector<Device>;
using Values = std::vector<double>;

namespace {

const Device kFirst{kCUDA, 0}, kSecond{kCUDA, 1};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

standin::Toolkit& toolkit() { return standin::toolkit(); }

/// Without the warnings of rounding, which scaler/rounding_warning_test.cpp reads.
struct Quiet {
  amp::WarningHandler before = amp::set_warning_handler([](std::string_view) {});
  Quiet() = default;
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { amp::set_warning_handler(before); }
};

Tensor parameter(Device device, const Values& gradient, amp::DType dtype = amp::kFloat32) {
  const amp::Shape shape(gradient.size());
  const Tensor p = amp::ones(shape, {.dtype = dtype, .device = device, .requires_grad = true});
  p.set_grad(amp::tensor(gradient, shape, {.dtype = dtype}).to(device));
  return p;
}

/// A scaler that lives on `device` and has started.
struct Scaler : GradScaler {
  Scaler(Device device, amp::GradScalerOptions options) : GradScaler(with(options, device)) {
    (void)scale_data(device);
  }
  static amp::GradScalerOptions with(amp::GradScalerOptions options, Device device) {
    options.device = device;
    return options;
  }
};

/// Not scale-aware: gradients anywhere, unscaled in place.
struct Plain {
  std::vector<Tensor> all;
  int steps = 0;
  std::vector<Values> seen = {};  // by the last step

  std::vector<amp::TensorView> gradients() const {
    std::vector<amp::TensorView> views;
    for (const Tensor& g : all)
      views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device(), "raw"});
    return views;
  }
  std::vector<Values> values() const {
    std::vector<Values> values;
    for (const Tensor& g : all) values.push_back(g.to_vector<double>());
    return values;
  }
  void step() {
    ++steps;
    seen = values();
  }
};

/// Scale-aware, and checks the pointers that it gets.
struct Aware : Plain {
  using Plain::step;
  amp::GradScale given = {};
  void step(const amp::GradScale& scale) {
    ++steps;
    given = scale;
  }
};

/// Where a pointer of a device points to.
int device_of(const void* address) {
  return toolkit().on_device(address) ? toolkit().memory.device_of(address) : -1;
}
float read(Device device, const float* from) {
  float value = 0;
  amp::copy_bytes(kCPU, &value, device, from, sizeof value);
  return value;
}

// --- losses --------------------------------------------------------------------------------------

}  // namespace

/// A loss of another library.
struct Foreign {
  Tensor tensor, factor = {};
};

}  // namespace cuda_several_devices

template <>
struct amp::LossAdapter<cuda_several_devices::Foreign> {
  using Foreign = cuda_several_devices::Foreign;
  static Device device(const Foreign& loss) { return loss.tensor.device(); }
  static Foreign multiply(const Foreign& loss, const Tensor& scale) {
    return {loss.tensor * scale, scale};
  }
};

namespace cuda_several_devices {
namespace {

TEST_CASE("cuda several devices: a loss is scaled where it lies", "[cuda]") {
  for (const Device home : {kFirst, Device(kCPU)}) {
    Scaler scaler(home, {.init_scale = 8, .growth_interval = 1});
    Plain optimizer{{amp::ones({2}, {.device = home})}};
    for (const double scale : {8, 16, 32}) {
      for (const Device device : {kSecond, kFirst, Device(kCPU), kSecond}) {
        INFO(to_string(home) << " " << to_string(device) << " " << scale);
        const Tensor x = amp::full({2}, 3, {.device = device, .requires_grad = true});
        const Tensor scaled = scaler.scale(amp::sum(x));
        CHECK(scaled.device() == device);
        CHECK(scaled.item<double>() == 6 * scale);
        scaled.backward();
        CHECK(x.grad().to_vector<double>() == Values(2, scale));
        const Foreign foreign = scaler.scale(Foreign{amp::full({}, 3, {.device = device})});
        CHECK(foreign.factor.device() == device);
        CHECK(foreign.tensor.item<double>() == 3 * scale);
      }
      (void)scaler.step(optimizer);
      scaler.update();
    }
  }
}

TEST_CASE("cuda several devices: the copy of the scale is made when the scale has changed",
          "[cuda]") {
  Scaler scaler(kFirst, {.init_scale = 8, .growth_interval = 1});
  Plain optimizer{{amp::ones({2}, {.device = kFirst})}};
  const Tensor loss = amp::ones({}, {.device = kSecond});
  for (const double scale : {8, 16, 32}) {
    for (const int expected : {1, 0, 0}) {
      toolkit().reset();
      const Tensor scaled = scaler.scale(loss);
      CHECK(toolkit().counters.on_device == expected);
      CHECK(toolkit().counters.bytes_on_device == 8 * expected);
      CHECK(toolkit().counters.synchronisations == 0);
      CHECK(scaled.item<double>() == scale);
    }
    (void)scaler.step(optimizer);
    scaler.update();
  }
  scaler.update(4.0);
  CHECK(scaler.scale(loss).item<double>() == 4);
  amp::GradScalerState state = scaler.state_dict();
  state.scale = 2;
  scaler.load_state_dict(state);
  CHECK(scaler.scale(loss).item<double>() == 2);
}

TEST_CASE("cuda several devices: a copy that failed is made at the next call", "[cuda]") {
  Scaler scaler(kFirst, {.init_scale = 8});
  const Tensor loss = amp::ones({}, {.device = kSecond});
  CHECK(scaler.scale(loss).item<double>() == 8);
  scaler.update(16.0);
  toolkit().fail("cudaMemcpyPeerAsync", 0, cudaErrorInvalidValue);
  CHECK_THAT(error_of([&] { return scaler.scale(loss); }),
             ContainsSubstring("cudaMemcpyPeerAsync"));
  toolkit().reset();
  CHECK(scaler.scale(loss).item<double>() == 16);
}

TEST_CASE("cuda several devices: backward after the scale changed is refused on every device",
          "[cuda]") {
  for (const Device device : {kFirst, kSecond}) {
    Scaler scaler(kFirst, {.init_scale = 8});
    Plain optimizer{{amp::ones({2}, {.device = kFirst})}};
    const Tensor x = amp::ones({2}, {.device = device, .requires_grad = true});
    const Tensor scaled = scaler.scale(amp::sum(x));
    (void)scaler.step(optimizer);
    scaler.update();
    CHECK_THAT(error_of([&] { scaled.backward(); }), ContainsSubstring("GradScaler::scale"));
    CHECK_FALSE(x.grad().defined());
  }
}

TEST_CASE("cuda several devices: the copy is right on streams that are not ordered", "[cuda]") {
  const UserStream mine(1);
  Scaler scaler(kFirst, {.init_scale = 8});
  const Tensor loss = amp::ones({}, {.device = kSecond});
  (void)loss.item<float>();
  for (int round = 1; round <= 16; ++round) {
    scaler.update(8.0 * round);
    const Tensor one = scaler.scale(loss);
    const amp::StreamGuard guard(kSecond, mine.get());
    CHECK(scaler.scale(loss).item<double>() == 8.0 * round);
  }
  mine.synchronize();
  amp::cuda::release_stream(mine.get(), 1);
}

// --- optimizers on one device, which is another than the scaler's --------------------------------

enum class Path { kStep, kUnscale, kClip };
constexpr Path kPaths[] = {Path::kStep, Path::kUnscale, Path::kClip};

/// What a run leaves behind.
struct Outcome {
  std::vector<Values> tensors;
  Values norms;
  std::vector<bool> skipped;
  amp::GradScalerState state;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

constexpr std::size_t kSteps = 14, kSettled = 5;
constexpr bool is_bad(std::size_t step) { return step == 3 || step == 8; }

/// A scaler at `home`, and Adam on `device` over parameters of three dtypes.
template <class Settled, class Trained>
Outcome train(Device home, Device device, Path path, bool statistics, const Settled& settled,
              const Trained& trained) {
  amp::manual_seed(3);
  std::vector<Tensor> all, inputs;
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kFloat64}) {
    const auto draw = [&] { return amp::randn({40}).to(dtype).to(device); };
    all.push_back(draw().detach().requires_grad_());
    inputs.push_back(draw());
  }
  const Tensor bad = inputs[1] * kInfinity;
  amp::AdamW optimizer(all, {.lr = 0.01, .eps = 1e-3});
  Scaler scaler(home, {.init_scale = 64, .growth_interval = 2, .statistics = statistics});
  Outcome outcome{};
  std::vector<Tensor> norms;
  std::vector<amp::StepResult> results;
  std::vector<amp::StatisticsResult> seen;
  norms.reserve(kSteps);
  results.reserve(kSteps);
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (i == kSettled) settled();
    optimizer.zero_grad();
    for (std::size_t p = 0; p < all.size(); ++p) {
      const Tensor d = all[p] * (p == 1 && is_bad(i) ? bad : inputs[p]);
      scaler.scale(amp::sum(d * d)).backward();
    }
    if (path == Path::kUnscale) scaler.unscale_(optimizer);
    if (path == Path::kClip) norms.push_back(scaler.unscale_and_clip(optimizer, 0.5));
    results.push_back(scaler.step(optimizer));
    if (statistics) seen.push_back(scaler.statistics(optimizer));
    scaler.update();
    if (i < kSettled) results.back().skipped();  // lets go of no word of the steps that count
  }
  trained();
  for (const Tensor& p : all) outcome.tensors.push_back(p.template to_vector<double>());
  for (const auto& [name, tensor] : optimizer.state_dict())
    outcome.tensors.push_back(tensor.template to_vector<double>());
  for (const Tensor& norm : norms) {
    CHECK(norm.device() == device);
    const double value = norm.item<double>();
    outcome.norms.push_back(std::isfinite(value) ? value : -1);
  }
  for (const amp::StatisticsResult& one : seen) {
    const amp::GradientStatistics values = one.get();
    outcome.norms.push_back(std::isfinite(values.norm) ? values.norm : -1);
    outcome.norms.push_back(static_cast<double>(values.elements + values.underflows));
    outcome.norms.push_back(values.found_inf ? 1 : 0);
  }
  for (const amp::StepResult& result : results) outcome.skipped.push_back(result.skipped());
  outcome.state = scaler.state_dict();
  return outcome;
}
constexpr auto kNothing = [] {};

TEST_CASE("cuda several devices: an optimizer elsewhere steps as beside the scaler", "[cuda]") {
  for (const Path path : kPaths) {
    for (const bool statistics : {false, true}) {
      INFO("path " << static_cast<int>(path));
      const Outcome expected = train(kFirst, kFirst, path, statistics, kNothing, kNothing);
      CHECK(expected.state.skipped == 2);
      CHECK(expected.skipped[3]);
      CHECK(expected.state.scale != 64);
      CHECK((train(kFirst, kSecond, path, statistics, kNothing, kNothing) == expected));
      CHECK((train(kSecond, kFirst, path, statistics, kNothing, kNothing) == expected));
      CHECK((train(kCPU, kFirst, path, statistics, kNothing, kNothing) == expected));
      CHECK((train(kFirst, kCPU, path, statistics, kNothing, kNothing) == expected));
    }
  }
}

TEST_CASE(
    "cuda several devices: between CUDA devices the host does not wait, and there are two copies",
    "[cuda][cached]") {
  for (const Path path : kPaths) {
    INFO("path " << static_cast<int>(path));
    standin::Counters counters;
    const auto reset = [] { toolkit().reset(); };
    const auto count = [&] { counters = toolkit().counters; };
    constexpr auto kCounted = static_cast<std::int64_t>(kSteps - kSettled);
    (void)train(kFirst, kFirst, path, false, reset, count);
    const standin::Counters at_home = counters;
    (void)train(kFirst, kSecond, path, false, reset, count);
    CHECK(counters.launches == at_home.launches);
    CHECK(counters.synchronisations == 0);
    CHECK(counters.to_host == 0);
    CHECK(counters.to_device == 0);
    CHECK(at_home.on_device == 0);
    CHECK(counters.on_device == 2 * kCounted);  // the scale there, and found_inf back
    CHECK(counters.bytes_on_device == (8 + 4) * kCounted);
  }
}

TEST_CASE("cuda several devices: the words of a step lie where its gradients lie", "[cuda]") {
  Scaler scaler(kFirst, {.init_scale = 8});
  Aware optimizer{{{amp::full({2}, 24, {.device = kSecond})}}};
  const amp::StepResult first = scaler.step(optimizer);
  CHECK(device_of(optimizer.given.inverse) == 1);
  CHECK(device_of(optimizer.given.found_inf) == 1);
  CHECK(optimizer.given.found_inf == first.skipped_data());
  CHECK(read(kSecond, optimizer.given.inverse) == 0.125F);
  scaler.update();
  (void)scaler.unscale_and_clip(optimizer, 3);
  (void)scaler.step(optimizer);
  CHECK(device_of(optimizer.given.clip) == 1);
  CHECK(read(kSecond, optimizer.given.clip) < 1);
  scaler.update();
  scaler.unscale_(optimizer);
  (void)scaler.step(optimizer);
  CHECK(device_of(optimizer.given.inverse) == 1);
  CHECK(read(kSecond, optimizer.given.inverse) == 1);
  CHECK(optimizer.all[0].to_vector<double>() == Values(2, 3));
  scaler.update();
  CHECK(device_of(scaler.scale_data(kFirst)) == 0);
  CHECK_THAT(error_of([&] { return scaler.scale_data(kSecond); }),
             ContainsSubstring("this scaler lives on cuda:0, but was given cuda:1"));
  CHECK_THAT(error_of([&] { return scaler.found_inf_data(kSecond); }),
             ContainsSubstring("this scaler lives on cuda:0, but was given cuda:1"));
}

// --- PyTorch's test ------------------------------------------------------------------------------

/// Two layers.
struct Model {
  std::vector<Tensor> weights;

  Model(Device device, std::uint64_t seed) {
    amp::manual_seed(seed);
    for (int i = 0; i < 2; ++i)
      weights.push_back((amp::randn({8, 8}) * 0.25).to(device).detach().requires_grad_());
  }
  Tensor operator()(const Tensor& x) const {
    return amp::linear(amp::linear(x, weights[0]), weights[1]);
  }
};

struct Batch {
  Tensor input, target;
};

/// Two models on two devices, two losses of both outputs, each on one of them. Infinite gradients
/// in the second model at batch 2 leave out its optimizer's step alone.
struct Two {
  Device other;
  Model model0{kFirst, 7}, model1{other, 8};
  amp::SGD optimizer0{model0.weights, {.lr = 1}};
  amp::SGD optimizer1{model1.weights, {.lr = 1}};

  void train(const std::vector<Batch>& data, GradScaler* scaler, bool skips) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      optimizer0.zero_grad();
      optimizer1.zero_grad();
      const auto& [input, target] = data[i];
      const Tensor y0 = model0(input), y1 = model1(input.to(other));
      const Tensor loss0 = amp::mse_loss(y0 * 0.3 + y1.to(kFirst) * 0.7, target),
                   loss1 = amp::mse_loss(y0.to(other) * 0.6 - y1 * 0.4, target.to(other));
      const bool bad = i == 2 && skips;
      if (scaler == nullptr) {
        (loss0 + loss1.to(kFirst)).backward();  // one graph is walked once
        optimizer0.step();
        if (!bad) optimizer1.step();
        continue;
      }
      const std::vector<Tensor> losses = scaler->scale({loss0, loss1});
      CHECK(losses[1].device() == other);
      (losses[0] + losses[1].to(kFirst)).backward();
      if (bad) model1.weights[1].grad().fill_(kInfinity);
      scaler->unscale_(optimizer0);  // one of them explicitly
      const amp::StepResult result0 = scaler->step(optimizer0), result1 = scaler->step(optimizer1);
      if (scaler->is_enabled() && other == kSecond) {
        CHECK(device_of(result0.skipped_data()) == 0);
        CHECK(device_of(result1.skipped_data()) == 1);
      }
      scaler->update();
      CHECK_FALSE(result0.skipped());
      CHECK(result1.skipped() == bad);
    }
  }
};

TEST_CASE("test_grad_scaling_multigpu (test_cuda_multigpu.py): two models on two devices",
          "[cuda]") {
  amp::manual_seed(4);
  std::vector<Batch> data;
  for (int i = 0; i < 4; ++i)
    data.push_back({amp::randn({8, 8}).to(kFirst), amp::randn({8, 8}).to(kFirst)});
  for (const Device other : {kSecond, Device(kCPU)}) {
    for (const bool enabled : {true, false}) {
      INFO(to_string(other) << ", enabled " << enabled);
      Two control{other}, scaled{other};
      GradScaler scaler({.init_scale = 128, .growth_interval = 1, .enabled = enabled});
      control.train(data, nullptr, enabled);
      scaled.train(data, &scaler, enabled);
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK((control.model0.weights[i].to_vector<double>() ==
               scaled.model0.weights[i].to_vector<double>()));
        CHECK((control.model1.weights[i].to_vector<double>() ==
               scaled.model1.weights[i].to_vector<double>()));
      }
      CHECK(scaler.get_scale() == (enabled ? 512 : 1));
      CHECK(scaler.counters().skipped == (enabled ? 1 : 0));
      CHECK(scaler.counters().applied == (enabled ? 7 : 0));
    }
  }
}

// --- gradients of one optimizer on several devices -----------------------------------------------

/// Each where the next of `devices` is.
Plain spread(const Devices& devices, const std::vector<Tensor>& gradients) {
  Plain optimizer;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    optimizer.all.push_back(gradients[i].to(devices[i % devices.size()]).clone());
  return optimizer;
}
std::vector<Tensor> gradients_of(const std::vector<amp::DType>& dtypes) {
  amp::manual_seed(9);
  std::vector<Tensor> all;
  for (const std::int64_t numel : {3, 0, 70, 9000, 5, 1}) {
    for (const amp::DType dtype : dtypes) all.push_back((amp::rand({numel}) * 8 - 4).to(dtype));
  }
  return all;
}

const std::vector<Devices> kSpreads = {
    {kFirst, kSecond}, {kSecond, kFirst},          {kCPU, kFirst},
    {kFirst, kCPU},    {kSecond, kSecond, kFirst}, {kFirst, kSecond, kCPU}};
const std::vector<std::vector<amp::DType>> kDTypes = {{amp::kFloat32},
                                                      {amp::kFloat16},
                                                      {amp::kFloat64},
                                                      {amp::kFloat32, amp::kBFloat16},
                                                      {amp::kFloat16, amp::kFloat64}};

std::string name_of(const Devices& devices) {
  std::string name;
  for (const Device device : devices) name += to_string(device) + " ";
  return name;
}

void check_near(const std::vector<Values>& actual, const std::vector<Values>& expected,
                double tolerance) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    REQUIRE(actual[i].size() == expected[i].size());
    double worst = 0;
    for (std::size_t j = 0; j < actual[i].size(); ++j)
      worst = std::fmax(worst, std::fabs(actual[i][j] - expected[i][j]));
    CHECK(worst <= tolerance);
  }
}

TEST_CASE("cuda several devices: a plain optimizer's gradients are unscaled and clipped as one",
          "[cuda]") {
  const Quiet quiet;
  for (const auto& dtypes : kDTypes) {
    const std::vector<Tensor> gradients = gradients_of(dtypes);
    const bool wide = dtypes.back() == amp::kFloat64;
    const bool low = amp::is_low_precision(dtypes[0]) || amp::is_low_precision(dtypes.back());
    for (const Path path : kPaths) {
      const auto run = [&](Device home, const Devices& devices, Tensor& norm) {
        Plain optimizer = spread(devices, gradients);
        Scaler scaler(home, {.init_scale = 8});
        if (path == Path::kUnscale) scaler.unscale_(optimizer);
        if (path == Path::kClip) norm = scaler.unscale_and_clip(optimizer, 0.5);
        const std::vector<Values> before = optimizer.values();
        const amp::StepResult result = scaler.step(optimizer);
        scaler.update();
        CHECK_FALSE(result.skipped());
        CHECK(optimizer.steps == 1);
        if (path != Path::kStep) CHECK((before == optimizer.seen));
        CHECK(scaler.counters().applied == 1);
        return optimizer.seen;
      };
      Tensor norm, there;
      const std::vector<Values> expected = run(kFirst, {kFirst}, norm);
      CHECK((expected != spread({kFirst}, gradients).values()));
      for (const Devices& devices : kSpreads) {
        for (const Device home : {kFirst, kSecond, Device(kCPU)}) {
          INFO("path " << static_cast<int>(path) << ", " << name_of(devices) << ", home "
                       << to_string(home) << ", " << amp::name(dtypes[0]));
          const std::vector<Values> seen = run(home, devices, there);
          if (path != Path::kClip) {
            CHECK((seen == expected));
            continue;
          }
          CHECK(there.device() == home);
          CHECK(there.dim() == 0);
          CHECK(there.dtype() == (wide ? amp::kFloat64 : amp::kFloat32));
          CHECK(there.item<double>() ==
                Approx(norm.item<double>()).epsilon(wide && !low ? 1e-14 : 3e-7));
          check_near(seen, expected, low ? 1e-4 : 1e-8);
        }
      }
    }
  }
}

TEST_CASE("cuda several devices: one gradient that is not finite leaves the step out everywhere",
          "[cuda]") {
  const Quiet quiet;
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kFloat64}) {
    for (const Devices& devices : kSpreads) {
      for (std::size_t at = 0; at < devices.size(); ++at) {
        for (const double value : {kInfinity, kNaN}) {
          for (const Path path : kPaths) {
            INFO("path " << static_cast<int>(path) << ", " << name_of(devices) << ", at " << at
                         << ", " << value << ", " << amp::name(dtype));
            Plain optimizer;
            for (const Device device : devices)
              optimizer.all.push_back(amp::full({50}, 8, {.dtype = dtype, .device = device}));
            optimizer.all[at].narrow(0, 17, 1).fill_(value);
            Scaler scaler(kFirst, {.init_scale = 8});
            if (path == Path::kUnscale) scaler.unscale_(optimizer);
            if (path == Path::kClip)
              CHECK_FALSE(std::isfinite(scaler.unscale_and_clip(optimizer, 0.5).item<double>()));
            CHECK(scaler.step(optimizer).skipped());
            scaler.update();
            CHECK(optimizer.steps == 0);
            CHECK(scaler.get_scale() == 4);
            CHECK(scaler.counters().skipped == 1);
            CHECK(scaler.counters().applied == 0);
            // Unscaled, and not clipped by what is no number.
            const std::size_t next = (at + 1) % devices.size();
            CHECK(optimizer.all[next].to_vector<double>() == Values(50, 1));
            // The next cycle is a good one.
            optimizer.all[at].fill_(4);
            optimizer.all[next].fill_(4);
            CHECK_FALSE(scaler.step(optimizer).skipped());
            scaler.update();
            CHECK(optimizer.seen[at] == Values(50, 1));
            CHECK(scaler.counters().applied == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("cuda several devices: a norm that overflows on none but in common leaves the step out",
          "[cuda]") {
  // The sum of squares of each device is finite: 1e308.
  Plain optimizer{{amp::full({1}, 1e154, {.dtype = amp::kFloat64, .device = kFirst}),
                   amp::full({1}, 1e154, {.dtype = amp::kFloat64, .device = kSecond})}};
  Scaler scaler(kFirst, {.init_scale = 1});
  CHECK(std::isinf(scaler.unscale_and_clip(optimizer, 1).item<double>()));
  CHECK(scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(scaler.get_scale() == 0.5);
  CHECK(optimizer.values() == std::vector<Values>(2, Values(1, 1e154)));
}

TEST_CASE("cuda several devices: unscaled but not stepped, an inf on one device lowers the scale",
          "[cuda]") {
  for (const Device home : {kFirst, kSecond, Device(kCPU)}) {
    for (const bool clips : {false, true}) {
      Plain optimizer{
          {amp::full({2}, 8, {.device = kFirst}), amp::full({2}, kInfinity, {.device = kSecond})}};
      Scaler scaler(home, {.init_scale = 8});
      if (clips) {
        (void)scaler.unscale_and_clip(optimizer, 1);
      } else {
        scaler.unscale_(optimizer);
      }
      scaler.skip_step(optimizer);
      scaler.update();
      CHECK(scaler.get_scale() == 4);
      CHECK(scaler.counters().skipped == 1);
    }
  }
}

TEST_CASE("cuda several devices: a disabled scaler clips by the common norm", "[cuda]") {
  for (const Devices& devices : kSpreads) {
    Plain optimizer;
    for (const Device device : devices)
      optimizer.all.push_back(amp::full({1}, 3, {.device = device}));
    GradScaler scaler({.enabled = false});
    const double norm = 3 * std::sqrt(static_cast<double>(devices.size()));
    CHECK(scaler.unscale_and_clip(optimizer, norm / 2).item<double>() == Approx(norm));
    for (const Values& values : optimizer.values()) CHECK(values[0] == Approx(1.5));
    GradScaler elsewhere({.enabled = false, .device = kSecond});
    CHECK(elsewhere.unscale_and_clip(optimizer, 100).device() == kSecond);
    scaler.step(optimizer);
    CHECK(optimizer.steps == 1);
  }
}

TEST_CASE("cuda several devices: gradients may come on other devices in each cycle", "[cuda]") {
  Scaler scaler(kFirst, {.init_scale = 8});
  Plain optimizer;
  for (const Devices& devices :
       {Devices{kFirst, kSecond}, Devices{kSecond}, Devices{kCPU, kSecond, kFirst}, Devices{kFirst},
        Devices{kSecond, kFirst}}) {
    INFO(name_of(devices));
    optimizer.all.clear();
    for (const Device device : devices)
      optimizer.all.push_back(amp::full({40}, 8, {.device = device}));
    CHECK_FALSE(scaler.step(optimizer).skipped());
    scaler.update();
    CHECK(optimizer.seen == std::vector<Values>(devices.size(), Values(40, 1)));
  }
  CHECK(scaler.counters().applied == 5);
  optimizer.all.clear();
  CHECK_THAT(error_of([&] { (void)scaler.step(optimizer); }), ContainsSubstring("has a gradient"));
  Aware aware;  // which is not on several at a time
  for (const Device device : {kFirst, kSecond, kFirst}) {
    aware.all = {amp::full({40}, 8, {.device = device})};
    CHECK_FALSE(scaler.step(aware).skipped());
    scaler.update();
    CHECK(device_of(aware.given.inverse) == device.index);
  }
}

/// Plain, over tensors: unscale_ may compute the norm that clip_grad_norm_ asks for.
struct OverTensors {
  std::vector<Tensor> all;
  const std::vector<Tensor>& parameters() const { return all; }
  std::vector<amp::TensorView> gradients() const {
    std::vector<amp::TensorView> views;
    for (const Tensor& p : all) {
      const Tensor g = p.grad();
      views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device(), "tensor"});
    }
    return views;
  }
  void mark_unscaled() {}
  void step() {}
};

TEST_CASE("cuda several devices: clip_grad_norm_ takes the gradients of one device", "[cuda]") {
  Scaler scaler(kFirst, {.init_scale = 8});
  OverTensors optimizer;
  optimizer.all = {parameter(kSecond, {24, 32})};
  scaler.unscale_(optimizer);
  CHECK(amp::clip_grad_norm_(optimizer.all, 1).item<double>() == 5);
  (void)scaler.step(optimizer);
  scaler.update();
  optimizer.all = {parameter(kSecond, {24, 32}), parameter(kFirst, {24, 32})};
  scaler.unscale_(optimizer);
  for (const Tensor& p : optimizer.all) CHECK(p.grad().to_vector<double>() == Values{3, 4});
  CHECK_THAT(error_of([&] { return amp::clip_grad_norm_(optimizer.all, 1); }),
             ContainsSubstring("gradients are on cuda:1 and cuda:0"));
  (void)scaler.step(optimizer);
  scaler.update();
  CHECK(scaler.counters().applied == 2);
}

// --- at random -----------------------------------------------------------------------------------

TEST_CASE("cuda several devices: loops at random move the scale as on one device", "[cuda]") {
  scaler_test::Dice dice(11);
  for (const amp::ScalePolicy policy : scaler_test::kPolicies) {
    amp::GradScalerOptions options = scaler_test::random_options(dice, policy);
    options.growth_interval = 3;
    const Devices everywhere{kFirst, kSecond, kCPU};
    Scaler one(kCPU, options), several(dice.one_of(everywhere), options);
    Plain plain[2];
    std::vector<Tensor> parameters[2];
    for (const int where : {0, 1}) {
      for (int i = 0; i < 3; ++i) {
        const Device device = where == 0 ? Device(kCPU) : everywhere[static_cast<std::size_t>(i)];
        plain[where].all.push_back(amp::ones({4}, {.device = device}));
      }
      for (int i = 0; i < 2; ++i) {
        const Device device = where == 0 ? Device(kCPU) : dice.one_of(everywhere);
        parameters[where].push_back(parameter(device, {1, 1}));
      }
    }
    amp::SGD first[2] = {amp::SGD({parameters[0][0]}), amp::SGD({parameters[1][0]})},
             second[2] = {amp::SGD({parameters[0][1]}), amp::SGD({parameters[1][1]})};
    for (int cycle = 0; cycle < 60; ++cycle) {
      INFO("policy " << static_cast<int>(policy) << ", cycle " << cycle);
      const std::size_t bad = dice.below(12);  // of the gradients: 0, 1, 2 the plain one's, 3, 4
      const std::uint64_t ways[3] = {dice.below(5), dice.below(5), dice.below(5)};
      std::vector<bool> skipped[2];
      for (const std::size_t where : {std::size_t{0}, std::size_t{1}}) {
        GradScaler& scaler = where == 0 ? static_cast<GradScaler&>(one) : several;
        const auto go = [&](auto& optimizer, std::uint64_t way) {
          if (way == 1 || way == 3) scaler.unscale_(optimizer);
          if (way == 2) (void)scaler.unscale_and_clip(optimizer, 1.0);
          if (way == 3 || way == 4) {
            scaler.skip_step(optimizer);
          } else {
            skipped[where].push_back(scaler.step(optimizer).skipped());
          }
        };
        for (std::size_t i = 0; i < 3; ++i) plain[where].all[i].fill_(bad == i ? kNaN : 1);
        for (std::size_t i = 0; i < 2; ++i) {
          const Tensor& p = parameters[where][i];
          p.set_grad(amp::full({2}, bad == 3 + i ? kInfinity : 1, {.device = p.device()}));
        }
        go(plain[where], ways[0]);
        go(first[where], ways[1]);
        go(second[where], ways[2]);
        scaler.update();
      }
      REQUIRE((skipped[0] == skipped[1]));
      REQUIRE(scaler_test::same_bits(one.state_dict(), several.state_dict()));
    }
    CHECK(plain[0].steps == plain[1].steps);
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(parameters[0][i].to_vector<double>() == parameters[1][i].to_vector<double>());
  }
}

// --- errors --------------------------------------------------------------------------------------

TEST_CASE("cuda several devices: a scale-aware optimizer on several is refused by name", "[cuda]") {
  Aware optimizer;
  for (const Device device : {kFirst, kFirst, kSecond})
    optimizer.all.push_back(amp::full({2}, 8, {.device = device}));
  Scaler scaler(kFirst, {.init_scale = 8});
  const std::vector<std::pair<const char*, std::function<void()>>> calls = {
      {"unscale_", [&] { scaler.unscale_(optimizer); }},
      {"unscale_and_clip", [&] { (void)scaler.unscale_and_clip(optimizer, 1); }},
      {"step", [&] { (void)scaler.step(optimizer); }}};
  for (const auto& [name, call] : calls) {
    const std::string text = error_of(call);
    CHECK_THAT(text, ContainsSubstring(name) &&
                         ContainsSubstring("gradient 2 raw is on cuda:1, but gradient 0 is on "
                                           "cuda:0; a scale-aware optimizer") &&
                         ContainsSubstring("one optimizer per device"));
    CHECK(optimizer.values() == std::vector<Values>(3, Values(2, 8)));
  }
  CHECK(optimizer.steps == 0);
  const Tensor removed = std::exchange(optimizer.all[2], optimizer.all[1].clone());
  (void)scaler.step(optimizer);  // a cycle may begin
  scaler.update();
  CHECK(optimizer.steps == 1);
  CHECK(scaler.get_scale() == 8);
}

TEST_CASE("cuda several devices: options that know one device refuse others", "[cuda]") {
  struct Case {
    amp::GradScalerOptions options;
    const char* text;
    bool refuses_loss, refuses_one;
  };
  const Case cases[] = {
      {{.init_scale = 8, .ledger = 4}, "GradScalerOptions::ledger", true, true},
      {{.init_scale = 8, .on_overflow = amp::OverflowPolicy::kSanitize},
       "GradScalerOptions::on_overflow = kSanitize",
       false,
       true},
      {{.init_scale = 8, .statistics = true}, "GradScalerOptions::statistics", false, false}};
  for (const Case& c : cases) {
    INFO(c.text);
    Scaler scaler(kFirst, c.options);
    const auto refused = [&](const auto& call) {
      const std::string text = error_of(call);
      if (!text.empty()) CHECK_THAT(text, ContainsSubstring(c.text) && ContainsSubstring("cuda:1"));
      return !text.empty();
    };
    const Tensor loss = amp::ones({}, {.device = kSecond});
    CHECK(refused([&] { (void)scaler.scale(loss); }) == c.refuses_loss);
    Plain both{
        {amp::full({2}, 8, {.device = kFirst}), amp::full({2}, kInfinity, {.device = kSecond})}};
    Plain elsewhere{{amp::full({2}, 8, {.device = kSecond})}};
    for (const Path path : kPaths) {
      const auto look = [&](Plain& optimizer) {
        if (path == Path::kUnscale) scaler.unscale_(optimizer);
        if (path == Path::kClip) (void)scaler.unscale_and_clip(optimizer, 100);
        if (path == Path::kStep) (void)scaler.step(optimizer);
      };
      CHECK(refused([&] { look(both); }));
      CHECK(refused([&] { look(elsewhere); }) == c.refuses_one);
      CHECK(both.all[0].to_vector<double>() == Values(2, 8));
      CHECK(both.all[1].to_vector<double>() == Values(2, kInfinity));
      CHECK(elsewhere.all[0].to_vector<double>() == Values(2, c.refuses_one ? 8 : 1));
      elsewhere.all[0].fill_(8);
      (void)scaler.scale(amp::ones({}, {.device = kFirst}));  // a new cycle
    }
    Plain beside{{amp::full({2}, 8, {.device = kFirst})}};
    (void)scaler.step(beside);
    scaler.update();
    CHECK(beside.seen == std::vector<Values>{Values(2, 1)});
    CHECK(scaler.get_scale() == 8);
  }
}

TEST_CASE("cuda several devices: gradients that cannot be collected leave all as it was",
          "[cuda]") {
  Plain optimizer{{amp::full({2}, 8, {.device = kFirst}), amp::full({2}, 8, {.device = kSecond}),
                   amp::ones({2}, {.dtype = amp::kInt64, .device = kSecond})}};
  Scaler scaler(kFirst, {.init_scale = 8});
  CHECK_THAT(error_of([&] { (void)scaler.step(optimizer); }),
             ContainsSubstring("gradient 2 raw must be floating point"));
  CHECK(optimizer.all[0].to_vector<double>() == Values(2, 8));
  CHECK(optimizer.all[1].to_vector<double>() == Values(2, 8));
  optimizer.all.pop_back();
  CHECK_FALSE(scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(optimizer.seen == std::vector<Values>(2, Values(2, 1)));
}

TEST_CASE("cuda several devices: two optimizers do not share a gradient", "[cuda]") {
  Plain one{{amp::full({2}, 8, {.device = kFirst}), amp::full({2}, 8, {.device = kSecond})}};
  Plain other{{one.all[1]}};
  Scaler scaler(kFirst, {.init_scale = 8});
  scaler.unscale_(one);
  CHECK_THAT(error_of([&] { scaler.unscale_(other); }),
             ContainsSubstring("is also another optimizer's"));
  CHECK(other.all[0].to_vector<double>() == Values(2, 1));
}

/// Every call fails once: an error, whole tensors and a scaler that goes on; nothing otherwise.
template <class Make>
void fail_each(const Make& make, int at_least) {
  int failures = 0;
  for (int nth = 0;; ++nth) {
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    INFO("call " << nth);
    Scaler scaler(kFirst, {.init_scale = 8, .growth_interval = 1});
    auto optimizer = make();
    const auto cycle = [&] {
      (void)scaler.scale(amp::ones({}, {.device = kSecond}));
      (void)scaler.unscale_and_clip(*optimizer, 1e6);
      (void)scaler.step(*optimizer);
      scaler.update();
    };
    toolkit().fail("", nth, cudaErrorInvalidValue);
    const std::string text = error_of(cycle);
    const std::string failed = toolkit().failed();
    toolkit().reset();
    INFO(failed << ": " << text);
    if (failed.empty()) break;
    if (text.empty()) {  // the call gave something back
      CHECK(scaler.get_scale() == 16);
      continue;
    }
    ++failures;
    CHECK_THAT(text, ContainsSubstring(failed));
    CHECK((scaler.get_scale() == 8 || scaler.get_scale() == 16));
    if (scaler.get_scale() == 8) {  // update() may come again, if the cycle had begun
      const std::string again = error_of([&] { scaler.update(); });
      CHECK((again.empty() || again.find("no optimizer was") != std::string::npos));
    }
    const double before = scaler.get_scale();
    optimizer = make();
    CHECK(error_of(cycle).empty());
    CHECK(scaler.get_scale() == 2 * before);
  }
  CHECK(failures >= at_least);
}

TEST_CASE("cuda several devices: any call may fail, and training goes on", "[cuda]") {
  fail_each(
      [] {
        return std::make_unique<Plain>(
            Plain{{amp::full({40}, 8, {.device = kFirst}), amp::full({40}, 8, {.device = kSecond}),
                   amp::full({40}, 8)}});
      },
      40);
  fail_each([] { return std::make_unique<amp::SGD>(std::vector{parameter(kSecond, {8, 8})}); }, 20);
}

TEST_CASE("cuda several devices: a graph of one device refuses work on another", "[cuda]") {
  const Tensor p = parameter(kSecond, {8, 8}), q = parameter(kFirst, {8, 8});
  amp::SGD elsewhere({p}, {.lr = 1}), beside({q}, {.lr = 1});
  Plain both{{amp::full({2}, 8, {.device = kFirst}), amp::full({2}, 8, {.device = kSecond})}};
  Scaler scaler(kFirst, {.init_scale = 8});
  const Tensor loss = amp::ones({}, {.device = kSecond});
  const std::vector<std::function<void()>> calls = {[&] { (void)scaler.scale(loss); },
                                                    [&] {
                                                      (void)scaler.step(elsewhere);
                                                      scaler.update();
                                                    },
                                                    [&] {
                                                      scaler.unscale_(both);
                                                      scaler.skip_step(both);
                                                      scaler.update();
                                                    }};
  for (const auto& call : calls) {
    const std::string text = error_of([&] {
      amp::cuda::Graph graph([&] {
        (void)scaler.step(beside);
        scaler.update();
        call();
      });
    });
    CHECK_THAT(text, ContainsSubstring("Graph: a GradScaler on cuda:0 is used for cuda:1") ||
                         ContainsSubstring("cuda:1; a graph records the one stream of cuda:0"));
    const double scale = scaler.get_scale();
    (void)scaler.scale(loss);  // a new cycle
    both.all[0].fill_(8);
    both.all[1].fill_(8);
    (void)scaler.step(both);
    (void)scaler.step(elsewhere);
    scaler.update();
    CHECK(both.seen == std::vector<Values>(2, Values(2, 1)));
    CHECK(scaler.get_scale() == scale);
  }
}

TEST_CASE("cuda several devices: a graph of another device than the scaler's is refused",
          "[cuda]") {
  for (const Device home : {kFirst, Device(kCPU)}) {
    const Tensor p = parameter(kSecond, {8, 8});
    amp::SGD optimizer({p}, {.lr = 1});
    Scaler scaler(home, {.init_scale = 8});
    CHECK_THAT(
        error_of([&] {
          const amp::cuda::Graph graph(
              [&] {
                optimizer.zero_grad();
                scaler.scale(amp::sum(p)).backward();
              },
              {.device = 1});
        }),
        ContainsSubstring("Graph: a GradScaler on " + to_string(home) + " is used for cuda:1"));
  }
}

TEST_CASE("cuda several devices: the copy of the scale is the last, whichever stream asks for it",
          "[cuda]") {
  const Tensor loss = amp::ones({}, {.device = kSecond});
  (void)loss.item<float>();  // so that any stream may read it
  const UserStream busy(1), idle(1);
  for (int round = 0; round < 60; ++round) {
    Scaler scaler(kCPU, {.init_scale = 8});
    Tensor first;
    {
      const amp::StreamGuard guard(kSecond, busy.get());
      Tensor x = amp::ones({100}, {.device = kSecond});
      for (int i = 0; i < 8; ++i) x = x + 1;
      first = scaler.scale(loss);
    }
    scaler.update(16.0);
    {
      const amp::StreamGuard guard(kSecond, idle.get());
      (void)scaler.scale(loss);
    }
    busy.synchronize();
    idle.synchronize();
    CHECK(first.item<double>() == 8);
    first = {};
    const amp::StreamGuard guard(kSecond, idle.get());
    CHECK(scaler.scale(loss).item<double>() == 16);
  }
  amp::cuda::release_stream(busy.get(), 1);
  amp::cuda::release_stream(idle.get(), 1);
}

TEST_CASE("cuda several devices: copies of the scale on two streams leave no memory behind",
          "[cuda]") {
  const Tensor loss = amp::ones({}, {.device = kSecond});
  (void)loss.item<float>();  // so that any stream may read it
  const UserStream streams[] = {UserStream(1), UserStream(1)};
  Scaler scaler(kFirst, {.init_scale = 8});
  const auto step = [&](int i) {
    const double scale = i % 2 == 0 ? 8 : 16;
    scaler.update(scale);
    for (const UserStream& stream : streams) {
      const amp::StreamGuard guard(kSecond, stream.get());
      CHECK(scaler.scale(loss).item<double>() == scale);
    }
  };
  (void)scaler.scale(loss);
  for (int i = 0; i < 4; ++i) step(i);
  const amp::cuda::DeviceMemoryStats before = amp::cuda::memory_stats(1);
  for (int i = 0; i < 30; ++i) step(i);
  CHECK(amp::cuda::memory_stats(1).set_aside == before.set_aside);
  CHECK(amp::cuda::memory_stats(1).reserved == before.reserved);
  for (const UserStream& stream : streams) amp::cuda::release_stream(stream.get(), 1);
}

TEST_CASE("cuda several devices: an inf that was found before another device failed counts",
          "[cuda]") {
  for (int nth = 0; nth < 200; ++nth) {
    INFO("call " << nth);
    Plain optimizer{
        {amp::full({2}, kInfinity, {.device = kFirst}), amp::full({2}, 8, {.device = kSecond})}};
    Scaler scaler(kFirst, {.init_scale = 8, .growth_interval = 1});
    (void)scaler.scale(amp::ones({}, {.device = kFirst}));
    toolkit().fail("cudaMemcpyPeerAsync", nth, cudaErrorInvalidValue);
    const std::string text = error_of([&] { scaler.unscale_(optimizer); });
    const std::string failed = toolkit().failed();
    toolkit().reset();
    if (failed.empty()) break;
    CHECK_THAT(text, ContainsSubstring(failed));
    const std::string again = error_of([&] { scaler.update(); });
    CHECK((again.empty() || again.find("no optimizer was") != std::string::npos));
    CHECK(scaler.get_scale() == (again.empty() ? 4 : 8));
  }
}

TEST_CASE("cuda several devices: a capture that the user began refuses the copy of the scale",
          "[cuda]") {
  cudaStream_t mine = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
  Scaler scaler(kFirst, {.init_scale = 8});
  const Tensor loss = amp::ones({}, {.device = kSecond});
  CHECK(scaler.scale(loss).item<double>() == 8);
  scaler.update(4.0);
  {
    const amp::StreamGuard guard(kFirst, mine);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(mine, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    CHECK_THAT(error_of([&] { return scaler.scale(loss); }),
               ContainsSubstring("a copy from cuda:0 to cuda:1 cannot be part of a CUDA graph"));
    REQUIRE(cudaStreamEndCapture(mine, &graph) == cudaSuccess);
    REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  }
  CHECK(scaler.scale(loss).item<double>() == 4);
  amp::cuda::release_stream(mine);
  REQUIRE(cudaStreamDestroy(mine) == cudaSuccess);
}

TEST_CASE("cuda several devices: after the replay of a graph the copies follow", "[cuda]") {
  const Tensor q = parameter(kFirst, {8, 8});
  amp::SGD beside({q}, {.lr = 0});
  Scaler scaler(kFirst, {.init_scale = 8, .growth_interval = 1});
  const Tensor loss = amp::ones({}, {.device = kSecond});
  const bool copied = GENERATE(false, true);  // before the graph is recorded
  if (copied) (void)scaler.scale(loss);
  amp::cuda::Graph graph([&] {
    (void)scaler.step(beside);
    scaler.update();
  });
  for (int i = 0; i < 3; ++i) {
    const Tensor x = amp::ones({}, {.device = kSecond, .requires_grad = true});
    const Tensor before = scaler.scale(x * 2);
    const Tensor later = scaler.scale(x * 2);
    graph.replay();
    CHECK_THAT(error_of([&] { before.backward(); }), ContainsSubstring("GradScaler::scale"));
    const double scaled = scaler.scale(loss).item<double>();
    CHECK(scaled == scaler.get_scale());
    CHECK(scaled >= 16);
    CHECK_THAT(error_of([&] { later.backward(); }), ContainsSubstring("GradScaler::scale"));
  }
}

}  // namespace
}  // namespace cuda_several_devices
