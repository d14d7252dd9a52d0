// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Module::apply(): which modules a function is called with, in which order, and as what.
#include <amp/amp.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nn/names.hpp"
#include "support/catch.hpp"

namespace apply {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::Names;

struct Scaled : nn::Linear {  // a class that derives from a layer
  Scaled(std::int64_t in, std::int64_t out) : nn::Linear(in, out) {}
};

struct Block final : nn::Layer<Block> {
  nn::Linear fc{register_module("fc", nn::Linear(3, 3))};
  nn::Sequential rest{register_module("rest", nn::Sequential{nn::ReLU(), Scaled(3, 3)})};
  Tensor forward(const Tensor& x) const { return rest(fc(x)); }
};

struct Net : nn::Module {
  Block block{register_module("block", Block())};
  nn::Conv2d conv{register_module("conv", nn::Conv2d(1, 2, 3))};
};

template <class M>
Names paths(const M& net) {
  Names found;
  net.apply([&](const nn::Module& module) { found.push_back(module.path()); });
  return found;
}

struct MoveOnly : nn::Module {
  std::unique_ptr<int> number = std::make_unique<int>(1);
};

int calls_of_function = 0;
void count_call(const nn::Linear&) { ++calls_of_function; }

}  // namespace

TEST_CASE("apply: modules within a module come before it", "[nn]") {
  const Net net;
  CHECK(paths(net) ==
        Names{"block.fc", "block.rest.0", "block.rest.1", "block.rest", "block", "conv", ""});
  CHECK(paths(net.block) ==
        Names{"block.fc", "block.rest.0", "block.rest.1", "block.rest", "block"});
  CHECK(paths(nn::Module()) == Names{""});
  CHECK_THROWS_AS(nn::Linear().apply([](const nn::Module&) {}), amp::Error);
  CHECK_THROWS_AS(nn::Module(nullptr).apply([](const nn::Module&) {}), amp::Error);
}

TEST_CASE("apply: a function of a class is called with modules of this class", "[nn]") {
  const Net net;
  int linears = 0, scaled = 0, blocks = 0, sequences = 0, norms = 0, any = 0, outermost = 0;
  net.apply([&](const nn::Linear&) { ++linears; }, [&](Scaled) { ++scaled; },
            [&](Block&) { ++blocks; }, [&](const nn::Sequential&) noexcept { ++sequences; },
            [&](const nn::LayerNorm&) { ++norms; }, [&](const auto&) mutable { ++any; },
            [&](const Net&) { ++outermost; });
  CHECK(linears == 2);
  CHECK(scaled == 1);
  CHECK(blocks == 1);
  CHECK(sequences == 1);
  CHECK(norms == 0);
  CHECK(any == 7);
  CHECK(outermost == 0);  // the class of the outermost is known if it is a Layer, or registered
  net.block.apply([&](const Block&) { ++blocks; });
  CHECK(blocks == 2);
  const nn::Module outer;
  nn::Module(outer).register_module("net", net);
  outer.apply([&](const Net&) { ++outermost; });
  net.apply([&](const Net&) { ++outermost; });
  CHECK(outermost == 2);
  calls_of_function = 0;
  net.apply(count_call);
  net.apply(&count_call);
  CHECK(calls_of_function == 4);
}

TEST_CASE("apply: functions are called in turn for each module", "[nn]") {
  const nn::Sequential net{nn::Linear(1, 1), nn::Linear(1, 1)};
  std::string calls;
  net.apply([&](const nn::Linear&) { calls += 'a'; }, [&](const nn::Module&) { calls += 'b'; });
  CHECK(calls == "ababb");
}

