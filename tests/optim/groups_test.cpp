// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Parameter groups: each with its own options, added all or not at all.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace groups {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Tensor parameter(double value = 1) { return amp::full({2}, value, {.requires_grad = true}); }

template <class Optimizer>
using GroupOf = std::remove_cvref_t<decltype(std::declval<Optimizer&>().param_groups()[0])>;

template <class Optimizer>
concept NamesItsGroup = std::is_same_v<typename Optimizer::Group, GroupOf<Optimizer>>;

}  // namespace

TEST_CASE("groups: the type of a group has a name in every optimizer", "[optim]") {
  CHECK(NamesItsGroup<amp::SGD>);
  CHECK(NamesItsGroup<amp::Adam>);
  CHECK(NamesItsGroup<amp::AdamW>);
}

TEMPLATE_TEST_CASE("groups: one is trained with its own options", "[optim]", amp::SGD, amp::Adam,
                   amp::AdamW) {
  const Tensor p[] = {parameter(), parameter(), parameter(), parameter()};
  TestType optimizer({{.params = {p[0], p[1]}, .options = {.lr = 0.5}},
                      {.params = {p[2]}, .options = {.lr = 0}},
                      {.params = {p[3]}, .options = {.lr = 0.25}}});
  for (const Tensor& t : p) t.set_grad(amp::ones({2}));
  optimizer.step();
  CHECK(p[0].to_vector<float>()[0] == Approx(0.5).margin(0.01));
  CHECK(p[1].to_vector<float>() == p[0].to_vector<float>());
  CHECK(p[2].to_vector<float>() == std::vector<float>(2, 1));
  CHECK(p[3].to_vector<float>()[0] == Approx(0.75).margin(0.01));
  CHECK(optimizer.parameters().size() == 4);
  CHECK(optimizer.parameters()[2].is_same(p[2]));
  CHECK(optimizer.param_groups().size() == 3);
  CHECK(std::as_const(optimizer).param_groups()[2].options.lr == 0.25);
  CHECK(optimizer.param_groups()[1].params[0].is_same(p[2]));
}

TEST_CASE("groups: options of any group may be changed between steps", "[optim]") {
  const Tensor a = parameter(), b = parameter();
  amp::SGD sgd({{.params = {a}, .options = {.lr = 1}}, {.params = {b}, .options = {.lr = 1}}});
  a.set_grad(amp::ones({2}));
  b.set_grad(amp::ones({2}));
  sgd.param_groups()[1].options.lr = 0.25;
  sgd.step();
  CHECK(a.to_vector<float>()[0] == 0);
  CHECK(b.to_vector<float>()[0] == 0.75F);
  sgd.param_groups()[1].options.weight_decay = 1;
  sgd.step();
  CHECK(a.to_vector<float>()[0] == -1);
  CHECK(b.to_vector<float>()[0] == 0.75F - 0.25F * 1.75F);
}

TEST_CASE("groups: options replaced as a whole keep their defaults", "[optim]") {
  const Tensor p = parameter(), q = parameter();
  amp::Adam adam({p}, {.lr = 1, .weight_decay = 0.5});
  amp::AdamW adamw({q}, {.lr = 1});
  adam.options() = {.lr = 0.5};
  adamw.options() = {.lr = 0.5};
  for (const Tensor& t : {p, q}) t.set_grad(amp::zeros({2}));
  adam.step();
  adamw.step();
  CHECK(p.to_vector<float>()[0] == 1);  // no decay by default
  CHECK(q.to_vector<float>()[0] == Approx(1 - 0.5 * 0.01));
}

TEMPLATE_TEST_CASE("groups: one may be added while training", "[optim]", amp::SGD, amp::Adam,
                   amp::AdamW) {
  const Tensor a = parameter(), b = parameter(), c = parameter();
  TestType optimizer({a}, {.lr = 0.125});
  a.set_grad(amp::ones({2}));
  for (int i = 0; i < 3; ++i) optimizer.step();
  const std::vector<float> a_then = a.to_vector<float>();
  optimizer.add_param_group({.params = {b, c}, .options = {.lr = 0.5}, .names = {"b", "c"}});
  CHECK(optimizer.parameters().size() == 3);
  CHECK(optimizer.param_groups().size() == 2);
  a.set_grad(Tensor());
  b.set_grad(amp::ones({2}));
  optimizer.step();
  CHECK(a.to_vector<float>() == a_then);
  CHECK(b.to_vector<float>()[0] == Approx(0.5).margin(0.01));  // a first step, not a fourth
  CHECK(c.to_vector<float>() == std::vector<float>(2, 1));
  CHECK(optimizer.applied_steps() == 4);
  CHECK_NOTHROW(optimizer.load_state_dict(optimizer.state_dict()));
}

