// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adafactor: 200 steps of parameters of several shapes against torch's; skips, scaled gradients,
// storages, resumed runs, autocast around it, its states, and what is refused.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace adafactor {
namespace {

using amp::AdafactorOptions;
using amp::Tensor;
using amp_test::difference;
using amp_test::error_of;
using amp_test::numbers;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

// As in goldens/make_adafactor.py.
const amp::Shape kShapes[] = {{3, 5}, {4}, {2, 3, 2}, {}, {1, 3}};
constexpr int kSteps = 200;
const std::set<int> kRecorded = {1, 2, 3, 10, 50, 200};

std::map<std::string_view, AdafactorOptions> runs() {
  return {{"default", {}},
          {"decayed", {.lr = 0.3, .beta2_decay = -0.5, .d = 1.5, .weight_decay = 0.02}},
          {"floors", {.lr = 0.01, .eps1 = 0.5, .eps2 = 2, .maximize = true}}};
}

struct Run {
  std::vector<Tensor> params;
  amp::Adafactor adafactor;

  static std::vector<Tensor> leaves(amp::DType dtype) {
    std::vector<Tensor> all;
    for (const amp::Shape& shape : kShapes)
      all.push_back(numbers(shape, static_cast<std::int64_t>(all.size()), dtype).requires_grad_());
    return all;
  }
  Run(const AdafactorOptions& options, amp::DType dtype)
      : params(leaves(dtype)), adafactor(params, options) {}
  void step(int step, bool skips = false, float scale = 1) {
    for (std::size_t k = 0; k < params.size(); ++k) {
      const Tensor& p = params[k];
      const auto salt = 10 + std::ssize(params) * step + static_cast<std::int64_t>(k);
      p.set_grad((p.detach() * 0.25 + numbers(p.shape(), salt, p.dtype())) * scale);
      if (skips && k == 0) p.grad()[0] = HUGE_VAL;
    }
    const float found = skips ? 1 : 0, inverse = 1 / scale;
    adafactor.step({.inverse = &inverse, .found_inf = &found});
  }
  Values weights() const {
    Values all;
    for (const Tensor& p : params)
      for (const double w : p.to_vector<double>()) all.push_back(w);
    return all;
  }
};
Values train(const AdafactorOptions& options, amp::DType dtype) {
  Run run(options, dtype);
  Values all;
  for (int step = 0; step < kSteps; ++step) {
    if (step % 6 == 1) run.step(100, true);
    run.step(step, false, step % 2 == 0 ? 1.0F : 64.0F);
    if (!kRecorded.contains(step + 1)) continue;
    for (const double w : run.weights()) all.push_back(w);
  }
  CHECK(run.adafactor.applied_steps() == kSteps);
  return all;
}

}  // namespace

TEST_CASE("Adafactor: 200 steps of several shapes are torch's", "[optim]") {
  for (const goldens::Block& golden : goldens::read_blocks("adafactor.txt")) {
    INFO(golden.title);
    AdafactorOptions options = runs().at(golden.title);
    CHECK(difference(train(options, amp::kFloat64), golden["weights"].values) < 1e-12);
    CHECK(difference(train(options, amp::kFloat32), golden["weights"].values) < 2e-5);
  }
}

TEST_CASE("Adafactor: a skipped step changes nothing, a resumed run goes on, bit for bit",
          "[optim]") {
  using enum amp::WeightStorage;
  for (const auto storage : {kParameter, kMaster, kRemainder, kStochastic, kKahan}) {
    for (const amp::DType moments : {amp::kFloat32, amp::kBFloat16}) {
      INFO(amp::name(storage) << " " << amp::name(moments));
      const AdafactorOptions options{
          .lr = 0.1, .schedule = amp::cosine_schedule(9), .storage = storage, .moments = moments};
      Run whole(options, amp::kBFloat16), resumed(options, amp::kBFloat16);
      for (int step = 0; step < 6; ++step) {
        whole.step(step);
        const auto weights = whole.weights();
        const amp::NamedTensors state = whole.adafactor.state_dict();
        whole.step(50, true);
        CHECK(whole.weights() == weights);
        const amp::NamedTensors after = whole.adafactor.state_dict();
        REQUIRE(state.size() == after.size());
        for (std::size_t i = 0; i < state.size(); ++i)
          CHECK(same_bits(state[i].second, after[i].second));
        if (step > 3) resumed.step(step);
        if (step != 3) continue;
        resumed.adafactor.load_state_dict(whole.adafactor.state_dict());
        const amp::NoGradGuard no_grad;
        for (std::size_t k = 0; k < whole.params.size(); ++k)
          resumed.params[k].copy_(whole.params[k]);
      }
      CHECK(whole.weights() == resumed.weights());
    }
  }
}

