// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Hooks on tensors, as torch.Tensor.register_hook has them.
#include <amp/amp.hpp>

#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace hooks {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<float>;

namespace {

Tensor leaf(const Values& values) {
  return amp::tensor(values, {static_cast<std::int64_t>(values.size())}, {.requires_grad = true});
}
Values values(const Tensor& tensor) { return tensor.to(amp::kFloat32).to_vector<float>(); }
Values gradient(const Tensor& tensor) { return values(tensor.grad()); }

template <class F>
std::string refusal(F&& f) {
  return error_of([&] { return f(), 0; });
}

}  // namespace

TEST_CASE("hooks: those of a leaf see its gradient and may replace it", "[autograd]") {
  const Tensor x = leaf({1, 2});
  Values seen;
  x.register_hook([&](const Tensor& g) {
    seen = values(g);
    return g * 10;
  });
  amp::sum(x * x).backward();
  CHECK(seen == Values{2, 4});
  CHECK(gradient(x) == Values{20, 40});
}

TEST_CASE("hooks: those of an intermediate tensor change what lies before it", "[autograd]") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  y.register_hook([](const Tensor& g) { return -g; });
  amp::sum(y * y).backward();
  CHECK(gradient(x) == Values{-18, -36});
}

TEST_CASE("hooks: that of a loss sees a gradient of one", "[autograd]") {
  const Tensor x = leaf({3});
  const Tensor loss = amp::sum(x);
  loss.register_hook([](const Tensor& g) { return g + 1; });
  loss.backward();
  CHECK(gradient(x) == Values{2});
}

TEST_CASE("hooks: several run in order, each on what the one before returned", "[autograd]") {
  const Tensor x = leaf({1});
  std::vector<std::string> order;
  x.register_hook([&](const Tensor& g) {
    order.push_back("first");
    return g + 1;
  });
  x.register_hook([&](const Tensor& g) {  // void: keeps the gradient
    order.push_back("second " + std::to_string(g.item<float>()).substr(0, 1));
  });
  x.register_hook([&](const Tensor&) {
    order.push_back("third");
    return Tensor();  // undefined: keeps it, too
  });
  x.register_hook([&](const Tensor& g) { return g * 5; });
  amp::sum(x * 2).backward();
  CHECK(order == std::vector<std::string>{"first", "second 3", "third"});
  CHECK(gradient(x) == Values{15});
}

TEST_CASE("hooks: where paths join, the sum comes once", "[autograd]") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  std::vector<Values> seen;
  y.register_hook([&](const Tensor& g) { seen.push_back(values(g)); });
  amp::sum(y * 3 + y * y).backward();
  CHECK(seen == std::vector<Values>{{3 + 4, 3 + 8}});
  CHECK(gradient(x) == Values{14, 22});
}

TEST_CASE("hooks: each pass calls them, and one keeps what it counts", "[autograd]") {
  const Tensor x = leaf({1});
  x.register_hook([calls = 0](const Tensor& g) mutable { return g * ++calls; });
  amp::sum(x).backward();
  CHECK(gradient(x) == Values{1});
  amp::sum(x).backward();
  CHECK(gradient(x) == Values{1 + 2});
}

TEST_CASE("hooks: a removed one is not called again, nor are others touched", "[autograd]") {
  const Tensor x = leaf({1});
  int first = 0, second = 0;
  amp::HookHandle handle = x.register_hook([&](const Tensor&) { ++first; });
  {
    const amp::HookHandle dropped = x.register_hook([&](const Tensor&) { ++second; });
  }
  amp::sum(x).backward();
  handle.remove();
  handle.remove();
  amp::HookHandle().remove();
  amp::sum(x).backward();
  CHECK(first == 1);
  CHECK(second == 2);
}

TEST_CASE("hooks: one may remove itself, and others", "[autograd]") {
  const Tensor x = leaf({1});
  int once = 0, later = 0;
  amp::HookHandle own, other;
  own = x.register_hook([&](const Tensor&) {
    ++once;
    own.remove();
    other.remove();
  });
  other = x.register_hook([&](const Tensor&) { ++later; });
  amp::sum(x).backward();
  CHECK(later == 1);  // as in torch: this pass had begun with it
  amp::sum(x).backward();
  CHECK(once == 1);
  CHECK(later == 1);
  CHECK(gradient(x) == Values{2});
}

