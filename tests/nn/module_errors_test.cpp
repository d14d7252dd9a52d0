// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What errors say of modules: the path of the one in which they arose, and that a handle is empty.
#include <amp/amp.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace module_errors {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

struct Block : nn::Module {
  nn::Conv2d conv1{register_module("conv1", nn::Conv2d(3, 4, 3))};
  nn::Sequential tail{register_module("tail", nn::Sequential(nn::ReLU(), nn::Linear(4, 2)))};
  Tensor forward(const Tensor& x) const { return tail(conv1(x)); }
};

struct Net : nn::Layer<Net> {
  Block block1{register_module("block1", Block())};
  Block block2{register_module("block2", Block())};
  Tensor forward(const Tensor& x, bool second) const {
    return second ? block2.forward(x) : block1.forward(x);
  }
};

struct Empty : nn::Layer<Empty> {
  nn::Linear fc;
  nn::Conv2d conv{nullptr};
  Empty() { fc = register_module("fc", nn::Linear(2, 3)); }
  Tensor forward(const Tensor& x) const { return conv(fc(x)); }
};

/// Multiplies by itself, and has a member that was not registered.
struct Head : nn::Layer<Head> {
  Tensor weight = register_parameter("weight", amp::ones({3, 4}));
  nn::Linear unregistered{2, 3};
  Tensor forward(const Tensor& x) const { return unregistered(amp::matmul(x, weight)); }
};

/// Throws what is no amp::Error.
struct Broken : nn::Layer<Broken> {
  Tensor forward(const Tensor&) const { throw std::out_of_range("mine"); }
};

}  // namespace

TEST_CASE("nn: an error says in which module it arose", "[nn]") {
  const Net net;
  const Tensor channels = amp::ones({1, 5, 8, 8}), image = amp::ones({1, 3, 8, 8});
  CHECK_THAT(error_of([&] { (void)net(channels, true); }), StartsWith("block2.conv1: conv2d: "));
  CHECK_THAT(error_of([&] { (void)net(channels, false); }), StartsWith("block1.conv1: conv2d: "));
  CHECK_THAT(error_of([&] { (void)net.forward(image, true); }),
             StartsWith("block2.tail.1: linear: "));
  CHECK_THAT(error_of([&] { (void)net.block1.conv1(channels); }), StartsWith("block1.conv1: "));
  CHECK(net.block2.conv1.path() == "block2.conv1");
  CHECK(net.path().empty());
}

TEST_CASE("nn: an error in a module that is in no other names its type", "[nn]") {
  const auto of_linear = StartsWith("Linear: linear: ");
  CHECK_THAT(error_of([] { (void)nn::Linear(2, 3)(amp::ones({1, 4})); }), of_linear);
  const nn::Linear orphan = nn::Linear(Empty().fc);  // what it was registered in is gone
  CHECK_THAT(error_of([&] { (void)orphan(amp::ones({1, 4})); }), of_linear);
  nn::Module late;
  late.register_module("late", orphan);
  CHECK_THAT(error_of([&] { (void)orphan(amp::ones({1, 4})); }), StartsWith("late: linear: "));
}

TEST_CASE("nn: an error in the outermost module itself names its type", "[nn]") {
  const Head head;
  const Tensor wide = amp::ones({1, 4});
  CHECK_THAT(error_of([&] { (void)head(wide); }), StartsWith("Head: matmul: "));
  CHECK_THAT(error_of([&] {
               (void)head(amp::ones({1, 3}));
             }),
             StartsWith("Head: Linear: linear: "));
  nn::Module net;
  net.register_module("head", head);
  CHECK_THAT(error_of([&] { (void)head(wide); }), StartsWith("head: matmul: "));
  CHECK_THAT(error_of([&] {
               (void)head(amp::ones({1, 3}));
             }),
             StartsWith("head: Linear: linear: "));
}

TEST_CASE("nn: a module that is in several goes by its first name", "[nn]") {
  nn::Module net;
  const nn::Linear first = net.register_module("first", nn::Linear(2, 3));
  const nn::Sequential again = net.register_module("again", nn::Sequential(first));
  CHECK_THAT(error_of([&] { (void)again(amp::ones({1, 4})); }), StartsWith("first: linear: "));
  CHECK(net.named_parameters().front().first == "first.weight");
}

