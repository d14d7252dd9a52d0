// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizers that store weights outside of the parameter: the formula is the same, a skipped step
// changes nothing, and a resumed run equals the uninterrupted one.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/storage_cases.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace weight_storage {
namespace {

using amp::kBFloat16;
using amp::kFloat16;
using amp::kFloat32;
using amp::NamedTensors;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using namespace storage_test;
using enum WeightStorage;
using Values = std::vector<double>;

/// A state of parameter i; zeros if there is none yet.
Values entry(const NamedTensors& state, std::size_t i, const char* name, std::size_t n) {
  for (const auto& [key, tensor] : state) {
    if (key == std::to_string(i) + "." + name) return tensor.to_vector<double>();
  }
  return Values(n, 0);
}
/// What rounding to nearest may change, relatively.
double epsilon(amp::DType dtype) {
  return dtype == kFloat32 ? 1e-5 : dtype == kFloat16 ? 0x1p-11 : 0x1p-8;
}
/// The largest |a - b| over |b| + floor.
double difference(const Values& a, const Values& b, double floor) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]) / (std::fabs(b[i]) + floor);
    largest = d <= largest ? largest : d;
  }
  return largest;
}

/// A step from these numbers, in double.
struct Expected {
  Values w, first, second;
};
double norm(const Values& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}
Expected expected_step(const Case& c, Expected at, const Values& gradient, int t) {
  Values direction = gradient;  // of LAMB
  for (std::size_t i = 0; i < at.w.size(); ++i) {
    double &w = at.w[i], &m = at.first[i], &v = at.second[i];
    const bool coupled = c.formula <= Formula::kAdam;
    if (c.formula == Formula::kAdamW) w *= 1 - kLr * c.decay();
    const double g = gradient[i] + (coupled ? c.decay() * w : 0);
    if (c.formula == Formula::kLion) {
      // In float32, with each product rounded: the sign of a sum near 0 depends on rounding.
      const volatile float old = static_cast<float>(kBeta1) * static_cast<float>(m);
      const volatile float now = static_cast<float>(1 - kBeta1) * static_cast<float>(g);
      const float mixed = old + now;
      w -= kLr * ((mixed > 0 ? 1 : mixed < 0 ? -1 : 0) + c.decay() * w);
      m = kBeta2 * m + (1 - kBeta2) * g;
      continue;
    }
    if (!c.counts_steps()) {
      m = c.formula == Formula::kSgd ? g : kMu * m + g;
      w -= kLr * (c.formula == Formula::kNesterov ? g + kMu * m : m);
      continue;
    }
    m = kBeta1 * m + (1 - kBeta1) * g;
    v = kBeta2 * v + (1 - kBeta2) * g * g;
    direction[i] =
        m / (1 - std::pow(kBeta1, t)) / (std::sqrt(v / (1 - std::pow(kBeta2, t))) + kEps);
    if (c.formula == Formula::kLamb) {
      direction[i] += c.decay() * w;
    } else {
      w -= kLr * direction[i];
    }
  }
  const double trust = norm(at.w) / norm(direction);
  for (std::size_t i = 0; c.formula == Formula::kLamb && i < at.w.size(); ++i)
    at.w[i] -= kLr * trust * direction[i];
  return at;
}

/// How far storing may take a weight from what was computed, relatively.
double tolerance(const Case& c) {
  if (c.dtype == kFloat32 || c.storage == kMaster || c.storage == kRemainder) return 2e-6;
  if (c.storage == kKahan) return 0x1p-16 + 2e-6;
  return epsilon(c.dtype) * (c.storage == kStochastic ? 2 : 1) * 1.01;
}

Tensors run(const Case& c, amp::Optimizer& optimizer, const Tensors& params, int first, int end) {
  for (int step = first; step < end; ++step) {
    set_gradients(params, step, c.dtype);
    optimizer.step();
  }
  return optimizer.master_weights();
}

}  // namespace

