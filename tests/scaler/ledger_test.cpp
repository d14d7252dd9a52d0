// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The ledger: what it says of each gradient, on every path, of every optimizer and dtype; its ring,
// names and losses; and that it changes nothing of a step.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace ledger {
namespace {

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;
using Values = std::vector<double>;

const double kNan = std::nan("");

enum class Path { kStep, kUnscale, kClip };
constexpr Path kPaths[] = {Path::kStep, Path::kUnscale, Path::kClip};

template <class Optimizer>
amp::LedgerPass pass_of(Path path, Optimizer& optimizer, double scale) {
  amp::GradScaler scaler({.init_scale = scale, .on_skips = {}, .ledger = 2});
  scaler_test::start(scaler);
  if (path == Path::kUnscale) scaler.unscale_(optimizer);
  if (path == Path::kClip) (void)scaler.unscale_and_clip(optimizer, 0.5);
  const bool skipped = scaler.step(optimizer).skipped();
  scaler.update();
  const std::vector<amp::LedgerPass> passes = scaler.ledger(optimizer).read();
  REQUIRE(passes.size() == 1);
  CHECK(passes[0].number == 1);
  CHECK(passes[0].scale == scale);
  CHECK(passes[0].found_inf == skipped);
  CHECK(passes[0].losses == 0);
  return passes[0];
}

/// As scaled; element 2 is the first that is bad. Two are 0; of the others 2^-15, -2^-20, 2^-24 and
/// -2^-25 are below 2^-14, the last below 2^-24.
Values gradient(double bad, double another) {
  return {3, 0, bad, -0.0, -4, 0x1p-15, -0x1p-20, 0x1p-24, -0x1p-25, 0x1p-14, another};
}

void check(const amp::LedgerEntry& entry, const Values& values, double scale, bool half) {
  CHECK(entry.elements == static_cast<std::int64_t>(values.size()));
  std::int64_t infs = 0, nans = 0;
  for (const double value : values) {
    infs += std::isinf(value) ? 1 : 0;
    nans += std::isnan(value) ? 1 : 0;
  }
  CHECK(entry.infs == infs);
  CHECK(entry.nans == nans);
  CHECK(entry.first_bad == (infs + nans == 0 ? -1 : 2));
  CHECK(entry.is_bad() == (infs + nans != 0));
  const int vanished = half ? 1 : 0;  // -2^-25 is 0 in float16
  CHECK(entry.zeros == 2 + vanished);
  CHECK(entry.underflows == 4 - vanished);
  CHECK(entry.lost == 1 - vanished);
  CHECK(entry.max_abs == 4 / scale);
  CHECK(entry.norm == Approx(5 / scale).epsilon(1e-6));
}

}  // namespace

