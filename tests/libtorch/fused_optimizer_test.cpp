// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp's fused optimizers over torch's parameters, compared with torch's optimizers.
#include <memory>
#include <sstream>

#include "libtorch/torch.hpp"

namespace fused_optimizer_test {

using namespace libtorch_test;
using Catch::Matchers::Contains;

torch::Tensor loss_of(const torch::Tensor& w) { return (w - 0.3).pow(2).sum() + w.sin().sum(); }

struct Pair {
  std::unique_ptr<torch::optim::Optimizer> torch, fused;
};
template <class Torch, class Fused, class Options>
Pair make(const torch::Tensor& a, const torch::Tensor& b, const Options& options) {
  return {std::make_unique<Torch>(std::vector{a}, options),
          std::make_unique<Fused>(std::vector{b}, options)};
}

using MakePair = Pair (*)(const torch::Tensor&, const torch::Tensor&);
const std::vector<MakePair> kPairs{
    [](const torch::Tensor& a, const torch::Tensor& b) {
      return make<torch::optim::Adam, amp::libtorch::Adam>(
          a, b, torch::optim::AdamOptions(0.05).betas({0.8, 0.99}).weight_decay(0.1));
    },
    [](const torch::Tensor& a, const torch::Tensor& b) {
      return make<torch::optim::AdamW, amp::libtorch::AdamW>(
          a, b, torch::optim::AdamWOptions(0.05).eps(1e-6));
    },
    [](const torch::Tensor& a, const torch::Tensor& b) {
      return make<torch::optim::SGD, amp::libtorch::SGD>(
          a, b, torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true).weight_decay(0.01));
    }};

TEST_CASE("a fused optimizer steps as torch's of its name, with and without a scaler") {
  for (const MakePair make_pair : kPairs) {
    for (const auto& start : {waves(5, 7, 0.3, 0.8), waves(5, 7, 0.3, 0.8).t(),
                              waves(5, 7, 0.3, 0.8).to(torch::kDouble)}) {
      const auto a = start.clone().set_requires_grad(true),
                 b = start.clone().set_requires_grad(true);
      const Pair pair = make_pair(a, b);
      for (int i = 0; i < 5; ++i) {
        pair.torch->zero_grad();
        pair.fused->zero_grad();
        loss_of(a).backward();
        loss_of(b).backward();
        pair.torch->step();
        pair.fused->step();
      }
      CHECK(torch::allclose(a, b, 1e-5, 1e-6));
      CHECK(!torch::allclose(a, start, 1e-2, 1e-2));
    }
  }
}

template <class Fused, class Options>
void skips_and_scales(const Options& options) {
  const auto start = waves(6, 3, 0.4, 1.2);
  const auto a = parameter(start), b = parameter(start);
  Fused plain(std::vector{a}, options), scaled(std::vector{b}, options);
  amp::GradScaler scaler({.init_scale = 1024});
  for (int i = 0; i < 6; ++i) {
    plain.zero_grad();
    scaled.zero_grad();
    loss_of(a).backward();
    scaler.scale(loss_of(b)).backward();
    const bool bad = i == 3;
    if (bad) {
      const torch::NoGradGuard no_grad;
      b.mutable_grad().index_put_({0, 1}, kInf);
    } else {
      plain.step();
    }
    const auto version = b._version();
    if (i == 1) scaler.unscale_(scaled);
    CHECK(scaler.step(scaled).skipped() == bad);
    scaler.update();
    CHECK(b._version() > version);
    CHECK(same(a, b));
  }
  CHECK(scaler.get_scale() == 512);
  CHECK(scaled.applied_steps() == 5);
}

TEST_CASE("a fused optimizer and the scaler give what float32 gives, bit for bit, and skip") {
  skips_and_scales<amp::libtorch::Adam>(torch::optim::AdamOptions(0.05));
  skips_and_scales<amp::libtorch::AdamW>(torch::optim::AdamWOptions(0.05));
  skips_and_scales<amp::libtorch::SGD>(torch::optim::SGDOptions(0.05).momentum(0.9));
}

TEST_CASE("gradients of a fused optimizer stay scaled, and are clipped within the step") {
  const auto p = with_gradient(torch::tensor({12.0f, 16.0f}));
  amp::libtorch::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  CHECK(scaler.unscale_and_clip(optimizer, 1.0).item<float>() == 5);
  scaler.step(optimizer);
  scaler.update();
  CHECK(torch::allclose(p, torch::tensor({-0.6f, -0.8f})));
  CHECK(same(p.grad(), torch::tensor({12.0f, 16.0f})));
}

TEST_CASE("float16 parameters can keep float32 masters") {
  const auto p = parameter(torch::full({2}, 1.0f).to(torch::kHalf));
  amp::libtorch::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1),
                               {.storage = amp::WeightStorage::kMaster});
  amp::GradScaler scaler({.init_scale = 1024});
  for (int i = 0; i < 8; ++i) {
    optimizer.zero_grad();
    scaler.scale((p.to(torch::kFloat) * 1e-4).sum()).backward();
    CHECK(p.grad().scalar_type() == torch::kHalf);
    scaler.step(optimizer);
    scaler.update();
  }
  // Each step moves by less than half of float16's last bit below 1.
  CHECK(std::abs(p[0].item<double>() - (1 - 8e-4)) < 3e-4);
  CHECK(p[0].item<double>() < 1);
  CHECK_THROWS_WITH(torch::save(optimizer, "masters.pt"), Contains("fused().state_dict()"));
}

