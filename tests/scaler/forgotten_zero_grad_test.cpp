// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The warning that a step reads a gradient which a step has read before, because zero_grad() was
// forgotten: once, and in no program that adds gradients up on purpose.
#include <amp/amp.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace forgotten_zero_grad {
namespace {

using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

/// Collects what amp warns of.
class Warnings {
 public:
  Warnings() = default;
  ~Warnings() { amp::set_warning_handler(before_); }
  std::vector<std::string> texts = {};

 private:
  amp::WarningHandler before_ =
      amp::set_warning_handler([this](std::string_view text) { texts.emplace_back(text); });
};

/// A network, its optimizer and scaler; each test puts a loop together of their calls.
template <class O = amp::SGD>
struct Loop {
  amp::nn::Sequential net{amp::nn::Linear(4, 4), amp::nn::ReLU(), amp::nn::Linear(4, 1)};
  O optimizer{net.named_parameters(), {.lr = 0.01}};
  amp::GradScaler scaler{{.init_scale = 1024}};
  Tensor x = amp::ones({2, 4});

  Tensor loss() const { return amp::mean(net(x)); }
  void backward() { scaler.scale(loss()).backward(); }
  void step() {
    scaler.step(optimizer);
    scaler.update();
  }
};

/// The number of warnings in three rounds of `body(loop)`.
template <class O = amp::SGD, class Body>
std::size_t warnings(const Body& body) {
  const Warnings heard;
  Loop<O> loop;
  for (int i = 0; i < 3; ++i) body(loop);
  return heard.texts.size();
}

/// An optimizer of the program over amp's tensors, which steps only when no gradient is bad.
struct Plain {
  std::vector<Tensor> list;

  explicit Plain(const amp::NamedTensors& named, amp::SGDOptions) {
    for (const auto& [name, p] : named) list.push_back(p);
  }
  const std::vector<Tensor>& parameters() const { return list; }
  std::vector<amp::TensorView> gradients() const {
    std::vector<amp::TensorView> views;
    for (const Tensor& p : list) {
      if (const Tensor g = p.grad(); g.defined())
        views.push_back({g.raw_data(), g.numel(), g.dtype(), g.device()});
    }
    return views;
  }
  void mark_unscaled() const {}
  void step() const {}
  void zero_grad() const {
    for (const Tensor& p : list) p.set_grad(Tensor());
  }
};

}  // namespace

TEST_CASE("forgotten zero_grad: warns once, names a parameter, says what happened and what to do") {
  const Warnings heard;
  Loop<amp::AdamW> loop;
  for (int i = 0; i < 5; ++i) {
    CHECK(heard.texts.size() == (i < 2 ? 0 : 1));
    loop.backward();
    loop.step();
  }
  REQUIRE(heard.texts.size() == 1);
  for (const char* const part :
       {"AdamW: the gradient of \"0.weight\"", "zero_grad() was not called",
        "scaled loss was added", "optimizer.zero_grad() before backward()",
        "step once, after the last backward()"})
    CHECK_THAT(heard.texts[0], ContainsSubstring(part));
}

TEST_CASE("forgotten zero_grad: every way to step is noticed, by each optimizer") {
  const Warnings heard;
  Loop<> loops[3];
  for (int i = 0; i < 3; ++i) {
    loops[0].backward();
    loops[0].scaler.unscale_(loops[0].optimizer);
    loops[0].optimizer.step();
    loops[0].scaler.update();
    loops[1].backward();
    loops[1].scaler.unscale_and_clip(loops[1].optimizer, 1.0);
    loops[1].step();
    loops[2].backward();
    loops[2].scaler.unscale_(loops[2].optimizer);
    (void)amp::clip_grad_norm_(loops[2].net.parameters(), 1.0);
    loops[2].step();
  }
  CHECK(heard.texts.size() == 3);
}