TEST_CASE("ledger: what it says, on every path, of every optimizer and dtype") {
  for (const Path path : kPaths) {
    for (const double scale : {256.0, 0.5}) {
      for (const auto& [bad, another] : std::vector<std::pair<double, double>>{
               {0x1p-14, 0x1p-14}, {HUGE_VAL, -HUGE_VAL}, {kNan, HUGE_VAL}, {-HUGE_VAL, kNan}}) {
        INFO("path " << static_cast<int>(path) << ", scale " << scale << ", " << bad);
        const bool is_bad = !std::isfinite(bad);
        const Values values = gradient(bad, another), weights(values.size());
        const auto check_one = [&](auto&& optimizer, bool half = false) {
          const amp::LedgerPass pass = pass_of(path, optimizer, scale);
          REQUIRE(pass.gradients.size() == 1);
          check(pass.gradients[0], values, scale, half);
          CHECK(pass.found_inf == is_bad);
          CHECK(pass.bad_gradients() == (is_bad ? 1 : 0));
          CHECK(pass.gradients[0].name == "raw");
        };
        check_one(make_raw<RawSGD<float>>(weights, values));
        check_one(make_raw<RawSGD<double>>(weights, values));
        check_one(make_raw<RawSGD<amp::bfloat16>>(weights, values));
        check_one(make_raw<AwareSGD<float>>(weights, values));
        check_one(make_raw<AwareSGD<amp::half>>(weights, values), true);
        for (const amp::DType dtype :
             {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
          INFO(amp::name(dtype));
          const amp::Tensor p = parameter(weights, values, dtype), none = parameter({}, {});
          amp::SGD sgd({none, p}, {.lr = 0});
          const amp::LedgerPass pass = pass_of(path, sgd, scale);
          REQUIRE(pass.gradients.size() == 2);
          CHECK((pass.gradients[0] == amp::LedgerEntry{{}, "gradient 0"}));
          check(pass.gradients[1], values, scale, dtype == amp::kFloat16);
          CHECK(pass.gradients[1].name == "gradient 1");
        }
      }
    }
  }
}

TEST_CASE("ledger: what overflows only when it is unscaled is bad") {
  for (const Path path : kPaths) {
    // A scale below 1 makes gradients larger: in float16 only if they are written.
    auto raw = make_raw<RawSGD<amp::half>>({0, 0}, {1, 60000});
    CHECK(pass_of(path, raw, 0.5).gradients[0].first_bad == 1);
    if (path != Path::kUnscale) {  // which writes the gradients of this optimizer, too
      auto aware = make_raw<AwareSGD<amp::half>>({0, 0}, {1, 60000});
      const amp::LedgerPass pass = pass_of(path, aware, 0.5);
      CHECK(pass.gradients[0].first_bad == -1);
      CHECK(pass.gradients[0].max_abs == 120000);
    }
    auto narrow = make_raw<RawSGD<float>>({0}, {3e38});
    const amp::LedgerPass pass = pass_of(path, narrow, 0.25);
    CHECK(pass.gradients[0].infs == 1);
    CHECK(pass.found_inf);
  }
}

TEST_CASE("ledger: no element is bad if only the norm overflows") {
  const amp::Tensor p = parameter({1}, {1e30});
  amp::SGD sgd({p});
  const amp::LedgerPass pass = pass_of(Path::kClip, sgd, 1);
  CHECK(pass.found_inf);
  CHECK(pass.bad_gradients() == 0);
  CHECK(pass.gradients[0].max_abs == Approx(1e30));
  CHECK_FALSE(std::isfinite(pass.gradients[0].norm));
}

TEST_CASE("ledger: the first bad element of gradients of several chunks, at every seam") {
  constexpr std::int64_t kChunk = std::int64_t{1} << 16;
  const std::int64_t numel = 3 * kChunk + 7;
  const amp::Tensor p = amp::zeros({numel}, {.requires_grad = true});
  const amp::Tensor grad = amp::ones({numel});
  p.set_grad(grad);
  const amp::Tensor q = amp::zeros({5}, {.requires_grad = true});
  q.set_grad(amp::full({5}, 2));
  amp::SGD sgd({q, p});
  for (const std::int64_t at : {std::int64_t{0}, kChunk - 1, kChunk, 2 * kChunk + 1, numel - 1}) {
    grad.fill_(1);
    grad.narrow(0, at, 1).fill_(HUGE_VAL);
    grad.narrow(0, numel - 1, 1).fill_(kNan);
    INFO(at);
    const amp::LedgerPass pass = pass_of(Path::kStep, sgd, 1);
    CHECK(pass.gradients[1].first_bad == at);
    CHECK(pass.gradients[1].nans == 1);
    CHECK(pass.gradients[1].infs == (at == numel - 1 ? 0 : 1));
    CHECK(pass.gradients[1].norm ==
          Approx(std::sqrt(static_cast<double>(numel - (at == numel - 1 ? 1 : 2)))).epsilon(1e-6));
    CHECK(pass.gradients[0].norm == Approx(std::sqrt(20.0)));
    CHECK_FALSE(pass.gradients[0].is_bad());
  }
}

TEST_CASE("ledger: an inf or a NaN in gradient 137 of 400 is named") {
  for (const bool named : {false, true}) {
    for (const double bad : {HUGE_VAL, kNan}) {
      amp::NamedTensors parameters;
      std::vector<amp::Tensor> all;
      for (int i = 0; i < 400; ++i) {
        const amp::Tensor p = amp::zeros({1 + i % 7, 3}, {.requires_grad = true});
        p.set_grad(amp::ones(p.shape()));
        parameters.emplace_back("layer" + std::to_string(i) + ".weight", p);
        all.push_back(p);
      }
      all[137].grad().select(0, 2).fill_(bad);
      amp::Adam of_names(parameters), of_tensors(all);
      amp::Adam& adam = named ? of_names : of_tensors;
      const amp::LedgerPass pass = pass_of(Path::kStep, adam, 65536);
      REQUIRE(pass.gradients.size() == 400);
      CHECK(pass.bad_gradients() == 1);
      CHECK(pass.gradients[137].first_bad == 6);
      CHECK(pass.gradients[137].infs == (std::isnan(bad) ? 0 : 3));
      CHECK(pass.gradients[137].nans == (std::isnan(bad) ? 3 : 0));
      CHECK(pass.gradients[137].name == (named ? "layer137.weight" : "gradient 137"));
    }
  }
}

TEST_CASE("ledger: changes nothing of what a step and statistics do, bit for bit") {
  for (const Path path : kPaths) {
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kFloat64}) {
      const auto run = [&](int ledger) {
        amp::manual_seed(9);
        const amp::Tensor p = amp::zeros({70000}, {.dtype = dtype, .requires_grad = true});
        p.set_grad(amp::randn({70000}, {.dtype = dtype}));
        amp::Adam adam({p});
        amp::GradScaler scaler({.init_scale = 3, .statistics = true, .ledger = ledger});
        scaler_test::start(scaler);
        if (path == Path::kUnscale) scaler.unscale_(adam);
        if (path == Path::kClip) (void)scaler.unscale_and_clip(adam, 0.5);
        scaler.step(adam);
        return std::pair(p.to_vector<double>(), scaler.statistics(adam).get());
      };
      CHECK(run(0) == run(3));
    }
  }
}