TEST_CASE("hooks: the handle outlives the tensor", "[autograd]") {
  amp::HookHandle handle;
  {
    const Tensor x = leaf({1});
    handle = x.register_hook([](const Tensor&) {});
  }
  handle.remove();
  SUCCEED();
}

TEST_CASE("hooks: one added in backward runs if its tensor is still to come", "[autograd]") {
  const Tensor x = leaf({1});
  const Tensor y = x * 2;
  int on_leaf = 0, on_same = 0;
  y.register_hook([&](const Tensor&) {
    x.register_hook([&](const Tensor&) { ++on_leaf; });
    y.register_hook([&](const Tensor&) { ++on_same; });
  });
  amp::sum(y).backward();
  CHECK(on_leaf == 1);
  CHECK(on_same == 0);
}

TEST_CASE("hooks: one that throws leaves all leaves as they were", "[autograd]") {
  const Tensor a = leaf({1}), b = leaf({2});
  amp::sum(a * b).backward();
  bool armed = true;
  a.register_hook([&](const Tensor& g) {
    if (armed) throw amp::Error("the hook's own error");
    return g;
  });
  const Tensor loss = amp::sum(a * b);
  CHECK(refusal([&] { loss.backward(); }) == "the hook's own error");
  CHECK(gradient(a) == Values{2});
  CHECK(gradient(b) == Values{1});
  CHECK(amp::is_grad_enabled());
  armed = false;
  amp::sum(a * b).backward();
  CHECK(gradient(a) == Values{4});
  CHECK(gradient(b) == Values{2});
}

TEST_CASE("hooks: what cannot take the gradient's place is refused", "[autograd]") {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  Tensor bad;
  x.register_hook([&](const Tensor&) { return bad; });
  const auto error = [&] { return refusal([&] { amp::sum(x * y).backward(); }); };
  bad = amp::ones({3});
  CHECK_THAT(error(), ContainsSubstring("register_hook: a hook returned") &&
                          ContainsSubstring("[3]") && ContainsSubstring("[2]"));
  bad = amp::ones({2, 1});
  CHECK_THAT(error(), ContainsSubstring("a hook returned"));
  bad = amp::ones({2}).to(amp::kInt64);
  CHECK_THAT(error(), ContainsSubstring("int64"));
  bad = amp::gt(x.detach(), 1.5);
  CHECK_THAT(error(), ContainsSubstring("bool"));
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE("hooks: another floating-point dtype is converted to the gradient's", "[autograd]") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.to(amp::kFloat16);
  std::vector<amp::DType> seen;
  const Tensor z = y * 2;
  z.register_hook([&](const Tensor& g) {
    seen.push_back(g.dtype());
    return g.to(amp::kFloat64) * 3;
  });
  z.register_hook([&](const Tensor& g) { seen.push_back(g.dtype()); });
  amp::sum(z).backward();
  CHECK(seen == std::vector<amp::DType>{amp::kFloat16, amp::kFloat16});
  CHECK(x.grad().dtype() == amp::kFloat32);
  CHECK(gradient(x) == Values{6, 6});
}

TEST_CASE("hooks: what a hook keeps, or returns, is not written to later", "[autograd]") {
  const Tensor x = leaf({1, 2}), constant = amp::ones({2}) * 7;
  Tensor kept;
  x.register_hook([&](const Tensor& g) { kept = g; });
  amp::sum(x * 2).backward();
  const Tensor first = kept;
  amp::sum(x * 2).backward();
  CHECK(values(first) == Values{2, 2});
  x.grad().zero_();
  CHECK(values(kept) == Values{2, 2});

  const Tensor y = leaf({1, 2});
  y.register_hook([&](const Tensor&) { return constant; });
  amp::sum(y).backward();
  amp::sum(y).backward();
  CHECK(values(constant) == Values{7, 7});
  CHECK(gradient(y) == Values{14, 14});
}

TEST_CASE("hooks: a leaf that one returns becomes no part of the gradient", "[autograd]") {
  const Tensor x = leaf({1, 2});
  x.register_hook([&](const Tensor&) { return amp::ones({2}, {.requires_grad = true}); });
  amp::sum(x * 2).backward();
  CHECK(gradient(x) == Values{1, 1});
  CHECK_FALSE(x.grad().requires_grad());
}

