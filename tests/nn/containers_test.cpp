// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// ModuleList, ModuleDict, ParameterList, ParameterDict: names, elements, clones and errors.
#include <amp/amp.hpp>

#include <string>
#include <vector>

#include "nn/names.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace containers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using amp_test::Names;
using amp_test::names;
using Catch::Matchers::ContainsSubstring;
using Linears = nn::ModuleList<nn::Linear>;

/// A block that takes a second tensor, which Sequential would not pass on.
struct Film : nn::Layer<Film> {
  nn::Linear fc{register_module("fc", nn::Linear(2, 2))};
  Tensor forward(const Tensor& x, const Tensor& scale) const { return fc(x) * scale; }
};
struct Tower : nn::Layer<Tower> {
  nn::ModuleList<Film> blocks{register_module("blocks", nn::ModuleList<Film>())};
  explicit Tower(int depth) {
    for (int i = 0; i < depth; ++i) blocks.push_back(Film());
  }
  Tensor forward(Tensor x, const Tensor& scale) const {
    for (const Film& block : blocks) x = block(x, scale);
    return x;
  }
};

Tensor ones() { return amp::ones({1, 2}); }

}  // namespace

TEST_CASE("ModuleList: registered by place, called by class", "[nn]") {
  const Tower net(3);
  CHECK(names(net.named_parameters()) == Names{"blocks.0.fc.weight", "blocks.0.fc.bias",
                                               "blocks.1.fc.weight", "blocks.1.fc.bias",
                                               "blocks.2.fc.weight", "blocks.2.fc.bias"});
  Tensor x = ones();
  for (std::int64_t i = 0; i < 3; ++i) x = net.blocks[i].fc(x) * 0.5;
  CHECK(net(ones(), ones() * 0.5).to_vector<float>() == x.to_vector<float>());
  CHECK(net.blocks.size() == 3);
  CHECK(net.blocks[-1].fc.weight.is_same(net.blocks[2].fc.weight));
  CHECK(net.blocks[1].path() == "blocks.1");
  int films = 0;
  net.apply([&](const Film&) { ++films; });
  CHECK(films == 3);
  net.eval();
  CHECK_FALSE(net.blocks[0].fc.is_training());
}

TEST_CASE("ModuleList: copies are one list, a clone is another", "[nn]") {
  Linears list{nn::Linear(2, 2), nn::Linear(2, 2)};
  const Linears same = list;
  list.push_back(nn::Linear(2, 1));
  CHECK(same.size() == 3);
  const Linears other = list.clone();
  CHECK(other.size() == 3);
  CHECK_FALSE(other[0].weight.is_same(list[0].weight));
  CHECK(other[0].weight.is_same(other.parameters()[0]));
  nn::init::zeros_(other[2].weight);
  nn::init::zeros_(other[2].bias);
  CHECK(other[2](ones()).item<float>() == 0);
  CHECK(list[2](ones()).item<float>() != 0);
  const Tower net(2);
  const Tower copy = net.clone();
  CHECK(copy(ones(), ones()).to_vector<float>() == net(ones(), ones()).to_vector<float>());
  CHECK(copy.blocks[0].fc.weight.is_same(copy.parameters()[0]));
}

TEST_CASE("ModuleList: modules of any class", "[nn]") {
  nn::ModuleList<> list{nn::Linear(2, 3), nn::ReLU()};
  list.push_back(Film());
  Tensor x = ones();
  x = list[0](x);
  CHECK(list[1](x).shape() == amp::Shape(1, 3));
  CHECK(list[2](ones(), ones()).shape() == amp::Shape(1, 2));
  CHECK(names(list.named_parameters()) == Names{"0.weight", "0.bias", "2.fc.weight", "2.fc.bias"});
  int linears = 0;
  list.apply([&](const nn::Linear&) { ++linears; });
  CHECK(linears == 2);
}

TEST_CASE("ModuleList, ModuleDict: replaced modules and parameters are those of now", "[nn]") {
  Linears list{nn::Linear(2, 2), nn::Linear(2, 2)};
  const nn::Linear wide = list.replace_module("1", nn::Linear(2, 5));
  CHECK(list[1](ones()).shape() == amp::Shape(1, 5));
  CHECK(list.parameters()[2].is_same(wide.weight));
  const Tensor tied = list[0].replace_parameter("weight", amp::ones({2, 2}));
  CHECK(list[0].weight.is_same(tied));
  CHECK(list.parameters()[0].is_same(tied));
  list.apply([&](const nn::Linear& linear) {
    if (linear.weight.size(0) == 2) CHECK(linear.weight.is_same(tied));
  });
  CHECK_THROWS_AS(list.replace_module("7", nn::Linear(2, 2)), amp::Error);
  CHECK_THROWS_AS(list.replace_module("0", nn::Linear()), amp::Error);
  CHECK(list[0].weight.is_same(tied));
}

