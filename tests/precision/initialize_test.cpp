// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Opt levels: what each sets, what contradicts what, and training at each of them.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace precision_initialize {
namespace {

namespace nn = amp::nn;
using amp::kBFloat16;
using amp::kFloat16;
using amp::kFloat32;
using amp::OptLevel;
using amp::PrecisionOptions;
using amp::ScalePolicy;
using amp::Tensor;
using amp::WeightStorage;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

constexpr OptLevel kLevels[] = {OptLevel::kO0, OptLevel::kO1, OptLevel::kO2, OptLevel::kO3};

struct Net : nn::Module {
  nn::Linear first{register_module("first", nn::Linear(6, 16))};
  nn::LayerNorm norm{register_module("norm", nn::LayerNorm({16}))};
  nn::Linear second{register_module("second", nn::Linear(16, 3))};
  Tensor forward(const Tensor& x) const { return second(amp::gelu(norm(first(x)))); }
};

Net seeded_net() {
  amp::manual_seed(17);
  return Net();
}

std::vector<std::vector<float>> values(const std::vector<Tensor>& tensors) {
  std::vector<std::vector<float>> all;
  for (const Tensor& tensor : tensors) all.push_back(tensor.to(kFloat32).to_vector<float>());
  return all;
}

/// Inputs, and classes that a linear function of them gives.
std::pair<Tensor, Tensor> data() {
  amp::manual_seed(5);
  const Tensor x = amp::randn({64, 6});
  return {x, amp::argmax(amp::matmul(x, amp::randn({6, 3})), 1)};
}

struct Trained {
  std::vector<float> losses;
  std::vector<std::vector<float>> weights;
  amp::GradScalerCounters counters;
};

Trained train(OptLevel level, const PrecisionOptions& options, int steps = 60) {
  const Net net = seeded_net();
  amp::AdamW optimizer(net.named_parameters(), {.lr = 1e-2});
  const amp::Precision precision = amp::initialize(net, optimizer, level, options);
  amp::GradScaler scaler(precision.scaler);
  const auto [x, y] = data();
  Trained result;
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const Tensor loss = amp::cross_entropy(precision.forward(net, x), y);
    CHECK(loss.dtype() == kFloat32);
    result.losses.push_back(loss.item<float>());
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  result.weights = values(optimizer.master_weights());
  if (precision.scaler.enabled) result.counters = scaler.counters();
  return result;
}

}  // namespace

TEST_CASE("initialize: what each level sets", "[precision]") {
  for (const amp::DType dtype : {kFloat16, kBFloat16}) {
    for (const OptLevel level : kLevels) {
      INFO(amp::name(level) << " " << amp::name(dtype));
      const bool casts = level == OptLevel::kO2 || level == OptLevel::kO3;
      const Net net = seeded_net();
      const Tensor weight = net.first.weight;
      amp::AdamW optimizer(net.parameters());
      const amp::Precision p = amp::initialize(net, optimizer, level, {.dtype = dtype});
      CHECK(p.level == level);
      CHECK(p.dtype == dtype);
      CHECK(p.autocast.enabled == (level == OptLevel::kO1));
      CHECK(p.autocast.dtype == dtype);
      CHECK(p.cast_model == casts);
      CHECK(weight.is_same(net.first.weight));
      CHECK(weight.dtype() == (casts ? dtype : kFloat32));
      CHECK(net.second.bias.dtype() == (casts ? dtype : kFloat32));
      CHECK(net.norm.weight.dtype() == (level == OptLevel::kO3 ? dtype : kFloat32));
      CHECK(p.storage ==
            (level == OptLevel::kO2 ? WeightStorage::kMaster : WeightStorage::kParameter));
      CHECK(optimizer.options().storage == p.storage);
      CHECK(p.scaler.enabled == (level != OptLevel::kO0));
      const bool dynamic = dtype == kFloat16 && (level == OptLevel::kO1 || level == OptLevel::kO2);
      if (level != OptLevel::kO0) {
        CHECK(p.scaler.policy == (dynamic ? ScalePolicy::kRefillAtGrowth : ScalePolicy::kNone));
        CHECK(p.scaler.init_scale == (dynamic ? 65536 : 1));
      }
      const Tensor y = p.forward(net, amp::randn({4, 6}));
      CHECK(y.dtype() == kFloat32);
      CHECK(y.shape() == amp::Shape(4, 3));
    }
  }
}

TEST_CASE("initialize: without a dtype it is autocast's on the device", "[precision]") {
  const Net net = seeded_net();
  amp::SGD optimizer(net.parameters(), {.lr = 0.1});
  CHECK(amp::initialize(net, optimizer, OptLevel::kO2).dtype == amp::autocast_dtype(amp::kCPU));
  CHECK(net.first.weight.dtype() == amp::autocast_dtype(amp::kCPU));
}

