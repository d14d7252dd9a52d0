// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp::GradScaler with torch's losses and optimizers.
#include <memory>
#include <string>
#include <vector>

#include "libtorch/torch.hpp"
#include "support/error_of.hpp"

namespace scaler_test {

using namespace libtorch_test;
using amp_test::error_of;
using Catch::Matchers::Contains;

TEST_CASE("scale keeps the history of a torch loss") {
  amp::GradScaler scaler({.init_scale = 8});
  const auto w = parameter(torch::full({3}, 2.0f));
  const auto loss = (w * w).sum();
  const torch::Tensor scaled = scaler.scale(loss);
  CHECK(scaled.item<float>() == 96);
  CHECK(scaled.requires_grad());
  scaled.backward();
  CHECK(same(w.grad(), torch::full({3}, 32.0f)));
}

TEST_CASE("a 16-bit loss is scaled in float32, of any shape") {
  amp::GradScaler scaler;
  for (const auto type : {torch::kHalf, torch::kBFloat16}) {
    for (const auto& loss : {torch::full({}, 3, type), torch::full({2}, 3, type)}) {
      const torch::Tensor scaled = scaler.scale(loss);
      CHECK(scaled.scalar_type() == torch::kFloat);
      CHECK(same(scaled, torch::full(loss.sizes(), 3 * 65536.0f)));
    }
  }
  CHECK(scaler.scale(torch::ones({}, torch::kDouble)).scalar_type() == torch::kDouble);
}

TEST_CASE("the ledger has torch's losses, as it has amp's") {
  amp::GradScaler scaler({.init_scale = 8, .ledger = 4});
  const auto w = parameter(torch::full({2}, 2.0f));
  torch::optim::SGD optimizer({w}, 0.1);
  const auto train = [&](const torch::Tensor& factor) {
    optimizer.zero_grad();
    scaler.scale((w * w).sum() * factor).backward();
    scaler.step(optimizer);
    scaler.update();
    return scaler.ledger(optimizer).read().back();
  };
  const amp::LedgerPass good = train(torch::ones({}));
  CHECK(good.losses == 1);
  CHECK(good.loss == 8);
  CHECK(good.loss_finite);
  CHECK(good.scaled_loss_finite);
  CHECK_FALSE(good.found_inf);
  const amp::LedgerPass bad = train(torch::full({}, kInf));
  CHECK(bad.losses == 1);
  CHECK_FALSE(bad.loss_finite);
  CHECK(bad.found_inf);
  const amp::LedgerPass scaled = train(torch::full({}, 3e37f));
  CHECK(scaled.loss_finite);
  CHECK_FALSE(scaled.scaled_loss_finite);
}

TEST_CASE("several losses are scaled in one call") {
  amp::GradScaler scaler({.init_scale = 2});
  const std::vector<torch::Tensor> losses{torch::full({}, 1.0f), torch::full({}, 4.0f)};
  CHECK(scaler.scale(losses)[1].item<float>() == 8);
  CHECK(scaler.scale({losses[0], losses[1]})[0].item<float>() == 2);
  CHECK(scaler.scale(std::vector<torch::Tensor>{}).empty());
}

TEST_CASE("losses that cannot be scaled are refused") {
  amp::GradScaler scaler;
  CHECK_THROWS_WITH(scaler.scale(torch::Tensor()), Contains("`loss` is undefined"));
  CHECK_THROWS_WITH(scaler.scale(torch::ones({}, torch::kLong)), Contains("floating point"));
  CHECK_THROWS_WITH(scaler.scale(torch::ones({}, torch::kMeta)), Contains("meta"));
}

TEST_CASE("a disabled scaler does nothing but step") {
  amp::GradScaler scaler({.enabled = false});
  const auto p = with_gradient(torch::ones({2}));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  const auto loss = torch::ones({});
  CHECK(scaler.scale(loss).unsafeGetTensorImpl() == loss.unsafeGetTensorImpl());
  CHECK(!scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(same(p, torch::full({2}, -1.0f)));
  int calls = 0;
  scaler.step(optimizer, [&] {
    ++calls;
    return torch::zeros({});
  });
  CHECK(calls == 1);
}

template <class Optimizer, class Options>
std::unique_ptr<torch::optim::Optimizer> make(const torch::Tensor& p, const Options& options) {
  return std::make_unique<Optimizer>(std::vector{p}, options);
}

TEST_CASE("each optimizer of torch steps as it does without a scale") {
  using namespace torch::optim;
  const std::vector<std::unique_ptr<Optimizer> (*)(const torch::Tensor&)> optimizers{
      [](const torch::Tensor& p) { return make<SGD>(p, SGDOptions(0.1).momentum(0.9)); },
      [](const torch::Tensor& p) { return make<Adam>(p, AdamOptions(0.1)); },
      [](const torch::Tensor& p) { return make<AdamW>(p, AdamWOptions(0.1)); },
      [](const torch::Tensor& p) { return make<RMSprop>(p, RMSpropOptions(0.1)); },
      [](const torch::Tensor& p) { return make<Adagrad>(p, AdagradOptions(0.1)); }};
  for (const auto& make_one : optimizers) {
    const auto start = waves(4, 5, 0.3, 0.8);
    const auto a = parameter(start), b = parameter(start);
    const auto plain = make_one(a), scaled = make_one(b);
    amp::GradScaler scaler({.init_scale = 1024});
    for (int i = 0; i < 4; ++i) {
      plain->zero_grad();
      scaled->zero_grad();
      a.pow(2).sum().backward();
      scaler.scale(b.pow(2).sum()).backward();
      const bool bad = i == 2;
      if (bad) {
        const torch::NoGradGuard no_grad;
        b.mutable_grad().index_put_({0, 1}, kNan);
      } else {
        plain->step();
      }
      CHECK(scaler.step(*scaled).skipped() == bad);
      scaler.update();
      CHECK(same(a, b));
    }
    CHECK(scaler.get_scale() == 512);
    CHECK(!same(a, start));
  }
}

TEST_CASE("gradients are unscaled in torch's own memory, and torch sees that they were written") {
  const auto p = with_gradient(torch::full({4}, 8.0f));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  const void* const data = p.grad().data_ptr();
  const auto version = p.grad()._version();
  scaler.unscale_(optimizer);
  CHECK(p.grad().data_ptr() == data);
  CHECK(p.grad()._version() > version);
  CHECK(same(p.grad(), torch::full({4}, 2.0f)));
}

TEST_CASE("clipping takes the norm of the unscaled gradients") {
  const auto p = with_gradient(torch::tensor({12.0f, 16.0f}));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  CHECK(scaler.unscale_and_clip(optimizer, 1.0).item<float>() == 5);
  scaler.step(optimizer);
  scaler.update();
  CHECK(torch::allclose(p, torch::tensor({-0.6f, -0.8f})));
}

TEST_CASE("parameters without gradients are left out; without any gradient a step throws") {
  const auto p = with_gradient(torch::full({2}, 2.0f)), idle = parameter(torch::ones({2}));
  torch::optim::SGD optimizer(std::vector{idle, p}, torch::optim::SGDOptions(1));
  torch::optim::SGD none(std::vector{idle}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 2});
  scaler.scale(torch::ones({}));
  CHECK(!scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(same(p, torch::full({2}, -1.0f)));
  CHECK(same(idle, torch::ones({2})));
  scaler.scale(torch::ones({}));
  CHECK_THROWS_AS(scaler.step(none), amp::Error);
}

TEST_CASE("gradients of 16, 32 and 64 bits are unscaled in their dtype") {
  for (const auto type : {torch::kHalf, torch::kBFloat16, torch::kFloat, torch::kDouble}) {
    const auto p = with_gradient(torch::full({3}, 16.0, type));
    torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
    amp::GradScaler scaler({.init_scale = 4});
    scaler.scale(torch::ones({}));
    scaler.unscale_(optimizer);
    CHECK(p.grad().scalar_type() == type);
    CHECK(same(p.grad(), torch::full({3}, 4.0, type)));
  }
}

TEST_CASE("gradients that lie in memory in any way are unscaled once, in place") {
  const auto base = torch::full({6, 8}, 4.0f);
  // Transposed, sliced, every second one, and one of a single row.
  for (const auto& gradient :
       {base.clone().t(), base.clone().slice(1, 0, 5), base.clone().slice(1, 0, 8, 2),
        base.clone().slice(0, 1, 5, 2).slice(1, 2, 7, 3).t(), base.clone().slice(0, 1, 2)}) {
    const auto p = parameter(torch::zeros(gradient.sizes()));
    p.mutable_grad() = gradient;
    torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
    amp::GradScaler scaler({.init_scale = 4});
    scaler.scale(torch::ones({}));
    scaler.unscale_(optimizer);
    CHECK(p.grad().data_ptr() == gradient.data_ptr());
    CHECK(same(p.grad(), torch::ones(gradient.sizes())));
    {
      const torch::NoGradGuard no_grad;
      p.mutable_grad().index_put_({-1, -1}, kInf);
    }
    CHECK(!scaler.step(optimizer).skipped());  // as in PyTorch: tested by unscale_, not again
    scaler.update();
    scaler.scale(torch::ones({}));
    CHECK(scaler.step(optimizer).skipped());
    scaler.update();
  }
}

TEST_CASE("an expanded gradient is unscaled once for all its elements") {
  const auto memory = torch::full({1, 3}, 8.0f);
  const auto p = parameter(torch::zeros({4, 3}));
  p.mutable_grad() = memory.expand({4, 3});
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  scaler.step(optimizer);
  scaler.update();
  CHECK(same(memory, torch::full({1, 3}, 2.0f)));
  CHECK(same(p, torch::full({4, 3}, -2.0f)));
}

/// What a step with these gradients throws, each of a parameter in a group of its own.
std::string refusal(const std::vector<torch::Tensor>& gradients) {
  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (const auto& gradient : gradients) groups.emplace_back(std::vector{with_gradient(gradient)});
  torch::optim::SGD optimizer(groups, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  return error_of([&] { scaler.step(optimizer); });
}

TEST_CASE("gradients that share memory are refused by name, and nothing is written") {
  const auto memory = torch::full({12}, 8.0f), other = torch::full({2}, 8.0f);
  const auto shared = Contains("\"group 0, parameter 0\" shares memory with gradient \"group 1, ");
  CHECK_THAT(refusal({memory, memory}), shared);
  CHECK_THAT(refusal({memory.slice(0, 0, 8), memory.slice(0, 7, 12)}), shared);
  CHECK_THAT(refusal({memory.slice(0, 0, 8).view({2, 4}).t(), memory.slice(0, 0, 8)}), shared);
  // Windows of 4 elements, each 2 after the one before it; and sums of two indices.
  for (const auto& overlapping : {memory.unfold(0, 4, 2), memory.as_strided({3, 2}, {2, 2})})
    CHECK_THAT(refusal({other, overlapping}),
               Contains("\"group 1, parameter 0\" has elements that share memory"));
  CHECK(same(memory, torch::full({12}, 8.0f)));
  CHECK(same(other, torch::full({2}, 8.0f)));
  const auto columns = memory.view({6, 2});
  CHECK(refusal({columns.select(1, 0), columns.select(1, 1)}).empty());
  CHECK(same(memory, torch::full({12}, 2.0f)));
}

torch::Tensor sparse(const std::vector<float>& values, torch::ScalarType type = torch::kFloat) {
  const auto count = static_cast<std::int64_t>(values.size());
  const auto indices = torch::zeros({1, count}, torch::kLong);  // all the same
  return torch::sparse_coo_tensor(indices, torch::tensor(values).to(type), {3});
}

TEST_CASE("a sparse gradient is coalesced before it is tested") {
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  const auto p = with_gradient(sparse({16, 32}));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  CHECK(!scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(same(p, torch::tensor({-12.0f, 0.0f, 0.0f})));

  // The sum of both overflows: each alone is finite.
  const auto big = with_gradient(sparse({64000, 64000}, torch::kHalf));
  torch::optim::SGD overflowing(std::vector{big}, torch::optim::SGDOptions(1));
  const auto huge = with_gradient(sparse({3e38f, 3e38f}));
  torch::optim::SGD overflowing_too(std::vector{huge}, torch::optim::SGDOptions(1));
  scaler.scale(torch::ones({}));
  CHECK(scaler.step(overflowing).skipped());
  CHECK(scaler.step(overflowing_too).skipped());
  scaler.update();
}

TEST_CASE("an embedding with sparse gradients trains") {
  torch::nn::Embedding embedding(torch::nn::EmbeddingOptions(5, 3).sparse(true));
  const auto before = embedding->weight.detach().clone();
  torch::optim::SGD optimizer(embedding->parameters(), torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(embedding->forward(torch::tensor({1, 3, 1})).sum()).backward();
  CHECK(!scaler.step(optimizer).skipped());
  scaler.update();
  const auto moved = before - embedding->weight.detach();
  CHECK(torch::allclose(moved.select(1, 0), torch::tensor({0.0f, 2.0f, 0.0f, 1.0f, 0.0f})));
}

TEST_CASE("gradients that amp cannot unscale are refused, and nothing is written") {
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(torch::ones({}));
  const auto good = with_gradient(torch::full({2}, 4.0f));
  const auto complex = with_gradient(torch::ones({2}, torch::kComplexFloat));
  torch::optim::SGD optimizer(std::vector{good, complex}, torch::optim::SGDOptions(1));
  CHECK_THROWS_WITH(scaler.step(optimizer), Contains("floating point") && Contains("Complex"));
  CHECK(same(good.grad(), torch::full({2}, 4.0f)));
}

TEST_CASE("LBFGS and closures are refused with the reason") {
  const auto p = with_gradient(torch::ones({2}));
  amp::GradScaler scaler;
  scaler.scale(torch::ones({}));
  torch::optim::LBFGS lbfgs(std::vector{p});
  CHECK_THROWS_WITH(scaler.step(lbfgs), Contains("LBFGS") && Contains("closure"));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  CHECK_THROWS_WITH(scaler.step(optimizer, [] { return torch::zeros({}); }), Contains("closure"));
  CHECK(same(p, torch::zeros({2})));
  torch::optim::Optimizer& base = lbfgs;
  CHECK_THROWS_WITH(scaler.step(base), Contains("LBFGS"));
}

TEST_CASE("calls out of order are refused as for amp's optimizers") {
  const auto p = with_gradient(torch::ones({2}));
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler;
  CHECK_THROWS_AS(scaler.step(optimizer), amp::Error);
  scaler.scale(torch::ones({}));
  scaler.unscale_(optimizer);
  CHECK_THROWS_AS(scaler.unscale_(optimizer), amp::Error);
}

}  // namespace scaler_test
