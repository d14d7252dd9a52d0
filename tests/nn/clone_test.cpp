// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// clone(): the copy of a module, also of a class of the program, shares nothing with the original.
#include <amp/amp.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nn/names.hpp"
#include "support/catch.hpp"

namespace clone_test {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::names;

struct Block : nn::Layer<Block> {
  explicit Block(std::int64_t width)
      : fc(register_module("fc", nn::Linear(width, width))),
        norm(register_module("norm", nn::BatchNorm2d(width))),
        gain(register_parameter("gain", amp::ones({width}))),
        table(register_buffer("table", amp::arange(width))) {}
  Tensor forward(const Tensor& x) const {
    const Tensor y = fc(x) * gain + table.to(amp::kFloat32);
    return norm(y.reshape({y.size(0), y.size(1), 1, 1})).flatten(1);
  }

  nn::Linear fc;
  nn::BatchNorm2d norm;
  Tensor gain, table;
};

/// Members of every kind; neither made by default, nor callable.
struct Net : nn::Module {
  explicit Net(std::int64_t w) : width(w), first(register_module("first", Block(w))) {
    for (int i = 0; i < 3; ++i)
      blocks.push_back(register_module("block" + std::to_string(i), Block(w)));
    head = register_module("head", nn::Linear(w, 2));
  }
  Tensor forward(const Tensor& x) const {
    Tensor y = scale * first(x);
    for (const Block& block : blocks) y = block(y);
    return (*head)(rest(y));
  }

  std::int64_t width;
  Block first;
  std::vector<Block> blocks = {};
  Tensor scale = register_parameter("scale", amp::full({1}, 0.5));
  nn::Sequential rest{register_module(
      "rest", nn::Sequential{nn::Linear(width, width), nn::Sequential{nn::GELU()}})};
  std::optional<nn::Linear> head = {};
};

using Values = std::vector<std::vector<double>>;

template <class M>
Values values_of(const M& module) {
  Values values;
  for (const auto& [name, tensor] : module.state_dict())
    values.push_back(tensor.template to_vector<double>());
  return values;
}

std::vector<double> output(const Net& net, const Tensor& x) {
  const amp::NoGradGuard no_grad;
  return net.forward(x).to_vector<double>();
}

void train(const Net& net, const Tensor& x, int steps) {
  amp::SGD optimizer(net.named_parameters(), {.lr = 0.1});
  for (int i = 0; i < steps; ++i) {
    optimizer.zero_grad();
    amp::mean(amp::pow(net.forward(x) - 1, 2)).backward();
    optimizer.step();
  }
}

/// Two layers over one weight, which is registered twice.
struct Tied : nn::Module {
  nn::Embedding in{register_module("in", nn::Embedding(5, 4))};
  Tensor out = register_parameter("out", in.weight);
  nn::Embedding again{register_module("again", in)};
};

}  // namespace

TEST_CASE("clone: has the same names, values, shapes, and computes the same") {
  amp::manual_seed(1);
  const Net net(4);
  const Tensor x = amp::randn({6, 4});
  train(net, x, 2);  // moves the statistics of the norms
  net.eval();
  const Net copy = nn::clone(net);
  CHECK(names(copy.named_parameters()) == names(net.named_parameters()));
  CHECK(names(copy.named_buffers()) == names(net.named_buffers()));
  CHECK(values_of(copy) == values_of(net));
  CHECK(output(copy, x) == output(net, x));
  CHECK(copy.width == 4);
}

TEST_CASE("clone: keeps its values while the original is trained, and the other way round") {
  amp::manual_seed(2);
  const Net net(4);
  const Tensor x = amp::randn({6, 4});
  train(net, x, 1);
  const Net best = nn::clone(net);
  best.eval();
  const Values kept = values_of(best);
  const std::vector<double> answer = output(best, x);
  train(net, x, 3);
  CHECK(values_of(best) == kept);
  CHECK(output(best, x) == answer);
  CHECK(values_of(net) != kept);
  const Values trained = values_of(net);
  best.train();
  train(best, x, 1);  // all parameters and running statistics move
  CHECK(values_of(net) == trained);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string name = best.state_dict()[i].first;
    INFO(name);
    const bool stays = name.find("table") != std::string::npos ||
                       name.find("fc.bias") != std::string::npos;  // which the norm takes away
    if (!stays) CHECK(values_of(best)[i] != kept[i]);
  }
  net.load_state_dict(best.state_dict());
  CHECK(values_of(net) == values_of(best));
}