TEST_CASE("ledger: keeps the last passes, oldest first") {
  const amp::Tensor p = parameter({0}, {1});
  amp::SGD sgd({p}, {.lr = 0});
  amp::GradScaler scaler({.init_scale = 1024, .on_skips = {}, .ledger = 4});
  scaler_test::start(scaler);
  const amp::GradientLedger kept = scaler.ledger(sgd);
  CHECK(kept.read().empty());
  CHECK(kept.poll().empty());
  for (int i = 1; i <= 11; ++i) {
    p.set_grad(amp::full({1}, i == 9 ? HUGE_VAL : i));
    if (i == 3) {
      scaler.skip_step(sgd);  // does not look at gradients
    } else {
      scaler.step(sgd);
    }
    scaler.update();
    const std::vector<amp::LedgerPass> passes = kept.read();
    CHECK(passes.size() == static_cast<std::size_t>(std::min(4, i < 3 ? i : i - 1)));
    CHECK(passes.back().number == (i < 3 ? i : i < 4 ? 2 : i - 1));
  }
  const std::vector<amp::LedgerPass> passes = kept.poll();
  CHECK(passes[0].number == 7);
  CHECK(passes[1].found_inf);
  CHECK(passes[1].scale == 1024);
  CHECK(passes[2].scale == 512);
  CHECK_FALSE(passes[2].found_inf);
  CHECK(passes[3].gradients[0].max_abs == 11.0 / 512);
}

TEST_CASE("ledger: outlives scaler and optimizer") {
  amp::GradientLedger kept;
  {
    const amp::Tensor p = parameter({0}, {8});
    amp::SGD sgd({p});
    amp::GradScaler scaler({.init_scale = 4, .ledger = 1});
    scaler_test::start(scaler);
    kept = scaler.ledger(sgd);
    scaler.step(sgd);
    scaler.update();
  }
  CHECK(kept.read().at(0).gradients.at(0).max_abs == 2);
}

