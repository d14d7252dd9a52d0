// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Unscaling, and finding what is not finite, in every dtype and for every kind of optimizer.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace unscale {
namespace {

using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;

constexpr double kInfinity = HUGE_VAL;

/// Memory of four dtypes, of which only the gradients matter.
struct Mixed {
  std::vector<float> a = {4, 8};
  std::vector<amp::half> b = {amp::half(4)};
  std::vector<amp::bfloat16> c = {amp::bfloat16(4)};
  std::vector<double> d = {4};
  int steps = 0;

  std::vector<amp::TensorView> gradients() {
    return {{a.data(), 2, amp::kFloat32, amp::kCPU, "a"},
            {b.data(), 1, amp::kFloat16, amp::kCPU, "b"},
            {nullptr, 0, amp::kFloat32, amp::kCPU, "nothing"},
            {c.data(), 1, amp::kBFloat16, amp::kCPU, "c"},
            {d.data(), 1, amp::kFloat64, amp::kCPU, "d"}};
  }
  void step() { ++steps; }
};

/// How far one step of SGD with rate 1 moves a weight of 0, once `prepare` was called.
template <class Optimizer, class Prepare>
double moved(Optimizer optimizer, double scale, Prepare prepare) {
  amp::GradScaler scaler({.init_scale = scale});
  scaler_test::start(scaler);
  prepare(scaler, optimizer);
  scaler.step(optimizer);
  return -static_cast<double>(optimizer.weights[0]);
}

const auto kNothing = [](auto&, auto&) {};
const auto kUnscale = [](auto& scaler, auto& optimizer) { scaler.unscale_(optimizer); };

/// Whether the step of a gradient of `n` ones with `bad` at `position` is skipped.
template <class T>
bool skips(std::size_t n, std::size_t position, double bad) {
  auto optimizer = make_raw<AwareSGD<T>>(std::vector<double>(n), std::vector<double>(n, 1));
  optimizer.gradient[position] = static_cast<T>(bad);
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  const bool skipped = scaler.step(optimizer).skipped();
  CHECK(optimizer.steps == (skipped ? 0 : 1));
  return skipped;
}

}  // namespace

TEST_CASE("unscale_: one list of four dtypes and an empty view") {
  Mixed mixed;
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  scaler.unscale_(mixed);
  CHECK(mixed.a == std::vector<float>{1, 2});
  CHECK(static_cast<float>(mixed.b[0]) == 1);
  CHECK(static_cast<float>(mixed.c[0]) == 1);
  CHECK(mixed.d[0] == 1);
  CHECK_FALSE(scaler.step(mixed).skipped());
  CHECK(mixed.steps == 1);
}

TEST_CASE("unscale_: finite elements are unscaled beside others that are not") {
  auto optimizer = make_raw<RawSGD<float>>({0, 0, 0}, {4, NAN, 8});
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  scaler.unscale_(optimizer);
  CHECK(optimizer.gradient[0] == 2);
  CHECK(std::isnan(optimizer.gradient[1]));
  CHECK(optimizer.gradient[2] == 4);
  CHECK(scaler.step(optimizer).skipped());
  CHECK(optimizer.weights == std::vector<float>(3, 0));
}

TEST_CASE("unscale_: float64 beyond the range of float32 is finite") {
  auto optimizer = make_raw<RawSGD<double>>({0}, {1e300});
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  scaler.unscale_(optimizer);
  CHECK(optimizer.gradient[0] == 5e299);
  optimizer.lr = 0;
  CHECK_FALSE(scaler.step(optimizer).skipped());
}

TEST_CASE("unscale_: a gradient element that is not finite is found wherever it stands") {
  for (const std::size_t n : {1U, 7U, 1025U, 70000U}) {
    for (const std::size_t position : {std::size_t{0}, n / 2, n - 1, n > 1023 ? 1023 : n - 1,
                                       n > 65535 ? 65535 : n - 1, n > 65536 ? 65536 : n - 1}) {
      for (const double bad : {kInfinity, -kInfinity, static_cast<double>(NAN)}) {
        INFO(bad << " at " << position << " of " << n);
        CHECK(skips<float>(n, position, bad));
        CHECK(skips<amp::half>(n, position, bad));
        CHECK(skips<amp::bfloat16>(n, position, bad));
        CHECK(skips<double>(n, position, bad));
      }
    }
  }
}