TEST_CASE("clone: what its members reach is what it has registered") {
  const Net net(3);
  const Net copy = nn::clone(net);
  const amp::NamedTensors own = copy.state_dict(), theirs = net.state_dict();
  const auto is = [&](const char* name, const Tensor& member) {
    INFO(name);
    int found = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].first != name) continue;
      ++found;
      CHECK(member.is_same(own[i].second));
      CHECK_FALSE(member.is_same(theirs[i].second));
      CHECK((member.numel() == 0 || member.raw_data() != theirs[i].second.raw_data()));
    }
    CHECK(found == 1);
  };
  is("scale", copy.scale);
  is("first.gain", copy.first.gain);
  is("first.table", copy.first.table);
  is("first.fc.weight", copy.first.fc.weight);
  is("first.norm.running_mean", copy.first.norm.running_mean);
  is("block2.fc.bias", copy.blocks[2].fc.bias);
  is("block2.table", copy.blocks[2].table);
  is("head.weight", copy.head->weight);
  copy.first.fc.weight.detach().fill_(3);
  CHECK(copy.named_parameters()[2].second.to_vector<float>()[0] == 3);
  copy.blocks[1].eval();
  CHECK(net.blocks[1].is_training());
  CHECK_FALSE(copy.named_modules()[3].second.is_training());  // after first, rest, block0
}

TEST_CASE("clone: paths, types and training mode are those of the original") {
  const Net net(3);
  net.blocks[0].eval();
  const Net copy = nn::clone(net);
  CHECK(copy.path().empty());
  CHECK(copy.blocks[1].fc.path() == "block1.fc");
  CHECK(copy.rest.path() == "rest");
  CHECK(copy.first.type() == "Block");
  CHECK(copy.head->extra_repr() == net.head->extra_repr());
  CHECK(copy.is_training());
  CHECK_FALSE(copy.blocks[0].norm.is_training());
  const Block part = net.blocks[1].clone();  // of a part: the outermost of its own
  CHECK(part.path().empty());
  CHECK(part.fc.path() == "fc");
  CHECK(net.blocks[1].fc.path() == "block1.fc");
}

TEST_CASE("clone: a weight that is tied stays tied, to its own clone") {
  const Tied tied;
  const Tied copy = nn::clone(tied);
  CHECK(copy.parameters().size() == 1);
  CHECK(copy.out.is_same(copy.in.weight));
  CHECK(copy.again.weight.is_same(copy.out));
  CHECK_FALSE(copy.out.is_same(tied.out));
  struct Model : nn::Module {
    nn::Embedding words{register_module("words", nn::Embedding(5, 4))};
    nn::Linear out{register_module("out", nn::Linear(4, 5, {.bias = false}))};
  };
  Model model;
  nn::Module handle = model.out;
  (void)handle.replace_parameter("weight", model.words.weight);  // the member keeps the old one
  const Model tied_later = nn::clone(model);
  CHECK(tied_later.parameters().size() == 1);
  tied_later.words.weight.detach().fill_(2);
  CHECK(tied_later.out(amp::ones({1, 4})).to_vector<float>()[0] == 8);
  CHECK(model.out(amp::ones({1, 4})).to_vector<float>()[0] != 8);
}

