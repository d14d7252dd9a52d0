// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Saved and loaded optimizers: a resumed run is the uninterrupted one, bit for bit; a damaged state
// changes nothing.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace state_dict {
namespace {

using amp::NamedTensors;
using amp::Tensor;
using amp_test::error_of;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;

template <class Optimizer>
using GroupOf = std::remove_cvref_t<decltype(std::declval<Optimizer&>().param_groups()[0])>;

/// Four parameters in two groups under schedules; the last one's gradient comes late.
template <class Optimizer>
struct Run {
  std::vector<Tensor> params;
  std::unique_ptr<Optimizer> optimizer;

  Run(amp::DType dtype, bool names) {
    for (int k = 0; k < 4; ++k) {
      const Tensor start = amp::arange(3 + k).to(amp::kFloat32) * 0.3 - 0.1 * k;
      params.push_back(start.to(dtype).requires_grad_());
    }
    GroupOf<Optimizer> first{.params = {params[0], params[1]}}, second = first;
    second.params = {params[2], params[3]};
    first.options.lr = 0.1;
    first.options.schedule = amp::cosine_schedule(10, 0.01).after_warmup(2);
    second.options.lr = 0.05;
    second.options.weight_decay = 0.1;
    if constexpr (requires { first.options.momentum; }) first.options.momentum = 0.9;
    if constexpr (requires { first.options.momentum; }) second.options.momentum = 0.5;
    if (names) first.names = {"in.weight", "in.bias"}, second.names = {"out.weight", "out.bias"};
    optimizer = std::make_unique<Optimizer>(std::vector<GroupOf<Optimizer>>{first, second});
  }
  void step(int step) const {
    for (std::size_t k = 0; k < params.size(); ++k) {
      const Tensor& p = params[k];
      const bool idle = (k == 3 && step < 6) || (k == 1 && step % 2 == 1);
      const Tensor g = (p.detach() * 0.3 + std::cos(0.7 * step)).to(p.dtype());
      p.set_grad(idle ? Tensor() : g);
    }
    if (step == 4) optimizer->param_groups()[1].options.lr = 0.2;  // what a state remembers
    optimizer->step();
  }
  /// As a program does that starts again: parameters and optimizer made anew, then loaded.
  void load(const Run& saved, const NamedTensors& state) const {
    const amp::NoGradGuard no_grad;
    for (std::size_t k = 0; k < params.size(); ++k) params[k].copy_(saved.params[k].detach());
    optimizer->load_state_dict(state);
  }
};

bool same(const NamedTensors& a, const NamedTensors& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) {
           return x.first == y.first && same_bits(x.second, y.second);
         });
}
std::vector<std::string> names(const NamedTensors& state) {
  std::vector<std::string> all;
  for (const auto& entry : state) all.push_back(entry.first);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("state_dict: a resumed run equals the uninterrupted one, bit for bit", "[optim]",
                   amp::SGD, amp::Adam, amp::AdamW) {
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16, amp::kFloat64}) {
    for (const bool named : {false, true}) {
      for (const int interruption : {0, 1, 5, 9}) {
        INFO(amp::name(dtype) << (named ? ", named" : "") << ", after step " << interruption);
        const Run<TestType> whole(dtype, named), resumed(dtype, named);
        for (int step = 0; step < 15; ++step) {
          if (step == interruption) resumed.load(whole, whole.optimizer->state_dict());
          whole.step(step);
          if (step >= interruption) resumed.step(step);
        }
        CHECK(same(resumed.optimizer->state_dict(), whole.optimizer->state_dict()));
        for (std::size_t k = 0; k < 4; ++k) CHECK(same_bits(resumed.params[k], whole.params[k]));
        CHECK(resumed.optimizer->applied_steps() == 15);
      }
    }
  }
}

TEST_CASE("state_dict: entries go by name, or by number", "[optim]") {
  const auto numbers = {"lr", "momentum", "weight_decay"};
  const auto sgd_names = [&](const std::vector<std::string>& with_momentum) {
    std::vector<std::string> all{"applied_steps"};
    for (const char* group : {"groups.0.", "groups.1."}) {
      for (const char* number : numbers) all.push_back(std::string(group) + number);
    }
    for (const std::string& p : with_momentum) all.push_back(p + ".momentum");
    std::sort(all.begin(), all.end());
    return all;
  };
  const Run<amp::SGD> numbered(amp::kFloat32, false), named(amp::kFloat32, true);
  CHECK(names(numbered.optimizer->state_dict()) == sgd_names({}));
  numbered.step(0);
  named.step(0);
  CHECK(names(numbered.optimizer->state_dict()) == sgd_names({"0", "1", "2"}));
  CHECK(names(named.optimizer->state_dict()) == sgd_names({"in.weight", "in.bias", "out.weight"}));
}

