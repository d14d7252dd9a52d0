// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers that zero the gradients themselves, under a scaler: in every order of calls, with
// skipped steps and accumulation, they train as those whose loop calls zero_grad() does.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "optim/storage_cases.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace scaler_zero_grad {
namespace {

using namespace storage_test;
using Catch::Matchers::ContainsSubstring;

enum class Way { kStep, kUnscale, kUnscaleClip, kBoth };
constexpr Way kWays[] = {Way::kStep, Way::kUnscale, Way::kUnscaleClip, Way::kBoth};

/// A loop over losses that are linear in the parameters; every third step is skipped.
struct Training {
  Case c;
  Way way;
  Tensors params;
  std::unique_ptr<amp::Optimizer> optimizer;
  amp::GradScaler scaler{{.init_scale = 64, .growth_interval = 2, .statistics = true}};
  std::vector<float> norms = {};

  Training(const Case& kind, Way how)
      : c(kind), way(how), params(parameters(kind.dtype, amp::kCPU)) {
    params.resize(3);
    optimizer = make(c, params);
  }
  Tensor loss(int seed, bool bad) const {
    amp::manual_seed(static_cast<std::uint64_t>(seed));
    Tensor sum = amp::zeros({});
    for (const Tensor& p : params)
      sum = sum + amp::sum(p.to(amp::kFloat32) * amp::randn(p.shape()) * (bad ? HUGE_VAL : 0.25));
    return sum;
  }
  void step(int i) {
    if (!c.zero_grad) optimizer->zero_grad();
    for (int part = 0; part < 2; ++part)
      scaler.scale(loss(2 * i + part, i % 3 == 2 && part == 0)).backward();
    if (way == Way::kUnscale || way == Way::kBoth) scaler.unscale_(*optimizer);
    if (way == Way::kUnscaleClip)
      norms.push_back(scaler.unscale_and_clip(*optimizer, 0.5).item<float>());
    if (way == Way::kBoth) norms.push_back(amp::clip_grad_norm_(params, 0.5).item<float>());
    CHECK(scaler.step(*optimizer).skipped() == (i % 3 == 2));
    CHECK(scaler.statistics(*optimizer).get().found_inf == (i % 3 == 2));
    scaler.update();
  }
};

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("zero_grad: under a scaler it is the loop's own zero_grad()") {
  for (Case c : cases()) {
    for (const Way way : kWays) {
      if (way == Way::kBoth && c.dtype != amp::kFloat32) continue;  // these stay scaled
      INFO(c.text() << ", way " << static_cast<int>(way));
      c.zero_grad = false;
      Training by_hand(c, way);
      c.zero_grad = true;
      Training own(c, way);
      for (int i = 0; i < 7; ++i) {
        by_hand.step(i);
        own.step(i);
        for (const Tensor& p : own.params) {
          for (const unsigned char byte : bits_of(p.grad())) REQUIRE(byte == 0);
        }
        REQUIRE((bits_of(own.params) == bits_of(by_hand.params)));
      }
      CHECK(own.scaler.state_dict() == by_hand.scaler.state_dict());
      for (std::size_t k = 0; k < own.norms.size(); ++k)
        CHECK(same(own.norms[k], by_hand.norms[k]));
    }
  }
}

TEST_CASE("zero_grad: a step that throws or is skipped by skip_step leaves the gradients") {
  const Tensor p = amp::ones({2}, {.requires_grad = true});
  amp::SGD optimizer({p}, {.lr = 0.5, .zero_grad = true});
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(amp::sum(p)).backward();
  scaler.skip_step(optimizer);
  scaler.update();
  CHECK(p.grad().to_vector<float>() == std::vector<float>{4, 4});
  CHECK_THAT(amp_test::error_of([&] { optimizer.step(); }), ContainsSubstring("scaled loss"));
  CHECK(p.grad().to_vector<float>() == std::vector<float>{4, 4});
  CHECK(p.to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("zero_grad: gradients of a group without it are left as they are") {
  const Tensor p = amp::ones({2}, {.requires_grad = true});
  const Tensor q = amp::ones({2}, {.requires_grad = true});
  amp::SGD optimizer({{.params = {p}, .options = {.lr = 0.5, .zero_grad = true}},
                      {.params = {q}, .options = {.lr = 0.5}}});
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(amp::sum(p) + amp::sum(q)).backward();
  scaler.step(optimizer);
  scaler.update();
  CHECK(p.grad().to_vector<float>() == std::vector<float>{0, 0});
  CHECK(q.grad().to_vector<float>() == std::vector<float>{4, 4});
  CHECK(p.to_vector<float>() == q.to_vector<float>());
  // Its gradient still is a scaled one.
  CHECK_THAT(amp_test::error_of([&] { optimizer.step(); }), ContainsSubstring("parameter 1"));
}

}  // namespace scaler_zero_grad
