// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Backward: what it adds up, what it frees, and what it refuses without touching any gradient.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace engine {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

Tensor leaf(std::vector<float> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  return amp::tensor(values, {n}, {.requires_grad = true});
}
std::vector<float> gradient(const Tensor& tensor) { return tensor.grad().to_vector<float>(); }

/// Calls f, which must throw, and returns what it said.
template <class F>
std::string refusal(F&& f) {
  return error_of([&] { return f(), 0; });
}

/// Passes its input on; backward throws.
Tensor throwing_op(const Tensor& x) {
  const Tensor output = x.detach().clone();
  amp::autograd::record(
      "throwing_op", output,
      [](const Tensor&, const amp::autograd::Needs<1>&) -> amp::autograd::Gradients<1> {
        throw amp::Error("backward of throwing_op");
      },
      x);
  return output;
}

}  // namespace

TEST_CASE("backward: two passes over two graphs accumulate", "[autograd]") {
  const Tensor x = leaf({1, 2});
  CHECK_FALSE(x.grad().defined());
  amp::sum(x * x).backward();
  CHECK(gradient(x) == std::vector<float>{2, 4});
  amp::sum(3 * x).backward();
  CHECK(gradient(x) == std::vector<float>{5, 7});
  x.grad().zero_();
  amp::sum(x).backward();
  CHECK(gradient(x) == std::vector<float>{1, 1});
}

TEST_CASE("backward: a diamond adds both ways", "[autograd]") {
  const Tensor x = leaf({3});
  const Tensor y = x * x;
  (y * 2 + y * y).backward();
  CHECK(gradient(x) == std::vector<float>{2 * 6 + 2 * 9 * 6});
}

TEST_CASE("backward: a ladder of diamonds visits each node once", "[autograd]") {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;  // 2^60 paths
  y.backward();
  CHECK(gradient(x) == std::vector<float>{0x1p60F});
}

TEST_CASE("backward: a tensor used twice by one op", "[autograd]") {
  const Tensor x = leaf({3, 5});
  amp::sum(x * x).backward();
  CHECK(gradient(x) == std::vector<float>{6, 10});
  const Tensor y = leaf({3, 5});
  amp::sum(y + y).backward();
  CHECK(gradient(y) == std::vector<float>{2, 2});
}

