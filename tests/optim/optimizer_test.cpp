// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What all optimizers share: the parameters and gradients that they accept, and what they leave
// unchanged.
#include <amp/amp.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace optimizer {
namespace {

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

amp::Tensor parameter(double value = 1) { return amp::full({3}, value, {.requires_grad = true}); }

}  // namespace

TEMPLATE_TEST_CASE("optimizer: a parameter list that cannot work throws and says why", "", amp::SGD,
                   amp::Adam, amp::AdamW) {
  const auto error = [](std::vector<amp::Tensor> params) {
    return error_of([&] { TestType{std::move(params)}; });
  };
  const amp::Tensor p = parameter();
  CHECK_THAT(error({}), ContainsSubstring("empty"));
  CHECK_THAT(error({p, p}), ContainsSubstring("params[1] is params[0] again"));
  CHECK_THAT(error({p, amp::ones({3})}), ContainsSubstring("params[1]"));
  CHECK_THAT(error({p * 2}), ContainsSubstring("leaf"));
  CHECK_THAT(error({parameter().requires_grad_(false)}), ContainsSubstring("requires gradients"));
  CHECK_THAT(error({amp::Tensor{}}), ContainsSubstring("undefined"));
  CHECK_THAT(error({amp::ones({2, 3}).t().requires_grad_()}), ContainsSubstring("contiguous"));
}

TEMPLATE_TEST_CASE("optimizer: parameters without a gradient are untouched", "", amp::SGD,
                   amp::Adam, amp::AdamW) {
  const amp::Tensor p = parameter(), idle = parameter();
  TestType optimizer({p, idle});
  p.set_grad(amp::ones({3}));
  const std::uint64_t version = idle.version();
  for (int i = 0; i < 3; ++i) optimizer.step();
  CHECK(p.to_vector<float>() != std::vector<float>(3, 1));
  CHECK(idle.to_vector<float>() == std::vector<float>(3, 1));
  CHECK(idle.version() == version);  // copies of it, and graphs that saved it, stay valid
}

TEMPLATE_TEST_CASE("optimizer: a step moves the version of what it wrote", "", amp::SGD, amp::Adam,
                   amp::AdamW) {
  const amp::Tensor p = parameter();
  TestType optimizer({p});
  p.set_grad(amp::ones({3}));
  const std::uint64_t version = p.version();
  optimizer.step();
  CHECK(p.version() > version);
}

TEMPLATE_TEST_CASE("optimizer: a graph that saved a parameter is refused after a step", "",
                   amp::SGD, amp::Adam) {
  const amp::Tensor p = parameter();
  TestType optimizer({p});
  const amp::Tensor loss = amp::sum(p * p);
  p.set_grad(amp::ones({3}));
  optimizer.step();
  CHECK_THAT(error_of([&] { loss.backward(); }), ContainsSubstring("modified in place"));
}

TEMPLATE_TEST_CASE("optimizer: without any gradient a step does nothing", "", amp::SGD, amp::Adam) {
  const amp::Tensor p = parameter();
  TestType optimizer({p});
  CHECK_NOTHROW(optimizer.step());
  CHECK(p.to_vector<float>() == std::vector<float>(3, 1));
}

TEMPLATE_TEST_CASE("optimizer: empty parameters are fine", "", amp::SGD, amp::Adam) {
  const amp::Tensor p = amp::empty({0, 4}, {.requires_grad = true}), q = parameter();
  TestType optimizer({p, q});
  p.set_grad(amp::empty({0, 4}));
  q.set_grad(amp::ones({3}));
  CHECK_NOTHROW(optimizer.step());
  CHECK(q.to_vector<float>()[0] < 1);
}

TEST_CASE("optimizer: zero_grad forgets gradients and the memory they held") {
  const amp::Tensor p = parameter();
  amp::SGD sgd({p});
  const std::int64_t bytes = amp::memory_stats().current_bytes;
  p.set_grad(amp::ones({3}));
  CHECK(sgd.gradients().size() == 1);
  sgd.zero_grad();
  CHECK_FALSE(p.grad().defined());
  CHECK(sgd.gradients().empty());
  CHECK(amp::memory_stats().current_bytes == bytes);
}

TEST_CASE("optimizer: gradients() shows the live gradients") {
  const amp::Tensor p = parameter(), idle = parameter();
  amp::SGD sgd({idle, p});
  const amp::Tensor gradient = amp::ones({3}, {.dtype = amp::kFloat16});
  p.set_grad(gradient);
  const std::vector<amp::TensorView> views = sgd.gradients();
  REQUIRE(views.size() == 1);
  CHECK(views[0].data == gradient.raw_data());
  CHECK(views[0].numel == 3);
  CHECK(views[0].dtype == amp::kFloat16);
}

TEST_CASE("set_grad: a gradient of another shape or kind throws and says both") {
  const amp::Tensor p = parameter();
  CHECK_THAT(error_of([&] { p.set_grad(amp::ones({4})); }),
             ContainsSubstring("[3]") && ContainsSubstring("[4]"));
  CHECK_THROWS_AS(p.set_grad(amp::ones({1, 3})), amp::Error);
  CHECK_THROWS_AS(p.set_grad(amp::ones({3}, {.dtype = amp::kInt64})), amp::Error);
  CHECK_THROWS_AS(amp::ones({3}).set_grad(amp::ones({3})), amp::Error);
  CHECK_FALSE(p.grad().defined());
}

TEMPLATE_TEST_CASE("optimizer: a gradient that is not contiguous is refused or read right", "",
                   amp::SGD, amp::Adam) {
  const amp::Tensor p = amp::zeros({2, 2}, {.requires_grad = true});
  TestType optimizer({p}, {.lr = 1});
  const std::string error = error_of([&] {
    p.set_grad(amp::tensor({1.0F, 0.0F, 1.0F, 0.0F}, {2, 2}).t());
    optimizer.step();
  });
  if (error.empty()) {
    CHECK(p.to_vector<float>() == std::vector<float>{-1, -1, 0, 0});
  } else {
    CHECK_THAT(error, ContainsSubstring("contiguous"));
    CHECK(p.to_vector<float>() == std::vector<float>(4, 0));
  }
}

TEMPLATE_TEST_CASE("optimizer: step() on a gradient of a scaled loss throws and names unscale_", "",
                   amp::SGD, amp::Adam) {
  const amp::Tensor p = parameter();
  TestType optimizer({p});
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(p)).backward();
  CHECK_THAT(error_of([&] { optimizer.step(); }), ContainsSubstring("unscale_"));
  CHECK(p.to_vector<float>() == std::vector<float>(3, 1));
}

}  // namespace optimizer