TEST_CASE("apply: what the function gets are the parameters of the module", "[nn]") {
  Net net;
  net.apply(
      [](const nn::Linear& linear) {
        nn::init::constant_(linear.weight, 2);
        nn::init::zeros_(linear.bias);
      },
      [](const nn::Conv2d& conv) { nn::init::ones_(conv.weight); });
  CHECK(net.block(amp::ones({1, 3})).to_vector<float>() == std::vector<float>(3, 36));
  CHECK(amp::sum(net.conv.weight).item<float>() == 18);
  net.conv.apply([](nn::Conv2d& conv) { CHECK(conv(amp::ones({1, 1, 3, 3})).numel() == 2); });
}

TEST_CASE("apply: replaced parameters and modules are those of now", "[nn]") {
  Net net;
  const Tensor tied = net.block.fc.replace_parameter("weight", amp::full({3, 3}, 5));
  nn::Module second;
  second.register_module("again", net.block.fc);  // which keeps a copy of its own
  net.block.fc.replace_parameter("bias", amp::full({3}, 6));
  for (const nn::Module& outer : {nn::Module(net), second}) {
    int found = 0;
    outer.apply([&](const nn::Linear& linear) {
      if (!linear.weight.is_same(tied)) return;
      ++found;
      CHECK(linear.bias.is_same(net.block.fc.bias));
    });
    CHECK(found == 1);
  }
  net.conv = net.replace_module("conv", nn::Conv2d(4, 4, 1));
  net.apply([&](const nn::Conv2d& conv) { CHECK(conv.weight.is_same(net.conv.weight)); });
}

TEST_CASE("apply: a replaced parameter is not kept alive by what a module keeps", "[nn]") {
  Net net;
  std::weak_ptr<int> alive;
  {
    auto memory = std::make_shared<int>();
    alive = memory;
    Tensor weight = amp::empty({3, 3});
    weight.requires_grad_();
    weight.register_hook([memory](const Tensor&) { return Tensor(); });
    net.block.fc.replace_parameter("weight", weight);
  }
  CHECK_FALSE(alive.expired());
  net.block.fc.replace_parameter("weight", amp::ones({3, 3}));
  CHECK(alive.expired());
}

TEST_CASE("apply: a module that is there twice comes once", "[nn]") {
  const nn::Linear shared(2, 2);
  const nn::Sequential net{shared, nn::Sequential{shared}, shared};
  int calls = 0;
  net.apply([&](const nn::Linear&) { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("apply: a clone's modules are the clone's", "[nn]") {
  const Net net;
  const Net copy = nn::clone(net);
  CHECK(paths(copy) == paths(net));
  int found = 0;
  copy.apply([&](const nn::Linear& linear) {
    ++found;
    CHECK_FALSE(linear.weight.is_same(net.block.fc.weight));
    nn::init::zeros_(linear.weight);
  });
  CHECK(found == 2);
  CHECK(amp::sum(amp::abs(copy.block.fc.weight)).item<float>() == 0);
  CHECK(amp::sum(amp::abs(net.block.fc.weight)).item<float>() > 0);
}

TEST_CASE("apply: the function may change the structure, or throw", "[nn]") {
  nn::Sequential net{nn::Linear(1, 1), nn::ReLU()};
  int calls = 0;
  net.apply([&](const nn::Linear&) {
    if (++calls < 5) {
      net.push_back(nn::Linear(1, 1));
      net.replace_module("0", nn::ReLU());
    }
  });
  CHECK(calls == 1);  // the modules that there were
  CHECK(net.size() == 3);
  CHECK_THROWS_AS(net.apply([](const nn::ReLU&) { throw std::runtime_error("own"); }),
                  std::runtime_error);
}

TEST_CASE("apply: a module of a class without copies is visited as a module", "[nn]") {
  nn::Module net;
  const MoveOnly inner = net.register_module("inner", MoveOnly());
  CHECK(paths(net) == Names{"inner", ""});
  int calls = 0;
  net.apply([&](const nn::Linear&) { ++calls; });
  CHECK(calls == 0);
  CHECK(*inner.number == 1);
}

}  // namespace apply
