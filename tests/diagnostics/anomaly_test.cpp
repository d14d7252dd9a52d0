// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// AnomalyGuard names the first op whose result is not finite.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <thread>

namespace anomaly_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The text of the error that `body` throws under an AnomalyGuard; empty if it throws none.
template <class Body>
std::string error_of(const Body& body, const amp::AnomalyOptions& options = {}) {
  const amp::AnomalyGuard anomaly(options);
  try {
    body();
    return {};
  } catch (const amp::Error& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Net : amp::nn::Layer<Net> {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(4, 8))};
  amp::nn::Sequential rest{register_module(
      "rest", amp::nn::Sequential{amp::nn::ReLU(), amp::nn::Linear(8, 8), amp::nn::Linear(8, 2)})};
  amp::Tensor forward(const amp::Tensor& x) const { return rest(first(x)); }
};

TEST_CASE("A finite step passes an anomaly scope") {
  const Net net;
  CHECK(error_of([&] { amp::sum(net(amp::randn({3, 4}))).backward(); }).empty());
  CHECK(net.first.weight.grad().defined());
}

TEST_CASE("The first op whose result is not finite is named, with its module") {
  const Net net;
  auto weight = net.rest.named_parameters()[0];
  weight.second.data<float>()[9] = 1e30F;  // row 1 of 1.weight
  const amp::Tensor x = amp::ones({3, 4});
  net.first.weight.detach().fill_(1);
  const std::string error = error_of([&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    (void)net(x);
  });
  INFO(error);
  CHECK(has(error, "linear in the module \"rest.1\""));
  CHECK(has(error, "float16[3, 8]"));
  CHECK(has(error, "in which 3 of 24 elements are inf and 0 are NaN, the first at index 1"));
}

TEST_CASE("An input that is not finite already is reported as such") {
  const amp::Tensor x = amp::tensor({1.0F, kNan, 3.0F}, {3});
  const std::string error = error_of([&] { (void)amp::mul(amp::ones({3}), x); });
  INFO(error);
  CHECK(has(error, "Its input 1, float32[3], was not finite already"));
  CHECK(has(error, "1 are NaN, the first at index 1"));
  CHECK(!has(error, "Its input 0"));
}

TEST_CASE("A backward function that computes an infinity is named, and no leaf changes") {
  const amp::Tensor w = amp::tensor({4.0F, 0.0F}, {2});
  const amp::Tensor v = amp::ones({2});
  w.requires_grad_();
  v.requires_grad_();
  const auto step = [&] { amp::sum(amp::mul(amp::sqrt(w), v)).backward(); };
  const std::string error = error_of(step);
  INFO(error);
  CHECK(has(error, "backward of sqrt computed a gradient of its input 0"));
  CHECK(has(error, "1 of 2 elements are inf"));
  CHECK(has(error, "The gradient that it was given is finite"));
  CHECK(!w.grad().defined());
  CHECK(!v.grad().defined());
  CHECK(error_of(step, {.backward = false}).empty());
  CHECK(w.grad().defined());
}

TEST_CASE("An overflow by the loss scale is found in backward, in the module where it begins") {
  const Net net;
  const amp::Tensor x = amp::ones({3, 4});
  amp::GradScaler scaler({.init_scale = 0x1p30});
  amp::Tensor loss;
  const std::string error = error_of([&] {
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      loss = amp::mean(net(x));
    }
    scaler.scale(loss).backward();
  });
  INFO(error);
  CHECK(has(error, "backward of "));
  CHECK(has(error, "inf"));
}

TEST_CASE("Infinities on purpose are results like others; integers and empty tensors are finite") {
  CHECK(!error_of([&] { (void)amp::add(amp::full({2}, kInf), 1.0); }).empty());
  CHECK(error_of([&] {
          (void)amp::argmax(amp::tensor({1.0F, kInf}, {2}));
          (void)amp::add(amp::tensor({1, 2}, {2}), 1);
          (void)amp::relu(amp::empty({0, 3}));
        }).empty());
}

TEST_CASE("Values whose squares overflow are finite") {
  CHECK(error_of([&] {
          (void)amp::mul(amp::full({4096}, 1e38), 2.0);
          (void)amp::mul(amp::full({64}, 1e308, {.dtype = amp::kFloat64}), 1.0);
          (void)amp::mul(amp::full({64}, 65504, {.dtype = amp::kFloat16}), 1.0);
        }).empty());
}

TEST_CASE("A result that lies transposed or is a view is tested by its own elements") {
  amp::Tensor x = amp::ones({4, 6});
  x.data<float>()[3] = kInf;
  const amp::Tensor part = x.narrow(1, 0, 3);  // without it
  CHECK(error_of([&] { (void)amp::mul(part.t(), 2.0); }).empty());
  CHECK(has(error_of([&] { (void)amp::mul(x.t(), 2.0); }), "the first at index 12"));
}

TEST_CASE("The scope ends with the guard, also by its exception, and is the thread's") {
  const amp::Tensor zeros = amp::zeros({2});
  CHECK(!error_of([&] { (void)amp::log(zeros); }).empty());
  CHECK_NOTHROW(amp::log(zeros));
  const amp::AnomalyGuard anomaly;
  bool threw = false;
  std::thread([&] {
    try {
      (void)amp::log(zeros);
    } catch (const amp::Error&) {
      threw = true;
    }
  }).join();
  CHECK(!threw);
  CHECK_THROWS_AS(amp::log(zeros), amp::Error);
}

TEST_CASE("An op that fails by itself keeps its own error") {
  const std::string error = error_of([&] {
    (void)amp::matmul(amp::ones({2, 3}), amp::ones({4, 5}));
  });
  CHECK(has(error, "matmul: "));
  CHECK(!has(error, "AnomalyGuard"));
}

TEST_CASE("A trace around an anomaly scope records the op that it stopped") {
  amp::Trace trace;
  const amp::TraceGuard tracing(trace);
  CHECK(!error_of([&] { (void)amp::log(amp::zeros({2})); }).empty());
  CHECK(error_of([&] { (void)amp::exp(amp::zeros({2})); }).empty());
  REQUIRE(trace.entries().size() == 2);
  CHECK(trace.entries()[0].name == "log");
  CHECK(trace.entries()[1].depth == 0);
}

}  // namespace
}  // namespace anomaly_test
