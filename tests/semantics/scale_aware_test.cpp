// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of fused optimizers under a GradScaler. All of amp's are such: scale-aware, they
// unscale, test and skip inside of their own pass.
#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "semantics/scaling_case.hpp"
#include "support/catch.hpp"

namespace scale_aware {
namespace {

using amp::GradScale;
using amp::GradScaler;
using amp::kCPU;
using amp::Tensor;
using scaler_test::parameter;
using semantics_test::Batch;
using semantics_test::Network;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One of amp's optimizers as one that knows nothing of scales, like PyTorch's plain ones.
template <class Optimizer>
struct Plain {
  Optimizer& optimizer;
  std::vector<amp::TensorView> gradients() const { return optimizer.gradients(); }
  void mark_unscaled() const { optimizer.mark_unscaled(); }
  void step() const { optimizer.step(); }
};
static_assert(amp::ScaleAwareOptimizer<amp::SGD>);
static_assert(!amp::ScaleAwareOptimizer<Plain<amp::SGD>>);

/// Five parameters of ones, with gradients of ones.
std::vector<Tensor> five_ones() {
  std::vector<Tensor> params;
  for (std::int64_t i = 1; i <= 5; ++i) {
    params.push_back(amp::ones({i}, {.requires_grad = true}));
    params.back().set_grad(amp::ones({i}));
  }
  return params;
}

std::vector<std::vector<float>> bits(const std::vector<Tensor>& params) {
  std::vector<std::vector<float>> all;
  for (const Tensor& p : params) all.push_back(p.to_vector<float>());
  return all;
}

}  // namespace

// Capturing needs a GPU. What it asks for is here: no loss, one set of words at fixed addresses.
TEMPLATE_TEST_CASE(
    "test_graph_scaling_fused_optimizers (test_cuda.py): preset gradients, 3 + 2 steps", "",
    amp::SGD, amp::Adam, amp::AdamW) {
  amp::manual_seed(5);
  std::vector<Tensor> scaled, control, gradients;
  for (const std::int64_t n : {5, 6}) {
    const Tensor start = amp::randn({n, n});
    gradients.push_back(amp::randn({n, n}));
    control.push_back(start.clone().requires_grad_());
    scaled.push_back(start.clone().requires_grad_());
    control.back().set_grad(gradients.back().clone());
    scaled.back().set_grad(gradients.back() * 128);
  }
  TestType plain(control, {.lr = 0.1}), aware(scaled, {.lr = 0.1});
  GradScaler scaler({.init_scale = 128});
  const float* const scale = scaler.scale_data(kCPU);
  const float* const inverse = scaler.inverse_scale_data(kCPU);
  for (int i = 0; i < 3 + 2; ++i) {
    plain.step();
    scaler.step(aware);
    scaler.update();
    CHECK(scaler.scale_data(kCPU) == scale);
    CHECK(scaler.inverse_scale_data(kCPU) == inverse);
  }
  CHECK(bits(scaled) == bits(control));
  CHECK(scaled[0].grad().to_vector<float>() == (gradients[0] * 128).to_vector<float>());
  CHECK(scaler.state_dict().growth_tracker == 5);
}

// The optimizers' states have no accessors: that all later parameters agree says they are equal.
TEMPLATE_TEST_CASE("test_grad_scaling_autocast_fused_optimizers (test_cuda.py): as the plain ones",
                   "", amp::SGD, amp::Adam, amp::AdamW) {
  for (const bool unscale_first : {false, true}) {
    INFO("unscale_ first: " << unscale_first);
    const Network a(7), b(7);
    TestType aware(a.parameters(), {.lr = 0.1}), inner(b.parameters(), {.lr = 0.1});
    Plain<TestType> plain{inner};
    GradScaler aware_scaler({.init_scale = 128}), plain_scaler({.init_scale = 128});
    for (const Batch& batch : semantics_test::make_data()) {
      const auto train = [&](const Network& network, TestType& optimizer, auto& stepped,
                             GradScaler& scaler) {
        optimizer.zero_grad();
        const Tensor loss = [&] {
          const amp::AutocastGuard autocast(kCPU, {.dtype = amp::kFloat16});
          return amp::mse_loss(network(batch.input), batch.target);
        }();
        scaler.scale(loss).backward();
        if (unscale_first) scaler.unscale_(stepped);
        CHECK_FALSE(scaler.step(stepped).skipped());
        scaler.update();
        return loss.template item<float>();
      };
      CHECK(train(a, aware, aware, aware_scaler) == train(b, inner, plain, plain_scaler));
      if (unscale_first) CHECK(a.w2.grad().to_vector<float>() == b.w2.grad().to_vector<float>());
    }
    CHECK(semantics_test::difference(a, b) == 0);
    CHECK(aware_scaler.get_scale() == plain_scaler.get_scale());
  }
}

// amp's optimizers have no grad_scale to preset. What the user multiplies in is GradScale::clip.
TEST_CASE(
    "test_grad_scaler_with_preset_grad_scale (test_cuda.py): 15 by a scale of 5, by 3, is 1") {
  const float inverse = 0.2F, third = 1 / 3.0F, found_inf = 0;
  const Tensor p = parameter({1}, {15});
  amp::SGD sgd({p}, {.lr = 1});
  sgd.step(GradScale{.inverse = &inverse, .found_inf = &found_inf, .clip = &third});
  CHECK(p.item<float>() == Approx(0).margin(1e-6));
  const Tensor q = parameter({1}, {15});
  amp::SGD unscaled({q}, {.lr = 1});
  GradScaler scaler({.init_scale = 5});
  scaler_test::start(scaler);
  scaler.unscale_(unscaled);
  CHECK(q.grad().item<float>() == Approx(3).epsilon(1e-6));
  unscaled.step(GradScale{.found_inf = &found_inf, .clip = &third});
  CHECK(q.item<float>() == Approx(0).margin(1e-6));
}

TEMPLATE_TEST_CASE("test_fused_does_not_step_if_foundinf (test_optim.py): nor counts the step", "",
                   amp::SGD, amp::Adam, amp::AdamW) {
  for (const bool with_scale : {false, true}) {
    const std::vector<Tensor> params = five_ones(), fresh = five_ones();
    TestType optimizer(params), first_time(fresh);
    const float inverse = 1, found_inf = 1, no_inf = 0;
    optimizer.step(GradScale{.inverse = with_scale ? &inverse : nullptr, .found_inf = &found_inf});
    CHECK(bits(params) == bits(five_ones()));
    // The next step is the first: step counts and moments stood still.
    optimizer.step(GradScale{.inverse = with_scale ? &inverse : nullptr, .found_inf = &no_inf});
    first_time.step();
    CHECK(bits(params) == bits(fresh));
    CHECK(bits(params) != bits(five_ones()));
  }
}

// An optimizer's step is given words, never the scaler itself: the old keyword has no like here.
TEST_CASE("test_grad_scaler_pass_itself (test_torch.py): a scale-aware step is given the words") {
  struct Spy {
    float gradient = 4;
    GradScale seen = {};
    std::vector<amp::TensorView> gradients() {
      return {{&gradient, 1, amp::kFloat32, kCPU, "gradient"}};
    }
    void step() { FAIL("the plain step is for those that know nothing of scales"); }
    void step(const GradScale& scale) { seen = scale; }
  } spy;
  GradScaler scaler({.init_scale = 2});
  (void)scaler.scale(amp::ones({}));
  scaler.step(spy);
  REQUIRE(spy.seen.inverse != nullptr);
  REQUIRE(spy.seen.found_inf != nullptr);
  CHECK(*spy.seen.inverse == 0.5F);
  CHECK(*spy.seen.found_inf == 0);
  CHECK(spy.seen.clip == nullptr);
  CHECK(spy.gradient == 4);  // still scaled
  scaler.update();
  scaler.unscale_(spy);
  scaler.step(spy);
  CHECK(*spy.seen.inverse == 1);
  CHECK(spy.gradient == 2);
}

TEST_CASE("fused: the numbers of PyTorch 2.6, gradients (4, inf) at a scale of 2") {
  const Tensor p = parameter({1, 1}, {4, kInfinity});
  amp::SGD sgd({p}, {.lr = 1});
  GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  CHECK(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(p.to_vector<float>() == std::vector<float>{1, 1});
  CHECK(p.grad().to_vector<double>() == std::vector<double>{4, kInfinity});
  CHECK(scaler.get_scale() == 1);
}

}  // namespace scale_aware
