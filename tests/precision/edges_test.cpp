// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What initialize finds: gradients that are there already, groups of their own options, parameters
// that are not the model's, frozen and tied ones, models with and without norms.
#include <amp/amp.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "precision/training.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace precision_edges {
namespace {

using namespace precision_test;
using amp::kBFloat16;
using amp::kFloat16;
using amp::kFloat32;
using amp::OptLevel;
using amp::WeightStorage;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Net seeded(std::uint64_t seed) { return Training<amp::SGD>::seeded(seed, amp::kCPU); }

}  // namespace

TEST_CASE("initialize: refused, it leaves gradients and their marks", "[precision]") {
  const nn::Linear model(3, 2);
  amp::AdamW optimizer(model.parameters());
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(model.forward(amp::ones({1, 3})))).backward();
  const std::vector<Bits> before = bits_of({model.weight.grad(), model.bias.grad()});
  CHECK(error_of([&] {
          amp::initialize(model, optimizer, OptLevel::kO2,
                          {.dtype = kFloat16, .storage = WeightStorage::kRemainder});
        }) != "");
  REQUIRE(model.weight.grad().defined());
  CHECK((bits_of({model.weight.grad(), model.bias.grad()}) == before));
  CHECK_THAT(error_of([&] { optimizer.step(); }), ContainsSubstring("scaled loss"));
  const Tensor weight = model.weight.detach().clone();
  scaler.step(optimizer);
  CHECK(model.weight.to_vector<float>() != weight.to_vector<float>());
  CHECK(model.weight.grad().dtype() == kFloat32);
}

TEST_CASE("initialize: groups keep their own options but for storage and moments", "[precision]") {
  const nn::Linear first(6, 5), second(5, 4);
  const nn::Sequential model{first, second};
  amp::AdamW optimizer(std::vector<amp::AdamW::Group>{
      {.params = first.parameters(), .options = {.lr = 0.5, .weight_decay = 0.0, .seed = 3}},
      {.params = second.parameters(),
       .options = {.lr = 0.25, .beta1 = 0.5, .moments = kBFloat16, .zero_grad = true}}});
  amp::initialize(model, optimizer, OptLevel::kO2, {.dtype = kBFloat16});
  const auto& groups = optimizer.param_groups();
  CHECK(groups[0].options.lr == 0.5);
  CHECK(groups[0].options.seed == 3);
  CHECK(groups[0].options.weight_decay == 0.0);
  CHECK_FALSE(groups[0].options.moments.has_value());
  CHECK(groups[1].options.lr == 0.25);
  CHECK(groups[1].options.beta1 == 0.5);
  CHECK(groups[1].options.moments == kBFloat16);
  CHECK(groups[1].options.zero_grad);
  for (const auto& group : groups) CHECK(group.options.storage == WeightStorage::kMaster);
}

TEST_CASE("initialize: other parameters of the optimizer train on as they are", "[precision]") {
  for (const WeightStorage storage :
       {WeightStorage::kParameter, WeightStorage::kMaster, WeightStorage::kRemainder,
        WeightStorage::kStochastic, WeightStorage::kKahan}) {
    INFO(amp::name(storage));
    amp::manual_seed(1);
    const nn::Linear model(6, 5);
    const Tensor wide = amp::randn({4}, {.requires_grad = true});
    const Tensor wider = amp::randn({4}).to(amp::kFloat64).requires_grad_();
    const Tensor narrow = amp::randn({4}).to(kBFloat16).requires_grad_();
    const std::vector<Bits> before = bits_of({wide, wider, narrow});
    amp::SGD optimizer({model.weight, wide, model.bias, wider, narrow}, {.lr = 0.125});
    narrow.set_grad(amp::ones({4}, {.dtype = kBFloat16}));
    const amp::Precision precision =
        amp::initialize(model, optimizer, OptLevel::kO2, {.dtype = kBFloat16, .storage = storage});
    CHECK((bits_of({wide, wider, narrow}) == before));
    CHECK(narrow.grad().defined());
    const auto old = optimizer.master_weights();
    const Tensor loss = amp::sum(precision.forward(model, amp::randn({3, 6}))) + amp::sum(wide) +
                        amp::sum(wider).to(kFloat32);
    loss.backward();
    optimizer.step();
    const auto now = optimizer.master_weights();
    for (std::size_t i = 1; i < now.size(); ++i) {
      if (i == 2) continue;
      const auto a = old[i].to(kFloat32).to_vector<float>(),
                 b = now[i].to(kFloat32).to_vector<float>();
      for (std::size_t k = 0; k < a.size(); ++k) CHECK(b[k] == Approx(a[k] - 0.125).margin(0.02));
    }
  }
}

TEST_CASE("initialize: tied, frozen and unused parameters, and buffers", "[precision]") {
  const Net net = seeded(1);
  const Tensor mean = net.batch.running_mean;
  amp::AdamW optimizer(trained(net));
  const amp::Precision precision =
      amp::initialize(net, optimizer, OptLevel::kO2, {.dtype = kBFloat16});
  CHECK(net.tied.is_same(net.first.weight));
  CHECK(net.tied.dtype() == kBFloat16);
  CHECK(net.last.bias.dtype() == kBFloat16);
  CHECK_FALSE(net.last.bias.requires_grad());
  CHECK(net.batch.running_mean.is_same(mean));
  CHECK(mean.dtype() == kFloat32);
  const std::vector<Bits> frozen = bits_of({net.last.bias, net.unused});
  const std::vector<float> first = mean.to_vector<float>();
  amp::sum(precision.forward(net, amp::randn({8, 2, 4, 4}))).backward();
  optimizer.step();
  CHECK((bits_of({net.last.bias, net.unused}) == frozen));
  CHECK(mean.to_vector<float>() != first);
  CHECK(net.first.weight.grad().dtype() == kBFloat16);
  CHECK(net.rms.weight.grad().dtype() == kFloat32);
}

TEST_CASE("initialize: what comes out of each norm at O2 is what the next layer takes",
          "[precision]") {
  const auto check = [](const auto& norm, const amp::Shape& shape) {
    amp::manual_seed(2);
    struct Holder : nn::Module {};
    Holder model;
    model.register_module("norm", norm);
    amp::SGD optimizer(model.parameters());
    const std::vector<float> exact =
        norm.forward(amp::randn(shape).to(kBFloat16).to(kFloat32)).template to_vector<float>();
    (void)amp::initialize(model, optimizer, OptLevel::kO2, {.dtype = kBFloat16});
    amp::manual_seed(2);
    const Tensor y = norm.forward(amp::randn(shape).to(kBFloat16));
    CHECK(y.dtype() == kBFloat16);
    const std::vector<float> low = y.to(kFloat32).to_vector<float>();
    for (std::size_t i = 0; i < low.size(); ++i)
      CHECK(low[i] == Approx(exact[i]).epsilon(0.01).margin(0.01));
  };
  check(nn::LayerNorm({6}), {3, 6});
  check(nn::RMSNorm({6}, {.eps = 1e-5}), {3, 6});
  check(nn::GroupNorm(2, 4), {3, 4, 5});
  check(nn::BatchNorm2d(4), {3, 4, 2, 2});
}

}  // namespace precision_edges
