// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The norm that unscale_ leaves to clip_grad_norm_: the same bits as a pass of its own gives, and
// nothing of it where a gradient changed. What is handed over is looked at by planting a false one:
// found, it shows.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace known_norm {
namespace {

using amp::Tensor;
using Tensors = std::vector<Tensor>;

Tensors parameters(std::uint64_t seed, amp::DType dtype = amp::kFloat32) {
  amp::manual_seed(seed);
  Tensors all;
  for (const std::int64_t n : {7, 70000, 0, 1000}) {
    all.push_back(amp::zeros({n}, {.dtype = dtype, .requires_grad = true}));
    all.back().set_grad(amp::randn({n}).to(dtype));
  }
  return all;
}

/// Gradients of norm 5, of which 77 is said to be the norm.
struct Planted {
  Tensor p = scaler_test::parameter({0}, {3}), q = scaler_test::parameter({0, 0}, {0, 4});
  amp::detail::KnownNorm known{Tensors{p.grad(), q.grad()}, amp::full({}, 77)};
};
float norm_of(const Tensors& params) { return amp::clip_grad_norm_(params, 100).item<float>(); }

}  // namespace

TEST_CASE("known norm: after unscale_, clip_grad_norm_ gives the bits of a pass of its own") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64}) {
    const Tensors all = parameters(5, dtype);
    amp::SGD sgd(all, {.lr = 0.1});
    amp::GradScaler scaler({.init_scale = 3});  // whose inverse rounds
    scaler_test::start(scaler);
    for (std::uint64_t step = 0; step < 4; ++step) {
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i].set_grad(parameters(step, dtype)[i].grad());
      scaler.unscale_(sgd);
      Tensors copies;
      for (const Tensor& p : all) {
        copies.push_back(p.detach().requires_grad_());
        copies.back().set_grad(p.grad().clone());
      }
      const float norm = amp::clip_grad_norm_(all, 0.5).item<float>();
      CHECK(norm == amp::clip_grad_norm_(copies, 0.5).item<float>());
      for (std::size_t i = 0; i < all.size(); ++i)
        CHECK(all[i].grad().to_vector<double>() == copies[i].grad().to_vector<double>());
      scaler.step(sgd);
      scaler.update();
    }
  }
}

TEST_CASE("known norm: is taken for exactly its gradients, in their order") {
  const Planted s;
  CHECK(norm_of({s.q, s.p}) == 5);
  CHECK(norm_of({s.p}) == 3);
  const Planted t;
  CHECK(norm_of({t.p, t.q, scaler_test::parameter({0}, {0})}) == 5);
  const Planted u;
  CHECK(norm_of({u.p, amp::zeros({1}, {.requires_grad = true}), u.q}) == 77);  // has no gradient
  CHECK(norm_of({u.p, u.q}) == 5);  // clipped, and so written
}

TEST_CASE("known norm: is void once a gradient was written or replaced") {
  const auto after = [](const auto& change) {
    const Planted s;
    change(s);
    return norm_of({s.p, s.q});
  };
  CHECK(after([](const Planted&) {}) == 77);
  CHECK(after([](const Planted& s) { s.q.grad().fill_(0); }) == 3);
  CHECK(after([](const Planted& s) { s.p.grad().data<float>()[0] = 0; }) == 4);
  CHECK(after([](const Planted& s) { s.p.grad().mark_modified(); }) == 5);
  CHECK(after([](const Planted& s) { s.p.set_grad(s.p.grad().clone()); }) == 5);
  CHECK(after([](const Planted& s) { s.q.set_grad(Tensor()); }) == 3);
  CHECK(after([](const Planted& s) { (void)norm_of({s.p}); }) == 5);
}

TEST_CASE("known norm: is not taken for memory whose writes nobody sees, nor beyond its life") {
  float foreign[] = {3, 4};
  const Tensor p = amp::zeros({2}, {.requires_grad = true});
  p.set_grad(amp::from_blob(foreign, {2}));
  {
    const amp::detail::KnownNorm known(Tensors{p.grad()}, amp::full({}, 77));
    CHECK(norm_of({p}) == 5);
  }
  p.set_grad(amp::tensor({3.0F, 4.0F}, {2}));
  { const amp::detail::KnownNorm known(Tensors{p.grad()}, amp::full({}, 77)); }
  CHECK(norm_of({p}) == 5);
}

TEST_CASE("known norm: unscale_ computes one where the last cycle asked, and the step ends it") {
  const Tensors all = parameters(6);
  amp::SGD sgd(all);
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  const auto known = [&] {
    Tensors gradients;
    for (const Tensor& p : all) gradients.push_back(p.grad());
    return amp::detail::KnownNorm::find(gradients).defined();
  };
  const auto cycle = [&](bool asks) {
    scaler.unscale_(sgd);
    const bool was = asks && known();
    scaler.step(sgd);
    if (asks) CHECK_FALSE(known());
    scaler.update();
    return was;
  };
  CHECK_FALSE(cycle(true));
  CHECK(cycle(true));
  CHECK(cycle(true));
  CHECK(cycle(false) == false);
  CHECK_FALSE(cycle(true));
  CHECK(cycle(true));
}

TEST_CASE("known norm: none of gradients that unscale_ leaves scaled, or of a scaled loss since") {
  const Tensor p = scaler_test::parameter({0}, {3}),
               q = scaler_test::parameter({0}, {4}, amp::kFloat16);
  amp::SGD sgd({p, q});
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  for (int i = 0; i < 2; ++i) {
    scaler.unscale_(sgd);
    CHECK_FALSE(amp::detail::KnownNorm::find(Tensors{p.grad(), q.grad()}).defined());
    scaler.step(sgd);
    scaler.update();
  }
}

}  // namespace known_norm
