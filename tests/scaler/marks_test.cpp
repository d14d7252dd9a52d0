// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The mark of a gradient that carries the loss scale: where it comes from, and what takes it away.
#include <amp/amp.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace marks {
namespace {

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

struct Setup {
  amp::Tensor p;
  amp::SGD sgd;
  amp::GradScaler scaler{amp::GradScalerOptions{.init_scale = 8}};

  explicit Setup(amp::DType dtype = amp::kFloat32)
      : p(amp::zeros({2}, {.dtype = dtype, .requires_grad = true})), sgd({p}, {.lr = 1}) {}

  void scaled_backward() { scaler.scale(amp::sum(p)).backward(); }
  bool marked() {
    const std::string step = error_of([&] { sgd.step(); });
    const std::string clip = error_of([&] { (void)amp::clip_grad_norm_(sgd.parameters(), 1e9); });
    CHECK(step.empty() == clip.empty());
    return !step.empty();
  }
};

}  // namespace

TEST_CASE("marks: own step and clip_grad_norm_ throw on a scaled gradient, and name unscale_") {
  Setup s;
  s.scaled_backward();
  CHECK_THAT(error_of([&] { s.sgd.step(); }), ContainsSubstring("unscale_"));
  CHECK_THAT(error_of([&] { (void)amp::clip_grad_norm_(s.sgd.parameters(), 1); }),
             ContainsSubstring("unscale_"));
  CHECK(s.p.to_vector<float>() == std::vector<float>(2, 0));
  CHECK(s.p.grad().to_vector<float>() == std::vector<float>(2, 8));
}

TEST_CASE("marks: unscale_ takes them away") {
  Setup s;
  s.scaled_backward();
  s.scaler.unscale_(s.sgd);
  CHECK_FALSE(s.marked());
}

TEST_CASE("marks: zero_grad and set_grad take them away") {
  Setup s;
  s.scaled_backward();
  s.sgd.zero_grad();
  CHECK_FALSE(s.marked());
  s.scaled_backward();
  s.p.set_grad(amp::ones({2}));
  CHECK_FALSE(s.marked());
}

TEST_CASE("marks: a gradient of a plain loss has none") {
  Setup s;
  amp::sum(s.p).backward();
  CHECK_FALSE(s.marked());
}

TEST_CASE("marks: plain and scaled losses together carry it, in either order") {
  for (const bool scaled_first : {false, true}) {
    Setup s;
    if (scaled_first) s.scaled_backward();
    amp::sum(s.p).backward();
    if (!scaled_first) s.scaled_backward();
    CHECK(s.marked());
  }
}

TEST_CASE("marks: only leaves that the scaled loss reaches carry one") {
  Setup reached;
  const amp::Tensor other = amp::zeros({2}, {.requires_grad = true});
  amp::SGD other_sgd({other});
  amp::sum(other).backward();
  amp::Tensor loss = amp::sum(reached.p) + amp::sum(other.detach());
  reached.scaler.scale(loss).backward();
  CHECK(reached.marked());
  CHECK_NOTHROW(other_sgd.step());
}

TEST_CASE("marks: pass through autocast's casts and every op on the way") {
  Setup s;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    const amp::Tensor y = amp::softmax(amp::relu(amp::matmul(amp::ones({3, 2}), s.p)), 0);
    s.scaler.scale(amp::sum(y)).backward();
  }
  CHECK(s.marked());
}

TEST_CASE("marks: of a leaf that is itself the loss") {
  const amp::Tensor p = amp::ones({}, {.requires_grad = true});
  amp::SGD sgd({p});
  amp::GradScaler scaler;
  scaler.scale(p).backward();
  CHECK_THROWS_AS(sgd.step(), amp::Error);
}

TEST_CASE("marks: scaled gradients stay marked after scaler.step, until the next zero_grad") {
  Setup s;
  s.scaled_backward();
  s.scaler.step(s.sgd);
  s.scaler.update();
  CHECK(s.p.grad().to_vector<float>() == std::vector<float>(2, 8));
  CHECK(s.marked());
}

TEST_CASE("marks: 16-bit gradients stay scaled, and marked, after unscale_") {
  Setup s(amp::kFloat16);
  s.scaled_backward();
  s.scaler.unscale_(s.sgd);
  CHECK(s.p.grad().to_vector<float>() == std::vector<float>(2, 8));
  CHECK_THAT(error_of([&] { s.sgd.step(); }), ContainsSubstring("scaler.step(optimizer)"));
  CHECK_THAT(error_of([&] { (void)amp::clip_grad_norm_(s.sgd.parameters(), 1); }),
             ContainsSubstring("unscale_and_clip(optimizer, max_norm)"));
  s.scaler.step(s.sgd);
  CHECK(s.p.to_vector<float>() == std::vector<float>(2, -1));
}

TEST_CASE("marks: a scaled loss accumulated after unscale_ is refused, or counted right") {
  Setup s;
  s.scaled_backward();
  s.scaler.unscale_(s.sgd);
  s.scaled_backward();  // the gradient is now 1 + 8
  const std::string error = error_of([&] { s.scaler.step(s.sgd); });
  if (error.empty()) {
    CHECK(s.p.to_vector<float>() == std::vector<float>(2, -2));
  } else {
    CHECK(s.p.to_vector<float>() == std::vector<float>(2, 0));
  }
}

}  // namespace marks
