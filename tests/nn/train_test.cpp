// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules in training: as the ops alone would train them, with any optimizer, under autocast and a
// scaler.
#include <amp/amp.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace train {
namespace {

namespace nn = amp::nn;
using amp::Tensor;

struct Residual : nn::Module {
  nn::Linear inner{register_module("inner", nn::Linear(4, 4))};
  nn::LayerNorm norm{register_module("norm", nn::LayerNorm(4))};
  Tensor forward(const Tensor& x) const { return x + amp::gelu(inner(norm(x))); }
};

/// Learns the sign of the first input.
struct Task {
  Tensor x = amp::randn({64, 4});
  Tensor y = amp::gt(x.narrow(1, 0, 1), 0).to(amp::kFloat32);
  template <class M>
  Tensor loss(const M& net) const {
    return amp::binary_cross_entropy_with_logits(net(x), y);
  }
};

nn::Sequential make_net() {
  return nn::Sequential(nn::Linear(4, 4), Residual(), nn::Sequential(Residual(), nn::ReLU()),
                        nn::Linear(4, 1));
}

template <class Optimizer, class Options>
void check_learns(const Options& options) {
  amp::manual_seed(11);
  const Task task;
  const nn::Sequential net = make_net();
  Optimizer optimizer(net.named_parameters(), options);
  CHECK(optimizer.parameters().size() == 12);
  const float first = task.loss(net).template item<float>();
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    task.loss(net).backward();
    optimizer.step();
  }
  CHECK(task.loss(net).template item<float>() < 0.5F * first);
}

}  // namespace

TEST_CASE("nn: user modules, nested, learn with every optimizer", "[nn]") {
  check_learns<amp::SGD>(amp::SGDOptions{.lr = 0.1, .momentum = 0.9});
  check_learns<amp::Adam>(amp::AdamOptions{.lr = 0.01});
  check_learns<amp::AdamW>(amp::AdamOptions{.lr = 0.01});
}

TEST_CASE("nn: a module trains exactly as its ops do", "[nn]") {
  const nn::Linear a(4, 3), b(3, 1);
  const nn::Sequential net(a, nn::ReLU(), b);
  std::vector<Tensor> own;
  for (const Tensor& p : net.parameters()) own.push_back(p.detach().clone().requires_grad_());
  const Task task;
  amp::SGD of_net(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  amp::SGD of_own(own, {.lr = 0.1, .momentum = 0.9});
  for (int step = 0; step < 5; ++step) {
    net.zero_grad();
    of_own.zero_grad();
    task.loss(net).backward();
    of_net.step();
    const auto ops = [&](const Tensor& x) {
      return amp::linear(amp::relu(amp::linear(x, own[0], own[1])), own[2], own[3]);
    };
    task.loss(ops).backward();
    of_own.step();
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    CHECK(net.parameters()[i].to_vector<float>() == own[i].to_vector<float>());
}

TEST_CASE("nn: learns in float16 under autocast and a scaler", "[nn]") {
  amp::manual_seed(12);
  const Task task;
  const nn::Sequential net = make_net();
  amp::AdamW optimizer(net.parameters(), {.lr = 0.01});
  amp::GradScaler scaler({.init_scale = 1024});
  const float first = task.loss(net).item<float>();
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      loss = task.loss(net);
    }
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  CHECK(task.loss(net).item<float>() < 0.5F * first);
}

TEST_CASE("nn: learns with parameters in bfloat16, converted before the optimizer", "[nn]") {
  amp::manual_seed(13);
  const nn::Linear net(2, 1);
  net.to(amp::kBFloat16);
  amp::SGD sgd(net.parameters(), {.lr = 0.25});
  const Tensor x = amp::randn({32, 2}).to(amp::kBFloat16);
  const Tensor y = x.narrow(1, 0, 1) * 2 - x.narrow(1, 1, 1);
  const auto loss = [&] { return amp::mse_loss(net(x), y); };
  const float first = loss().item<float>();
  for (int step = 0; step < 40; ++step) {
    net.zero_grad();
    loss().backward();
    sgd.step();
  }
  CHECK(loss().item<float>() < 0.02F * first);
  CHECK(net.weight.dtype() == amp::kBFloat16);
}

TEST_CASE("nn: a frozen module is not trained, and what lies before it is", "[nn]") {
  const nn::Linear before(4, 4), frozen(4, 1);
  for (const Tensor& p : frozen.parameters()) p.requires_grad_(false);
  const std::vector<float> weight = frozen.weight.to_vector<float>();
  const std::vector<float> trained = before.weight.to_vector<float>();
  amp::SGD sgd(before.parameters(), {.lr = 0.1});
  Task().loss(nn::Sequential(before, frozen)).backward();
  sgd.step();
  CHECK(frozen.weight.to_vector<float>() == weight);
  CHECK_FALSE(frozen.weight.grad().defined());
  CHECK(before.weight.to_vector<float>() != trained);
}

TEST_CASE("nn: saved and loaded in the middle, a run goes on bit for bit", "[nn]") {
  amp::manual_seed(14);
  const Task task;
  const nn::Sequential net = make_net(), other = make_net();
  const amp::AdamOptions options{.lr = 0.01, .schedule = amp::cosine_schedule(10)};
  amp::AdamW optimizer(net.named_parameters(), options);
  amp::AdamW resumed(other.named_parameters(), options);
  const auto step = [&](const nn::Sequential& module, amp::AdamW& adamw) {
    adamw.zero_grad();
    task.loss(module).backward();
    adamw.step();
  };
  for (int i = 0; i < 4; ++i) step(net, optimizer);
  other.load_state_dict(net.state_dict());
  resumed.load_state_dict(optimizer.state_dict());
  for (int i = 0; i < 4; ++i) step(net, optimizer), step(other, resumed);
  for (std::size_t i = 0; i < net.parameters().size(); ++i)
    CHECK(net.parameters()[i].to_vector<float>() == other.parameters()[i].to_vector<float>());
}

}  // namespace train