TEST_CASE("weight storage: every step is the formula's, to the rounding of what is stored") {
  for (const Case& c : cases()) {
    INFO(c.text());
    const Tensors params = parameters(c.dtype, amp::kCPU);
    const auto optimizer = make(c, params);
    for (int step = 1; step <= 4; ++step) {
      const Tensors before = optimizer->master_weights();
      const NamedTensors state = optimizer->state_dict();
      set_gradients(params, step, c.dtype);
      optimizer->step();
      const Tensors after = optimizer->master_weights();
      const NamedTensors next = optimizer->state_dict();
      for (std::size_t i = 0; i < params.size(); ++i) {
        const char* const first = c.formula >= Formula::kAdam ? "exp_avg" : "momentum";
        const auto n = static_cast<std::size_t>(params[i].numel());
        const Expected e = expected_step(c,
                                         {before[i].to_vector<double>(), entry(state, i, first, n),
                                          entry(state, i, "exp_avg_sq", n)},
                                         params[i].grad().to_vector<double>(), step);
        REQUIRE(difference(after[i].to_vector<double>(), e.w, 1e-2) < tolerance(c));
        const amp::DType unset = c.storage == kParameter ? c.dtype : kFloat32;
        const double moment = epsilon(c.moments.value_or(unset)) * 1.01;
        if (c.formula != Formula::kSgd)
          REQUIRE(difference(entry(next, i, first, n), e.first, 1e-2) < moment);
        if (c.counts_steps())
          REQUIRE(difference(entry(next, i, "exp_avg_sq", n), e.second, 1e-4) <
                  moment * (c.moments == kBFloat16 ? 2 : 1));
      }
    }
  }
}

TEST_CASE("weight storage: masters and remainders are float32 training, bit for bit") {
  for (const Formula formula : kFormulas) {
    const Case reference{formula, kFloat32};
    const Tensors own = parameters(kBFloat16, amp::kCPU);
    Tensors wide;
    for (const Tensor& p : own) wide.push_back(p.detach().to(kFloat32).requires_grad_());
    const auto expected = make(reference, wide);
    for (int step = 0; step < 60; ++step) {
      set_gradients(wide, step, kBFloat16);
      expected->step();
    }
    for (const WeightStorage storage : {kMaster, kRemainder}) {
      const Case c{formula, kBFloat16, storage};
      INFO(c.text());
      const Tensors params = parameters(kBFloat16, amp::kCPU);
      const auto optimizer = make(c, params);
      const Tensors weights = run(c, *optimizer, params, 0, 60);
      CHECK(bits_of(weights) == bits_of(wide));
      for (std::size_t i = 0; i < params.size() && storage == kMaster; ++i)
        CHECK(bits_of(params[i]) == bits_of(wide[i].detach().to(kBFloat16)));
    }
  }
}

TEST_CASE("weight storage: a skipped step leaves every bit, but a gradient to be zeroed") {
  for (Case c : cases()) {
    for (const bool zero : {false, true}) {
      c.zero_grad = zero;
      INFO(c.text() << zero);
      const Tensors params = parameters(c.dtype, amp::kCPU);
      const auto optimizer = make(c, params);
      (void)run(c, *optimizer, params, 0, 2);
      const float found = 1;
      set_gradients(params, 2, c.dtype);
      params[0].grad().fill_(HUGE_VAL);
      const auto before = bits_of(params, *optimizer);
      Tensors gradients;
      for (const Tensor& p : params) gradients.push_back(p.grad());
      const auto bits = bits_of(gradients);
      optimizer->step(amp::GradScale{.found_inf = &found});
      REQUIRE(bits_of(params, *optimizer) == before);
      if (!zero) REQUIRE(bits_of(gradients) == bits);
      for (const Tensor& g : gradients) {
        if (zero)
          REQUIRE(g.to_vector<float>() == std::vector<float>(g.to_vector<float>().size(), 0));
      }
    }
  }
}

TEST_CASE("weight storage: zero_grad zeroes, and changes nothing else") {
  for (const amp::DType gradients : {kFloat32, kFloat16, kBFloat16, amp::kFloat64}) {
    for (const Formula formula : {Formula::kNesterov, Formula::kAdam}) {
      Case c{formula, kBFloat16, kKahan};
      std::vector<std::vector<Bits>> outcomes;
      for (const bool zero : {false, true}) {
        c.zero_grad = zero;
        const Tensors params = parameters(c.dtype, amp::kCPU);
        const auto optimizer = make(c, params);
        set_gradients(params, 1, gradients);
        const std::uint64_t version = params[1].grad().version();
        optimizer->step();
        CHECK((params[1].grad().version() != version) == zero);
        for (const Tensor& p : params) {
          const auto values = p.grad().to_vector<double>();
          CHECK((values == Values(values.size(), 0)) == (zero || values.empty()));
        }
        outcomes.push_back(bits_of(params, *optimizer));
      }
      CHECK(outcomes[0] == outcomes[1]);
    }
  }
}