TEST_CASE("hooks: refused on what has no gradient", "[autograd]") {
  const auto hook = [](const Tensor&) {};
  CHECK_THAT(refusal([&] { Tensor().register_hook(hook); }),
             ContainsSubstring("register_hook") && ContainsSubstring("undefined"));
  CHECK_THAT(refusal([&] { amp::ones({2}).register_hook(hook); }),
             ContainsSubstring("requires no gradient"));
  CHECK_THAT(refusal([&] { leaf({1}).detach().register_hook(hook); }),
             ContainsSubstring("requires no gradient"));
  const Tensor off = leaf({1});
  off.requires_grad_(false);
  CHECK_THAT(refusal([&] { off.register_hook(hook); }), ContainsSubstring("requires no gradient"));
  const Tensor x = leaf({1});
  CHECK_THAT(refusal([&] { x.register_hook(std::function<void(const Tensor&)>()); }),
             ContainsSubstring("`hook` is empty"));
  Tensor (*const none)(const Tensor&) = nullptr;
  CHECK_THAT(refusal([&] { x.register_hook(none); }), ContainsSubstring("`hook` is empty"));
  amp::sum(x).backward();
  CHECK(gradient(x) == Values{1});
}

TEST_CASE("hooks: functions, pointers and std::function are hooks", "[autograd]") {
  const Tensor x = leaf({1});
  Tensor (*const twice)(const Tensor&) = [](const Tensor& g) { return g * 2; };
  x.register_hook(twice);
  x.register_hook(std::function<Tensor(const Tensor&)>(twice));
  x.register_hook(+[](const Tensor&) {});
  amp::sum(x).backward();
  CHECK(gradient(x) == Values{4});
}

TEST_CASE("hooks: inside, autocast is off and no history is recorded", "[autograd]") {
  const Tensor x = leaf({1, 2});
  bool autocast = true, grad = true, history = true;
  amp::DType product = amp::kFloat64;
  x.register_hook([&](const Tensor& g) {
    autocast = amp::is_autocast_enabled(amp::kCPU);
    grad = amp::is_grad_enabled();
    const Tensor square = amp::matmul(amp::ones({2, 2}), amp::ones({2, 2}));
    product = square.dtype();
    history = (g * x).requires_grad();
    return g * x;
  });
  const amp::AutocastGuard scope(amp::kCPU);
  amp::sum(x * x).backward();
  CHECK_FALSE(autocast);
  CHECK_FALSE(grad);
  CHECK(product == amp::kFloat32);
  CHECK_FALSE(history);
  CHECK(gradient(x) == Values{2, 8});
  CHECK(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("hooks: one may enter the state of the forward pass", "[autograd]") {
  const Tensor x = leaf({1, 2});
  amp::DType inside = amp::kFloat64, after = amp::kFloat64;
  {
    const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
    x.register_hook(amp::autocast(amp::autocast_state(), [&](const Tensor&) {
      inside = amp::matmul(amp::ones({2, 2}), amp::ones({2, 2})).dtype();
    }));
    x.register_hook([&](const Tensor&) {
      after = amp::matmul(amp::ones({2, 2}), amp::ones({2, 2})).dtype();
    });
  }
  amp::sum(x * x).backward();
  CHECK(inside == amp::kFloat16);
  CHECK(after == amp::kFloat32);
  CHECK(gradient(x) == Values{2, 4});
}

TEST_CASE("hooks: the gradient of a scaled loss carries the scale", "[autograd]") {
  const Tensor x = leaf({1, 2});
  amp::GradScaler scaler({.init_scale = 8});
  amp::SGD sgd({x}, {.lr = 1});
  Values seen;
  x.register_hook([&](const Tensor& g) {
    seen = values(g);
    return g * 2;
  });
  scaler.scale(amp::sum(x * 3)).backward();
  CHECK(seen == Values{24, 24});
  CHECK(error_of([&] { sgd.step(); }) != "");  // still marked as scaled
  scaler.unscale_(sgd);
  CHECK(gradient(x) == Values{6, 6});
}

TEST_CASE("hooks: a backward pass within one is another pass", "[autograd]") {
  const Tensor x = leaf({1}), other = leaf({5});
  x.register_hook([&](const Tensor&) {
    const amp::Tensor y = other * 2;  // no history here
    CHECK_FALSE(y.requires_grad());
    CHECK(refusal([&] { amp::sum(y).backward(); }) != "");
    other.backward(amp::ones({1}));
  });
  amp::sum(x * 2).backward();
  CHECK(gradient(x) == Values{2});
  CHECK(gradient(other) == Values{1});
}

}  // namespace hooks
