// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Muon: 20 steps of four matrices against torch's, in each precision of the iterations; skips,
// scaled gradients, storages, resumed runs, autocast around it, and what is refused.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace muon {
namespace {

using amp::MuonOptions;
using amp::Tensor;
using amp_test::difference;
using amp_test::error_of;
using amp_test::numbers;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

// As in goldens/make_muon.py.
const amp::Shape kShapes[] = {{3, 5}, {5, 3}, {3, 5}, {4, 4}};
constexpr int kSteps = 20;

std::map<std::string_view, MuonOptions> runs() {
  return {{"default", {.lr = 0.02}},
          {"rms",
           {.lr = 0.05,
            .weight_decay = 0,
            .momentum = 0.5,
            .nesterov = false,
            .ns_steps = 3,
            .adjust_lr_fn = amp::MuonAdjust::kMatchRMSAdamW}},
          {"spectral",
           {.lr = 0.01,
            .ns_coefficients = {2, -1.5, 0.5},
            .adjust_lr_fn = amp::MuonAdjust::kSpectralUnclamped}}};
}

struct Run {
  std::vector<Tensor> params;
  amp::Muon muon;

  static std::vector<Tensor> matrices(amp::DType dtype) {
    std::vector<Tensor> all;
    for (const amp::Shape& shape : kShapes)
      all.push_back(numbers(shape, static_cast<std::int64_t>(all.size()), dtype).requires_grad_());
    return all;
  }
  Run(const MuonOptions& options, amp::DType dtype)
      : params(matrices(dtype)), muon(params, options) {}
  void step(int step, bool skips = false, float scale = 1) {
    for (std::size_t k = 0; k < params.size(); ++k) {
      const Tensor& p = params[k];
      const auto salt = 10 + 4 * step + static_cast<std::int64_t>(k);
      p.set_grad((p.detach() * 0.25 + numbers(p.shape(), salt, p.dtype())) * scale);
    }
    const float found = skips ? 1 : 0, inverse = 1 / scale;
    muon.step({.inverse = &inverse, .found_inf = &found});
  }
  Values weights() const {
    Values all;
    for (const Tensor& p : params)
      for (const double w : p.to_vector<double>()) all.push_back(w);
    return all;
  }
};
Values train(MuonOptions options, amp::DType dtype, amp::DType of_iterations) {
  options.ns_dtype = of_iterations;
  Run run(options, dtype);
  Values all;
  for (int step = 0; step < kSteps; ++step) {
    if (step % 6 == 1) run.step(100, true);
    run.step(step, false, step % 2 == 0 ? 1.0F : 64.0F);
    if (step != 0 && step != kSteps - 1) continue;
    for (const double w : run.weights()) all.push_back(w);
  }
  CHECK(run.muon.applied_steps() == kSteps);
  return all;
}

}  // namespace

TEST_CASE("Muon: 20 steps of four matrices are torch's", "[optim]") {
  for (const goldens::Block& golden : goldens::read_blocks("muon.txt")) {
    INFO(golden.title);
    const MuonOptions options = runs().at(golden.title);
    const Values exact = golden["exact"].values, rounded = golden["bfloat16"].values;
    CHECK(difference(train(options, amp::kFloat64, amp::kFloat32), exact) < 1e-5);
    CHECK(difference(train(options, amp::kFloat32, amp::kFloat32), exact) < 1e-5);
    CHECK(difference(train(options, amp::kFloat32, amp::kFloat16), exact) < 4e-3);
    CHECK(difference(train(options, amp::kFloat32, amp::kBFloat16), exact) < 3e-2);
    CHECK(difference(train(options, amp::kFloat32, amp::kBFloat16), rounded) < 2e-2);
  }
}