TEST_CASE("unscale_: the largest and the smallest finite numbers are finite") {
  for (const double edge : {1.0, -1.0}) {
    CHECK_FALSE(skips<float>(5, 2, edge * std::numeric_limits<float>::max()));
    CHECK_FALSE(skips<float>(5, 2, edge * 1e-45));
    CHECK_FALSE(skips<amp::half>(5, 2, edge * 65504));
    CHECK_FALSE(skips<amp::half>(5, 2, edge * 0x1p-24));
    CHECK_FALSE(skips<amp::bfloat16>(5, 2, edge * 3.3895e38));
    CHECK_FALSE(skips<double>(5, 2, edge * std::numeric_limits<double>::max()));
  }
}

TEST_CASE("unscale_: nothing but zeros is no reason to skip") {
  auto optimizer = make_raw<AwareSGD<float>>({1}, {0});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(optimizer).skipped());
}

TEST_CASE("step: a product that is not finite is found, whoever forms it") {
  // Scale 2^-20: unscaling 3e38 overflows, although the gradient is finite.
  const auto is_skipped = [](auto&& optimizer, bool unscale_first) {
    amp::GradScaler scaler({.init_scale = 0x1p-20});
    scaler_test::start(scaler);
    if (unscale_first) scaler.unscale_(optimizer);
    return scaler.step(optimizer).skipped();
  };
  for (const bool first : {false, true}) {
    INFO("unscale_ first: " << first);
    CHECK(is_skipped(make_raw<RawSGD<float>>({0}, {3e38}), first));
    CHECK(is_skipped(make_raw<AwareSGD<float>>({0}, {3e38}), first));
    const amp::Tensor p = parameter({1}, {3e38});
    CHECK(is_skipped(amp::SGD({p}), first));
    CHECK(p.item<float>() == 1);
    const amp::Tensor q = parameter({1}, {-3e38}, amp::kBFloat16);
    CHECK(is_skipped(amp::Adam({q}), first));
    CHECK(q.item<float>() == 1);
  }
}

TEST_CASE("step: an overflow of the 16-bit gradients that unscaling in place rounds is found") {
  auto optimizer = make_raw<RawSGD<amp::half>>({0}, {1});
  amp::GradScaler scaler({.init_scale = 0x1p-20});
  scaler_test::start(scaler);
  CHECK(scaler.step(optimizer).skipped());
  CHECK(optimizer.weights[0] == 0);
}

TEST_CASE("step: a float16 gradient unscaled beyond float16 steps in float32 where it can") {
  const amp::Tensor p = parameter({1}, {1}, amp::kFloat16);
  amp::SGD sgd({p}, {.lr = 0x1p-21});
  amp::GradScaler scaler({.init_scale = 0x1p-20});
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(sgd).skipped());
  CHECK(p.item<float>() == 0.5F);
}

TEST_CASE("step: tiny gradients of float16 parameters move them as float32 would") {
  // The true gradient, 2^-20 * 1.25, at scale 2^16: in float16 after unscaling it would lose bits.
  constexpr double kGradient = 0x1.4p-20;
  const auto moves = [&](auto prepare) {
    const amp::Tensor p = parameter({0}, {kGradient * 65536}, amp::kFloat16);
    amp::SGD sgd({p}, {.lr = 1});
    amp::GradScaler scaler;
    scaler_test::start(scaler);
    prepare(scaler, sgd);
    scaler.step(sgd);
    return -p.item<double>();
  };
  CHECK(moves(kNothing) == kGradient);
  CHECK(moves(kUnscale) == kGradient);
  CHECK(moves([](auto& scaler, auto& sgd) { (void)scaler.unscale_and_clip(sgd, 1); }) == kGradient);
}

TEST_CASE("step: gradients that float16 cannot hold unscaled still move float16 parameters") {
  constexpr double kGradient = 0x1.5p-27;  // below half of float16's smallest, 2^-24
  const amp::Tensor p = parameter({0}, {kGradient * 65536}, amp::kFloat16);
  amp::SGD sgd({p}, {.lr = 0x1p10});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  scaler.unscale_(sgd);
  scaler.step(sgd);
  CHECK(p.item<double>() == -kGradient * 0x1p10);
}

