// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules of one's own: names, shared handles, training mode, and what registration refuses.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nn/names.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace module {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using amp_test::Names;
using amp_test::names;
using Catch::Matchers::ContainsSubstring;

struct Block : nn::Module {
  nn::Linear fc{register_module("fc", nn::Linear(3, 3))};
  nn::BatchNorm2d norm{register_module("norm", nn::BatchNorm2d(3))};
  Tensor gain = register_parameter("gain", amp::ones({3}));
  Tensor table = register_buffer("table", amp::arange(3));

  Tensor forward(const Tensor& x) const {
    const Tensor y = fc(x) * gain;
    return norm(y.reshape({y.size(0), 3, 1, 1})).flatten(1);
  }
};

struct Net : nn::Module {
  Block first{register_module("first", Block())};
  nn::Sequential rest{register_module(
      "rest", nn::Sequential(nn::Linear(3, 2, {.bias = false}), nn::ReLU(), nn::Dropout(0.5)))};
  Tensor forward(const Tensor& x) const { return rest(first.forward(x)); }
};

/// Two layers over one weight, as an embedding and the output layer of a language model.
struct Tied : nn::Module {
  nn::Embedding in{register_module("in", nn::Embedding(5, 4))};
  Tensor out = register_parameter("out", in.weight);
  nn::Embedding again{register_module("again", in)};
};

template <class M>
concept Registers = requires(M& module) {
  module.register_buffer("b", Tensor());
};

}  // namespace

TEST_CASE("Module: names of modules within modules are joined by dots", "[nn]") {
  const Net net;
  CHECK(names(net.named_parameters()) == Names{"first.gain", "first.fc.weight", "first.fc.bias",
                                               "first.norm.weight", "first.norm.bias",
                                               "rest.0.weight"});
  CHECK(names(net.named_buffers()) == Names{"first.table", "first.norm.running_mean",
                                            "first.norm.running_var",
                                            "first.norm.num_batches_tracked"});
  CHECK(net.parameters().size() == 6);
  CHECK(net.buffers().size() == 4);
  CHECK(net.state_dict().size() == 10);
  CHECK(net.named_modules().size() == 2);
  CHECK(net.named_modules()[1].first == "rest");
  CHECK(net.first.named_parameters()[1].first == "fc.weight");
}

TEST_CASE("Module: what is listed are handles, not copies", "[nn]") {
  const Net net;
  CHECK(net.named_parameters()[1].second.is_same(net.first.fc.weight));
  CHECK(net.state_dict()[1].second.is_same(net.first.fc.weight));
  CHECK(net.named_buffers()[1].second.is_same(net.first.norm.running_mean));
}

TEST_CASE("Module: a shared parameter counts once, under its first name", "[nn]") {
  const Tied tied;
  CHECK(names(tied.named_parameters()) == Names{"out"});
  CHECK(tied.parameters()[0].is_same(tied.again.weight));
  CHECK_NOTHROW(amp::SGD(tied.parameters()));
  CHECK(names(tied.state_dict()) == Names{"out"});
}

TEST_CASE("Module: a shared buffer counts once", "[nn]") {
  struct Shared : nn::Module {
    nn::BatchNorm2d norm{register_module("norm", nn::BatchNorm2d(2))};
    nn::BatchNorm2d again{register_module("again", norm)};
  };
  CHECK(Shared().named_buffers().size() == 3);
}

TEST_CASE("Module: an undefined bias has no name, and its place stays taken", "[nn]") {
  struct Optional : nn::Module {
    Tensor weight = register_parameter("weight", amp::ones({2}));
    Tensor bias = register_parameter("bias", Tensor());
    Tensor mask = register_buffer("mask", Tensor());
  };
  Optional module;
  CHECK(names(module.state_dict()) == Names{"weight"});
  CHECK_FALSE(module.bias.defined());
  CHECK_THROWS_AS(module.register_parameter("bias", amp::ones({2})), amp::Error);
  CHECK_NOTHROW(module.to(amp::kFloat64));
  CHECK_NOTHROW(module.zero_grad());
  CHECK_NOTHROW(module.load_state_dict({{"weight", amp::zeros({2})}}));
}

TEST_CASE("Module: copies are the same module", "[nn]") {
  const Net net;
  const Net copy = net;
  copy.eval();
  CHECK_FALSE(net.is_training());
  CHECK(copy.first.fc.weight.is_same(net.first.fc.weight));
  nn::Module base = net;  // only the base is copied, and it is all there is to know
  CHECK(names(base.named_parameters()) == names(net.named_parameters()));
  base.register_parameter("late", amp::ones({1}));
  CHECK(names(net.named_parameters()).front() == "late");
  nn::Linear assigned(nullptr);
  assigned = net.first.fc;
  CHECK(assigned.weight.is_same(net.first.fc.weight));
  CHECK(Net().first.fc.weight.is_same(net.first.fc.weight) == false);
}

