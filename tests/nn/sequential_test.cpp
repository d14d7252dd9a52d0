// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sequential and AnyModule: several arguments, elements by place, and what they refuse.
#include <amp/amp.hpp>

#include <string>
#include <vector>

#include "nn/names.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace sequential {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using amp_test::names;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

/// Two tensors, or three.
struct Film : nn::Layer<Film> {
  Tensor forward(const Tensor& x, const Tensor& scale, const Tensor& shift = {}) const {
    const Tensor y = x * scale;
    return shift.defined() ? y + shift : y;
  }
};
struct SumOfFour : nn::Layer<SumOfFour> {
  Tensor forward(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) const {
    return a + b + c + d;
  }
};

Tensor number(double value) { return amp::full({1, 2}, value); }
std::vector<float> values(const Tensor& tensor) { return tensor.to_vector<float>(); }

}  // namespace

TEST_CASE("Sequential: the first module takes all tensors", "[nn]") {
  const nn::Sequential film{Film(), nn::ReLU(), nn::Sequential()};
  CHECK(values(film(number(2), number(3))) == std::vector<float>{6, 6});
  CHECK(values(film(number(2), number(3), number(-7))) == std::vector<float>{0, 0});
  CHECK(values(film->forward(number(2), number(3))) == std::vector<float>{6, 6});
  const nn::Sequential four{SumOfFour()};
  CHECK(values(four(number(1), number(2), number(3), number(4))) == std::vector<float>{10, 10});
  const nn::Sequential nested{film, nn::ReLU()};
  CHECK(values(nested(number(2), number(3))) == std::vector<float>{6, 6});
}

TEST_CASE("Sequential: a wrong number of tensors is said", "[nn]") {
  const nn::Sequential film{Film(), nn::ReLU()}, relu{nn::ReLU(), Film()};
  CHECK_THAT(error_of([&] { (void)film(number(2)); }),
             ContainsSubstring("Film") && ContainsSubstring("1 tensor and"));
  CHECK_THAT(error_of([&] { (void)relu(number(1), number(2)); }),
             ContainsSubstring("ReLU") && ContainsSubstring("2 tensors and"));
  CHECK_THAT(error_of([&] { (void)relu(number(1)); }), ContainsSubstring("Film"));
  CHECK_THAT(error_of([] { (void)nn::Sequential()(number(1), number(2)); }),
             ContainsSubstring("takes one tensor, but is given 2"));
  CHECK(values(nn::Sequential()(number(4))) == std::vector<float>{4, 4});
}

TEST_CASE("Sequential: its modules by place", "[nn]") {
  const nn::Sequential net{nn::Linear(2, 3), nn::ReLU()};
  CHECK(net.size() == 2);
  CHECK_FALSE(net.empty());
  CHECK(nn::Sequential().empty());
  Tensor x = number(1);
  std::vector<std::string> types;
  for (const nn::AnyModule& layer : net) {
    types.emplace_back(layer.type());
    x = layer(x);
  }
  CHECK(types == std::vector<std::string>{"Linear", "ReLU"});
  CHECK(values(x) == values(net(number(1))));
  CHECK(net[0].path() == "0");
  CHECK(names(net[0].named_parameters()) == amp_test::Names{"weight", "bias"});
  CHECK_THAT(error_of([&] { (void)net[2]; }), ContainsSubstring("no element 2 among 2"));
}

TEST_CASE("Sequential: a module that was replaced behind its back is refused", "[nn]") {
  nn::Sequential net{nn::Linear(2, 3), nn::ReLU()};
  (void)static_cast<nn::Module&>(net).replace_module("1", nn::SiLU());
  CHECK_THAT(error_of([&] { (void)net(number(1)); }), ContainsSubstring("of the container"));
  net.replace_module("1", nn::SiLU());
  CHECK(net(number(1)).shape() == amp::Shape(1, 3));
}

TEST_CASE("Sequential: a replaced parameter computes, in every place", "[nn]") {
  nn::Linear linear(2, 1, {.bias = false});
  const nn::Sequential first{linear}, second{nn::Sequential{linear}};
  linear.replace_parameter("weight", amp::full({1, 2}, 3));
  CHECK(values(first(number(1))) == std::vector<float>{6});
  CHECK(values(second(number(1))) == std::vector<float>{6});
}

TEST_CASE("AnyModule: any module, called with tensors", "[nn]") {
  nn::AnyModule layer = nn::Linear(2, 3);
  const nn::AnyModule same = layer;
  CHECK(layer.type() == "Linear");
  CHECK(layer(number(1)).shape() == amp::Shape(1, 3));
  CHECK(values(layer.forward(number(1))) == values(same(number(1))));
  layer = Film();
  CHECK(values(layer(number(2), number(4))) == std::vector<float>{8, 8});
  CHECK_THAT(error_of([&] { (void)layer(number(2)); }), StartsWith("Film: "));
  CHECK_THAT(error_of([] { (void)nn::AnyModule()(number(2)); }), ContainsSubstring("empty"));
  CHECK_FALSE(nn::AnyModule().defined());
  layer = nullptr;
  CHECK_FALSE(layer.defined());
}

TEST_CASE("AnyModule: within other modules it is what it was made of", "[nn]") {
  nn::Module net;
  nn::AnyModule inner = net.register_module("inner", nn::AnyModule(nn::Linear(2, 3)));
  const nn::Sequential chain{nn::AnyModule(nn::Linear(2, 3)), nn::AnyModule(Film())};
  int calls = 0;
  net.apply([&](const nn::Linear& linear) { calls += linear.weight.size(0) == 3; });
  chain.apply([&](const nn::Linear&) { ++calls; }, [&](const Film&) { ++calls; });
  CHECK(calls == 3);
  CHECK(nn::to_string(chain) ==
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): Film()\n)");
}

TEST_CASE("AnyModule: a clone is another module", "[nn]") {
  const nn::AnyModule layer = nn::Linear(2, 3);
  const nn::AnyModule copy = nn::clone(layer);
  CHECK(values(copy(number(1))) == values(layer(number(1))));
  nn::init::zeros_(copy.parameters()[0]);
  nn::init::zeros_(copy.parameters()[1]);
  CHECK(values(copy(number(1))) == std::vector<float>(3, 0));
  CHECK(values(layer(number(1))) != std::vector<float>(3, 0));
  const nn::Sequential chain{layer};
  const nn::Sequential other = chain.clone();
  nn::init::ones_(other.parameters()[0]);
  nn::init::zeros_(other.parameters()[1]);
  CHECK(values(other[0](number(1))) == std::vector<float>(3, 2));
}

}  // namespace sequential
