// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What ops save for backward: in which dtype, and that a write in between is caught.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace function {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

Tensor leaf(const amp::Shape& shape, double value = 1) {
  return amp::full(shape, value, {.requires_grad = true});
}
std::string refusal(const Tensor& root) {
  return error_of([&] { return root.backward(amp::ones(root.shape())), 0; });
}

}  // namespace

// --- saved tensors modified in place ------------------------------------------------------------

TEST_CASE("saved: an input of mul, modified, is caught and named", "[autograd]") {
  const Tensor x = leaf({2}), factor = amp::full({2}, 3);
  const Tensor y = x * factor;
  factor.fill_(100);
  CHECK_THAT(refusal(y), ContainsSubstring("mul") && ContainsSubstring("float32[2]") &&
                             ContainsSubstring("modified in place"));
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("saved: the output of relu, modified, is caught", "[autograd]") {
  const Tensor x = leaf({2});
  const Tensor y = amp::relu(x), z = y * 1;
  y.detach().zero_();
  CHECK_THAT(refusal(z), ContainsSubstring("relu"));
}

TEST_CASE("saved: every way to write is caught", "[autograd]") {
  const std::vector<std::function<void(const Tensor&)>> writes = {
      [](const Tensor& t) { t.zero_(); },
      [](const Tensor& t) { t.fill_(2); },
      [](const Tensor& t) { t.copy_(amp::ones({2})); },
      [](const Tensor& t) { t.data<float>()[1] = 9; },
      [](const Tensor& t) { t.narrow(0, 0, 1).fill_(4); },
      [](const Tensor& t) {
        t.reshape({2, 1}).t().data<float>();
      },
      [](const Tensor& t) { t.detach().zero_(); },
      [](const Tensor& t) { t.mark_modified(); },
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    CAPTURE(i);
    const Tensor x = leaf({2}), factor = amp::full({2}, 3);
    const Tensor y = x * factor;
    writes[i](factor);
    CHECK_THAT(refusal(y), ContainsSubstring("modified in place"));
  }
}

TEST_CASE("saved: a write through the base of a view is caught", "[autograd]") {
  const Tensor x = leaf({2}), base = amp::full({4}, 3);
  const Tensor y = x * base.narrow(0, 0, 2);
  base.narrow(0, 2, 2).fill_(0);  // other elements of the same memory: as in torch, one version
  CHECK_THAT(refusal(y), ContainsSubstring("modified in place"));
}

TEST_CASE("saved: reading is no write", "[autograd]") {
  const Tensor x = leaf({2}), factor = amp::full({2}, 3);
  const Tensor y = x * factor;
  CHECK(factor.const_data<float>()[0] == 3);
  (void)factor.to_vector<float>();
  (void)factor.clone();
  y.backward(amp::ones({2}));
  CHECK(x.grad().to_vector<float>() == std::vector<float>{3, 3});
}

TEST_CASE("saved: a write after backward, or to what add does not keep, is fine", "[autograd]") {
  const Tensor x = leaf({2}), term = amp::full({2}, 3);
  const Tensor sum = x + term;
  term.zero_();
  sum.backward(amp::ones({2}));
  const Tensor factor = amp::full({2}, 3);
  (x * factor).backward(amp::ones({2}));
  factor.zero_();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{4, 4});
}

TEST_CASE("saved: a weight stepped between forward and backward is caught", "[autograd]") {
  const Tensor w = leaf({2, 2}), x = leaf({1, 2});
  const Tensor y = amp::linear(x, w);
  {
    const amp::NoGradGuard no_grad;
    w.fill_(0);
  }
  CHECK_THAT(refusal(y), ContainsSubstring("linear"));
}

