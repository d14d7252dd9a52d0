// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules converted and loaded in place: every handle sees it, a failure changes nothing, and no
// low-precision copy is stale afterwards.
#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace state {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<std::vector<double>>;

struct Net : nn::Module {
  nn::Linear fc{register_module("fc", nn::Linear(4, 3))};
  nn::BatchNorm2d norm{register_module("norm", nn::BatchNorm2d(3))};
  Tensor frozen = register_parameter("frozen", amp::ones({3}), false);
  Tensor ids = register_buffer("ids", amp::arange(3));
  Tensor forward(const Tensor& x) const {
    return norm((fc(x) * frozen).reshape({x.size(0), 3, 1, 1})).flatten(1);
  }
};

Values values_of(const nn::Module& module) {
  Values all;
  for (const auto& entry : module.state_dict()) all.push_back(entry.second.to_vector<double>());
  return all;
}
amp::NamedTensors copy_of(const nn::Module& module) {
  amp::NamedTensors all;
  for (const auto& [name, tensor] : module.state_dict())
    all.emplace_back(name, tensor.detach().clone());
  return all;
}
/// Copies of other values, all exact in every float format.
amp::NamedTensors others(const nn::Module& module) {
  amp::NamedTensors all = copy_of(module);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].second.fill_(static_cast<double>(i) + 2);
  return all;
}

std::int64_t refreshes() { return amp::autocast_cache_stats().refreshes; }

/// In float16, that a stale copy of a weight would show.
float autocast_use(const nn::Linear& linear) {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  return linear(amp::ones({1, 4})).to_vector<float>()[0];
}

}  // namespace

TEST_CASE("Module::to: converts floats only, and every handle sees it", "[nn]") {
  const Net net;
  const Tensor weight = net.fc.weight;
  const std::vector<float> before = weight.to_vector<float>();
  net.to(amp::kFloat64);
  CHECK(weight.dtype() == amp::kFloat64);
  CHECK(net.fc.weight.is_same(weight));
  CHECK(weight.to_vector<float>() == before);
  CHECK(net.norm.running_mean.dtype() == amp::kFloat64);
  CHECK(net.frozen.dtype() == amp::kFloat64);
  CHECK(net.norm.num_batches_tracked.dtype() == amp::kInt64);
  CHECK(net.ids.dtype() == amp::kInt64);
  CHECK(net.forward(amp::ones({2, 4}, {.dtype = amp::kFloat64})).dtype() == amp::kFloat64);
}

TEST_CASE("Module::to: keeps what requires gradients, and drops the gradients", "[nn]") {
  const Net net;
  amp::sum(net.forward(amp::randn({4, 4}))).backward();
  CHECK(net.fc.weight.grad().defined());
  for (const amp::DType dtype : {amp::kBFloat16, amp::kFloat32, amp::kFloat32, amp::kFloat64}) {
    INFO(amp::name(dtype));
    net.to(dtype);
    CHECK(net.fc.weight.requires_grad());
    CHECK(net.fc.weight.is_leaf());
    CHECK_FALSE(net.fc.weight.grad().defined());
    CHECK_FALSE(net.frozen.requires_grad());
    CHECK_FALSE(net.norm.running_mean.requires_grad());
    amp::sum(net.forward(amp::randn({4, 4}).to(dtype))).backward();
    CHECK(net.fc.weight.grad().dtype() == dtype);
  }
}

TEST_CASE("Module::to: rounds as to() does, and refuses what is no float", "[nn]") {
  const nn::Linear linear(4, 3);
  const std::vector<float> rounded = linear.weight.detach().to(amp::kBFloat16).to_vector<float>();
  linear.to(amp::kBFloat16);
  CHECK(linear.weight.to_vector<float>() == rounded);
  for (const amp::DType bad : {amp::kInt64, amp::kBool})
    CHECK_THAT(error_of([&] { linear.to(bad); }), ContainsSubstring("floating point"));
  CHECK(linear.weight.dtype() == amp::kBFloat16);
}

TEST_CASE("Module::to: a weight shared by two modules stays shared", "[nn]") {
  nn::Module net;
  const nn::Linear a = net.register_module("a", nn::Linear(2, 2, {.bias = false}));
  const nn::Linear b = net.register_module("b", a);
  net.to(amp::kFloat64);
  CHECK(a.weight.is_same(b.weight));
  CHECK(net.parameters().size() == 1);
}

TEST_CASE("Module::to: a graph recorded before still gives the gradients of its inputs", "[nn]") {
  const nn::Linear linear(2, 1, {.bias = false});
  linear.load_state_dict({{"weight", amp::tensor({2.0F, 3.0F}, {1, 2})}});
  const Tensor x = amp::ones({1, 2}, {.requires_grad = true});
  const Tensor y = linear(x);
  linear.to(amp::kFloat64);
  y.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{2, 3});
  CHECK_FALSE(linear.weight.grad().defined());
}