TEST_CASE("backward: an unused branch gets nothing", "[autograd]") {
  const Tensor x = leaf({1}), y = leaf({2});
  const Tensor unused = y * y;
  (x * 2).backward();
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE("backward: from the middle of a graph reaches what lies below", "[autograd]") {
  const Tensor x = leaf({2});
  const Tensor y = x * x;
  const Tensor z = y * 10;
  y.backward();
  CHECK(gradient(x) == std::vector<float>{4});
}

TEST_CASE("backward: two losses over separate graphs of one weight", "[autograd]") {
  const Tensor w = leaf({2});
  const Tensor a = w * 3, b = w * 5;
  b.backward();
  a.backward();
  CHECK(gradient(w) == std::vector<float>{8});
}

TEST_CASE("backward: of a leaf itself is the gradient given", "[autograd]") {
  const Tensor x = leaf({2});
  x.backward();
  x.backward();
  CHECK(gradient(x) == std::vector<float>{2});
  const Tensor y = leaf({1, 2});
  y.backward(amp::tensor({3.0F, 4.0F}, {2}));
  CHECK(gradient(y) == std::vector<float>{3, 4});
}

TEST_CASE("backward: with a gradient of one's own", "[autograd]") {
  const Tensor x = leaf({1, 2, 3});
  (x * x).backward(amp::tensor({1.0F, 10.0F, 100.0F}, {3}));
  CHECK(gradient(x) == std::vector<float>{2, 40, 600});
}

TEST_CASE("backward: converts the given gradient to the tensor's dtype", "[autograd]") {
  const Tensor x = leaf({1, 2});
  (x * 2).backward(amp::tensor({1, 2}, {2}, {.dtype = amp::kFloat64}));
  CHECK(gradient(x) == std::vector<float>{2, 4});
  CHECK(x.grad().dtype() == amp::kFloat32);
}

TEST_CASE("backward: of several elements needs a gradient, and says so", "[autograd]") {
  const Tensor x = leaf({1, 2});
  CHECK_THAT(refusal([&] { (x * 2).backward(); }),
             ContainsSubstring("float32[2]") && ContainsSubstring("sum"));
  CHECK_THROWS_AS((x.narrow(0, 0, 0) * 2).backward(), amp::Error);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("backward: works on any one-element tensor", "[autograd]") {
  const Tensor x = leaf({4});
  (x * 2).reshape({1, 1, 1}).backward();
  CHECK(gradient(x) == std::vector<float>{2});
}

TEST_CASE("backward: a gradient of another shape throws and shows both", "[autograd]") {
  const Tensor x = leaf({1, 2});
  CHECK_THAT(refusal([&] { (x * 2).backward(amp::ones({3})); }),
             ContainsSubstring("[2]") && ContainsSubstring("float32[3]"));
  CHECK_THROWS_AS((x * 2).backward(amp::ones({1, 2})), amp::Error);
  CHECK_THROWS_AS((x * 2).backward(amp::ones({})), amp::Error);
  CHECK_THROWS_AS((x * 2).backward(Tensor()), amp::Error);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("backward: on a tensor without history throws and says why", "[autograd]") {
  CHECK_THAT(refusal([] { amp::ones({1}).backward(); }), ContainsSubstring("requires no gradient"));
  CHECK_THROWS_AS(leaf({1}).detach().backward(), amp::Error);
  CHECK_THROWS_AS(amp::argmax(leaf({1})).backward(), amp::Error);
}

TEST_CASE("backward: of a penalty on a gradient says that gradients have no history",
          "[autograd]") {
  const Tensor x = leaf({1, 2});
  amp::sum(x * x).backward();
  CHECK_THAT(refusal([&] { amp::sum(x.grad() * x.grad()).backward(); }),
             ContainsSubstring("Gradients have no history") && ContainsSubstring("x.grad()") &&
                 ContainsSubstring("constant") && ContainsSubstring("two forward passes"));
}

TEST_CASE("backward: the slope along a gradient has the derivative of its length", "[autograd]") {
  // f = w x^3, so that |df/dx| = |3 w x^2|, and its derivative by w is 3 x^2.
  const amp::TensorOptions options{.dtype = amp::kFloat64, .requires_grad = true};
  const Tensor x = amp::tensor({0.5, -1.0}, {2, 1}, options), w = amp::tensor({2.0}, {1}, options);
  const auto f = [&](const Tensor& at) { return w * amp::pow(at, 3); };
  amp::sum(f(x)).backward();
  w.set_grad({});
  const Tensor g = x.grad(), point = x.detach();
  const Tensor v = g / amp::sqrt(amp::sum(g * g, 1, true));
  const double h = 1e-3;
  const Tensor slope = (f(point + v * h) - f(point - v * h)) / (2 * h);
  CHECK(slope.to_vector<double>()[0] == Approx(1.5).epsilon(1e-5));
  CHECK(slope.to_vector<double>()[1] == Approx(6).epsilon(1e-5));
  amp::sum(slope).backward();
  CHECK(w.grad().item<double>() == Approx(0.75 + 3).epsilon(1e-5));
}

TEST_CASE("backward: a second time throws and says what to do", "[autograd]") {
  const Tensor x = leaf({2});
  const Tensor y = x * x;
  y.backward();
  CHECK_THAT(refusal([&] { y.backward(); }), ContainsSubstring("mul") &&
                                                 ContainsSubstring("second time") &&
                                                 ContainsSubstring("forward again"));
  CHECK(gradient(x) == std::vector<float>{4});
}

TEST_CASE("backward: a second time through a shared part throws", "[autograd]") {
  const Tensor x = leaf({2});
  const Tensor shared = amp::exp(x);
  const Tensor a = shared * 2, b = shared * 3;
  a.backward();
  CHECK_THAT(refusal([&] { b.backward(); }), ContainsSubstring("exp"));
}

TEST_CASE("backward: an error on the way leaves every leaf untouched", "[autograd]") {
  const Tensor x = leaf({1}), y = leaf({2}), z = leaf({3});
  z.set_grad(amp::full({1}, 7));
  const Tensor loss = x * 2 + throwing_op(y) + z;
  CHECK_THAT(refusal([&] { loss.backward(); }), ContainsSubstring("throwing_op"));
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(y.grad().defined());
  CHECK(gradient(z) == std::vector<float>{7});
  CHECK(amp::is_grad_enabled());
}

TEST_CASE("backward: works after one that threw", "[autograd]") {
  const Tensor x = leaf({1});
  CHECK_THROWS_AS(throwing_op(x).backward(), amp::Error);
  (x * 2).backward();
  CHECK(gradient(x) == std::vector<float>{2});
}

TEST_CASE("backward: a gradient of a wrong shape from an op is caught", "[autograd]") {
  const Tensor x = leaf({1, 2});
  const Tensor output = amp::ones({1});
  amp::autograd::record(
      "broken", output,
      [](const Tensor& grad, const amp::autograd::Needs<1>&) -> amp::autograd::Gradients<1> {
        return {grad};
      },
      x);
  CHECK_THAT(refusal([&] { output.backward(); }),
             ContainsSubstring("broken") && ContainsSubstring("[1]") && ContainsSubstring("[2]"));
}

TEST_CASE("backward: records nothing itself", "[autograd]") {
  const Tensor x = leaf({1});
  (x * x).backward();
  CHECK_FALSE(x.grad().requires_grad());
  CHECK(x.grad().is_leaf());
}

TEST_CASE("backward: gradients have the leaf's dtype", "[autograd]") {
  const Tensor wide = amp::ones({2}, {.dtype = amp::kFloat64, .requires_grad = true});
  const Tensor half = amp::ones({2}, {.dtype = amp::kFloat16, .requires_grad = true});
  const Tensor single = leaf({1, 1});
  amp::sum(wide * half * single).backward();
  CHECK(wide.grad().dtype() == amp::kFloat64);
  CHECK(half.grad().dtype() == amp::kFloat16);
  CHECK(single.grad().dtype() == amp::kFloat32);
  const Tensor cast = leaf({1, 1});
  amp::sum(cast.to(amp::kFloat16)).backward();
  CHECK(cast.grad().dtype() == amp::kFloat32);
}

TEST_CASE("backward: a number tensor beside an array keeps both dtypes", "[autograd]") {
  const Tensor array = amp::ones({3}, {.dtype = amp::kFloat16, .requires_grad = true});
  const Tensor number = amp::full({}, 2, {.dtype = amp::kFloat64, .requires_grad = true});
  const Tensor product = array * number;
  CHECK(product.dtype() == amp::kFloat16);
  amp::sum(product).backward();
  CHECK(array.grad().dtype() == amp::kFloat16);
  CHECK(number.grad().dtype() == amp::kFloat64);
  CHECK(number.grad().item<double>() == 3);
}

TEST_CASE("backward: infinities and NaN flow through", "[autograd]") {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = leaf({inf, 2});
  amp::sum(x * x).backward();
  CHECK(std::isinf(gradient(x)[0]));
  const Tensor y = leaf({0, 1});
  amp::sum(amp::log(y) * 0).backward();
  CHECK(std::isnan(gradient(y)[0]));
}

TEST_CASE("backward: an overflowed activation is not hidden by relu", "[autograd]") {
  const Tensor x = leaf({std::numeric_limits<float>::quiet_NaN(), 1, -1});
  const Tensor y = amp::relu(x);
  CHECK(std::isnan(y.to_vector<float>()[0]));
  y.backward(amp::ones({3}));
  CHECK(gradient(x) == std::vector<float>{1, 1, 0});  // as torch: NaN is not below the threshold
}

// --- buffers ------------------------------------------------------------------------------------

TEST_CASE("gradients: of two leaves never share memory", "[autograd]") {
  const auto separate = [](auto op) {
    const Tensor a = leaf({1, 2}), b = leaf({3, 4});
    amp::sum(op(a, b)).backward();
    const std::vector<float> before = gradient(b);
    a.grad().fill_(99);
    return gradient(b) == before;
  };
  CHECK(separate([](const Tensor& a, const Tensor& b) { return a + b; }));
  CHECK(separate([](const Tensor& a, const Tensor& b) { return a - b; }));
  CHECK(separate([](const Tensor& a, const Tensor& b) { return a.reshape({2, 1}) + b.clone(); }));
  CHECK(separate([](const Tensor& a, const Tensor& b) { return (a + b).unsqueeze(0); }));
}

TEST_CASE("gradients: never share memory with what backward was given", "[autograd]") {
  const Tensor x = leaf({1, 2}), given = amp::ones({2});
  x.reshape({2, 1}).reshape({2}).backward(given);
  x.grad().fill_(5);
  CHECK(given.to_vector<float>() == std::vector<float>{1, 1});
  const Tensor y = leaf({1, 2});
  y.backward(given);
  given.fill_(7);
  CHECK(gradient(y) == std::vector<float>{1, 1});
}

TEST_CASE("gradients: a handle stays live while more is accumulated", "[autograd]") {
  const Tensor x = leaf({1});
  (x * 2).backward();
  const Tensor handle = x.grad();
  const std::uint64_t version = handle.version();
  (x * 3).backward();
  CHECK(handle.item<float>() == 5);
  CHECK(handle.version() > version);
}

TEST_CASE("gradients: are dense, also those that broadcasting spread", "[autograd]") {
  const Tensor x = amp::ones({2, 3}, {.requires_grad = true});
  amp::sum(x).backward();
  CHECK(x.grad().is_contiguous());
  x.grad().select(0, 0).fill_(4);
  CHECK(gradient(x) == std::vector<float>{4, 4, 4, 1, 1, 1});
}

TEST_CASE("gradients: accumulate into one set by hand", "[autograd]") {
  const Tensor x = leaf({1, 2});
  x.set_grad(amp::full({2}, 10));
  amp::sum(x).backward();
  CHECK(gradient(x) == std::vector<float>{11, 11});
  x.set_grad({});
  CHECK_FALSE(x.grad().defined());
  CHECK_THROWS_AS(x.set_grad(amp::ones({3})), amp::Error);
  CHECK_THROWS_AS(x.set_grad(amp::tensor({1, 2}, {2})), amp::Error);
  CHECK_THROWS_AS(amp::ones({2}).set_grad(amp::ones({2})), amp::Error);
}

// --- memory -------------------------------------------------------------------------------------

TEST_CASE("memory: what a graph saved is freed by backward", "[autograd]") {
  const Tensor x = amp::ones({1000}, {.requires_grad = true});
  amp::sum(x).backward();  // the gradient exists from here on
  const std::int64_t before = amp::memory_stats().current_bytes;
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = amp::exp(amp::tanh(y));
  const Tensor loss = amp::sum(y);
  y = Tensor();
  CHECK(amp::memory_stats().current_bytes >= before + 20 * 4000);
  loss.backward();
  CHECK(amp::memory_stats().current_bytes == before + 4);  // the loss
}

TEST_CASE("memory: a graph dropped without backward is freed", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  {
    const Tensor x = amp::ones({1000}, {.requires_grad = true});
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = amp::sigmoid(y) * x;
  }
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("memory: a graph whose backward threw is freed with it", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  {
    const Tensor x = leaf({1, 2});
    const Tensor loss = amp::sum(amp::exp(throwing_op(amp::exp(x))));
    CHECK_THROWS_AS(loss.backward(), amp::Error);
  }
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("memory: a thousand steps keep it flat", "[autograd]") {
  const Tensor w = amp::rand({8, 8}, {.requires_grad = true});
  const auto step = [&] {
    amp::sum(amp::tanh(amp::matmul(w, w.t()))).backward();
    w.grad().zero_();
  };
  step();
  const std::int64_t before = amp::memory_stats().current_bytes;
  amp::reset_peak_memory();
  step();
  const std::int64_t peak = amp::memory_stats().peak_bytes;
  for (int i = 0; i < 1000; ++i) step();
  CHECK(amp::memory_stats().current_bytes == before);
  CHECK(amp::memory_stats().peak_bytes == peak);
}

TEST_CASE("memory: an op whose output saved itself is no cycle", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  { const Tensor y = amp::exp(amp::relu(leaf({1, 2, 3}))); }
  CHECK(amp::memory_stats().current_bytes == before);
}

}  // namespace engine