TEST_CASE("ModuleDict: registered by key, in order", "[nn]") {
  nn::ModuleDict<nn::Linear> heads{{"mean", nn::Linear(2, 2)}, {"bound", nn::Linear(2, 1)}};
  heads.insert("another", nn::Linear(2, 3));
  CHECK(heads["another"](ones()).shape() == amp::Shape(1, 3));
  CHECK(heads.contains("mean"));
  CHECK_FALSE(heads.contains("weight"));
  CHECK(names(heads.named_parameters()) == Names{"mean.weight", "mean.bias", "bound.weight",
                                                 "bound.bias", "another.weight", "another.bias"});
  std::string keys;
  for (const auto& [key, head] : heads) keys += key + std::to_string(head.weight.size(0)) + ' ';
  CHECK(keys == "mean2 bound1 another3 ");
  const nn::ModuleDict<nn::Linear> copy = heads.clone();
  CHECK_FALSE(copy["mean"].weight.is_same(heads["mean"].weight));
  CHECK_THAT(error_of([&] { heads.insert("mean", nn::Linear(2, 2)); }),
             ContainsSubstring("registered already"));
  CHECK_THAT(error_of([&] { heads.insert("a.b", nn::Linear(2, 2)); }), ContainsSubstring("dot"));
  CHECK_THAT(error_of([&] { (void)heads["none"]; }), ContainsSubstring("\"none\""));
  CHECK(heads.size() == 3);
}

TEST_CASE("ParameterList, ParameterDict: parameters by place and key", "[nn]") {
  nn::ParameterList list{amp::ones({2}), amp::zeros({1})};
  list.push_back(amp::full({3}, 4));
  CHECK(list.size() == 3);
  CHECK(list[-1].numel() == 3);
  CHECK(list[0].requires_grad());
  CHECK(names(list.named_parameters()) == Names{"0", "1", "2"});
  std::int64_t elements = 0;
  for (const Tensor& parameter : list) elements += parameter.numel();
  CHECK(elements == 6);
  const Tensor other = list.replace_parameter("1", amp::ones({7}));
  CHECK(list[1].is_same(other));
  CHECK_THROWS_AS(list[3], amp::Error);
  CHECK_THROWS_AS(list[-4], amp::Error);
  CHECK_THROWS_AS(list.push_back(Tensor()), amp::Error);
  CHECK_THROWS_AS(list.push_back(list[0] * 2), amp::Error);
  CHECK(list.size() == 3);
  CHECK_FALSE(list.clone()[0].is_same(list[0]));

  nn::ParameterDict dict{{"scale", amp::ones({2})}};
  dict.insert("shift", amp::zeros({2}));
  CHECK(names(dict.state_dict()) == Names{"scale", "shift"});
  CHECK(dict["shift"].requires_grad());
  CHECK(dict.contains("scale"));
  CHECK_FALSE(dict.contains("none"));
  CHECK_THROWS_AS(dict["none"], amp::Error);
  CHECK_THROWS_AS(dict.insert("scale", amp::ones({1})), amp::Error);
  for (const auto& [key, parameter] : dict) CHECK(parameter.numel() == 2);
}

TEST_CASE("containers: what is empty or missing throws", "[nn]") {
  const Linears none = nullptr;
  CHECK_THROWS_AS(none.size(), amp::Error);
  CHECK_THROWS_AS(none[0], amp::Error);
  CHECK_THROWS_AS(nn::ParameterList(nullptr).size(), amp::Error);
  Linears list;
  CHECK(list.empty());
  CHECK_THAT(error_of([&] { (void)list[0]; }), ContainsSubstring("no element 0 among 0"));
  CHECK_THROWS_AS(list.push_back(nn::Linear()), amp::Error);
  CHECK(list.empty());
  CHECK(list.named_modules().empty());
}

TEST_CASE("containers: equal neighbours of a list are printed once, as torch does", "[nn]") {
  const nn::ModuleList<> list{nn::ReLU(), nn::ReLU(), nn::Linear(2, 3), nn::ReLU()};
  CHECK(nn::to_string(list) ==
        "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Linear(in_features=2, out_features=3, "
        "bias=True)\n  (3): ReLU()\n)");
  CHECK(nn::to_string(nn::ModuleDict<nn::ReLU>{{"a", nn::ReLU()}, {"b", nn::ReLU()}}) ==
        "ModuleDict(\n  (a): ReLU()\n  (b): ReLU()\n)");
  CHECK(nn::to_string(Linears()) == "ModuleList()");
}

}  // namespace containers