TEST_CASE("state_dict: those of modules go by the names of their parameters", "[optim]") {
  const amp::nn::Sequential net(amp::nn::Linear(2, 3), amp::nn::Linear(3, 1));
  amp::Adam adam(net.named_parameters());
  amp::sum(net(amp::ones({1, 2}))).backward();
  adam.step();
  const std::vector<std::string> found = names(adam.state_dict());
  for (const char* const name : {"0.weight.exp_avg", "1.bias.exp_avg_sq", "1.weight.step"})
    CHECK(std::find(found.begin(), found.end(), name) != found.end());
}

TEST_CASE("state_dict: a copy, that further steps and its owner do not change", "[optim]") {
  const Run<amp::Adam> run(amp::kFloat32, true);
  run.step(0);
  const NamedTensors state = run.optimizer->state_dict();
  NamedTensors copy;
  for (const auto& [name, tensor] : state) copy.emplace_back(name, tensor.clone());
  run.step(1);
  CHECK(same(state, copy));
  run.optimizer->load_state_dict(state);
  run.step(2);
  CHECK(same(state, copy));
  const NamedTensors now = run.optimizer->state_dict();
  run.optimizer->load_state_dict(state);
  for (const auto& entry : state) entry.second.zero_();
  CHECK(same(run.optimizer->state_dict(), copy));
  CHECK_FALSE(same(now, copy));
}

TEMPLATE_TEST_CASE("state_dict: state of before loading is gone", "[optim]", amp::SGD, amp::Adam) {
  const Run<TestType> fresh(amp::kFloat32, true), used(amp::kFloat32, true);
  const NamedTensors start = fresh.optimizer->state_dict();
  for (int step = 0; step < 8; ++step) used.step(step);
  used.load(fresh, start);
  CHECK(used.optimizer->applied_steps() == 0);
  CHECK(same(used.optimizer->state_dict(), start));
  for (int step = 0; step < 8; ++step) fresh.step(step), used.step(step);
  for (std::size_t k = 0; k < 4; ++k) CHECK(same_bits(used.params[k], fresh.params[k]));
}

TEMPLATE_TEST_CASE("load_state_dict: all or nothing", "[optim]", amp::SGD, amp::Adam, amp::AdamW) {
  const Run<TestType> run(amp::kFloat32, true), other(amp::kFloat32, true);
  for (int step = 0; step < 3; ++step) run.step(step);
  for (int step = 0; step < 8; ++step) other.step(step);
  const NamedTensors before = run.optimizer->state_dict(), good = other.optimizer->state_dict();
  const auto error = [&](auto&& damage) {
    NamedTensors state = good;
    damage(state);
    const std::string text = error_of([&] { run.optimizer->load_state_dict(state); });
    CHECK(same(run.optimizer->state_dict(), before));
    return text;
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    const auto& [name, tensor] = good[i];
    INFO(name);
    const auto says = ContainsSubstring('"' + name + '"');
    CHECK_THAT(error([&](auto& state) { state[i].second = amp::ones({9}); }), says);
    const amp::DType wrong = tensor.dtype() == amp::kFloat16 ? amp::kFloat32 : amp::kFloat16;
    CHECK_THAT(error([&](auto& state) { state[i].second = state[i].second.to(wrong); }), says);
    CHECK_THAT(error([&](auto& state) { state[i].second = Tensor(); }), says);
    CHECK_THAT(error([&](auto& state) { state.push_back(state[i]); }), says);
    CHECK_THAT(error([&](auto& state) { state[i].first += "?"; }), ContainsSubstring(name));
    if (name == "applied_steps" || name.starts_with("groups.")) {
      const auto erase = [&](auto& state) {
        state.erase(state.begin() + static_cast<std::ptrdiff_t>(i));
      };
      CHECK_THAT(error(erase), says && ContainsSubstring("missing"));
    }
  }
  CHECK_THAT(error([](auto& state) { state.emplace_back("in.exp", amp::ones({1})); }),
             ContainsSubstring("\"in.exp\""));
  CHECK_THAT(error([](auto& state) { state.clear(); }), ContainsSubstring("missing"));
  run.optimizer->load_state_dict(good);
  CHECK(same(run.optimizer->state_dict(), good));
}

TEMPLATE_TEST_CASE("load_state_dict: a parameter's moments are all there, or none", "[optim]",
                   amp::Adam, amp::AdamW) {
  const Run<TestType> run(amp::kFloat32, true);
  for (int step = 0; step < 3; ++step) run.step(step);
  const NamedTensors good = run.optimizer->state_dict();
  for (const char* const missing :
       {"in.weight.exp_avg", "in.weight.exp_avg_sq", "in.weight.step"}) {
    INFO(missing);
    NamedTensors state = good;
    std::erase_if(state, [&](const auto& entry) { return entry.first == missing; });
    CHECK_THAT(error_of([&] { run.optimizer->load_state_dict(state); }),
               ContainsSubstring('"' + std::string(missing) + '"'));
    CHECK(same(run.optimizer->state_dict(), good));
  }
}