TEMPLATE_TEST_CASE("groups: named parameters keep their names", "[optim]", amp::SGD, amp::Adam,
                   amp::AdamW, amp::Lion, amp::LAMB) {
  const amp::nn::Sequential net{amp::nn::Linear(2, 3), amp::nn::Linear(3, 1)};
  amp::NamedTensors decayed, others;
  for (const auto& entry : net.named_parameters())
    (entry.first.ends_with("weight") ? decayed : others).push_back(entry);
  TestType optimizer({{.params = decayed, .options = {.weight_decay = 0.1}}, {.params = others}});
  const std::vector<std::string> names = {"0.weight", "1.weight", "0.bias", "1.bias"};
  CHECK(optimizer.parameter_names() == names);
  CHECK(optimizer.param_groups()[1].names == std::vector<std::string>{"0.bias", "1.bias"});
  amp::sum(net(amp::ones({1, 2}))).backward();
  CHECK(optimizer.gradients()[1].name == "1.weight");
  optimizer.step();
  bool saved = false;
  for (const auto& entry : optimizer.state_dict()) saved |= entry.first.starts_with("1.bias.");
  CHECK(saved == !std::is_same_v<TestType, amp::SGD>);  // which has no state without momentum

  optimizer.add_param_group({.params = {parameter()}});
  CHECK(optimizer.parameter_names().back() == "4");
  CHECK_THAT(error_of([&] {
               optimizer.add_param_group({.params = amp::NamedTensors{{"0.bias", parameter()}}});
             }),
             ContainsSubstring("\"0.bias\"") && ContainsSubstring("named_parameters()"));
  amp::GradScaler().scale(amp::sum(net(amp::ones({1, 2})))).backward();
  CHECK_THAT(error_of([&] { optimizer.step(); }), ContainsSubstring("\"0.weight\""));
}

TEMPLATE_TEST_CASE("groups: one that cannot work throws and adds nothing", "[optim]", amp::SGD,
                   amp::Adam, amp::AdamW) {
  using Group = GroupOf<TestType>;
  const Tensor a = parameter(), b = parameter(), c = parameter();
  TestType optimizer(std::vector<Group>{{.params = {a}, .options = {.lr = 0.125}, .names = {"a"}}});
  const auto refused = [&](Group group, const std::string& says) {
    INFO(says);
    CHECK_THAT(error_of([&] { optimizer.add_param_group(std::move(group)); }),
               ContainsSubstring(says));
    CHECK(optimizer.param_groups().size() == 1);
    CHECK(optimizer.parameters().size() == 1);
  };
  refused({}, "empty");
  refused({.params = {b}, .options = {.lr = -1}}, "lr");
  refused({.params = {b}, .options = {.schedule = amp::step_schedule(0)}}, "schedule");
  refused({.params = {b, c}, .names = {"b"}}, "names");
  refused({.params = {a}}, "again");
  refused({.params = {b, a}}, "again");
  refused({.params = {b, b}}, "again");
  refused({.params = {b, c}, .names = {"b", "a"}}, "\"a\"");
  refused({.params = {b, amp::ones({2})}}, "requires gradients");
  refused({.params = {b, Tensor()}}, "undefined");
  refused({.params = {b, amp::ones({2, 3}).t().requires_grad_()}}, "contiguous");
  CHECK(optimizer.state_dict().size() == TestType({parameter()}).state_dict().size());
  CHECK_NOTHROW(optimizer.add_param_group({.params = {b, c}, .names = {"b", "c"}}));
  for (const Tensor& t : {a, b, c}) t.set_grad(amp::ones({2}));
  optimizer.step();
  for (const Tensor& t : {a, b, c}) CHECK(t.to_vector<float>()[0] < 1);
}

TEMPLATE_TEST_CASE("groups: a parameter in two groups throws and names both places", "[optim]",
                   amp::SGD, amp::Adam, amp::AdamW) {
  const Tensor a = parameter(), b = parameter();
  CHECK_THAT(error_of([&] {
               TestType({{.params = {a, b}}, {.params = {b}}});
             }),
             ContainsSubstring("params[2] is params[1] again"));
}