TEST_CASE("ledger: each optimizer has its own, and passes of a cycle have one number") {
  const amp::Tensor p = parameter({0}, {1}), q = parameter({0, 0}, {0, HUGE_VAL});
  amp::SGD one({p}, {.lr = 0}), other({q}, {.lr = 0});
  amp::GradScaler scaler({.on_skips = {}, .ledger = 4});
  scaler_test::start(scaler);
  for (const bool both : {true, false, true}) {
    if (both) scaler.step(other);
    scaler.step(one);
    scaler.update();
  }
  const auto numbers = [&](amp::SGD& sgd) {
    std::vector<std::int64_t> all;
    for (const amp::LedgerPass& pass : scaler.ledger(sgd).read()) all.push_back(pass.number);
    return all;
  };
  CHECK(numbers(one) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(numbers(other) == std::vector<std::int64_t>{1, 3});
  REQUIRE(scaler.ledgers().size() == 2);
  CHECK(scaler.ledgers()[0].read()[0].found_inf);  // `other` came first
  CHECK_FALSE(scaler.ledgers()[1].read()[0].found_inf);
}

TEST_CASE("ledger: names follow the gradients that there are, and more of them than ever") {
  std::vector<amp::Tensor> all;
  amp::NamedTensors named;
  for (int i = 0; i < 100; ++i) {
    all.push_back(amp::zeros({1}, {.requires_grad = true}));
    named.emplace_back("p" + std::to_string(i), all.back());
  }
  amp::SGD sgd(named, {.lr = 0});
  amp::GradScaler scaler({.ledger = 80});
  scaler_test::start(scaler);
  for (std::size_t i = 0; i < 100; ++i) {  // more lists than are kept
    for (std::size_t k = 0; k < 100; ++k)
      all[k].set_grad(k == i || k == 0 ? amp::ones({1}) : amp::Tensor());
    scaler.step(sgd);
    scaler.update();
  }
  const auto passes = scaler.ledger(sgd).read();
  CHECK(passes.back().gradients[1].name == "p99");
  CHECK(passes[passes.size() - 60].gradients[1].name == "p40");
  CHECK(passes.front().gradients[1].name == "gradient 1");  // its list was given up

  struct Growing {
    std::vector<float> gradient = std::vector<float>(1000, 1.0F);
    std::size_t count = 1;
    std::vector<amp::TensorView> gradients() {
      std::vector<amp::TensorView> views;
      for (std::size_t i = 0; i < count; ++i) views.push_back({&gradient[i], 1});
      return views;
    }
    void step() {}
  } growing;
  for (; growing.count <= 20; ++growing.count) {
    scaler.step(growing);
    scaler.update();
  }
  const auto grown = scaler.ledger(growing).read();
  REQUIRE(grown.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(grown[i].number == static_cast<std::int64_t>(101 + i));
    CHECK(grown[i].gradients.size() == i + 1);
  }
}

TEST_CASE("ledger: says what the losses of a cycle were") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0});
  amp::GradScaler scaler(
      {.init_scale = 65536, .policy = amp::ScalePolicy::kStatic, .on_skips = {}, .ledger = 1});
  const auto cycle = [&](const Values& losses, amp::DType dtype = amp::kFloat32) {
    sgd.zero_grad();
    for (const double loss : losses) scaler.scale(amp::sum(p * loss).to(dtype)).backward();
    if (losses.empty()) p.set_grad(amp::ones({1}));
    scaler.step(sgd);
    scaler.update();
    return scaler.ledger(sgd).read().at(0);
  };
  amp::LedgerPass pass = cycle({2.5});
  CHECK(pass.losses == 1);
  CHECK(pass.loss == 2.5);
  CHECK(pass.loss_finite);
  CHECK(pass.scaled_loss_finite);
  pass = cycle({1, 2, 3});
  CHECK(pass.losses == 3);
  CHECK(pass.loss == 3);
  pass = cycle({1, 1e35, 3});
  CHECK(pass.loss == Approx(1e35));
  CHECK(pass.loss_finite);
  CHECK_FALSE(pass.scaled_loss_finite);
  pass = cycle({1, HUGE_VAL, 3});
  CHECK(pass.loss == HUGE_VAL);
  CHECK_FALSE(pass.loss_finite);
  CHECK_FALSE(pass.scaled_loss_finite);
  pass = cycle({});  // one's own gradients
  CHECK(pass.losses == 0);
  CHECK(pass.loss == 0);
  CHECK(pass.loss_finite);
  pass = cycle({0.5}, amp::kFloat16);
  CHECK(pass.loss == 0.5);
  pass = cycle({0.25}, amp::kFloat64);
  CHECK(pass.loss == 0.25);
}

