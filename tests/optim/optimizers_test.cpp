// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// RMSprop, Adagrad, Adadelta, Adamax, NAdam, RAdam, Adam with amsgrad and SGD with dampening: 200
// steps with two groups against torch's, the names of states, skips, and wrong options.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace optimizers {
namespace {

using amp::Tensor;
using amp_test::difference;
using amp_test::error_of;
using amp_test::numbers;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

// As in goldens/make_optimizers.py.
constexpr std::int64_t kSizes[] = {5, 3};
constexpr int kSteps = 200;
constexpr int kRecorded[] = {1, 2, 3, 5, 10, 30, 100, 200};

/// Weights of both groups after each recorded step. `skips`: some steps find infinities besides,
/// and must change nothing.
template <class Optimizer>
Values train(const typename Optimizer::Options& first, const typename Optimizer::Options& second,
             amp::DType dtype, bool skips) {
  std::vector<Tensor> params;
  for (std::int64_t k = 0; k < 2; ++k)
    params.push_back(numbers({kSizes[k]}, k, dtype).requires_grad_());
  Optimizer optimizer(
      {{.params = {params[0]}, .options = first}, {.params = {params[1]}, .options = second}});
  Values all;
  for (int step = 0; step < kSteps; ++step) {
    for (std::int64_t k = 0; k < 2; ++k) {
      const Tensor& p = params[static_cast<std::size_t>(k)];
      p.set_grad(p.detach() * 0.25 + numbers({kSizes[k]}, 10 + 2 * step + k, dtype));
    }
    const float found = 1;
    if (skips && (step % 7 == 3 || step == 0)) optimizer.step({.found_inf = &found});
    optimizer.step();
    if (std::find(std::begin(kRecorded), std::end(kRecorded), step + 1) == std::end(kRecorded))
      continue;
    for (const Tensor& p : params)
      for (const double w : p.to_vector<double>()) all.push_back(w);
  }
  CHECK(optimizer.applied_steps() == kSteps);
  return all;
}

using Run = std::function<Values(amp::DType, bool)>;
template <class Optimizer>
Run two(const typename Optimizer::Options& first, const typename Optimizer::Options& second) {
  return
      [=](amp::DType dtype, bool skips) { return train<Optimizer>(first, second, dtype, skips); };
}

std::map<std::string_view, Run> runs() {
  return {
      {"sgd", two<amp::SGD>({.lr = 0.05, .momentum = 0.9, .dampening = 0.3},
                            {.lr = 0.02, .maximize = true})},
      {"sgd_dampened",
       two<amp::SGD>({.lr = 0.1, .momentum = 0.5, .dampening = 1, .weight_decay = 0.1},
                     {.lr = 0.001, .momentum = 0.9, .dampening = 0.9, .maximize = true})},
      {"amsgrad", two<amp::Adam>({.lr = 0.01, .amsgrad = true}, {.lr = 0.05,
                                                                 .beta1 = 0.5,
                                                                 .beta2 = 0.9,
                                                                 .eps = 1e-3,
                                                                 .weight_decay = 0.1,
                                                                 .amsgrad = true})},
      {"amsgrad_decoupled",
       two<amp::AdamW>(
           {.lr = 0.01, .maximize = true},
           {.lr = 0.05, .beta1 = 0.2, .beta2 = 0.9, .weight_decay = 0.5, .amsgrad = true})},
      {"rmsprop",
       two<amp::RMSprop>({}, {.lr = 0.03, .alpha = 0.9, .eps = 1e-4, .weight_decay = 0.1})},
      {"rmsprop_momentum",
       two<amp::RMSprop>(
           {.lr = 0.003, .momentum = 0.9},
           {.lr = 0.003, .alpha = 0.4, .eps = 0.5, .momentum = 0.5, .centered = true})},
      {"rmsprop_centered",
       two<amp::RMSprop>({.centered = true}, {.centered = true, .maximize = true})},
      {"adagrad", two<amp::Adagrad>({}, {.lr = 0.1, .lr_decay = 0.02, .weight_decay = 0.1})},
      {"adagrad_begun",
       two<amp::Adagrad>({.lr = 0.1, .initial_accumulator_value = 0.5, .eps = 0.01},
                         {.initial_accumulator_value = 0.5, .maximize = true})},
      {"adadelta",
       two<amp::Adadelta>({}, {.lr = 0.5, .rho = 0.7, .eps = 1e-3, .weight_decay = 0.1})},
      {"adamax",
       two<amp::Adamax>(
           {}, {.lr = 0.05, .beta1 = 0.3, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0.1})},
      {"nadam",
       two<amp::NAdam>({},
                       {.lr = 0.05, .beta1 = 0.3, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0.1})},
      {"nadam_decoupled",
       two<amp::NAdam>(
           {.lr = 0.01, .weight_decay = 0.1, .momentum_decay = 0.1, .decoupled_weight_decay = true},
           {.lr = 0.01, .momentum_decay = 0, .maximize = true})},
      {"radam",
       two<amp::RAdam>({.lr = 0.01},
                       {.lr = 0.02, .beta1 = 0.3, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0.1})},
      {"radam_decoupled",
       two<amp::RAdam>(
           {.lr = 0.01, .beta2 = 0.5, .weight_decay = 0.1, .decoupled_weight_decay = true},
           {.lr = 0.01, .maximize = true})},
  };
}

/// The states of parameter 0 after two steps, without the name of the parameter.
template <class Optimizer>
Names states(const typename Optimizer::Options& options) {
  const Tensor p = amp::ones({3}, {.requires_grad = true});
  Optimizer optimizer(std::vector{p}, options);
  for (int step = 0; step < 2; ++step) {
    p.set_grad(amp::ones({3}));
    optimizer.step();
  }
  Names names;
  for (const auto& [name, tensor] : optimizer.state_dict())
    if (name.starts_with("0.")) names.push_back(name.substr(2));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("optimizers: 200 steps with two groups are torch's, whatever is skipped", "[optim]") {
  const auto all = runs();
  const std::vector<goldens::Block> blocks = goldens::read_blocks("optimizers.txt");
  CHECK(blocks.size() == all.size());
  for (const goldens::Block& golden : blocks) {
    INFO(golden.title);
    const Run& run = all.at(golden.title);
    const Values weights = golden["weights"].values;
    CHECK(difference(run(amp::kFloat64, false), weights) < 1e-12);
    CHECK(difference(run(amp::kFloat64, true), weights) < 1e-12);
    CHECK(difference(run(amp::kFloat32, true), weights) < 2e-5);
  }
}

TEST_CASE("optimizers: states have torch's names, and only those that are needed", "[optim]") {
  CHECK(states<amp::SGD>({.momentum = 0.9}) == Names{"momentum"});
  CHECK(states<amp::SGD>({.momentum = 0.9, .dampening = 0.5}) == Names{"momentum", "step"});
  CHECK(states<amp::SGD>({.dampening = 0.5}).empty());
  CHECK(states<amp::Adam>({.amsgrad = true}) ==
        Names{"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"});
  CHECK(states<amp::RMSprop>({}) == Names{"square_avg", "step"});
  CHECK(states<amp::RMSprop>({.momentum = 0.9}) == Names{"momentum_buffer", "square_avg", "step"});
  CHECK(states<amp::RMSprop>({.centered = true}) == Names{"grad_avg", "square_avg", "step"});
  CHECK(states<amp::Adagrad>({}) == Names{"step", "sum"});
  CHECK(states<amp::Adadelta>({}) == Names{"acc_delta", "square_avg", "step"});
  CHECK(states<amp::Adamax>({}) == Names{"exp_avg", "exp_inf", "step"});
  CHECK(states<amp::NAdam>({}) == Names{"exp_avg", "exp_avg_sq", "mu_product", "step"});
  CHECK(states<amp::RAdam>({}) == Names{"exp_avg", "exp_avg_sq", "step"});
}

TEST_CASE("optimizers: a small gradient is kept if the old average hardly counts", "[optim]") {
  const Tensor p = amp::zeros({40}, {.requires_grad = true});
  const auto moment_of = [](const amp::Adam& optimizer) {
    for (const auto& [name, tensor] : optimizer.state_dict())
      if (name == "0.exp_avg") return tensor.to_vector<float>()[7];
    return NAN;
  };
  amp::Adam adam({p}, {.beta1 = 0.25});
  const auto moment = [&](double gradient) {
    p.set_grad(amp::full({40}, gradient));
    adam.step();
    return moment_of(adam);
  };
  const double first = moment(1) * 0.25;
  CHECK(moment(1e-4) == Approx(first + 0.75e-4).epsilon(1e-7));
  amp::Adam memoryless({p}, {.beta1 = 0});
  for (const double gradient : {1e8, 1e-3}) {
    p.set_grad(amp::full({40}, gradient));
    memoryless.step();
  }
  CHECK(moment_of(memoryless) == 1e-3F);
}

TEST_CASE("RMSprop: a centered variance is never below 0", "[optim]") {
  for (const float gradient : {1.1F, 3e-4F, 7e8F}) {
    const Tensor p = amp::zeros({50}, {.requires_grad = true});
    amp::RMSprop centered({p}, {.centered = true});
    for (int step = 0; step < 3000; ++step) {
      p.set_grad(amp::full({50}, gradient));
      centered.step();
    }
    for (const float w : p.to_vector<float>()) CHECK(std::isfinite(w));
  }
}

TEST_CASE("optimizers: amsgrad and Adamax keep NaN, as torch does", "[optim]") {
  const Tensor p = amp::zeros({40}, {.requires_grad = true});
  amp::Adam amsgrad({p}, {.amsgrad = true});
  amp::Adamax adamax({p});
  for (amp::Optimizer* optimizer :
       {static_cast<amp::Optimizer*>(&amsgrad), static_cast<amp::Optimizer*>(&adamax)}) {
    for (const double gradient : {1.0, std::nan(""), 1.0}) {
      p.set_grad(amp::full({40}, gradient));
      optimizer->step();
    }
    for (const auto& [name, tensor] : optimizer->state_dict()) {
      if (!name.ends_with("max_exp_avg_sq") && !name.ends_with("exp_inf")) continue;
      for (const float x : tensor.to_vector<float>()) CHECK(std::isnan(x));
    }
  }
}

TEST_CASE("NAdam: a resumed run goes on with its product", "[optim]") {
  const auto make = [] { return numbers({5}, 3, amp::kFloat32).requires_grad_(); };
  const auto steps = [](amp::NAdam& nadam, const Tensor& p, int from, int to) {
    for (int step = from; step < to; ++step) {
      p.set_grad(numbers({5}, step, amp::kFloat32));
      nadam.step();
    }
  };
  const Tensor whole = make(), before = make(), after = make();
  amp::NAdam a({whole}), b({before}), c({after});
  steps(a, whole, 0, 9);
  steps(b, before, 0, 4);
  c.load_state_dict(b.state_dict());
  {
    const amp::NoGradGuard no_grad;
    after.copy_(before);
  }
  steps(c, after, 4, 9);
  CHECK(same_bits(whole, after));
  c.load_state_dict(amp::NAdam({make()}).state_dict());  // as before the first step
  for (const auto& [name, tensor] : c.state_dict())
    if (name == "0.mu_product") CHECK(tensor.item<double>() == 1);
}

TEST_CASE("optimizers: options that cannot work are refused by name", "[optim]") {
  const Tensor p = amp::ones({1}, {.requires_grad = true});
  const auto refuses = [&]<class O>(const typename O::Options& options, const char* name) {
    CHECK_THAT(error_of([&] { O(std::vector{p}, options); }), ContainsSubstring(name));
  };
  const double nan = std::nan("");
  refuses.operator()<amp::SGD>({.momentum = 0.9, .dampening = nan}, "`dampening`");
  refuses.operator()<amp::SGD>({.momentum = 0.9, .dampening = 1.5}, "`dampening`");
  refuses.operator()<amp::SGD>({.momentum = 0.9, .dampening = 0.1, .nesterov = true}, "`nesterov`");
  refuses.operator()<amp::RMSprop>({.alpha = -0.1}, "RMSprop: `alpha`");
  refuses.operator()<amp::RMSprop>({.momentum = nan}, "RMSprop: `momentum`");
  refuses.operator()<amp::Adagrad>({.initial_accumulator_value = -1},
                                   "`initial_accumulator_value`");
  refuses.operator()<amp::Adagrad>({.lr_decay = -1}, "Adagrad: `lr_decay`");
  refuses.operator()<amp::Adadelta>({.rho = 1.5}, "Adadelta: `rho`");
  refuses.operator()<amp::Adamax>({.beta1 = 1}, "Adamax: `beta1`");
  refuses.operator()<amp::NAdam>({.momentum_decay = -1}, "NAdam: `momentum_decay`");
  refuses.operator()<amp::RAdam>({.beta2 = 1}, "RAdam: `beta2`");
}

}  // namespace optimizers
