// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// 50 steps of SGD, Adam and AdamW with two groups, and of every schedule, against torch's; of Lion
// and LAMB against their papers' algorithms.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace optim_goldens {
namespace {

using amp::Tensor;
using amp_test::difference;
using amp_test::numbers;
using goldens::Block;

// As in goldens/make_optim.py.
constexpr std::int64_t kSizes[] = {5, 3};
constexpr int kSteps = 50;
constexpr int kRecorded[] = {1, 2, 3, 5, 10, 20, 35, 50};  // after how many steps

/// Those of optimizers have weights, those of schedules rates.
std::vector<Block> goldens_with(const char* key) {
  std::vector<Block> blocks = goldens::read_blocks("optim.txt");
  std::erase_if(blocks, [&](const Block& block) { return !block.has(key); });
  return blocks;
}

/// The two parameters of the goldens, and the gradients of a step.
struct Problem {
  amp::DType dtype;
  std::vector<Tensor> params = {};

  explicit Problem(amp::DType type) : dtype(type) {
    for (std::int64_t k = 0; k < 2; ++k)
      params.push_back(numbers({kSizes[k]}, k, dtype).requires_grad_());
  }
  void set_gradients(int step) const {
    for (std::int64_t k = 0; k < 2; ++k) {
      const Tensor& p = params[static_cast<std::size_t>(k)];
      p.set_grad(p.detach() * 0.25 + numbers({kSizes[k]}, 10 + 2 * step + k, dtype));
    }
  }
  std::vector<double> weights() const {
    std::vector<double> all = params[0].to_vector<double>();
    for (const double w : params[1].to_vector<double>()) all.push_back(w);
    return all;
  }
};

/// Weights of both groups after each recorded step.
template <class Optimizer, class Options>
std::vector<double> train(const Options& first, const Options& second, amp::DType dtype) {
  const Problem problem(dtype);
  Optimizer optimizer({{.params = {problem.params[0]}, .options = first},
                       {.params = {problem.params[1]}, .options = second}});
  std::vector<double> all;
  for (int step = 0; step < kSteps; ++step) {
    problem.set_gradients(step);
    optimizer.step();
    if (std::find(std::begin(kRecorded), std::end(kRecorded), step + 1) == std::end(kRecorded))
      continue;
    for (const double w : problem.weights()) all.push_back(w);
  }
  CHECK(optimizer.applied_steps() == kSteps);
  return all;
}

std::vector<double> run(std::string_view name, amp::DType dtype) {
  using SGD = amp::SGDOptions;
  using Adam = amp::AdamOptions;
  if (name == "sgd") {
    return train<amp::SGD>(SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true},
                           SGD{.lr = 0.05, .weight_decay = 0.05}, dtype);
  }
  if (name == "sgd_decay") {
    return train<amp::SGD>(SGD{.lr = 0.02, .momentum = 0.7, .weight_decay = 0.1},
                           SGD{.lr = 0.1, .momentum = 0.5, .weight_decay = 0.01, .nesterov = true},
                           dtype);
  }
  if (name == "adam") {
    return train<amp::Adam>(
        Adam{.lr = 0.01},
        Adam{.lr = 0.05, .beta1 = 0.5, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0.1}, dtype);
  }
  if (name == "lion") {
    using Lion = amp::LionOptions;
    return train<amp::Lion>(
        Lion{.lr = 0.01}, Lion{.lr = 0.03, .beta1 = 0.5, .beta2 = 0.9, .weight_decay = 0.3}, dtype);
  }
  if (name == "lamb") {
    using Lamb = amp::LAMBOptions;
    return train<amp::LAMB>(
        Lamb{.lr = 0.02},
        Lamb{.lr = 0.05, .beta1 = 0.5, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0}, dtype);
  }
  return train<amp::AdamW>(
      Adam{.lr = 0.01},
      Adam{.lr = 0.05, .beta1 = 0, .beta2 = 0.99, .eps = 1e-3, .weight_decay = 0.5}, dtype);
}