TEST_CASE("ledger: a loss of several elements is finite if all of them are") {
  const amp::Tensor p = amp::ones({2}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0});
  for (const double last : {2.0, HUGE_VAL}) {
    amp::GradScaler scaler({.ledger = 1});
    const amp::Tensor losses = p * amp::tensor({1.0, last}, {2}, {.dtype = amp::kFloat32});
    sgd.zero_grad();
    scaler.scale(losses).backward(amp::ones({2}));
    scaler.step(sgd);
    CHECK(scaler.ledger(sgd).read().at(0).loss == 1);
    CHECK(scaler.ledger(sgd).read().at(0).loss_finite == std::isfinite(last));
  }
}

TEST_CASE("ledger: a cycle that an error ended leaves nothing to the next") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0});
  amp::GradScaler scaler({.ledger = 4});
  (void)scaler.scale(amp::sum(p) * HUGE_VAL);
  CHECK_THROWS_AS(scaler.step(sgd), amp::Error);  // no gradients
  CHECK(scaler.ledger(sgd).read().empty());
  scaler.scale(amp::sum(p)).backward();
  scaler.step(sgd);
  scaler.update();
  CHECK(scaler.ledger(sgd).read().at(0).loss_finite);
  CHECK(scaler.ledger(sgd).read().at(0).losses == 1);
}

TEST_CASE("ledger: asked for where there is none, an error says why") {
  const amp::Tensor p = parameter({0}, {1});
  amp::SGD sgd({p});
  amp::GradScaler without, disabled({.enabled = false}),
      disabled_with({.enabled = false, .ledger = 3});
  CHECK_THROWS_WITH(without.ledger(sgd), ContainsSubstring("GradScalerOptions{.ledger = 16}"));
  CHECK_THROWS_WITH(without.ledgers(), ContainsSubstring("GradScalerOptions{.ledger = 16}"));
  for (amp::GradScaler* scaler : {&disabled, &disabled_with}) {
    scaler->step(sgd);
    CHECK(scaler->ledger(sgd).read().empty());
    CHECK(scaler->ledger(sgd).poll().empty());
    CHECK(scaler->ledgers().empty());
  }
  for (const int depth : {-1, 65537}) {
    CHECK_THROWS_WITH(amp::GradScaler({.ledger = depth}), ContainsSubstring("`ledger`"));
    CHECK_NOTHROW(amp::GradScaler({.enabled = false, .ledger = depth}));
  }
  CHECK(amp::GradientLedger().read().empty());
}

// Finite elements count as what they are, whatever else the gradient has.
TEST_CASE("statistics: count zeros and underflows beside NaN and infinity") {
  for (const Path path : kPaths) {
    for (const double bad : {kNan, HUGE_VAL}) {
      for (const int ledger : {0, 2}) {
        const auto check_one = [&](auto&& optimizer) {
          amp::GradScaler scaler({.init_scale = 256, .statistics = true, .ledger = ledger});
          scaler_test::start(scaler);
          if (path == Path::kUnscale) scaler.unscale_(optimizer);
          if (path == Path::kClip) (void)scaler.unscale_and_clip(optimizer, 0.5);
          scaler.step(optimizer);
          const amp::GradientStatistics told = scaler.statistics(optimizer).get();
          CHECK(told.zeros == 3000);
          CHECK(told.underflows == 1000);
          CHECK(told.elements == 5001);
          CHECK(told.found_inf);
          CHECK(std::isnan(told.max_abs) == std::isnan(bad));
        };
        Values values(5001, bad);
        for (std::size_t i = 0; i < 3000; ++i) values[i + 500] = i % 2 == 0 ? 0 : -0.0;
        for (std::size_t i = 0; i < 1000; ++i) values[i + 3700] = 0x1p-15;
        const Values weights(values.size());
        check_one(make_raw<RawSGD<float>>(weights, values));
        check_one(make_raw<RawSGD<double>>(weights, values));
        check_one(make_raw<AwareSGD<amp::half>>(weights, values));
        check_one(make_raw<AwareSGD<float>>(weights, values));
        const amp::Tensor p = parameter(weights, values, amp::kBFloat16);
        amp::SGD sgd({p});
        check_one(sgd);
      }
    }
  }
}

}  // namespace ledger