TEST_CASE("Module: train and eval reach modules within modules", "[nn]") {
  const Net net;
  CHECK(net.is_training());
  net.eval();
  CHECK_FALSE(net.first.norm.is_training());
  CHECK_FALSE(net.rest.is_training());
  const Tensor x = amp::ones({4, 3});
  CHECK(net.forward(x).to_vector<float>() == net.forward(x).to_vector<float>());  // drops nothing
  CHECK(net.first.norm.num_batches_tracked.item<std::int64_t>() == 0);
  net.train();
  CHECK(net.first.norm.is_training());
  CHECK(net.first.is_training());
  (void)net.forward(x);
  CHECK(net.first.norm.num_batches_tracked.item<std::int64_t>() == 1);
  net.first.eval();
  CHECK_FALSE(net.first.norm.is_training());
  CHECK(net.rest.is_training());
  CHECK(net.is_training());
}

TEST_CASE("Module: module(x), module->forward(x) and module.forward(x) are one", "[nn]") {
  const nn::Linear linear(3, 2);
  const Tensor x = amp::randn({4, 3});
  const std::vector<float> y = linear.forward(x).to_vector<float>();
  CHECK(linear(x).to_vector<float>() == y);
  CHECK(linear->forward(x).to_vector<float>() == y);
}

TEST_CASE("Module: all but registration works on const modules, in any type", "[nn]") {
  const nn::Module& net = Net();
  STATIC_REQUIRE(std::is_copy_constructible_v<Net>);
  STATIC_REQUIRE(std::is_copy_assignable_v<Net>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<std::int64_t, nn::Module>);
  STATIC_REQUIRE(Registers<nn::Module>);
  STATIC_REQUIRE_FALSE(Registers<const nn::Module>);
  CHECK_NOTHROW(net.eval());
  CHECK_NOTHROW(net.zero_grad());
  CHECK_NOTHROW(net.to(amp::kFloat64));
  CHECK_NOTHROW(net.to(amp::kCPU));
  CHECK_NOTHROW(net.load_state_dict(net.state_dict()));
}

TEST_CASE("Module: one made of nullptr throws, whatever is asked, and says why", "[nn]") {
  const nn::Module none = nullptr;
  CHECK_FALSE(none.defined());
  CHECK(nn::Module().defined());
  const auto says = ContainsSubstring("nullptr");
  CHECK_THAT(error_of([&] { (void)none.parameters(); }), says);
  CHECK_THAT(error_of([&] { (void)none.named_buffers(); }), says);
  CHECK_THAT(error_of([&] { (void)none.named_modules(); }), says);
  CHECK_THAT(error_of([&] { (void)none.state_dict(); }), says);
  CHECK_THAT(error_of([&] { none.load_state_dict({}); }), says);
  CHECK_THAT(error_of([&] { (void)none.is_training(); }), says);
  CHECK_THAT(error_of([&] { none.train(); }), says);
  CHECK_THAT(error_of([&] { none.to(amp::kFloat16); }), says);
  CHECK_THAT(error_of([&] { none.to(amp::kCPU); }), says);
  CHECK_THAT(error_of([&] { none.zero_grad(); }), says);
  nn::Module later = nullptr;
  CHECK_THAT(error_of([&] { later.register_parameter("p", amp::ones({1})); }), says);
  CHECK_THAT(error_of([&] { later.register_module("m", nn::ReLU()); }), says);
  nn::Module net;
  CHECK_THAT(error_of([&] { net.register_module("m", none); }), ContainsSubstring("\"m\""));
  CHECK(net.named_modules().empty());
}

TEST_CASE("Module: layers made of nullptr throw when they are called, and say why", "[nn]") {
  const Tensor image = amp::ones({1, 2, 2, 2}), x = amp::ones({2, 2});
  const auto says = ContainsSubstring("nullptr");
  CHECK_THAT(error_of([&] { (void)nn::Linear(nullptr)(x); }), says);
  CHECK_THAT(error_of([&] { (void)nn::Conv2d(nullptr)(image); }), says);
  CHECK_THAT(error_of([&] { (void)nn::Embedding(nullptr)(amp::arange(2)); }), says);
  CHECK_THAT(error_of([&] { (void)nn::LayerNorm(nullptr)(x); }), says);
  CHECK_THAT(error_of([&] { (void)nn::RMSNorm(nullptr)(x); }), says);
  CHECK_THAT(error_of([&] { (void)nn::GroupNorm(nullptr)(x); }), says);
  CHECK_THAT(error_of([&] { (void)nn::BatchNorm2d(nullptr)(image); }), says);
}

TEST_CASE("Sequential: one made of nullptr throws when it is called or added to", "[nn]") {
  nn::Sequential none(nullptr);
  CHECK_THAT(error_of([&] { (void)none(amp::ones({1})); }), ContainsSubstring("nullptr"));
  CHECK_THAT(error_of([&] { none.push_back(nn::ReLU()); }), ContainsSubstring("nullptr"));
}