TEST_CASE("Module::load_state_dict: copies by name, in any order, converting", "[nn]") {
  const Net net, other;
  amp::NamedTensors state = others(other);
  for (auto& entry : state) {
    if (amp::is_floating_point(entry.second.dtype())) entry.second = entry.second.to(amp::kFloat16);
  }
  std::swap(state.front(), state.back());
  const Tensor weight = net.fc.weight;
  net.load_state_dict(state);
  other.load_state_dict(others(other));
  CHECK(values_of(net) == values_of(other));
  CHECK(net.fc.weight.is_same(weight));
  CHECK(weight.dtype() == amp::kFloat32);
  CHECK(weight.requires_grad());
  CHECK(net.ids.dtype() == amp::kInt64);
  state.front().second.zero_();  // a copy: what is loaded does not follow
  CHECK(values_of(net) == values_of(other));
}

TEST_CASE("Module::load_state_dict: all or nothing", "[nn]") {
  const Net net;
  const Values before = values_of(net);
  const auto error = [&](auto&& damage) {
    amp::NamedTensors state = others(net);
    damage(state);
    return error_of([&] { net.load_state_dict(state); });
  };
  const std::size_t count = net.state_dict().size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = net.state_dict()[i].first;
    const auto says = ContainsSubstring('"' + name + '"');
    INFO(name);
    const auto at = [i](auto& state) { return state.begin() + static_cast<std::ptrdiff_t>(i); };
    CHECK_THAT(error([&](auto& state) { state.erase(at(state)); }),
               says && ContainsSubstring("missing"));
    CHECK_THAT(error([&](auto& state) {
                 at(state)->second = amp::ones({7, 1});
               }),
               says && ContainsSubstring("[7, 1]"));
    CHECK_THAT(error([&](auto& state) { at(state)->second = Tensor(); }), says);
    CHECK_THAT(error([&](auto& state) { at(state)->first += "?"; }), ContainsSubstring(name + "?"));
    CHECK(values_of(net) == before);
  }
  CHECK_THAT(error([](auto& state) { state.emplace_back("fc.scale", amp::ones({1})); }),
             ContainsSubstring("fc.scale"));
  CHECK(values_of(net) == before);
}

TEST_CASE("Module::load_state_dict: one error lists what either side lacks, and what differs",
          "[nn]") {
  const Net net;
  amp::NamedTensors state = copy_of(net);  // frozen, fc.weight, fc.bias, ...
  state[1].first = "head.weight";
  state[2].first = "head.bias";
  state[0].second = amp::ones({7}, {.dtype = amp::kFloat64});
  CHECK(error_of([&] { net.load_state_dict(state); }) ==
        "load_state_dict: the module needs \"fc.weight\", \"fc.bias\", missing in `tensors`; "
        "`tensors` has \"head.weight\", \"head.bias\", unknown to the module; \"frozen\" is [3] in "
        "the module, but float64[7] in `tensors`");
}

TEST_CASE("Module::load_state_dict: twenty thousand names, found and listed", "[nn]") {
  // Searched one by one, they would take minutes under sanitizers.
  nn::Module net;
  for (int i = 0; i < 200; ++i) {
    nn::Module block = net.register_module("block" + std::to_string(i), nn::Module());
    for (int k = 0; k < 100; ++k)
      block.register_parameter("p" + std::to_string(k), amp::zeros({1}));
  }
  amp::NamedTensors state;
  for (const auto& [name, tensor] : net.state_dict())
    state.emplace_back(name, amp::full({1}, static_cast<double>(state.size())));
  REQUIRE(state.size() == 20000);
  net.load_state_dict(state);
  const std::vector<Tensor> loaded = net.parameters();
  CHECK(loaded[0].item<float>() == 0);
  CHECK(loaded[19999].item<float>() == 19999);
  CHECK_THAT(error_of([&] { net.load_state_dict({}); }),
             ContainsSubstring("\"block0.p9\" and 19990 more, missing in `tensors`"));
  state.clear();
  for (int i = 0; i < 20000; ++i) state.emplace_back("q" + std::to_string(i), loaded[0]);
  CHECK_THAT(error_of([&] { net.load_state_dict(state); }),
             ContainsSubstring("\"q9\" and 19990 more, unknown to the module"));
}

TEST_CASE("Module::load_state_dict: a name that is there twice throws", "[nn]") {
  const nn::Linear linear(2, 2, {.bias = false});
  const std::vector<float> before = linear.weight.to_vector<float>();
  const amp::NamedTensors twice = {{"weight", amp::ones({2, 2})}, {"weight", amp::zeros({2, 2})}};
  CHECK_THAT(error_of([&] { linear.load_state_dict(twice); }),
             ContainsSubstring("\"weight\"") && ContainsSubstring("twice"));
  CHECK(linear.weight.to_vector<float>() == before);
}

TEST_CASE("Module::load_state_dict: a module's own state, and that of one converted", "[nn]") {
  const Net net;
  const Values before = values_of(net);
  net.load_state_dict(net.state_dict());
  CHECK(values_of(net) == before);
  const amp::NamedTensors saved = copy_of(net);
  net.load_state_dict(others(net));
  CHECK(values_of(net) != before);
  net.to(amp::kFloat64);
  net.load_state_dict(saved);
  CHECK(values_of(net) == before);
}