TEST_CASE("forgotten zero_grad: 16-bit gradients, and an optimizer of the program") {
  const Warnings heard;
  Loop half;
  half.net.to(amp::kBFloat16);
  half.x = half.x.to(amp::kBFloat16);
  Loop<Plain> plain;
  for (int i = 0; i < 3; ++i) {
    half.backward();
    half.step();
    plain.backward();
    plain.step();
  }
  REQUIRE(heard.texts.size() == 2);
  CHECK_THAT(heard.texts[1], ContainsSubstring("GradScaler: step: the gradient of \"0\""));
}

TEST_CASE("forgotten zero_grad: no warning if the gradients were dropped, in any way") {
  CHECK(warnings([](auto& loop) {
          loop.optimizer.zero_grad();
          loop.backward();
          loop.step();
        }) == 0);
  CHECK(warnings<Plain>([](auto& loop) {
          loop.optimizer.zero_grad();
          loop.backward();
          loop.step();
        }) == 0);
  CHECK(warnings([](auto& loop) {
          loop.backward();
          loop.step();
          loop.net.zero_grad();
        }) == 0);
  CHECK(warnings([](auto& loop) {
          loop.backward();
          loop.step();
          for (const Tensor& p : loop.net.parameters()) p.grad().zero_();
        }) == 0);
  CHECK(warnings([](auto& loop) {
          loop.backward();
          loop.step();
          for (const Tensor& p : loop.net.parameters()) p.set_grad(amp::zeros_like(p));
        }) == 0);
  CHECK(warnings([](auto& loop) {
          for (auto& group : loop.optimizer.param_groups()) group.options.zero_grad = true;
          loop.backward();
          loop.step();
        }) == 0);
}

TEST_CASE("forgotten zero_grad: no warning if losses are added up before a step") {
  CHECK(warnings([](auto& loop) {
          loop.optimizer.zero_grad();
          for (int i = 0; i < 3; ++i) loop.backward();
          loop.step();
        }) == 0);
  const Warnings heard;  // gradients that another loss changes between, and no step reads
  Loop critic, generator;
  for (int i = 0; i < 3; ++i) {
    critic.optimizer.zero_grad();
    critic.backward();
    critic.step();
    generator.optimizer.zero_grad();
    generator.scaler.scale(generator.loss() + critic.loss()).backward();
    generator.step();
  }
  CHECK(heard.texts.empty());
}

TEST_CASE("forgotten zero_grad: no warning after a step that was skipped, nor without a scale") {
  CHECK(warnings([](auto& loop) {
          loop.backward();
          loop.scaler.skip_step(loop.optimizer);
          loop.scaler.update();
        }) == 0);
  const Warnings heard;
  Loop loop;
  loop.backward();
  loop.net.parameters()[0].grad().data<float>()[0] = std::numeric_limits<float>::infinity();
  loop.step();
  loop.net.parameters()[0].grad().data<float>()[0] = 0;  // the others stay as they were
  loop.backward();
  loop.step();
  CHECK(loop.scaler.counters().skipped == 1);
  CHECK(heard.texts.empty());
  loop.optimizer.zero_grad();
  for (int i = 0; i < 3; ++i) {
    loop.loss().backward();
    loop.optimizer.step();
  }
  CHECK(heard.texts.empty());
}

TEST_CASE(
    "forgotten zero_grad: no warning of two optimizers that step one gradient, nor of views") {
  const Warnings heard;
  Loop loop;
  amp::SGD second(loop.net.parameters(), {.lr = 0.01});
  float weights[2] = {1, 2}, gradients[2] = {1, 1};
  amp::SGD raw({{.weight = {weights, 2, amp::kFloat32, amp::kCPU, "w"},
                 .gradient = {gradients, 2, amp::kFloat32}}},
               {.lr = 0.1});
  for (int i = 0; i < 3; ++i) {
    loop.optimizer.zero_grad();
    loop.backward();
    loop.scaler.step(loop.optimizer);
    loop.scaler.step(second);
    loop.scaler.step(raw);
    loop.scaler.update();
  }
  CHECK(heard.texts.empty());
}

}  // namespace forgotten_zero_grad
