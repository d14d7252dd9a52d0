// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules and parameters replaced, weights tied, and the check that finds leaves which no module or
// optimizer holds.
#include <amp/amp.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "nn/names.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace replace {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using amp_test::Names;
using amp_test::names;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

struct Net : nn::Layer<Net> {
  nn::Linear body{register_module("body", nn::Linear(4, 3))};
  nn::Linear head{register_module("head", nn::Linear(3, 2))};
  Tensor gain = register_parameter("gain", amp::ones({4}));
  Tensor forward(const Tensor& x) const { return head(amp::relu(body(x * gain))); }
};

/// A language model: the head's weight is that of the embedding.
struct Tied : nn::Layer<Tied> {
  nn::Embedding in{register_module("in", nn::Embedding(5, 4))};
  nn::Sequential body{register_module("body", nn::Sequential(nn::Linear(4, 4), nn::GELU()))};
  nn::Linear out{register_module("out", nn::Linear(4, 5, {.bias = false}))};
  Tied() { out.replace_parameter("weight", in.weight); }
  Tensor forward(const Tensor& ids) const { return out(body(in(ids))); }
};

Tensor loss_of(const Net& net) { return amp::sum(net(amp::ones({2, 4}))); }

}  // namespace

TEST_CASE("Module: a replaced module is trained, saved and named in place of the old", "[nn]") {
  Net net;
  const nn::Linear old = net.head;
  net.eval();
  net.head = net.replace_module("head", nn::Linear(3, 7));
  CHECK(net.named_parameters()[3].second.is_same(net.head.weight));
  CHECK(names(net.named_parameters()) ==
        Names{"gain", "body.weight", "body.bias", "head.weight", "head.bias"});
  CHECK(net(amp::ones({2, 4})).shape() == amp::Shape(2, 7));
  CHECK(net.head.path() == "head");
  CHECK(old.path().empty());
  CHECK_NOTHROW(net.check_registered(loss_of(net)));
}

TEST_CASE("Module: what cannot be replaced throws, and nothing changes", "[nn]") {
  Net net;
  const Names before = names(net.state_dict());
  CHECK_THAT(error_of([&] { (void)net.replace_module("tail", nn::ReLU()); }),
             ContainsSubstring("\"tail\"") && ContainsSubstring("\"body\", \"head\""));
  CHECK_THAT(error_of([&] { (void)net.replace_module("head", nn::Linear()); }),
             ContainsSubstring("\"head\""));
  CHECK_THAT(error_of([&] { (void)net.replace_module("head", net); }), ContainsSubstring("itself"));
  CHECK_THAT(error_of([&] { net.body.replace_parameter("scale", amp::ones({1})); }),
             ContainsSubstring("\"scale\"") && ContainsSubstring("\"weight\", \"bias\""));
  CHECK_THAT(error_of([&] { net.body.replace_parameter("weight", net.body.weight * 2); }),
             ContainsSubstring("computed"));
  CHECK_THROWS_AS(net.body.replace_parameter("weight", amp::arange(3)), amp::Error);
  CHECK(names(net.state_dict()) == before);
  CHECK(net.named_parameters()[1].second.is_same(net.body.weight));
}

TEST_CASE("Module: a replaced parameter is used by every copy of a layer", "[nn]") {
  nn::Linear linear(2, 1, {.bias = false});
  const nn::Linear copy = linear;
  const nn::Sequential in_turn(linear, nn::ReLU());
  const Tensor weight = linear.replace_parameter("weight", amp::full({1, 2}, 3));
  CHECK(weight.requires_grad());
  CHECK(linear.weight.is_same(weight));
  for (const Tensor& y :
       {linear(amp::ones({1, 2})), copy(amp::ones({1, 2})), in_turn(amp::ones({1, 2}))}) {
    CHECK(y.item<float>() == 6);
    CHECK_NOTHROW(linear.check_registered(y));
  }
  linear.replace_parameter("weight", amp::full({1, 2}, 5));
  CHECK(in_turn(amp::ones({1, 2})).item<float>() == 10);
  CHECK(copy(amp::ones({1, 2})).item<float>() == 10);
  CHECK(in_turn.named_parameters()[0].second.is_same(linear.weight));
}