TEST_CASE("Adafactor: masters are what a float32 run has, whatever autocast is around it",
          "[optim]") {
  for (const auto storage : {amp::WeightStorage::kMaster, amp::WeightStorage::kRemainder}) {
    Run wide({.lr = 0.1}, amp::kFloat32);
    Run kept({.lr = 0.1, .storage = storage}, amp::kBFloat16);
    const auto gradients = [](Run& run, int step) {
      for (const Tensor& p : run.params)
        p.set_grad(numbers(p.shape(), step, amp::kBFloat16).to(p.dtype()));
    };
    for (int step = 0; step < 5; ++step) {
      gradients(wide, step);
      gradients(kept, step);
      wide.adafactor.step();
      const amp::AutocastGuard autocast(amp::kCPU);
      kept.adafactor.step();
    }
    const std::vector<Tensor> masters = kept.adafactor.master_weights();
    for (std::size_t k = 0; k < masters.size(); ++k) CHECK(same_bits(masters[k], wide.params[k]));
  }
}

TEST_CASE("Adafactor: eps1 is that of the dtype that holds the weights", "[optim]") {
  const auto stepped = [](amp::DType dtype, double gradient, amp::WeightStorage storage) {
    const Tensor p = amp::ones({4}, {.dtype = dtype, .requires_grad = true});
    amp::Adafactor adafactor({p}, {.lr = 0.5, .storage = storage});
    p.set_grad(amp::full({4}, gradient, {.dtype = dtype}));
    adafactor.step();
    return p.to_vector<double>()[3];
  };
  using enum amp::WeightStorage;
  CHECK(stepped(amp::kFloat64, 0x1p-54, kParameter) == 0.875);
  CHECK(stepped(amp::kFloat32, 0x1p-25, kMaster) == 0.875);
  CHECK(stepped(amp::kFloat16, 0x1p-12, kParameter) == 0.875);
  CHECK(stepped(amp::kFloat16, 0x1p-12, kMaster) == 0.5);
  CHECK(stepped(amp::kBFloat16, 0x1p-9, kParameter) == 0.875);
  CHECK(stepped(amp::kBFloat16, 0x1p-25, kRemainder) == 0.875);
}

TEST_CASE("Adafactor: its states have torch's names and shapes", "[optim]") {
  Run run({}, amp::kFloat32);
  run.step(0);
  std::map<std::string, amp::Shape> shapes;
  const amp::NamedTensors state = run.adafactor.state_dict();
  for (const auto& [name, tensor] : state)
    if (name.find("var") != std::string::npos) shapes.emplace(name, tensor.shape());
  CHECK(shapes == std::map<std::string, amp::Shape>{{"0.row_var", {3, 1}},
                                                    {"0.col_var", {1, 5}},
                                                    {"1.variance", {4}},
                                                    {"2.row_var", {2, 3, 1}},
                                                    {"2.col_var", {2, 1, 2}},
                                                    {"3.variance", {}},
                                                    {"4.row_var", {1, 1}},
                                                    {"4.col_var", {1, 3}}});
  const auto refuses = [&](const std::string& renamed, const std::string& to) {
    amp::NamedTensors other = state;
    for (auto& [name, tensor] : other)
      if (name == renamed) name = to;
    Run another({}, amp::kFloat32);
    CHECK_THAT(error_of([&] { another.adafactor.load_state_dict(other); }),
               ContainsSubstring(renamed) && ContainsSubstring(to));
  };
  refuses("0.col_var", "0.variance");
  refuses("1.variance", "1.row_var");
}

TEST_CASE("Adafactor: groups, clipping, gradients set to 0, and parameters without elements",
          "[optim]") {
  const auto matrix = [] { return numbers({40, 30}, 1, amp::kFloat32).requires_grad_(); };
  const Tensor a = matrix(), b = matrix(), none = amp::zeros({0, 4}, {.requires_grad = true});
  amp::Adafactor both({{.params = {none, a}, .options = {.lr = 0.1, .zero_grad = true}},
                       {.params = {b}, .options = {.lr = 0.1, .weight_decay = 0.5}}});
  const Tensor alone = matrix();
  amp::Adafactor one({alone}, {.lr = 0.1});
  for (int step = 0; step < 3; ++step) {
    const Tensor gradient = numbers({40, 30}, 5 + step, amp::kFloat32);
    for (const Tensor& p : {a, b}) p.set_grad(gradient * 8);
    none.set_grad(amp::zeros({0, 4}));
    alone.set_grad(gradient);
    const float eighth = 0.125;
    both.step({.clip = &eighth});
    one.step();
  }
  CHECK(same_bits(a, alone));
  CHECK_FALSE(same_bits(b, alone));
  CHECK(a.grad().abs().amax().item() == 0);
  CHECK(b.grad().abs().amax().item() > 0);
}

TEST_CASE("Adafactor: options that cannot work are refused by name", "[optim]") {
  const Tensor p = amp::ones({2, 2}, {.requires_grad = true});
  const auto refuses = [&](const AdafactorOptions& options, const char* name) {
    CHECK_THAT(error_of([&] { amp::Adafactor({p}, options); }), ContainsSubstring(name));
  };
  refuses({.lr = -1}, "`lr`");
  refuses({.beta2_decay = 0.1}, "`beta2_decay`");
  refuses({.beta2_decay = std::nan("")}, "`beta2_decay`");
  refuses({.eps1 = -1e-3}, "`eps1`");
  refuses({.eps2 = -1}, "`eps2`");
  refuses({.d = 0.5}, "`d`");
  refuses({.weight_decay = -1}, "`weight_decay`");
}

}  // namespace adafactor