TEST_CASE("initialize: every field can be overridden", "[precision]") {
  const auto with = [](OptLevel level, const PrecisionOptions& options) {
    const Net net = seeded_net();
    amp::AdamW optimizer(net.parameters());
    const amp::Precision p = amp::initialize(net, optimizer, level, options);
    return std::pair(p, net);
  };
  {
    const auto [p, net] = with(OptLevel::kO2, {.dtype = kBFloat16, .keep_norms_float32 = false});
    CHECK(net.norm.weight.dtype() == kBFloat16);
    CHECK_FALSE(p.keep_norms_float32);
  }
  CHECK(with(OptLevel::kO2, {.autocast = true}).first.autocast.enabled);
  CHECK(with(OptLevel::kO1, {.cast_model = true}).first.storage == WeightStorage::kMaster);
  CHECK_FALSE(with(OptLevel::kO2, {.cast_model = false}).first.cast_model);
  for (const WeightStorage storage :
       {WeightStorage::kParameter, WeightStorage::kMaster, WeightStorage::kRemainder,
        WeightStorage::kStochastic, WeightStorage::kKahan}) {
    CHECK(with(OptLevel::kO2, {.dtype = kBFloat16, .storage = storage}).first.storage == storage);
    CHECK(with(OptLevel::kO3, {.dtype = kBFloat16, .storage = storage}).first.storage == storage);
  }
  const amp::Precision fixed = with(OptLevel::kO1, {.dtype = kFloat16, .loss_scale = 128}).first;
  CHECK(fixed.scaler.init_scale == 128);
  CHECK(fixed.scaler.policy == ScalePolicy::kStatic);
  CHECK(with(OptLevel::kO2, {.dtype = kFloat16, .loss_scale = 1}).first.scaler.policy ==
        ScalePolicy::kNone);
}

TEST_CASE("initialize: O2's masters are the float32 weights, bit for bit", "[precision]") {
  for (const WeightStorage storage : {WeightStorage::kMaster, WeightStorage::kRemainder}) {
    const Net net = seeded_net();
    const auto before = values(net.parameters());
    amp::AdamW optimizer(net.parameters());
    amp::initialize(net, optimizer, OptLevel::kO2, {.dtype = kBFloat16, .storage = storage});
    CHECK(values(optimizer.master_weights()) == before);
    CHECK(values(net.parameters()) != before);
  }
}

TEST_CASE("initialize: O0 is the plain loop, and O1 the one with a scope", "[precision]") {
  const auto by_hand = [](bool autocast) {
    const Net net = seeded_net();
    amp::AdamW optimizer(net.named_parameters(), {.lr = 1e-2});
    const auto [x, y] = data();
    std::vector<float> losses;
    for (int step = 0; step < 10; ++step) {
      optimizer.zero_grad();
      Tensor logits;
      {
        const amp::AutocastGuard scope(amp::kCPU, {.dtype = kBFloat16, .enabled = autocast});
        logits = net.forward(x);
      }
      const Tensor loss = amp::cross_entropy(logits.to(kFloat32), y);
      losses.push_back(loss.item<float>());
      loss.backward();
      optimizer.step();
    }
    return losses;
  };
  CHECK(train(OptLevel::kO0, {}, 10).losses == by_hand(false));
  CHECK(train(OptLevel::kO1, {.dtype = kBFloat16}, 10).losses == by_hand(true));
}

TEST_CASE("initialize: every level trains, and masters make the difference", "[precision]") {
  const Trained exact = train(OptLevel::kO0, {});
  REQUIRE(exact.losses.back() < 0.3F * exact.losses.front());
  for (const amp::DType dtype : {kFloat16, kBFloat16}) {
    for (const OptLevel level : {OptLevel::kO1, OptLevel::kO2}) {
      INFO(amp::name(level) << " " << amp::name(dtype));
      const Trained trained = train(level, {.dtype = dtype});
      CHECK(std::abs(trained.losses.back() - exact.losses.back()) < 0.05F * exact.losses.front());
      CHECK(trained.counters.applied + trained.counters.skipped == 60);
    }
  }
  const Trained low = train(OptLevel::kO3, {.dtype = kBFloat16});
  CHECK(low.losses.back() < 0.5F * low.losses.front());
}

TEST_CASE("initialize: an outer scope does not reach into a level without autocast",
          "[precision]") {
  const Net net = seeded_net();
  amp::AdamW optimizer(net.parameters());
  const amp::Precision p = amp::initialize(net, optimizer, OptLevel::kO0);
  const Tensor x = amp::randn({4, 6});
  const std::vector<float> plain = net.forward(x).to_vector<float>();
  const amp::AutocastGuard scope(amp::kCPU);
  CHECK(p.forward(net, x).to_vector<float>() == plain);
}

TEST_CASE("Precision::forward: casts tensors of floats alone", "[precision]") {
  struct Embedder : nn::Module {
    nn::Embedding table{register_module("table", nn::Embedding(5, 4))};
    Tensor forward(const Tensor& words, double factor, const Tensor& scale) const {
      CHECK(words.dtype() == amp::kInt64);
      CHECK(scale.dtype() == kBFloat16);
      return table(words) * scale * factor;
    }
  };
  const Embedder net;
  amp::SGD optimizer(net.parameters(), {.lr = 0.1});
  const amp::Precision p = amp::initialize(net, optimizer, OptLevel::kO3, {.dtype = kBFloat16});
  CHECK(p.forward(net, amp::arange(5).to(amp::kInt64), 2.0, amp::ones({4})).dtype() == kFloat32);
}