TEST_CASE("load_state_dict: one error lists what either side lacks, and what differs", "[optim]") {
  const Run<amp::Adam> run(amp::kFloat32, true);
  run.step(0);
  NamedTensors state = run.optimizer->state_dict();
  for (auto& [name, tensor] : state) {
    if (name == "groups.1.lr") name = "groups.2.lr";
    if (name == "in.bias.exp_avg") name = "in.bias.mean";
    if (name == "out.weight.exp_avg_sq") tensor = amp::ones({9}, {.dtype = amp::kFloat64});
  }
  CHECK(error_of([&] { run.optimizer->load_state_dict(state); }) ==
        "load_state_dict: the optimizer needs \"groups.1.lr\", \"in.bias.exp_avg\", missing in "
        "`tensors`; `tensors` has \"groups.2.lr\", \"in.bias.mean\", unknown to the optimizer; "
        "\"out.weight.exp_avg_sq\" is float32[5] in the optimizer, but float64[9] in `tensors`");
}

TEST_CASE("load_state_dict: twenty thousand names, found and listed", "[optim]") {
  // Searched one by one, they would take minutes under sanitizers.
  NamedTensors params;
  for (int i = 0; i < 20000; ++i) {
    params.emplace_back("p" + std::to_string(i), amp::ones({1}, {.requires_grad = true}));
    params.back().second.set_grad(amp::ones({1}));
  }
  amp::SGD sgd(params, {.momentum = 0.9});
  sgd.step();
  NamedTensors state = sgd.state_dict();
  sgd.load_state_dict(state);
  state.erase(state.end() - 3);
  CHECK_NOTHROW(sgd.load_state_dict(state));  // a parameter without state starts anew
  for (int i = 0; i < 20000; ++i) state.emplace_back("q" + std::to_string(i), amp::ones({1}));
  CHECK_THAT(error_of([&] { sgd.load_state_dict(state); }),
             ContainsSubstring("`tensors` has \"q0\"") &&
                 ContainsSubstring("\"q9\" and 19990 more, unknown to the optimizer"));
}

TEST_CASE("load_state_dict: numbers out of range throw and change nothing", "[optim]") {
  const Run<amp::AdamW> run(amp::kFloat32, true);
  run.step(0);
  const NamedTensors good = run.optimizer->state_dict();
  const std::pair<const char*, double> all[] = {
      {"groups.0.lr", -1},           {"groups.1.lr", std::nan("")}, {"groups.0.beta1", 1},
      {"groups.1.weight_decay", -1}, {"applied_steps", -1},         {"in.bias.step", -1}};
  for (const auto& [name, value] : all) {
    INFO(name);
    NamedTensors state;
    for (const auto& [entry, tensor] : good) {
      state.emplace_back(entry, tensor.clone());
      if (entry == name) state.back().second.fill_(value);
    }
    CHECK_THAT(error_of([&, &said = state] { run.optimizer->load_state_dict(said); }),
               ContainsSubstring(std::string(name).substr(std::string(name).rfind('.') + 1)));
    CHECK(same(run.optimizer->state_dict(), good));
  }
}

TEST_CASE("load_state_dict: another optimizer's state, or another number of groups', throws",
          "[optim]") {
  const Run<amp::Adam> adam(amp::kFloat32, true);
  const Run<amp::SGD> sgd(amp::kFloat32, true);
  adam.step(0);
  sgd.step(0);
  CHECK_THROWS_AS(sgd.optimizer->load_state_dict(adam.optimizer->state_dict()), amp::Error);
  CHECK_THROWS_AS(adam.optimizer->load_state_dict(sgd.optimizer->state_dict()), amp::Error);
  amp::SGD one(sgd.params);
  CHECK_THROWS_AS(one.load_state_dict(sgd.optimizer->state_dict()), amp::Error);
  CHECK_THROWS_AS(sgd.optimizer->load_state_dict(one.state_dict()), amp::Error);
}

TEST_CASE("state_dict: no name of a parameter hides a group's number", "[optim]") {
  const Tensor p = amp::ones({1}, {.requires_grad = true});
  p.set_grad(amp::ones({1}));
  std::string text;
  try {
    amp::SGD sgd(NamedTensors{{"groups.0", p}}, {.momentum = 0.9});
    sgd.step();
    text = error_of([&] { sgd.load_state_dict(sgd.state_dict()); });
  } catch (const amp::Error&) {
    SUCCEED("the name is refused");
  }
  CHECK(text.empty());
}

}  // namespace state_dict