TEST_CASE("nn: modules leave what is thrown what it is", "[nn]") {
  nn::Module net;
  const Broken broken = net.register_module("broken", Broken());
  CHECK_THROWS_WITH(broken(amp::ones({1})), "mine");
  amp::Error error("conv2d: no");
  error.add_module("");
  CHECK(std::string(error.what()) == "conv2d: no");
  error.add_module("inner");
  error.add_module("outer");
  error.add_module_type("Net");
  const amp::Error copy = error;
  CHECK(std::string(copy.what()) == "inner: conv2d: no");
  STATIC_REQUIRE(std::is_nothrow_copy_constructible_v<amp::Error>);
}

TEST_CASE("nn: a module cannot be within itself", "[nn]") {
  nn::Module inner, outer;
  outer.register_module("inner", inner);
  CHECK_THAT(error_of([&] { inner.register_module("self", inner); }),
             ContainsSubstring("\"self\"") && ContainsSubstring("itself"));
  CHECK_THAT(error_of([&] { inner.register_module("outer", outer); }),
             ContainsSubstring("\"outer\""));
  CHECK(inner.named_modules().empty());
}

TEST_CASE("nn: layers made without arguments or of nullptr are empty, and refuse", "[nn]") {
  const Tensor x = amp::ones({2, 2, 2, 2});
  const auto refuses = [&](const auto& layer, const std::string& name) {
    INFO(name);
    CHECK_FALSE(layer.defined());
    const std::string error = error_of([&] { (void)layer(x); });
    CHECK_THAT(error, StartsWith(name + ": ") && ContainsSubstring("empty") &&
                          ContainsSubstring("nullptr") && ContainsSubstring("register_module"));
    CHECK(error_of([&] { (void)layer->forward(x); }) == error);
  };
  refuses(nn::Linear(), "Linear");
  refuses(nn::Conv2d(), "Conv2d");
  refuses(nn::Embedding(), "Embedding");
  refuses(nn::LayerNorm(), "LayerNorm");
  refuses(nn::RMSNorm(), "RMSNorm");
  refuses(nn::GroupNorm(), "GroupNorm");
  refuses(nn::BatchNorm2d(), "BatchNorm2d");
  refuses(nn::ReLU(nullptr), "ReLU");
  refuses(nn::SiLU(nullptr), "SiLU");
  refuses(nn::GELU(nullptr), "GELU");
  refuses(nn::Dropout(nullptr), "Dropout");
  refuses(nn::Flatten(nullptr), "Flatten");
  refuses(nn::MaxPool2d(nullptr), "MaxPool2d");
  refuses(nn::AvgPool2d(nullptr), "AvgPool2d");
  refuses(nn::Sequential(nullptr), "Sequential");
}

TEST_CASE("nn: empty layers also refuse forward, and parameters", "[nn]") {
  const Tensor x = amp::ones({2, 2, 2, 2});
  CHECK_THAT(error_of([&] { (void)nn::BatchNorm2d().forward(x); }), StartsWith("BatchNorm2d: "));
  CHECK_THAT(error_of([&] { (void)nn::LayerNorm().forward(x); }), StartsWith("LayerNorm: "));
  CHECK_THAT(error_of([&] { (void)nn::Linear().forward(x); }), StartsWith("Linear: "));
  CHECK_THAT(error_of([&] { (void)nn::Linear().parameters(); }), ContainsSubstring("empty"));
  nn::Module net;
  CHECK_THAT(error_of([&] { net.register_module("fc", nn::Linear()); }),
             ContainsSubstring("\"fc\""));
}

TEST_CASE("nn: an empty layer becomes one by assignment", "[nn]") {
  const Empty net;
  CHECK(net.parameters().size() == 2);
  CHECK(net.fc(amp::ones({1, 2})).shape() == amp::Shape(1, 3));
  CHECK_THAT(error_of([&] { (void)net(amp::ones({1, 2})); }), StartsWith("Empty: Conv2d: "));
  CHECK(nn::ReLU()(amp::full({1}, -1)).item<float>() == 0);  // needs no arguments
  CHECK(nn::Sequential().defined());
  CHECK(nn::Dropout(0).defined());  // the number, not a null pointer
  CHECK(nn::Flatten(0)(amp::ones({2, 3})).dim() == 1);
}

}  // namespace module_errors