TEST_CASE("Module: parameters may change places, and come back", "[nn]") {
  nn::LayerNorm norm({2});
  const Tensor weight = norm.weight, bias = norm.bias;
  norm.replace_parameter("weight", bias);
  norm.replace_parameter("bias", weight);
  const Tensor x = amp::tensor({1.0F, 3.0F}, {2});
  CHECK(norm(x).to_vector<float>() == std::vector<float>{1, 1});  // 0 * x^ + 1
  const nn::LayerNorm copy = norm;
  for (int swap = 0; swap < 3; ++swap) {  // as for an averaged weight
    norm.replace_parameter("weight", weight);
    norm.replace_parameter("bias", bias);
    CHECK(copy(x).to_vector<float>()[1] == Approx(1).margin(1e-4));
    norm.replace_parameter("weight", bias);
    norm.replace_parameter("bias", weight);
    CHECK(copy(x).to_vector<float>() == std::vector<float>{1, 1});
  }
}

TEST_CASE("Module: the path of a module that is registered twice", "[nn]") {
  nn::Module outer;
  const nn::Linear inner(2, 2);
  outer.register_module("a", inner);
  outer.register_module("b", inner);
  const nn::Linear second = outer.replace_module("b", nn::Linear(2, 2));
  CHECK(inner.path() == "a");
  CHECK(second.path() == "b");
  outer.register_module("c", inner);
  const nn::Linear first = outer.replace_module("a", nn::Linear(2, 2));
  CHECK(inner.path() == "c");
}

TEST_CASE("Module: a replaced parameter is trained if the old one was", "[nn]") {
  nn::Linear linear(2, 2);
  linear.weight.requires_grad_(false);
  CHECK_FALSE(linear.replace_parameter("weight", amp::ones({2, 2})).requires_grad());
  CHECK(linear.replace_parameter("bias", amp::ones({2})).requires_grad());
  const Tensor leaf = amp::ones({2, 2}, {.requires_grad = true});
  CHECK(linear.replace_parameter("weight", leaf).requires_grad());
  linear.replace_parameter("bias", Tensor());
  CHECK(names(linear.named_parameters()) == Names{"weight"});
  CHECK(linear(amp::ones({1, 2})).to_vector<float>() == std::vector<float>{2, 2});
  nn::BatchNorm2d norm(2);
  norm.replace_parameter("bias", amp::full({2}, 7));
  CHECK(norm(amp::ones({2, 2, 1, 1})).to_vector<float>() == std::vector<float>(4, 7));
}

TEST_CASE("Sequential: a replaced module is called in place of the old", "[nn]") {
  nn::Sequential net(nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 4));
  const nn::Sequential copy = net;
  const nn::Linear head = net.replace_module("2", nn::Linear(3, 7));
  CHECK(copy(amp::ones({1, 2})).shape() == amp::Shape(1, 7));
  CHECK(copy.named_parameters()[2].second.is_same(head.weight));
  CHECK_NOTHROW(net.check_registered(amp::sum(net(amp::ones({1, 2})))));
  CHECK_THROWS_AS(net.replace_module("3", nn::ReLU()), amp::Error);
}

TEST_CASE("Module: tied weights are one parameter, stepped once", "[nn]") {
  const Tied net;
  CHECK(names(net.named_parameters()) == Names{"in.weight", "body.0.weight", "body.0.bias"});
  CHECK(net.out.weight.is_same(net.in.weight));
  const Tensor before = net.in.weight.detach().clone();
  amp::SGD optimizer(net.named_parameters(), {.lr = 1});
  const Tensor loss = amp::sum(net(amp::arange(5)));
  net.check_registered(loss);
  optimizer.check_trains(loss);
  loss.backward();
  const Tensor grad = net.in.weight.grad().clone();
  optimizer.step();
  CHECK(net.out.weight.to_vector<float>() == (before - grad).to_vector<float>());
  net.to(amp::kFloat64);
  CHECK(net.out.weight.dtype() == amp::kFloat64);
  CHECK(net.out.weight.is_same(net.in.weight));
}

