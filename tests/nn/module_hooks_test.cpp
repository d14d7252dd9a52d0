// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Hooks of modules, forward and backward.
#include <amp/amp.hpp>

#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace module_hooks {

using amp::Tensor;
using amp::nn::Module;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<float>;

namespace {

struct Twice : amp::nn::Layer<Twice> {
  Tensor forward(const Tensor& x) const { return x * 2; }
};
struct Identity : amp::nn::Layer<Identity> {
  Tensor forward(const Tensor& x) const { return x; }
};
struct Outer : amp::nn::Layer<Outer> {
  Twice first{register_module("first", Twice())};
  Twice second{register_module("second", Twice())};
  Tensor forward(const Tensor& x) const { return second(first(x)); }
};

Tensor leaf(float value) { return amp::tensor({value}, {1}, {.requires_grad = true}); }
float number(const Tensor& x) { return x.to(amp::kFloat32).item<float>(); }

}  // namespace

TEST_CASE("module hooks: a forward hook sees the output and may replace it") {
  const Twice twice;
  Values seen;
  twice.register_forward_hook([&](const Module& module, const Tensor& y) {
    CHECK(module.type() == twice.type());
    seen.push_back(number(y));
    return y + 1;
  });
  twice.register_forward_hook([&](const Module&, const Tensor& y) {
    seen.push_back(number(y));
    return Tensor();
  });
  CHECK(number(twice(leaf(3))) == 7);
  CHECK(seen == Values{6, 7});
  CHECK(number(twice.forward(leaf(3))) == 6);  // hooks belong to the call
  CHECK(seen.size() == 2);
}

TEST_CASE("module hooks: all handles of a module share them, and removal") {
  const Twice twice;
  const Twice copy = twice;
  int calls = 0;
  amp::HookHandle handle = copy.register_forward_hook([&](const Module&, const Tensor&) {
    ++calls;
    return Tensor();
  });
  (void)twice(leaf(1));
  handle.remove();
  (void)twice(leaf(1));
  CHECK(calls == 1);
  amp::HookHandle self;
  self = twice.register_forward_hook([&](const Module&, const Tensor& y) {
    self.remove();
    return y * 5;
  });
  CHECK(number(twice(leaf(1))) == 10);
  CHECK(number(twice(leaf(1))) == 2);
}

TEST_CASE("module hooks: one keeps what it counts") {
  const Twice twice;
  twice.register_forward_hook(
      [calls = 0](const Module&, const Tensor& y) mutable { return y * ++calls; });
  CHECK(number(twice(leaf(1))) == 2);
  CHECK(number(twice(leaf(1))) == 4);
}

TEST_CASE("module hooks: backward hooks see the gradient of the output and may replace it") {
  const Twice twice;
  Values seen;
  twice.register_backward_hook([&](const Module& module, const Tensor& g) {
    CHECK(module.path() == twice.path());
    seen.push_back(number(g));
    return g * 10;
  });
  twice.register_backward_hook([&](const Module&, const Tensor& g) {
    seen.push_back(number(g));
    return Tensor();
  });
  const Tensor x = leaf(1);
  amp::sum(twice(x) * 3).backward();
  CHECK(seen == Values{3, 30});
  CHECK(number(x.grad()) == 60);
}

TEST_CASE("module hooks: a backward hook of a module that is called twice is called twice") {
  const Twice twice;
  Values seen;
  amp::HookHandle handle = twice.register_backward_hook([&](const Module&, const Tensor& g) {
    seen.push_back(number(g));
    return Tensor();
  });
  const Tensor x = leaf(1);
  const Tensor y = twice(twice(x));
  handle.remove();  // these are on the graph already
  amp::sum(y).backward();
  CHECK(seen == Values{1, 2});
  amp::sum(twice(x)).backward();
  CHECK(seen.size() == 2);
}

TEST_CASE("module hooks: a module that returns its input, or a leaf, keeps the hook to itself") {
  const Identity identity;
  Values seen;
  identity.register_backward_hook([&](const Module&, const Tensor& g) {
    seen.push_back(number(g));
    return g * 10;
  });
  const Tensor x = leaf(1);
  for (int i = 0; i < 2; ++i) amp::sum(identity(x) * 3 + x * 4).backward();
  CHECK(seen == Values{3, 3});
  CHECK(number(x.grad()) == 2 * (30 + 4));
  amp::sum(x).backward();
  CHECK(seen.size() == 2);
  const Tensor y = x * 2;
  amp::sum(y + identity(y)).backward();
  CHECK(seen == Values{3, 3, 1});
}

TEST_CASE("module hooks: the output of a backward hook's module has its values and layout") {
  const Identity identity;
  identity.register_backward_hook([](const Module&, const Tensor&) { return Tensor(); });
  const Tensor x = amp::randn({3, 4}, {.requires_grad = true});
  const Tensor y = identity(x.t());
  CHECK(y.shape() == amp::Shape(4, 3));
  CHECK(y.to_vector<float>() == x.t().to_vector<float>());
  amp::sum(y * y).backward();
  const Values twice = (x.detach() * 2).to_vector<float>();
  CHECK(x.grad().to_vector<float>() == twice);
}