TEST_CASE("Module::register_buffer: one that is not persistent is moved, not saved", "[nn]") {
  struct Attention : nn::Module {
    Tensor mask = register_buffer("mask", amp::ones({2, 2}), {.persistent = false});
    Tensor scale = register_buffer("scale", amp::ones({2}), {.persistent = true});
  };
  struct Model : nn::Module {
    Tensor shared = amp::zeros({2});
    Tensor hidden = register_buffer("hidden", shared, {.persistent = false});
    Tensor kept = register_buffer("kept", shared);
    Attention attention{register_module("attention", Attention())};
  };
  const Model model;
  const amp::NamedTensors state = copy_of(model);
  REQUIRE(state.size() == 2);
  CHECK(state[0].first == "kept");
  CHECK(state[1].first == "attention.scale");
  const amp::NamedTensors buffers = model.named_buffers();
  REQUIRE(buffers.size() == 3);  // the shared one under its first name
  CHECK(buffers[0].first == "hidden");
  CHECK(buffers[1].first == "attention.mask");
  CHECK(buffers[1].second.is_same(model.attention.mask));
  CHECK(model.buffers().size() == 3);

  model.attention.mask.fill_(5);
  CHECK_NOTHROW(model.load_state_dict(state));
  CHECK(model.attention.mask.to_vector<float>() == std::vector<float>(4, 5));
  amp::NamedTensors more = state;
  more.emplace_back("attention.mask", amp::zeros({2, 2}));
  CHECK_THAT(error_of([&] { model.load_state_dict(more); }), ContainsSubstring("attention.mask"));

  model.to(amp::kFloat64);
  CHECK(model.attention.mask.dtype() == amp::kFloat64);
  const Model copy = model;
  CHECK(copy.named_buffers()[1].second.is_same(model.attention.mask));
  CHECK(copy.state_dict().size() == 2);
}

TEST_CASE("nn: under autocast a weight is cast once, and never stale", "[nn]") {
  const nn::Linear linear(4, 3, {.bias = false});
  const auto load = [&](double value) {
    linear.load_state_dict({{"weight", amp::full({3, 4}, value)}});
  };
  load(1);
  const std::int64_t start = refreshes();
  for (int i = 0; i < 3; ++i) CHECK(autocast_use(linear) == 4);
  CHECK(refreshes() - start == 1);
  load(2);
  for (int i = 0; i < 3; ++i) CHECK(autocast_use(linear) == 8);
  CHECK(refreshes() - start == 2);
  linear.to(amp::kFloat64);
  load(3);
  linear.to(amp::kFloat32);
  CHECK(autocast_use(linear) == 12);
  linear.to(amp::kBFloat16);
  CHECK(autocast_use(linear) == 12);
  load(4);
  CHECK(autocast_use(linear) == 16);
}

TEST_CASE("nn: copies of weights are kept after to(), even where it changes nothing", "[nn]") {
  const nn::Linear linear(4, 3, {.bias = false});
  const auto casts_saved_in_three_uses = [&] {
    const std::int64_t start = amp::autocast_cache_stats().hits;
    for (int i = 0; i < 3; ++i) (void)autocast_use(linear);
    return amp::autocast_cache_stats().hits - start;
  };
  CHECK(casts_saved_in_three_uses() == 2);
  linear.to(amp::kFloat64);
  linear.to(amp::kFloat32);
  CHECK(casts_saved_in_three_uses() == 2);
  linear.to(amp::kFloat32);
  CHECK(casts_saved_in_three_uses() >= 2);  // the copy may have lived on
  linear.to(amp::kCPU);
  CHECK(casts_saved_in_three_uses() >= 2);
}

TEST_CASE("nn: under autocast results are low precision, statistics and gradients not", "[nn]") {
  const nn::Sequential net(nn::Conv2d(2, 3, 2), nn::BatchNorm2d(3), nn::ReLU(), nn::Flatten(),
                           nn::Linear(12, 2));
  const nn::BatchNorm2d norm(3);
  Tensor y, z;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    y = net(amp::randn({4, 2, 3, 3}));
    z = norm(nn::Conv2d(2, 3, 1)(amp::randn({4, 2, 2, 2})));
  }
  CHECK(y.dtype() == amp::kBFloat16);
  amp::sum(y).backward();
  for (const auto& [name, p] : net.named_parameters()) {
    INFO(name);
    CHECK(p.dtype() == amp::kFloat32);
    REQUIRE(p.grad().defined());
    CHECK(p.grad().dtype() == amp::kFloat32);
  }
  CHECK(norm.running_mean.dtype() == amp::kFloat32);
  CHECK(norm.running_mean.to_vector<float>() != std::vector<float>(3, 0));
  CHECK(norm.num_batches_tracked.item<std::int64_t>() == 1);
}

}  // namespace state