TEST_CASE("step: gradients of every dtype, every kind of optimizer, unscaled before or not") {
  for (const double scale : {1.0, 0x1p8, 0x1p16}) {
    const double g = 0x1p-10 * scale;
    INFO("scale " << scale);
    CHECK(moved(make_raw<RawSGD<float>>({0}, {g}), scale, kNothing) == 0x1p-10);
    CHECK(moved(make_raw<RawSGD<float>>({0}, {g}), scale, kUnscale) == 0x1p-10);
    CHECK(moved(make_raw<AwareSGD<float>>({0}, {g}), scale, kNothing) == 0x1p-10);
    CHECK(moved(make_raw<AwareSGD<float>>({0}, {g}), scale, kUnscale) == 0x1p-10);
    CHECK(moved(make_raw<RawSGD<amp::half>>({0}, {g}), scale, kNothing) == 0x1p-10);
    CHECK(moved(make_raw<RawSGD<amp::half>>({0}, {g}), scale, kUnscale) == 0x1p-10);
    CHECK(moved(make_raw<AwareSGD<amp::half>>({0}, {g}), scale, kNothing) == 0x1p-10);
    CHECK(moved(make_raw<AwareSGD<amp::half>>({0}, {g}), scale, kUnscale) == 0x1p-10);
    CHECK(moved(make_raw<RawSGD<amp::bfloat16>>({0}, {g}), scale, kNothing) == 0x1p-10);
    CHECK(moved(make_raw<AwareSGD<amp::bfloat16>>({0}, {g}), scale, kUnscale) == 0x1p-10);
    CHECK(moved(make_raw<RawSGD<double>>({0}, {g}), scale, kNothing) == 0x1p-10);
    CHECK(moved(make_raw<AwareSGD<double>>({0}, {g}), scale, kUnscale) == 0x1p-10);
  }
}

TEMPLATE_TEST_CASE("unscale_: followed by step it is step alone, bit for bit", "", amp::SGD,
                   amp::Adam, amp::AdamW) {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
    const auto result = [&](bool unscale_first) {
      const amp::Tensor p = parameter({1, -2, 3}, {100, -3000, 0.7}, dtype);
      TestType optimizer({p});
      amp::GradScaler scaler({.init_scale = 1024});
      scaler_test::start(scaler);
      for (int i = 0; i < 3; ++i) {
        p.set_grad(amp::tensor({100.0, -3000.0, 0.7}, {3}, {.dtype = dtype}));
        if (unscale_first) scaler.unscale_(optimizer);
        scaler.step(optimizer);
        scaler.update();
      }
      return p.to_vector<double>();
    };
    INFO(amp::name(dtype));
    CHECK(result(true) == result(false));
  }
}

TEST_CASE("unscale_: the gradients read the true values after it") {
  const amp::Tensor p = parameter({1, 1}, {8, -16});
  const std::uint64_t version = p.grad().version();
  amp::SGD sgd({p});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  scaler.unscale_(sgd);
  CHECK(p.grad().to_vector<float>() == std::vector<float>{1, -2});
  CHECK(p.grad().version() > version);
}

TEST_CASE("unscale_: gradients changed by hand after it are what the step uses") {
  const amp::Tensor p = parameter({0, 0}, {8, 8});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  scaler.unscale_(sgd);
  p.grad().narrow(0, 0, 1).fill_(5);
  scaler.step(sgd);
  CHECK(p.to_vector<float>() == std::vector<float>{-5, -1});
}

TEST_CASE("unscale_: a scale that is not a power of two") {
  auto optimizer = make_raw<RawSGD<float>>({0, 0}, {3, 1});
  amp::GradScaler scaler({.init_scale = 3});
  scaler_test::start(scaler);
  scaler.unscale_(optimizer);
  CHECK(optimizer.gradient[0] == 3 * static_cast<float>(1.0 / 3.0));
  CHECK(optimizer.gradient[1] == static_cast<float>(1.0 / 3.0));
}

TEST_CASE("unscale_: a gradient that is not dense is refused before memory is touched") {
  const amp::Tensor p = amp::zeros({4}, {.requires_grad = true});
  amp::SGD sgd({p});
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  std::vector<float> memory = {8, 8, 8, 8, 8};
  const amp::Tensor one = amp::from_blob(memory.data(), {1});
  bool refused = false;
  try {
    p.set_grad(one.expand({4}));
    scaler.unscale_(sgd);
  } catch (const amp::Error&) {
    refused = true;
  }
  if (!refused) CHECK(p.grad().to_vector<float>() == std::vector<float>(4, 4));
  CHECK(std::vector<float>(memory.begin() + 1, memory.end()) == std::vector<float>(4, 8));
}

}  // namespace unscale