TEST_CASE("module hooks: without a gradient there is no backward hook") {
  const Twice twice;
  int calls = 0;
  twice.register_backward_hook([&](const Module&, const Tensor&) {
    ++calls;
    return Tensor();
  });
  CHECK(number(twice(amp::ones({1}))) == 2);
  const amp::NoGradGuard no_grad;
  CHECK(number(twice(leaf(1))) == 2);
  const Identity identity;
  identity.register_backward_hook([](const Module&, const Tensor&) { return Tensor(); });
  CHECK(number(identity(leaf(1))) == 1);
  CHECK(calls == 0);
}

TEST_CASE("module hooks: those of nested modules run from the inside out") {
  const Outer outer;
  std::vector<std::string> order;
  const auto note = [&](const Module& module, const Tensor&) {
    order.push_back("forward " + module.path());
    return Tensor();
  };
  const auto note_back = [&](const Module& module, const Tensor&) {
    order.push_back("backward " + module.path());
    return Tensor();
  };
  for (const Module& module : {Module(outer), Module(outer.first), Module(outer.second)}) {
    module.register_forward_hook(note);
    module.register_backward_hook(note_back);
  }
  amp::sum(outer(leaf(1))).backward();
  CHECK(order == std::vector<std::string>{"forward first", "forward second", "forward ",
                                          "backward ", "backward second", "backward first"});
}

TEST_CASE("module hooks: they run in Sequential") {
  const Twice twice;
  const amp::nn::Sequential net{twice, Twice()};
  twice.register_forward_hook([](const Module& module, const Tensor& y) {
    CHECK(module.path() == "0");
    return y + 1;
  });
  net.register_forward_hook([](const Module&, const Tensor& y) { return y * 100; });
  CHECK(number(net(leaf(1))) == 600);
  CHECK(number(net.forward(leaf(1))) == 6);
}

TEST_CASE("module hooks: one that throws is an error in the module, named once") {
  const Outer outer;
  amp::HookHandle handle = outer.first.register_forward_hook(
      [](const Module&, const Tensor&) -> Tensor { throw amp::Error("thrown in a hook"); });
  CHECK(error_of([&] { (void)outer(leaf(1)); }) == "first: thrown in a hook");
  handle.remove();
  outer.second.register_backward_hook(
      [](const Module&, const Tensor&) -> Tensor { throw amp::Error("thrown in backward"); });
  const Tensor x = leaf(1);
  CHECK_THAT(error_of([&] { amp::sum(outer(x)).backward(); }),
             ContainsSubstring("thrown in backward"));
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("module hooks: a module that keeps its output as a buffer is freed") {
  const auto alive = std::make_shared<int>(0);
  const Tensor x = amp::ones({2, 3});
  {
    amp::nn::Linear layer(3, 2);
    layer.register_backward_hook([alive](const Module&, const Tensor&) { return Tensor(); });
    const Tensor output = layer(x);
    const Tensor kept = layer.register_buffer("last", output);
    CHECK_FALSE(kept.requires_grad());
    CHECK(kept.is_same(layer.named_buffers().at(0).second));
    CHECK(kept.raw_data() == output.raw_data());
    amp::sum(output).backward();  // whose history is its own, as before
    CHECK(layer.weight.grad().defined());
    const Tensor leaf = amp::zeros({3});
    CHECK(layer.register_buffer("leaf", leaf).is_same(leaf));  // moved with the module
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE("module hooks: one may call the module, and a hook sees the state of the module") {
  const Twice twice;
  bool inside = false;
  amp::OpPolicy policy = amp::OpPolicy::kFloat32;
  twice.register_forward_hook([&](const Module&, const Tensor& y) {
    if (inside) return Tensor();
    inside = true;
    policy = amp::op_policy("softmax");
    return twice(y);
  });
  const amp::nn::Sequential net{twice};
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"0/", amp::OpPolicy::kPassthrough}}});
  CHECK(number(net(leaf(1))) == 4);
  CHECK(policy == amp::OpPolicy::kPassthrough);
}

TEST_CASE("module hooks: empty functions, and empty modules, are refused") {
  const Twice twice;
  CHECK(error_of([&] { twice.register_forward_hook(nullptr); }) ==
        "register_forward_hook: `hook` is empty");
  CHECK(error_of([&] { twice.register_backward_hook({}); }) ==
        "register_backward_hook: `hook` is empty");
  CHECK(number(twice(leaf(1))) == 2);
  const Module none = nullptr;
  CHECK(error_of([&] {
          none.register_forward_hook([](const Module&, const Tensor& y) { return y; });
        }) != "");
}

}  // namespace module_hooks