TEST_CASE("initialize: contradictions are refused by name, and change nothing", "[precision]") {
  struct Bad {
    OptLevel level;
    PrecisionOptions options;
    std::string says;
  };
  const std::vector<Bad> bad = {
      {OptLevel::kO2, {.dtype = kFloat32}, "`dtype` must be kFloat16 or kBFloat16"},
      {OptLevel::kO2, {.dtype = amp::kInt64}, "`dtype`"},
      {OptLevel::kO1, {.keep_norms_float32 = true}, "`keep_norms_float32` was given, but at O1"},
      {OptLevel::kO0, {.storage = WeightStorage::kMaster}, "`storage` was given, but at O0"},
      {OptLevel::kO1, {.storage = WeightStorage::kKahan}, "their own masters"},
      {OptLevel::kO1, {.loss_scale = 0}, "`loss_scale`"},
      {OptLevel::kO1, {.loss_scale = -2}, "`loss_scale`"},
      {OptLevel::kO1, {.loss_scale = std::nan("")}, "`loss_scale`"},
      {OptLevel::kO1, {.loss_scale = HUGE_VAL}, "`loss_scale`"},
      {OptLevel::kO2, {.dtype = kFloat16, .storage = WeightStorage::kRemainder}, "float16"},
      {OptLevel::kO2, {.dtype = kBFloat16, .moments = amp::kInt32}, "moments"},
      {OptLevel::kO2, {.dtype = kBFloat16, .moments = amp::kFloat64}, "moments"},
  };
  for (const Bad& each : bad) {
    INFO(each.says);
    const Net net = seeded_net();
    const auto before = values(net.parameters());
    amp::AdamW optimizer(net.parameters());
    const std::string error =
        error_of([&] { amp::initialize(net, optimizer, each.level, each.options); });
    CHECK_THAT(error, ContainsSubstring("initialize") || ContainsSubstring("AdamW"));
    CHECK_THAT(error, ContainsSubstring(each.says));
    CHECK(values(net.parameters()) == before);
    for (const Tensor& parameter : net.parameters()) CHECK(parameter.dtype() == kFloat32);
    CHECK(optimizer.options().storage == WeightStorage::kParameter);
    CHECK_FALSE(optimizer.options().moments.has_value());
    // What was refused once can be done right.
    CHECK_NOTHROW(amp::initialize(net, optimizer, OptLevel::kO2, {.dtype = kBFloat16}));
  }
}

TEST_CASE("initialize: before the first step, of a float32 model and its own optimizer",
          "[precision]") {
  const Net net = seeded_net(), other = seeded_net();
  amp::AdamW optimizer(net.parameters());
  CHECK_THAT(error_of([&] { amp::initialize(other, optimizer, OptLevel::kO2); }),
             ContainsSubstring("holds no parameter of `model`"));
  CHECK_THAT(error_of([&] { amp::initialize(nn::Module(), optimizer, OptLevel::kO2); }),
             ContainsSubstring("`model` has no parameters"));
  amp::sum(net.forward(amp::randn({2, 6}))).backward();
  optimizer.step();
  CHECK_THAT(error_of([&] { amp::initialize(net, optimizer, OptLevel::kO2); }),
             ContainsSubstring("took 1 steps already"));
  other.second.to(kBFloat16);
  amp::AdamW low(other.parameters());
  CHECK_THAT(error_of([&] { amp::initialize(other, low, OptLevel::kO1); }),
             ContainsSubstring("\"second.weight\"") && ContainsSubstring("must be float32"));
}

TEST_CASE("Module::to_mixed: leaves what asks for float32, and what it holds", "[nn]") {
  struct Stack : nn::Module {
    nn::Linear linear{register_module("linear", nn::Linear(4, 4))};
    nn::BatchNorm2d batch{register_module("batch", nn::BatchNorm2d(4))};
    nn::GroupNorm group{register_module("group", nn::GroupNorm(2, 4))};
    nn::RMSNorm rms{register_module("rms", nn::RMSNorm({4}))};
    Tensor own{register_parameter("own", amp::ones({2}))};
  };
  struct Careful : nn::Module {
    nn::Linear inner{register_module("inner", nn::Linear(2, 2))};
    Careful() { keep_float32(); }
  };
  struct Both : nn::Module {
    Stack stack{register_module("stack", Stack())};
    Careful careful{register_module("careful", Careful())};
  };
  const Both net;
  net.to_mixed(kFloat16);
  for (const auto& [name, tensor] : net.state_dict()) {
    INFO(name);
    const bool low = name.find("linear") != std::string::npos || name == "stack.own";
    const bool counts = name.find("num_batches") != std::string::npos;
    CHECK(tensor.dtype() == (counts ? amp::kInt64 : low ? kFloat16 : kFloat32));
  }
  net.to(kFloat16);
  CHECK(net.stack.batch.running_var.dtype() == kFloat16);
  CHECK(net.careful.inner.weight.dtype() == kFloat16);
}

}  // namespace precision_initialize