const std::map<std::string_view, amp::Schedule>& schedules() {
  static const std::map<std::string_view, amp::Schedule> all = {
      {"schedule step", amp::step_schedule(7, 0.5)},
      {"schedule step_default", amp::step_schedule(20)},
      {"schedule cosine", amp::cosine_schedule(kSteps)},
      {"schedule cosine_final", amp::cosine_schedule(kSteps, 0.001)},
      {"schedule warmup", amp::warmup_schedule(20, 0.1)},
      {"schedule warmup_default", amp::warmup_schedule(5)},
      {"schedule one_cycle", amp::one_cycle_schedule(kSteps)},
      {"schedule one_cycle_other", amp::one_cycle_schedule(kSteps, 0.45, 10, 50)},
      {"schedule warmup_cosine", amp::cosine_schedule(42, 1e-4).after_warmup(8, 0.1)},
      {"schedule warmup_step", amp::step_schedule(10, 0.3).after_warmup(5)},
  };
  return all;
}

/// The learning rates that the optimizer used. The gradient is -1 and nothing else acts, so that a
/// parameter moves by the rate, from 0 on.
std::vector<double> used_rates(const amp::Schedule& schedule) {
  const Tensor a = amp::zeros({1}, {.dtype = amp::kFloat64, .requires_grad = true});
  const Tensor b = amp::zeros({1}, {.dtype = amp::kFloat64, .requires_grad = true});
  amp::SGD sgd({{.params = {a}, .options = {.lr = 0.1, .schedule = schedule}},
                {.params = {b}, .options = {.lr = 0.02, .schedule = schedule}}});
  std::vector<double> rates;
  for (int step = 0; step < kSteps; ++step) {
    for (const Tensor& p : {a, b}) {
      const amp::NoGradGuard no_grad;
      p.zero_();
      p.set_grad(amp::full({1}, -1, {.dtype = amp::kFloat64}));
    }
    sgd.step();
    rates.push_back(a.item<double>());
    rates.push_back(b.item<double>());
  }
  return rates;
}

std::vector<double> last_weights(std::vector<double> all) {
  return {all.end() - (kSizes[0] + kSizes[1]), all.end()};
}

}  // namespace

TEST_CASE("optimizers: 50 steps with two groups are the reference's", "[optim]") {
  for (const Block& golden : goldens_with("weights")) {
    INFO(golden.title);
    const std::vector<double> weights = golden["weights"].values;
    CHECK(difference(run(golden.title, amp::kFloat64), weights) < 1e-12);
    CHECK(difference(run(golden.title, amp::kFloat32), weights) < 5e-6);
  }
}

TEST_CASE("schedules: 50 learning rates of two groups are torch's", "[optim]") {
  const std::vector<Block> all = goldens_with("rates");
  CHECK(schedules().size() == all.size());
  for (const Block& golden : all) {
    const amp::Schedule& schedule = schedules().at(golden.title);
    const std::vector<double> rates = used_rates(schedule), expected = golden["rates"].values;
    REQUIRE(rates.size() == expected.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      INFO(golden.title << ", step " << i / 2 << ", group " << i % 2);
      CHECK(std::abs(rates[i] - expected[i]) <= 1e-12 * expected[i]);
      CHECK(rates[i] == amp::scheduled_rate(schedule, i % 2 == 0 ? 0.1 : 0.02,
                                            static_cast<std::int64_t>(i / 2)));
    }
  }
}

TEST_CASE("schedules: weights trained with them are torch's", "[optim]") {
  for (const Block& golden : goldens_with("rates")) {
    INFO(golden.title);
    const std::vector<double> after_sgd = golden["sgd"].values,
                              after_adamw = golden["adamw"].values;
    const amp::Schedule& schedule = schedules().at(golden.title);
    const amp::SGDOptions sgd1{.lr = 0.1, .momentum = 0.9, .schedule = schedule};
    const amp::SGDOptions sgd2{.lr = 0.02, .schedule = schedule};
    const amp::AdamOptions adam1{.lr = 0.1, .schedule = schedule};
    const amp::AdamOptions adam2{.lr = 0.02, .weight_decay = 0.5, .schedule = schedule};
    for (const auto& [dtype, tolerance] :
         {std::pair{amp::kFloat64, 1e-12}, std::pair{amp::kFloat32, 5e-6}}) {
      CHECK(difference(last_weights(train<amp::SGD>(sgd1, sgd2, dtype)), after_sgd) < tolerance);
      CHECK(difference(last_weights(train<amp::AdamW>(adam1, adam2, dtype)), after_adamw) <
            tolerance);
    }
  }
}

}  // namespace optim_goldens
