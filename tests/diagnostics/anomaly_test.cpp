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

TEST_CASE("An infinity that came as a number passes") {
  const amp::Tensor mask = amp::tensor({true, false}, {2}), x = amp::randn({2, 2});
  CHECK(error_of([&] {
          const amp::Tensor scores = amp::where(mask, -kInf, x);
          (void)amp::where(mask, x, double{kInf});
          (void)amp::softmax(scores, 1);
          (void)amp::log_softmax(scores, 1);
          (void)(x + kInf);
          (void)(-kInf - x);
          (void)(amp::abs(x) * kInf);
          (void)amp::pow(x * x + 2.0, kInf);
        }).empty());
}

TEST_CASE("An infinity that came in a tensor passes, also through the ops that follow") {
  amp::Tensor x = amp::randn({2, 1, 4, 4}, {.requires_grad = true});
  x.detach().data<float>()[3] = -kInf;
  const amp::Tensor mask = amp::full({4, 4}, -kInf), half = x.detach().to(amp::kFloat16);
  const amp::Tensor q = amp::randn({2, 1, 4, 4}).to(amp::kFloat16);
  CHECK(error_of([&] {
          (void)(amp::relu(-x) + 1.0);
          (void)amp::max_pool2d(x, 3, 1, 1);
          (void)amp::max_pool2d(amp::randn({1, 1, 4, 4}), 3, 1, 1);
          (void)amp::sum(half.to(amp::kFloat32));
          (void)x.to(amp::kBFloat16);
          const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
          (void)amp::scaled_dot_product_attention(q, q, q, mask);
          (void)amp::add(half, mask);
        }).empty());
}

TEST_CASE("Masked attention trains in an anomaly scope") {
  const amp::Tensor q = amp::randn({4, 8}, {.requires_grad = true});
  const amp::Tensor past = amp::ge(amp::arange(4).reshape({4, 1}), amp::arange(4));
  CHECK(error_of([&] {
          const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
          const amp::Tensor scores = amp::where(past, amp::matmul(q, q.t()), -kInf);
          amp::sum(amp::matmul(amp::softmax(scores, -1), q)).backward();
        }).empty());
  CHECK(q.grad().defined());
}

TEST_CASE("A row that is masked throughout gives NaN, which is reported") {
  const std::string error = error_of([&] {
    (void)amp::softmax(amp::where(amp::ones({4}, {.dtype = amp::kBool}), -kInf, amp::ones({4})), 0);
  });
  INFO(error);
  CHECK(has(error, "softmax computed"));
  CHECK(has(error, "0 of 4 elements are inf and 4 are NaN"));
  CHECK(has(error, "Its input 0, float32[4], was not finite already"));
  const std::string number = error_of([&] { (void)(amp::zeros({2}) * kInf); });
  INFO(number);
  CHECK(has(number, "The number beside its inputs is inf"));
  CHECK(!has(number, "All its inputs are finite"));
}

TEST_CASE("An overflow after a mask is found, by op and by conversion") {
  const amp::Tensor x = amp::full({2, 2}, 300, {.dtype = amp::kFloat16});
  const amp::Tensor mask = amp::tensor({true, false}, {2});
  const auto masked = [&] { return amp::where(mask, -kInf, x); };
  const std::string by_op = error_of([&] {
    (void)masked();
    (void)(x * x);
  });
  CHECK(has(by_op, "mul computed float16[2, 2]"));
  CHECK(has(by_op, "All its inputs are finite"));
  const std::string by_conversion = error_of([&] {
    (void)masked();
    (void)(x.to(amp::kFloat32) * 300.0).to(amp::kFloat16);
  });
  INFO(by_conversion);
  CHECK(has(by_conversion, "to computed float16[2, 2], in which 4 of 4"));
  // In a mask, beside infinities that were given:
  const std::string in_mask =
      error_of([&] { (void)(amp::where(mask, -kInf, amp::full({2}, 1e6)).to(amp::kFloat16)); });
  CHECK(has(in_mask, "2 of 2 elements are inf"));
  const std::string in_cast = error_of([&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    (void)amp::matmul(amp::where(mask, -kInf, amp::full({2}, 1e6)), amp::ones({2}));
  });
  CHECK(has(in_cast, "matmul computed"));
}

TEST_CASE("An op of the program passes if an op within it does") {
  static constexpr amp::CustomOp kMasked("masked", amp::OpPolicy::kPassthrough);
  const amp::Tensor x = amp::ones({2});
  const auto call = [&](double number) {
    return error_of([&] {
      (void)amp::autocast_call(
          kMasked, [&](const amp::Tensor& a) { return amp::where(amp::gt(a, 0), number, a); }, x);
    });
  };
  CHECK(call(-kInf).empty());
  CHECK(has(call(kNan), "where computed"));
}

TEST_CASE("An infinite gradient is reported, also if an input of forward was infinite") {
  const amp::Tensor w = amp::ones({2}, {.requires_grad = true});
  amp::Tensor loss;
  CHECK(error_of([&] { loss = amp::sum(w * amp::full({2}, kInf)); }).empty());
  CHECK(has(error_of([&] { loss.backward(); }), "backward of mul"));
  CHECK(!w.grad().defined());
}

TEST_CASE("Given infinities are reported if asked for; integers and empty tensors are finite") {
  const amp::AnomalyOptions all{.given_infinities = true};
  CHECK(has(error_of([&] { (void)amp::add(amp::full({2}, kInf), 1.0); }, all), "Its input 0"));
  const std::string error =
      error_of([&] { (void)amp::where(amp::tensor({true}, {1}), -kInf, amp::ones({1})); }, all);
  INFO(error);
  CHECK(has(error, "where computed float32[1]"));
  CHECK(has(error, "The number beside its inputs is -inf"));
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
  CHECK(has(error_of([&] { (void)amp::mul(x.t(), 2.0); }, {.given_infinities = true}),
            "the first at index 12"));
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