TEST_CASE("torch's options and schedulers hold for the next step") {
  const auto p = parameter(torch::zeros({2}));
  amp::libtorch::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  torch::optim::StepLR scheduler(optimizer, 1, 0.5);
  for (int i = 0; i < 3; ++i) {
    p.mutable_grad() = torch::ones({2});
    optimizer.step();
    scheduler.step();
  }
  CHECK(same(p, torch::full({2}, -2.5f)));  // torch's StepLR begins with the second step
}

TEST_CASE("a group that is added later is trained with its own options") {
  const auto p = with_gradient(torch::ones({2})), q = with_gradient(torch::ones({3}));
  amp::libtorch::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  optimizer.step();
  optimizer.add_param_group(
      torch::optim::OptimizerParamGroup({q}, std::make_unique<torch::optim::SGDOptions>(0.25)));
  optimizer.step();
  CHECK(same(p, torch::full({2}, -2.0f)));
  CHECK(same(q, torch::full({3}, -0.25f)));
  CHECK(optimizer.gradients().size() == 2);
}

TEST_CASE("parameters without a gradient are left out") {
  const auto p = with_gradient(torch::ones({2})), q = parameter(torch::ones({3}));
  amp::libtorch::Adam optimizer(std::vector{p, q});
  CHECK(optimizer.gradients().size() == 1);
  p.mutable_grad().reset();
  CHECK(optimizer.gradients().empty());
  optimizer.step();
  CHECK(same(p, torch::zeros({2})));
}

TEST_CASE("a closure computes the loss of the step") {
  const auto p = parameter(torch::ones({2}));
  amp::libtorch::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  const torch::NoGradGuard no_grad;
  const auto loss = optimizer.step([&] {
    const torch::Tensor sum = p.sum();
    sum.backward();
    return sum;
  });
  CHECK(loss.item<float>() == 2);
  CHECK(same(p, torch::zeros({2})));
}

template <class Torch, class Fused, class Options>
void exchange_files(const Options& options) {
  const auto start = waves(4, 3, 0.4, 1.2);
  const auto a = parameter(start), b = parameter(start), c = parameter(start);
  Fused saved(std::vector{a}, options), loaded(std::vector{b}, options);
  Torch of_torch(std::vector{c}, options);
  const auto step = [](auto& optimizer, const torch::Tensor& p) {
    optimizer.zero_grad();
    loss_of(p).backward();
    optimizer.step();
  };
  for (int i = 0; i < 3; ++i) step(saved, a);
  for (torch::optim::Optimizer* other : {static_cast<torch::optim::Optimizer*>(&loaded),
                                         static_cast<torch::optim::Optimizer*>(&of_torch)}) {
    std::stringstream file;
    torch::save(saved, file);
    torch::load(*other, file);
  }
  {
    const torch::NoGradGuard no_grad;
    b.copy_(a);
    c.copy_(a);
  }
  for (int i = 0; i < 3; ++i) {
    step(saved, a);
    step(loaded, b);
    step(of_torch, c);
  }
  CHECK(same(a, b));
  CHECK(torch::allclose(a, c, 1e-5, 1e-6));
}

TEST_CASE("torch::save and torch::load exchange files with torch's optimizers") {
  exchange_files<torch::optim::Adam, amp::libtorch::Adam>(torch::optim::AdamOptions(0.05));
  exchange_files<torch::optim::AdamW, amp::libtorch::AdamW>(torch::optim::AdamWOptions(0.05));
  exchange_files<torch::optim::SGD, amp::libtorch::SGD>(
      torch::optim::SGDOptions(0.05).momentum(0.9));
}

TEST_CASE("what a fused optimizer cannot step is refused before anything is written") {
  const auto p = with_gradient(torch::ones({2}));
  CHECK_THROWS_WITH(amp::libtorch::Adam(std::vector{p}, torch::optim::AdamOptions().amsgrad(true)),
                    Contains("amsgrad"));
  CHECK_THROWS_WITH(amp::libtorch::SGD(std::vector{p}, torch::optim::SGDOptions(1).dampening(0.5)),
                    Contains("dampening"));
  CHECK_THROWS_WITH(amp::libtorch::Adam(std::vector{torch::ones({2}, torch::kLong)}),
                    Contains("floating point"));
  CHECK_THROWS_WITH(amp::libtorch::Adam(std::vector{torch::ones({4, 4}).slice(1, 0, 2)}),
                    Contains("dense"));
  const auto q = parameter(torch::zeros({3}));
  q.mutable_grad() =
      torch::sparse_coo_tensor(torch::zeros({1, 1}, torch::kLong), torch::ones({1}), {3});
  amp::libtorch::SGD optimizer(std::vector{p, q}, torch::optim::SGDOptions(1));
  CHECK_THROWS_WITH(optimizer.step(), Contains("dense"));
  CHECK(same(p, torch::zeros({2})));
}

TEST_CASE("a gradient in another order of memory is brought into the parameter's") {
  const auto p = parameter(torch::zeros({2, 3}));
  p.mutable_grad() = torch::arange(6, torch::kFloat).reshape({3, 2}).t();
  const auto expected = -p.grad();
  amp::libtorch::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  optimizer.step();
  CHECK(same(p, expected));
}

}  // namespace fused_optimizer_test