TEST_CASE("Module: names that cannot be throw, and nothing is registered", "[nn]") {
  nn::Module net;
  net.register_parameter("p", amp::ones({1}));
  net.register_buffer("b", amp::ones({1}));
  net.register_module("m", nn::ReLU());
  for (const char* const bad : {"", ".", "a.b", "a."}) {
    INFO('"' << bad << '"');
    const auto says = ContainsSubstring("`name`");
    CHECK_THAT(error_of([&] { net.register_parameter(bad, amp::ones({1})); }), says);
    CHECK_THAT(error_of([&] { net.register_buffer(bad, amp::ones({1})); }), says);
    CHECK_THAT(error_of([&] { net.register_module(bad, nn::ReLU()); }), says);
  }
  for (const char* const taken : {"p", "b", "m"}) {
    const auto says = ContainsSubstring('"' + std::string(taken) + '"');
    CHECK_THAT(error_of([&] { net.register_parameter(taken, amp::ones({1})); }), says);
    CHECK_THAT(error_of([&] { net.register_buffer(taken, amp::ones({1})); }), says);
    CHECK_THAT(error_of([&] { net.register_module(taken, nn::ReLU()); }), says);
  }
  CHECK(names(net.state_dict()) == Names{"p", "b"});
  CHECK(net.named_modules().size() == 1);
}

TEST_CASE("Module: a parameter is a leaf of floats", "[nn]") {
  nn::Module net;
  const Tensor w = amp::ones({2}, {.requires_grad = true});
  CHECK_THAT(
      error_of([&] { net.register_parameter("w", w * 2); }),
      ContainsSubstring("computed") && ContainsSubstring("\"w\"") && ContainsSubstring("detach"));
  CHECK_THROWS_AS(net.register_parameter("w", amp::arange(3)), amp::Error);
  CHECK(net.parameters().empty());
  CHECK(net.register_parameter("w", amp::ones({2})).requires_grad());
  CHECK_FALSE(net.register_parameter("frozen", amp::ones({2}), false).requires_grad());
  CHECK_FALSE(net.register_parameter("ids", amp::arange(3), false).requires_grad());
  const Tensor refused = amp::ones({2});
  CHECK_THROWS_AS(net.register_parameter("w", refused), amp::Error);
  CHECK_FALSE(refused.requires_grad());  // as it was
}

TEST_CASE("Module: zero_grad forgets gradients, those of frozen parameters too", "[nn]") {
  const Net net;
  const Tensor frozen = net.first.fc.weight;
  amp::sum(net.forward(amp::randn({4, 3}))).backward();
  frozen.requires_grad_(false);
  CHECK(frozen.grad().defined());
  net.zero_grad();
  for (const auto& [name, p] : net.named_parameters()) {
    INFO(name);
    CHECK_FALSE(p.grad().defined());
  }
}

TEST_CASE("Sequential: modules by number or by name, nested, and one's own", "[nn]") {
  nn::Sequential net(nn::Linear(3, 3), nn::Sequential(nn::ReLU(), nn::Linear(3, 3)));
  net.push_back(Block());
  net.push_back("head", nn::Linear(3, 2));
  CHECK(names(net.named_parameters()) ==
        Names{"0.weight", "0.bias", "1.1.weight", "1.1.bias", "2.gain", "2.fc.weight", "2.fc.bias",
              "2.norm.weight", "2.norm.bias", "head.weight", "head.bias"});
  CHECK_THROWS_AS(net.push_back("head", nn::ReLU()), amp::Error);
  CHECK(net.named_modules().size() == 4);
  CHECK(net(amp::ones({4, 3})).shape() == amp::Shape(4, 2));
  net.eval();
  for (const auto& entry : net.named_modules()) CHECK_FALSE(entry.second.is_training());
}

TEST_CASE("Sequential: copies are the same, and a refused module leaves it as it was", "[nn]") {
  nn::Sequential net;
  const nn::Sequential copy = net;
  CHECK(copy(amp::full({1}, 3)).item<float>() == 3);  // of nothing: the identity
  net.push_back(nn::ReLU());
  CHECK(copy(amp::full({1}, -3)).item<float>() == 0);
  CHECK_THROWS_AS(net.push_back("a.b", nn::GELU()), amp::Error);
  CHECK(copy(amp::full({1}, 3)).item<float>() == 3);
  CHECK(copy.named_modules().size() == 1);
}

TEST_CASE("Sequential: computes what its modules compute one after the other", "[nn]") {
  const nn::Linear a(3, 4), b(4, 2);
  const nn::Sequential net(a, nn::GELU(), b);
  const Tensor x = amp::randn({5, 3});
  CHECK(net(x).to_vector<float>() == b(amp::gelu(a(x))).to_vector<float>());
}

TEST_CASE("Sequential: in braces, weights are drawn from left to right", "[nn]") {
  amp::manual_seed(3);
  const nn::Linear first(2, 2), second(2, 2);
  amp::manual_seed(3);
  const nn::Sequential net{nn::Linear(2, 2), nn::ReLU(), nn::Linear(2, 2)};
  const amp::NamedTensors drawn = net.named_parameters();
  CHECK(drawn[0].second.to_vector<float>() == first.weight.to_vector<float>());
  CHECK(drawn[2].second.to_vector<float>() == second.weight.to_vector<float>());
}

}  // namespace module