TEST_CASE("saved: every op that keeps a tensor notices the write", "[autograd]") {
  const Tensor index = amp::tensor({0, 1}, {2});
  struct Case {
    const char* name;
    std::function<Tensor(const Tensor& x, const Tensor& other)> op;
    bool writes_output;
  };
  const Case cases[] = {
      {"mul", [](auto& x, auto& o) { return amp::mul(x, o); }, false},
      {"div", [](auto& x, auto& o) { return amp::div(x, o); }, false},
      {"div", [](auto& x, auto& o) { return amp::div(o, x); }, false},
      {"matmul", [](auto& x, auto& o) { return amp::matmul(x, o); }, false},
      {"linear", [](auto& x, auto& o) { return amp::linear(x, o); }, false},
      {"relu", [](auto& x, auto&) { return amp::relu(x); }, true},
      {"exp", [](auto& x, auto&) { return amp::exp(x); }, true},
      {"sqrt", [](auto& x, auto&) { return amp::sqrt(x); }, true},
      {"tanh", [](auto& x, auto&) { return amp::tanh(x); }, true},
      {"sigmoid", [](auto& x, auto&) { return amp::sigmoid(x); }, true},
      {"softmax", [](auto& x, auto&) { return amp::softmax(x, 1); }, true},
      {"log_softmax", [](auto& x, auto&) { return amp::log_softmax(x, 1); }, true},
      {"conv2d",
       [](auto& x, auto& o) {
         return amp::conv2d(x.reshape({1, 1, 2, 2}), o.reshape({1, 1, 2, 2}));
       },
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Tensor x = leaf({2, 2}), other = amp::full({2, 2}, 3);
    const Tensor y = c.op(x, other);
    (c.writes_output ? y.detach() : other).fill_(2);
    CHECK_THAT(refusal(y), ContainsSubstring(c.name) && ContainsSubstring("modified in place"));
  }
}

TEST_CASE("saved: ops that keep their input notice a write to it", "[autograd]") {
  const std::function<Tensor(const Tensor&)> ops[] = {
      [](const Tensor& x) { return amp::abs(x); }, [](const Tensor& x) { return amp::log(x); },
      [](const Tensor& x) { return amp::pow(x, 3); },
      [](const Tensor& x) { return amp::var(x, 0); },
      [](const Tensor& x) {
        return amp::cross_entropy(x, amp::tensor({0, 1}, {2}));
      }};
  for (const auto& op : ops) {
    const Tensor x = leaf({2, 2});
    const Tensor y = op(x);
    x.detach().fill_(5);
    CHECK_THAT(refusal(y), ContainsSubstring("modified in place"));
  }
}

TEST_CASE("saved: targets and indices changed before backward are caught", "[autograd]") {
  const Tensor x = leaf({2, 3}), targets = amp::tensor({0, 1}, {2});
  const Tensor loss = amp::cross_entropy(x, targets), picked = amp::index_select(x, 0, targets);
  targets.fill_(0);
  CHECK_THAT(refusal(loss), ContainsSubstring("cross_entropy"));
  CHECK_THAT(refusal(picked), ContainsSubstring("index_select"));
}

// --- dtypes -------------------------------------------------------------------------------------

TEST_CASE("saved: tensors are kept in the dtype the op ran in", "[autograd]") {
  const Tensor x = amp::ones({1000}, {.requires_grad = true});
  const std::int64_t before = amp::memory_stats().current_bytes;
  const Tensor y = amp::exp(amp::exp(x.to(amp::kFloat16)));
  // Two outputs of 2000 bytes live, one of them y; the conversion is kept by nobody.
  CHECK(amp::memory_stats().current_bytes == before + 4000);
}

TEST_CASE("saved: the backward of a 16-bit op rounds as that op does", "[autograd]") {
  const Tensor x = amp::full({1}, 1.0 / 3, {.requires_grad = true});
  const Tensor factor = amp::full({1}, 1.0 / 3, {.dtype = amp::kFloat16});
  amp::mul(x.to(amp::kFloat16), factor).backward();
  CHECK(x.grad().dtype() == amp::kFloat32);
  CHECK(x.grad().item<float>() == static_cast<float>(amp::half(1.0F / 3)));
}

// --- writing in place to what requires gradients ------------------------------------------------

TEST_CASE("in place: a leaf that requires gradients refuses", "[autograd]") {
  const Tensor x = leaf({2});
  CHECK_THAT(error_of([&] { return x.fill_(0), 0; }),
             ContainsSubstring("fill_") && ContainsSubstring("NoGradGuard"));
  CHECK_THROWS_AS(x.zero_(), amp::Error);
  CHECK_THROWS_AS(x.copy_(amp::ones({2})), amp::Error);
  CHECK(x.to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("in place: a view of such a leaf refuses", "[autograd]") {
  const Tensor x = leaf({2});
  CHECK_THROWS_AS(x.narrow(0, 0, 1).fill_(0), amp::Error);
  CHECK(x.to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("in place: a refused write does not move the version", "[autograd]") {
  const Tensor x = leaf({2});
  const std::uint64_t before = x.version();
  CHECK_THROWS_AS(x.fill_(0), amp::Error);
  CHECK_THROWS_AS(x.copy_(amp::ones({3})), amp::Error);
  CHECK(x.version() == before);
}

TEST_CASE("in place: a source with history passes it on", "[autograd]") {
  const Tensor target = amp::zeros({2}), x = leaf({2});
  target.copy_(x * 2);
  CHECK(target.to_vector<float>() == std::vector<float>{2, 2});
  target.sum().backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{2, 2});
}

}  // namespace function