TEST_CASE("groups: options out of range name themselves, in every group", "[optim]") {
  const double nan = std::nan(""), infinity = HUGE_VAL;
  const Tensor a = parameter(), b = parameter();
  const auto sgd = [&](const amp::SGDOptions& options) {
    return error_of([&] { amp::SGD({{.params = {a}}, {.params = {b}, .options = options}}); });
  };
  const auto adam = [&](const amp::AdamOptions& options) {
    return error_of([&] { amp::Adam({{.params = {a}}, {.params = {b}, .options = options}}); });
  };
  for (const double bad : {-0.1, nan, infinity}) {
    INFO(bad);
    CHECK_THAT(sgd({.lr = bad}), ContainsSubstring("`lr`"));
    CHECK_THAT(sgd({.momentum = bad}), ContainsSubstring("`momentum`"));
    CHECK_THAT(sgd({.weight_decay = bad}), ContainsSubstring("`weight_decay`"));
    CHECK_THAT(adam({.lr = bad}), ContainsSubstring("`lr`"));
    CHECK_THAT(adam({.beta1 = bad}), ContainsSubstring("`beta1`"));
    CHECK_THAT(adam({.beta2 = bad}), ContainsSubstring("`beta2`"));
    CHECK_THAT(adam({.eps = bad}), ContainsSubstring("`eps`"));
    CHECK_THAT(adam({.weight_decay = bad}), ContainsSubstring("`weight_decay`"));
  }
  CHECK_THAT(sgd({.nesterov = true}), ContainsSubstring("`nesterov`"));
  CHECK_THAT(adam({.beta1 = 1}), ContainsSubstring("`beta1`"));
  CHECK_THAT(adam({.beta2 = 1}), ContainsSubstring("`beta2`"));
}

TEST_CASE("groups: none, or an empty one, throws", "[optim]") {
  using SgdGroups = std::vector<GroupOf<amp::SGD>>;
  CHECK_THAT(error_of([] { amp::SGD(SgdGroups{}); }), ContainsSubstring("empty"));
  CHECK_THAT(error_of([] {
               amp::SGD(SgdGroups{{.params = {parameter()}}, {}});
             }),
             ContainsSubstring("empty"));
}

TEMPLATE_TEST_CASE("optimizer: a parameter converted after its first step is refused", "[optim]",
                   amp::SGD, amp::Adam, amp::AdamW) {
  using Group = GroupOf<TestType>;
  for (const amp::DType dtype : {amp::kFloat64, amp::kBFloat16}) {
    INFO(amp::name(dtype));
    const Tensor p = parameter();
    Group group{.params = {p}};
    if constexpr (requires { group.options.momentum; }) group.options.momentum = 0.9;
    TestType optimizer(std::vector<Group>{group});
    p.set_grad(amp::ones({2}));
    optimizer.step();
    p.set_data(p.detach().to(dtype));
    p.set_grad(amp::ones({2}, {.dtype = dtype}));
    const std::vector<float> before = p.to_vector<float>();
    CHECK_THAT(error_of([&] { optimizer.step(); }), ContainsSubstring(amp::to_string(dtype)));
    CHECK(p.to_vector<float>() == before);
  }
}

TEMPLATE_TEST_CASE("optimizer: a parameter that was given other data is trained or refused",
                   "[optim]", amp::SGD, amp::Adam) {
  const Tensor p = amp::zeros({2, 2}, {.requires_grad = true});
  TestType optimizer({p}, {.lr = 1});
  p.set_data(amp::zeros({2, 2}).t());
  p.set_grad(amp::tensor({1.0F, 1.0F, 0.0F, 0.0F}, {2, 2}));
  if (error_of([&] { optimizer.step(); }).empty()) {
    CHECK(p.to_vector<float>()[0] == Approx(-1));
    CHECK(p.to_vector<float>()[1] == Approx(-1));
    CHECK(p.to_vector<float>()[2] == 0);
  } else {
    CHECK(p.to_vector<float>() == std::vector<float>(4, 0));
  }
}

TEMPLATE_TEST_CASE("optimizer: a parameter frozen and then converted is passed over or refused",
                   "[optim]", amp::SGD, amp::Adam) {
  const Tensor p = parameter(), frozen = parameter();
  TestType optimizer({p, frozen}, {.lr = 0.5});
  frozen.requires_grad_(false).set_data(amp::ones({2}, {.dtype = amp::kFloat64}));
  p.set_grad(amp::ones({2}));
  (void)error_of([&] { optimizer.step(); });  // no other exception, no crash
  CHECK(frozen.to_vector<float>() == std::vector<float>(2, 1));
}

}  // namespace groups