TEST_CASE("Muon: a skipped step changes nothing, a resumed run goes on, bit for bit", "[optim]") {
  using enum amp::WeightStorage;
  for (const auto storage : {kParameter, kMaster, kRemainder, kStochastic, kKahan}) {
    INFO(amp::name(storage));
    const MuonOptions options{.lr = 0.02,
                              .schedule = amp::cosine_schedule(9),
                              .storage = storage,
                              .moments = amp::kFloat32};
    Run whole(options, amp::kBFloat16), resumed(options, amp::kBFloat16);
    for (int step = 0; step < 6; ++step) {
      whole.step(step);
      const auto weights = whole.weights();
      const amp::NamedTensors state = whole.muon.state_dict();
      whole.step(50, true);
      CHECK(whole.weights() == weights);
      const amp::NamedTensors after = whole.muon.state_dict();
      for (std::size_t i = 0; i < state.size(); ++i)
        CHECK(same_bits(state[i].second, after[i].second));
      if (step > 3) resumed.step(step);
      if (step != 3) continue;
      resumed.muon.load_state_dict(whole.muon.state_dict());
      const amp::NoGradGuard no_grad;
      for (std::size_t k = 0; k < whole.params.size(); ++k)
        resumed.params[k].copy_(whole.params[k]);
    }
    CHECK(whole.weights() == resumed.weights());
  }
}

TEST_CASE("Muon: masters are what a float32 run has, whatever autocast is around it", "[optim]") {
  Run wide({.lr = 0.02, .ns_dtype = amp::kFloat32}, amp::kFloat32);
  Run kept({.lr = 0.02,
            .ns_dtype = amp::kFloat32,
            .storage = amp::WeightStorage::kMaster,
            .moments = amp::kFloat32},
           amp::kBFloat16);
  const auto gradients = [](Run& run, int step) {
    for (const Tensor& p : run.params)
      p.set_grad(numbers(p.shape(), step, amp::kBFloat16).to(p.dtype()));
  };
  for (int step = 0; step < 5; ++step) {
    gradients(wide, step);
    gradients(kept, step);
    wide.muon.step();
    const amp::AutocastGuard autocast(amp::kCPU);
    kept.muon.step();
  }
  const std::vector<Tensor> masters = kept.muon.master_weights();
  for (std::size_t k = 0; k < masters.size(); ++k) CHECK(same_bits(masters[k], wide.params[k]));
}

TEST_CASE("Muon: the step of an orthogonal matrix is that matrix, of any size", "[optim]") {
  for (const double size : {1e-6, 1.0, 1e6}) {
    const Tensor p = amp::zeros({8, 8}, {.requires_grad = true});
    amp::Muon muon({p}, {.lr = 1,
                         .ns_coefficients = {1.5, -0.5, 0},
                         .ns_steps = 30,
                         .ns_dtype = amp::kFloat32,
                         .maximize = true});
    p.set_grad(amp::eye(8) * size);
    muon.step();
    CHECK(difference(p.to_vector<double>(), amp::eye(8).to_vector<double>()) < 1e-5);
  }
  const Tensor still = amp::ones({3, 2}, {.requires_grad = true}),
               none = amp::zeros({0, 4}, {.requires_grad = true});
  amp::Muon muon({still, none}, {.weight_decay = 0, .zero_grad = true});
  still.set_grad(amp::zeros({3, 2}));
  none.set_grad(amp::zeros({0, 4}));
  muon.step();
  CHECK(still.to_vector<float>() == std::vector<float>(6, 1));
  still.set_grad(amp::ones({3, 2}));
  muon.step();
  CHECK(still.grad().to_vector<float>() == std::vector<float>(6, 0));
}

TEST_CASE("Muon: only matrices, and options that work", "[optim]") {
  const auto matrix = [] { return amp::ones({2, 2}, {.requires_grad = true}); };
  for (const amp::Shape& shape : {amp::Shape{}, amp::Shape{3}, amp::Shape{2, 3, 4}}) {
    const Tensor other = amp::ones(shape, {.requires_grad = true});
    CHECK_THAT(error_of([&] {
                 amp::Muon({matrix(), other});
               }),
               ContainsSubstring("params[1]") && ContainsSubstring("AdamW"));
  }
  const auto refuses = [&](const MuonOptions& options, const char* name) {
    CHECK_THAT(error_of([&] { amp::Muon({matrix()}, options); }), ContainsSubstring(name));
  };
  refuses({.momentum = 1}, "`momentum`");
  refuses({.ns_coefficients = {1, std::nan(""), 1}}, "`ns_coefficients`");
  refuses({.eps = -1}, "`eps`");
  refuses({.ns_steps = 100}, "`ns_steps`");
  refuses({.ns_steps = -1}, "`ns_steps`");
  refuses({.ns_dtype = amp::kFloat64}, "`ns_dtype`");
  refuses({.ns_dtype = amp::kInt64}, "`ns_dtype`");
}

}  // namespace muon