TEST_CASE("Module: a state of tied weights loads by any of their names", "[nn]") {
  const Tied from, to;
  amp::NamedTensors state;
  for (const auto& [name, tensor] : from.state_dict()) state.emplace_back(name, tensor.detach());
  const std::vector<float> weight = from.in.weight.to_vector<float>();
  to.load_state_dict(state);
  CHECK(to.out.weight.to_vector<float>() == weight);
  const Tied other;
  state[0].first = "out.weight";
  other.load_state_dict(state);
  CHECK(other.in.weight.to_vector<float>() == weight);
  const Tied both;
  state.emplace_back("in.weight", state[0].second.clone());
  both.load_state_dict(state);  // as torch saves it
  CHECK(both.in.weight.to_vector<float>() == weight);
  const std::vector<float> kept = Tied(both).in.weight.to_vector<float>();
  state.back().second = amp::zeros({5, 4});
  CHECK_THAT(error_of([&] { both.load_state_dict(state); }),
             ContainsSubstring("\"in.weight\" and \"out.weight\"") && ContainsSubstring("differ"));
  CHECK(both.in.weight.to_vector<float>() == kept);
  state.erase(state.begin());
  state.pop_back();
  CHECK_THAT(error_of([&] { both.load_state_dict(state); }),
             ContainsSubstring("needs \"in.weight\", missing"));
}

TEST_CASE("check_registered: names a head that was replaced by assignment", "[nn]") {
  Net net;
  CHECK_NOTHROW(net.check_registered(loss_of(net)));
  net.head = nn::Linear(3, 10);
  const std::string error = error_of([&] { net.check_registered(loss_of(net)); });
  CHECK_THAT(error, StartsWith("check_registered: ") && ContainsSubstring("2 leaves") &&
                        ContainsSubstring("float32[10, 3], taken by linear;") &&
                        ContainsSubstring("float32[10]") &&
                        ContainsSubstring("\"head.weight\", float32[2, 3]") &&
                        ContainsSubstring("replace_module"));
  const Tensor loss = loss_of(net);
  loss.backward();  // also afterwards
  CHECK(error_of([&] { net.check_registered(loss); }) == error);
  CHECK_NOTHROW(net.check_registered(loss, net.head.parameters()));
}

TEST_CASE("check_registered: names a member that was never registered", "[nn]") {
  struct Half : nn::Layer<Half> {
    nn::Linear a{register_module("a", nn::Linear(2, 2))};
    nn::Linear forgotten{2, 3, {.bias = false}};
    Tensor forward(const Tensor& x) const { return forgotten(a(x)); }
  };
  const Half net;
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const std::string error = error_of([&] {
    net.check_registered(amp::sum(net(amp::ones({1, 2}))));
  });
  CHECK_THAT(error, ContainsSubstring("1 leaf ") &&
                        ContainsSubstring("float32[3, 2], taken by linear") &&
                        ContainsSubstring("register_module"));
  CHECK_THAT(error, !ContainsSubstring("depend on these"));  // all of its own take part
}

TEST_CASE("check_registered: inputs that want a gradient are told, frozen leaves are not", "[nn]") {
  const Net net;
  const Tensor x = amp::ones({2, 4}, {.requires_grad = true});
  CHECK_THAT(error_of([&] { net.check_registered(amp::sum(net(x))); }),
             ContainsSubstring("float32[2, 4], taken by mul"));
  CHECK_NOTHROW(net.check_registered(amp::sum(net(x)), {x}));
  x.requires_grad_(false);
  CHECK_NOTHROW(net.check_registered(amp::sum(net(x))));
  CHECK_THAT(error_of([&] { net.check_registered(amp::ones({1})); }),
             ContainsSubstring("requires no gradient"));
  CHECK_THROWS_AS(net.check_registered(Tensor()), amp::Error);
}

TEST_CASE("check_trains: an optimizer made before a module was replaced is found out", "[nn]") {
  Net net;
  amp::Adam optimizer(net.named_parameters(), {.lr = 1e-3});
  CHECK_NOTHROW(optimizer.check_trains(loss_of(net)));
  net.head = net.replace_module("head", nn::Linear(3, 2));
  const Tensor loss = loss_of(net);
  CHECK_NOTHROW(net.check_registered(loss));
  CHECK_THAT(error_of([&] { optimizer.check_trains(loss); }),
             StartsWith("Adam::check_trains: ") && ContainsSubstring("float32[2, 3]") &&
                 ContainsSubstring("\"head.weight\"") && ContainsSubstring("add_param_group"));
  amp::GradScaler scaler;
  CHECK_NOTHROW(optimizer.check_trains(scaler.scale(loss), net.head.parameters()));
  optimizer.add_param_group({.params = net.head.parameters()});
  CHECK_NOTHROW(optimizer.check_trains(scaler.scale(loss)));
}

}  // namespace replace