TEST_CASE("clone: requires_grad stays, gradients do not") {
  const Net net(3);
  net.first.fc.weight.requires_grad_(false);
  const Tensor x = amp::randn({4, 3});
  amp::sum(net.forward(x)).backward();
  const Net copy = nn::clone(net);
  CHECK_FALSE(copy.first.fc.weight.requires_grad());
  CHECK(copy.first.fc.bias.requires_grad());
  CHECK_FALSE(copy.first.table.requires_grad());
  for (const Tensor& p : copy.parameters()) {
    CHECK(p.is_leaf());
    CHECK_FALSE(p.grad().defined());
  }
  const std::vector<float> before = net.scale.grad().to_vector<float>();
  amp::sum(copy.forward(x)).backward();
  CHECK(copy.scale.grad().defined());
  CHECK_FALSE(copy.scale.grad().is_same(net.scale.grad()));
  CHECK(net.scale.grad().to_vector<float>() == before);
}

TEST_CASE("clone: dtypes stay, and a conversion of one does not convert the other") {
  const Net net(3);
  net.to_mixed(amp::kBFloat16);
  const Net copy = nn::clone(net);
  CHECK(copy.first.fc.weight.dtype() == amp::kBFloat16);
  CHECK(copy.first.norm.weight.dtype() == amp::kFloat32);
  CHECK(copy.first.table.dtype() == amp::kInt64);
  net.to(amp::kFloat64);
  CHECK(copy.first.fc.weight.dtype() == amp::kBFloat16);
  copy.to_mixed(amp::kFloat16);  // knows which layers stay in float32
  CHECK(copy.first.norm.weight.dtype() == amp::kFloat32);
  CHECK(net.first.norm.weight.dtype() == amp::kFloat64);
}

TEST_CASE("clone: hooks are copied, and what they hold of the module is the clone's") {
  const nn::Linear fc(2, 2);
  int calls = 0;
  amp::HookHandle handle =
      fc.register_forward_hook([&calls, weight = fc.weight](const nn::Module&, const Tensor& y) {
        ++calls;
        return y + amp::sum(weight);
      });
  const nn::Linear copy = fc.clone();
  copy.weight.detach().fill_(10);
  copy.bias.detach().fill_(0);
  CHECK(copy(amp::zeros({1, 2})).to_vector<float>() == std::vector<float>{40, 40});
  CHECK(calls == 1);
  handle.remove();
  (void)fc(amp::zeros({1, 2}));
  CHECK(calls == 1);
  (void)copy(amp::zeros({1, 2}));
  CHECK(calls == 2);
}

TEST_CASE("clone: of an empty module, of Sequential, and of a module that is not registered") {
  CHECK_FALSE(nn::clone(nn::Linear()).defined());
  const nn::Sequential chain{nn::Linear(2, 2), nn::ReLU(), nn::Linear(2, 1)};
  nn::Sequential copy = chain.clone(), same = copy;
  const float before = chain(amp::ones({1, 2})).item<float>();
  CHECK(copy(amp::ones({1, 2})).item<float>() == before);
  for (const Tensor& p : same.parameters()) p.detach().fill_(1);
  CHECK(copy(amp::ones({1, 2})).item<float>() == 7);
  CHECK(chain(amp::ones({1, 2})).item<float>() == before);
  same.push_back(nn::ReLU());  // still handles to one module
  CHECK(copy.named_modules().size() == 4);
  CHECK(chain.named_modules().size() == 3);
  struct Loose : nn::Module {
    nn::Linear fc{2, 2};  // not registered
  };
  const Loose loose;
  CHECK_FALSE(nn::clone(loose).fc.weight.is_same(loose.fc.weight));
}

TEST_CASE("clone: a copy is still the same module, and so it is after a clone and an error") {
  const Net net(3);
  const Net copy = nn::clone(net), same = net;
  CHECK(same.scale.is_same(net.scale));
  CHECK(same.first.fc.weight.is_same(net.first.fc.weight));
  struct Refuses : nn::Module {
    Refuses() = default;
    Refuses(const Refuses& other) : Module(other), weight(other.weight) {
      if (throws) throw amp::Error("not to be copied");
    }
    Tensor weight = register_parameter("weight", amp::ones({1}));
    bool throws = true;
  };
  Refuses refuses;
  CHECK_THROWS_AS(nn::clone(refuses), amp::Error);
  const Tensor handle = refuses.weight;
  CHECK(handle.is_same(refuses.weight));
}

}  // namespace clone_test