TEST_CASE("weight storage: a zeroed gradient carries no loss scale") {
  const Tensor p = amp::ones({3}, {.requires_grad = true});
  amp::SGD optimizer({p}, {.lr = 0.1, .zero_grad = true});
  amp::GradScaler scaler({.init_scale = 4});
  for (int i = 0; i < 2; ++i) {
    scaler.scale(amp::sum(p * p)).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  amp::sum(p).backward();  // adds 1 to 0
  CHECK(p.grad().to_vector<float>() == std::vector<float>(3, 1));
  optimizer.step();
  CHECK(p.to_vector<float>()[0] == Approx(0.8 * 0.8 - 0.1));
}

TEST_CASE("weight storage: scaled, clipped steps equal unscale, clip, step, cast") {
  for (const Case& c : cases()) {
    for (const double max_norm : {0.7, 1e9}) {
      INFO(c.text() << " " << max_norm);
      const Tensors fused = parameters(c.dtype, amp::kCPU), apart = parameters(c.dtype, amp::kCPU);
      const auto one = make(c, fused), other = make(c, apart);
      amp::GradScaler scaler({.init_scale = 256});
      (void)scaler.inverse_scale_data(amp::kCPU);
      for (int step = 0; step < 3; ++step) {
        set_gradients(fused, step, c.dtype, 256);
        (void)scaler.unscale_and_clip(*one, max_norm);
        (void)scaler.step(*one);
        scaler.update();
        set_gradients(apart, step, kFloat32);
        (void)amp::clip_grad_norm_(apart, max_norm);
        other->step();
        other->set_master_weights(one->master_weights());  // a rounding is not to add up
      }
      CHECK(one->applied_steps() == 3);
      set_gradients(fused, 3, c.dtype, 256);
      (void)scaler.unscale_and_clip(*one, max_norm);
      (void)scaler.step(*one);
      set_gradients(apart, 3, kFloat32);
      (void)amp::clip_grad_norm_(apart, max_norm);
      other->step();
      const Tensors a = one->master_weights(), b = other->master_weights();
      // Moments of 16 bits may have been rounded apart, and move a weight by that share of a step.
      const bool narrow =
          c.moments.value_or(c.storage == kParameter ? c.dtype : kFloat32) != kFloat32;
      const double limit = 2 * tolerance(c) + (narrow ? 1e-4 : 0);
      for (std::size_t i = 0; i < a.size(); ++i)
        REQUIRE(difference(a[i].to_vector<double>(), b[i].to_vector<double>(), 1e-2) < limit);
    }
  }
}

TEST_CASE("weight storage: a run resumed in the middle is the uninterrupted one, bit for bit") {
  for (const Case& c : cases()) {
    INFO(c.text());
    const Tensors whole = parameters(c.dtype, amp::kCPU);
    const auto uninterrupted = make(c, whole);
    (void)run(c, *uninterrupted, whole, 0, 5);
    const NamedTensors state = uninterrupted->state_dict();
    Tensors resumed;
    for (const Tensor& p : whole) resumed.push_back(p.detach().clone().requires_grad_());
    (void)run(c, *uninterrupted, whole, 5, 9);
    const auto continued = make(c, resumed);
    continued->load_state_dict(state);
    (void)run(c, *continued, resumed, 5, 9);
    CHECK(bits_of(resumed, *continued) == bits_of(whole, *uninterrupted));
  }
}

TEST_CASE("weight storage: seeds and steps draw anew, equal ones alike") {
  const auto weights = [](std::uint64_t seed) {
    Case c{Formula::kAdam, kBFloat16, kStochastic};
    c.seed = seed;
    const Tensors params = parameters(kBFloat16, amp::kCPU);
    const auto optimizer = make(c, params);
    (void)run(c, *optimizer, params, 0, 3);
    return bits_of(params);
  };
  CHECK(weights(1) == weights(1));
  CHECK(weights(1) != weights(2));
  // Equal parameters of one optimizer are rounded apart, and apart at each step.
  const Tensor a = amp::ones({4000}, {.dtype = kBFloat16, .requires_grad = true});
  const Tensor b = amp::ones({4000}, {.dtype = kBFloat16, .requires_grad = true});
  amp::SGD sgd({a, b}, {.lr = 0x1p-9, .storage = kStochastic});
  std::vector<Bits> seen;
  for (int step = 0; step < 3; ++step) {
    {
      const amp::NoGradGuard no_grad;
      a.fill_(1);
      b.fill_(1);
    }
    a.set_grad(amp::ones({4000}));
    b.set_grad(amp::ones({4000}));
    sgd.step();
    seen.push_back(bits_of(a));
    seen.push_back(bits_of(b));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(seen[i] != seen[j]);
  }
}

TEST_CASE("weight storage: groups with storages of their own are optimizers of their own") {
  using Group = amp::ParamGroup<amp::AdamOptions>;
  const std::pair<amp::DType, WeightStorage> kinds[] = {{kBFloat16, kParameter},
                                                        {kBFloat16, kMaster},
                                                        {kBFloat16, kRemainder},
                                                        {kBFloat16, kKahan},
                                                        {kFloat32, kKahan}};
  std::vector<Group> groups;
  Tensors all, expected;
  for (const auto& [dtype, storage] : kinds) {
    const amp::AdamOptions options{.lr = 0.01, .storage = storage, .moments = kFloat32};
    const Tensors params = parameters(dtype, amp::kCPU), alone = parameters(dtype, amp::kCPU);
    amp::Adam adam(alone, options);
    for (int step = 0; step < 4; ++step) {
      set_gradients(alone, step, dtype);
      adam.step();
    }
    for (const Tensor& w : adam.master_weights()) expected.push_back(w);
    groups.push_back({.params = params, .options = options});
    all.insert(all.end(), params.begin(), params.end());
  }
  amp::Adam adam(std::move(groups));
  for (int step = 0; step < 4; ++step) {
    for (const auto& group : adam.param_groups())
      set_gradients(group.params, step, group.params[0].dtype());
    adam.step();
  }
  CHECK(bits_of(adam.master_weights()) == bits_of(expected));
}

TEST_CASE("master_weights: what was set comes back as the storage can hold it") {
  amp::manual_seed(8);
  const Tensor value = amp::randn({5, 9});
  for (const WeightStorage storage : {kParameter, kMaster, kRemainder, kStochastic, kKahan}) {
    INFO(amp::name(storage));
    const Tensor p = amp::zeros({5, 9}, {.dtype = kBFloat16, .requires_grad = true});
    const Tensor wide = amp::zeros({3}, {.requires_grad = true});
    const Tensor wider = amp::zeros({2}, {.dtype = amp::kFloat64, .requires_grad = true});
    amp::SGD sgd({p, wide, wider}, {.lr = 0.5, .storage = storage});
    const Tensors values{value, amp::full({3}, 0.1), amp::full({2}, 0.1, {.dtype = amp::kFloat64})};
    const std::uint64_t version = p.version();
    sgd.set_master_weights(values);
    CHECK(p.version() != version);
    Tensors back = sgd.master_weights();
    CHECK(bits_of(wide) == bits_of(values[1]));
    CHECK(bits_of(back[2]) == bits_of(values[2]));
    const bool exact = storage == kMaster || storage == kRemainder;
    CHECK((bits_of(back[0]) == bits_of(value)) == exact);
    if (storage != kRemainder) CHECK(bits_of(p) == bits_of(value.to(kBFloat16)));
    if (storage == kParameter || storage == kStochastic)
      CHECK(bits_of(back[0]) == bits_of(value.to(kBFloat16).to(kFloat32)));
    // These are copies: writing to them does not change the optimizer.
    back[0].fill_(3);
    back[1].fill_(3);
    CHECK(bits_of(wide) == bits_of(values[1]));
    p.set_grad(amp::zeros({5, 9}));
    const auto before = bits_of(sgd.master_weights());
    sgd.step();
    CHECK(bits_of(sgd.master_weights()) == before);
  }
}

TEST_CASE("set_master_weights: all or nothing") {
  const Tensor a = amp::ones({2}, {.dtype = kBFloat16, .requires_grad = true});
  const Tensor b = amp::ones({3}, {.dtype = kBFloat16, .requires_grad = true});
  amp::SGD sgd({a, b}, {.lr = 0.5, .storage = kKahan});
  const auto before = bits_of({a, b}, sgd);
  const Tensor good = amp::zeros({2});
  const auto error = [&](const Tensors& weights) {
    return error_of([&] { sgd.set_master_weights(weights); });
  };
  CHECK_THAT(error({good}), ContainsSubstring("there are 2 parameters, but `weights` has 1"));
  CHECK_THAT(error({good, good}), ContainsSubstring("weights[1] must be float32[3]"));
  CHECK_THAT(error({good, Tensor()}), ContainsSubstring("undefined"));
  CHECK_THAT(error({good, amp::zeros({3}, {.dtype = kBFloat16})}), ContainsSubstring("bfloat16"));
  CHECK(bits_of({a, b}, sgd) == before);
  sgd.options().moments = kFloat16;
  CHECK_THAT(error({good, amp::zeros({3})}), ContainsSubstring("moments"));
  CHECK(bits_of({a, b}, sgd) == before);
}

TEST_CASE("weight storage: parameters converted and storage chosen before the first step") {
  const Tensor p = amp::full({4}, 0.3, {.requires_grad = true});
  amp::Adam adam({p}, {.lr = 1e-4});
  const Tensors masters = adam.master_weights();
  p.set_data(p.detach().to(kBFloat16));
  adam.options().storage = kRemainder;
  adam.set_master_weights(masters);
  CHECK(adam.master_weights()[0].to_vector<float>() == masters[0].to_vector<float>());
  for (int step = 0; step < 10; ++step) {
    p.set_grad(amp::ones({4}, {.dtype = kBFloat16}));
    adam.step();
  }
  CHECK(adam.master_weights()[0].to_vector<float>()[0] == Approx(0.3 - 10 * 1e-4).epsilon(1e-5));
}

TEST_CASE("weight storage: a choice that cannot work is an error that says why") {
  const Tensor half = amp::ones({2}, {.dtype = kFloat16, .requires_grad = true});
  for (const WeightStorage storage : {kRemainder, kKahan}) {
    const auto message = error_of([&] { amp::SGD({half}, {.storage = storage}); });
    CHECK_THAT(message, ContainsSubstring(std::string(amp::name(storage))) &&
                            ContainsSubstring("bfloat16") && ContainsSubstring("params[0]") &&
                            ContainsSubstring("float16[2]") && ContainsSubstring("kMaster"));
  }
  CHECK_THAT(error_of([&] { amp::Adam({half}, {.moments = amp::kFloat64}); }),
             ContainsSubstring("moments") && ContainsSubstring("float64"));
  CHECK_THAT(error_of([&] { amp::Adam({half}, {.moments = amp::kInt32}); }),
             ContainsSubstring("int32"));
  CHECK_NOTHROW(amp::Adam({half}, {.moments = kFloat16}));
  const Tensor byte = amp::ones({2}, {.dtype = amp::kFloat8E5M2, .requires_grad = true});
  CHECK_THAT(error_of([&] { amp::SGD({byte}, {.storage = kStochastic}); }),
             ContainsSubstring("float16"));
  CHECK_NOTHROW(amp::SGD({byte}, {.storage = kMaster}));
}

TEST_CASE("weight storage: changed after steps, it throws and changes nothing") {
  const auto change = [](WeightStorage from, WeightStorage to, std::optional<amp::DType> moments) {
    const Tensor p = amp::ones({4}, {.dtype = kBFloat16, .requires_grad = true});
    amp::Adam adam({p}, {.lr = 0.1, .storage = from, .moments = kFloat32});
    p.set_grad(amp::ones({4}));
    adam.step();
    const auto before = bits_of({p}, adam);
    adam.options().storage = to;
    adam.options().moments = moments;
    const std::string message = error_of([&] { adam.step(); });
    if (!message.empty())
      CHECK_FALSE(error_of([&] { adam.set_master_weights(Tensors{amp::ones({4})}); }).empty());
    adam.options().storage = from;
    adam.options().moments = kFloat32;
    if (!message.empty()) CHECK(bits_of({p}, adam) == before);
    return message;
  };
  CHECK_THAT(change(kMaster, kParameter, kFloat32), ContainsSubstring("its master is float32[4]") &&
                                                        ContainsSubstring("before the first step"));
  CHECK_THAT(change(kKahan, kRemainder, kFloat32), ContainsSubstring("its compensation"));
  CHECK_THAT(change(kRemainder, kKahan, kFloat32), ContainsSubstring("its remainder"));
  CHECK_THAT(change(kMaster, kMaster, kBFloat16), ContainsSubstring("its exp_avg"));
  CHECK_THAT(change(kStochastic, kParameter, {}), ContainsSubstring("its exp_avg"));
  CHECK(change(kParameter, kStochastic, kFloat32).empty());  // the same memory
}

TEST_CASE("weight storage: a state saved with another storage is refused") {
  const auto trained = [](WeightStorage storage) {
    const Tensor p = amp::ones({4}, {.dtype = kBFloat16, .requires_grad = true});
    auto adam = std::make_unique<amp::Adam>(
        Tensors{p}, amp::AdamOptions{.lr = 0.1, .storage = storage, .moments = kFloat32});
    p.set_grad(amp::ones({4}));
    adam->step();
    return adam;
  };
  for (const WeightStorage from : {kParameter, kMaster, kRemainder, kKahan}) {
    for (const WeightStorage to : {kParameter, kMaster, kRemainder, kKahan}) {
      INFO(amp::name(from) << " " << amp::name(to));
      const auto saved = trained(from), loading = trained(to);
      const auto before = bits_of(loading->parameters(), *loading);
      const std::string message = error_of([&] { loading->load_state_dict(saved->state_dict()); });
      CHECK(message.empty() == (from == to));
      CHECK(bits_of(loading->parameters(), *loading) == before);
      if (from == kParameter && to == kMaster)
        CHECK_THAT(message, ContainsSubstring("needs \"0.master\", missing"));
      if (from == kKahan && to == kParameter)
        CHECK_THAT(message, ContainsSubstring("\"0.compensation\" was saved with another"));
    }
  }
}

TEST_CASE("weight storage: weights that are not finite stay so") {
  for (const WeightStorage storage : {kParameter, kMaster, kRemainder, kStochastic, kKahan}) {
    INFO(amp::name(storage));
    const Tensor p =
        amp::tensor({1.0F, 1.0F, 3.3e38F, 1.0F}, {4}, {.dtype = kBFloat16}).requires_grad_();
    amp::SGD sgd({p}, {.lr = 1, .storage = storage});
    p.set_grad(amp::tensor({HUGE_VALF, std::nanf(""), -3.3e38F, 0.0F}, {4}));
    sgd.step();
    const auto w = p.to_vector<float>();
    CHECK(w[0] == -HUGE_VALF);
    CHECK(std::isnan(w[1]));
    CHECK(w[2] == HUGE_VALF);
    CHECK(w[3] == 1);
    p.set_grad(amp::zeros({4}));
    amp::Adam adam({p}, {.lr = 1, .storage = storage});
    for (int step = 0; step < 2; ++step) {
      step == 0 ? sgd.step() : adam.step();  // without decay, as in torch: no 0 times infinity
      const auto after = p.to_vector<float>();
      CHECK(after[0] == -HUGE_VALF);
      CHECK(std::isnan(after[1]));
      CHECK(after[2] == HUGE_VALF);
    }
    CHECK(std::isnan(sgd.master_weights()[0].to_vector<float>()[1]));
  }
}

TEST_CASE("weight storage: squares in bfloat16 fall as those in float32 do") {
  const auto square = [](std::optional<amp::DType> moments) {
    const Tensor p = amp::zeros({2000}, {.dtype = kBFloat16, .requires_grad = true});
    amp::Adam adam({p}, {.lr = 0, .moments = moments});
    for (int step = 0; step < 400; ++step) {
      p.set_grad(amp::full({2000}, step == 0 ? 30 : 0));
      adam.step();
    }
    double sum = 0;
    for (const double v : entry(adam.state_dict(), 0, "exp_avg_sq", 1)) sum += v;
    return sum / 2000;
  };
  const double exact = 0.9 * std::pow(0.999, 399);
  CHECK(square(kFloat32) == Approx(exact).epsilon(1e-4));
  CHECK(square(kBFloat16) == Approx(exact).epsilon(5e-3));  // on average
  CHECK(square({}) == Approx(0.9).epsilon(0x1p-8));         // stuck, as in torch
}

}  // namespace weight_storage
