// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// -ffast-math lets the compiler assume that nothing is infinite, and makes the processor flush
// subnormal floats to zero. Overflow must be found and codes stay exact all the same.
#include <amp/amp.hpp>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "expect.hpp"

namespace {

constexpr std::uint32_t kInfinity = 0x7f80'0000, kNan = 0x7fc0'0000, kSmallest = 0x0000'0001;

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// The weight after one step on the gradient 1, whose last element is replaced by `code`.
float weight_after_step(std::uint32_t code, bool& skipped) {
  amp::Tensor weight = amp::ones({1000}, {.requires_grad = true});
  amp::SGD optimizer(std::vector<amp::Tensor>{weight}, {.lr = 0.5});
  amp::GradScaler scaler({.init_scale = 4});
  scaler.scale(amp::sum(weight)).backward();
  const amp::Tensor gradient = weight.grad();
  amp::Tensor(gradient).data<float>()[999] = from_bits(code);
  skipped = scaler.step(optimizer).skipped();
  scaler.update();
  expect(scaler.get_scale() == (skipped ? 2 : 4), "the scale backs off after a skip only");
  return weight.detach().to_vector<float>()[0];
}

void scaler_finds_overflow() {
  bool skipped = true;
  expect(weight_after_step(bits(4.0f), skipped) == 0.5f && !skipped, "a finite step is applied");
  for (const std::uint32_t code : {kInfinity, kInfinity | 0x8000'0000, kNan, 0xff80'0001u}) {
    expect(weight_after_step(code, skipped) == 1.0f && skipped, "a non-finite step is skipped");
  }
}

void codes_are_exact() {
  expect(amp::half(from_bits(kInfinity)).bits() == 0x7c00, "half(inf)");
  expect(amp::half(1e6f).bits() == 0x7c00, "half overflows to inf");
  expect((amp::half(from_bits(kNan)).bits() & 0x7fff) > 0x7c00, "half(nan)");
  expect(amp::half(0x1p-24f).bits() == 1, "the smallest half");
  expect(bits(float(amp::half::from_bits(0x7c00))) == kInfinity, "float(half inf)");
  expect(bits(float(amp::half::from_bits(1))) == bits(0x1p-24f), "float(smallest half)");
  expect(std::numeric_limits<amp::half>::infinity().bits() == 0x7c00, "infinity of half");
  expect(amp::bfloat16(from_bits(kInfinity)).bits() == 0x7f80, "bfloat16(inf)");
  expect((amp::bfloat16(from_bits(kNan)).bits() & 0x7fff) > 0x7f80, "bfloat16(nan)");
  expect(amp::bfloat16(from_bits(0x0001'8000)).bits() == 2, "a subnormal bfloat16, ties to even");
  expect(bits(float(amp::bfloat16::from_bits(1))) == 0x0001'0000, "float(smallest bfloat16)");
}

/// Bulk conversion chooses other instructions than the scalar one, with the same codes.
template <class Format>
void bulk_is_exact() {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 4096; ++i) values.push_back(from_bits(i * 0x000f'fff1u));
  for (const std::uint32_t code : {kInfinity, kNan, kSmallest, 0x0001'8000u, 0x3300'0000u}) {
    values.push_back(from_bits(code));
  }
  std::vector<Format> narrow(values.size());
  amp::convert(values, narrow);
  std::vector<float> wide(values.size());
  amp::convert(narrow, wide);
  for (std::size_t i = 0; i < values.size(); ++i) {
    expect(narrow[i].bits() == Format(values[i]).bits(), "bulk narrowing equals the scalar one");
    expect(bits(wide[i]) == bits(float(narrow[i])), "bulk widening equals the scalar one");
  }
}

/// The vectors of softmax and the like, of each instruction set that the processor has.
struct Exponentials {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(float* x) {
    namespace simd = amp::simd;
    for (int i = 0; i < 16; i += simd::kLanes<Isa>) simd::store(exp(simd::load<Isa>(x + i)), x + i);
  }
};
void exponentials_are_rounded() {
  namespace simd = amp::simd;
  for (const bool widest : {true, false}) {
    std::vector<float> x(16, 1.0f);
    x[1] = from_bits(kNan);
    x[2] = 89;
    x[3] = -1e30f;
    if (widest)
      simd::on_widest<Exponentials>(x.data());
    else
      Exponentials::run<simd::Baseline>(x.data());
    expect(x[0] > 2.71828f && x[0] < 2.71829f, "exp(1)");
    expect((bits(x[1]) & 0x7fff'ffff) > kInfinity, "exp(nan)");
    expect(bits(x[2]) == kInfinity, "exp(89)");
    expect(bits(x[3]) == 0, "exp(-1e30)");
  }
}

void large_arguments_have_limits() {
  const amp::Tensor x = amp::tensor({-100.0f, 100.0f, -50.0f, 50.0f, 0.0f}, {5});
  const auto expect_near = [&](const amp::Tensor& y, std::vector<float> limits, const char* what) {
    const std::vector<float> found = y.to_vector<float>();
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const float distance = found[i] - limits[i];
      expect(distance > -1e-5f && distance < 1e-5f, what);
    }
  };
  expect_near(amp::tanh(x), {-1, 1, -1, 1, 0}, "tanh");
  expect_near(amp::sigmoid(x), {0, 1, 0, 1, 0.5f}, "sigmoid");
  expect_near(amp::silu(x), {0, 100, 0, 50, 0}, "silu");
  expect_near(amp::gelu(x), {0, 100, 0, 50, 0}, "gelu");
  expect_near(amp::gelu(x, amp::GeluForm::kTanh), {0, 100, 0, 50, 0}, "gelu, tanh");
}

void softmax_of_nan_is_nan() {
  for (const std::uint32_t code : {kInfinity, kNan}) {
    amp::Tensor x = amp::zeros({2, 33});
    x.data<float>()[20] = from_bits(code);
    const std::vector<float> y = amp::softmax(x, 1).to_vector<float>();
    for (std::size_t i = 0; i < 33; ++i) {
      expect((bits(y[i]) & 0x7fff'ffff) > kInfinity, "a row with a NaN or an infinity is NaN");
      expect(y[33 + i] > 0.030f && y[33 + i] < 0.031f, "other rows are not");
    }
  }
}

void functions_of_nan_are_nan() {
  const auto check = [](const auto& function, const char* what) {
    for (const std::int64_t n : {1, 100}) {  // alone, and in vectors
      amp::Tensor x = amp::ones({n});
      for (std::int64_t i = 0; i < n; ++i) x.data<float>()[i] = from_bits(kNan);
      for (const float y : function(x).template to_vector<float>())
        expect((bits(y) & 0x7fff'ffff) > kInfinity, what);
    }
  };
  check([](const auto& x) { return amp::sqrt(x); }, "sqrt(nan)");
  check([](const auto& x) { return amp::relu(x); }, "relu(nan)");
  check([](const auto& x) { return amp::hardtanh(x); }, "hardtanh(nan)");
  check([](const auto& x) { return amp::relu6(x); }, "relu6(nan)");
  check([](const auto& x) { return amp::hardsigmoid(x); }, "hardsigmoid(nan)");
  check([](const auto& x) { return amp::hardswish(x); }, "hardswish(nan)");
  check([](const auto& x) { return amp::softshrink(x); }, "softshrink(nan)");
  check([](const auto& x) { return amp::amax(x, {0}); }, "amax(nan)");
  check([](const auto& x) { return amp::amin(x, {0}); }, "amin(nan)");
  check([](const auto& x) { return amp::maximum(amp::ones(x.shape()), x); }, "maximum(1, nan)");
  check([](const auto& x) { return amp::minimum(x, amp::ones(x.shape())); }, "minimum(nan, 1)");
  check([](const auto& x) { return amp::acos(x); }, "acos(nan)");
  check([](const auto& x) { return amp::atan(x); }, "atan(nan)");
  check([](const auto& x) { return amp::sinh(x); }, "sinh(nan)");
  check([](const auto& x) { return amp::erfinv(x); }, "erfinv(nan)");
  check([](const auto& x) { return amp::pow(x, 2.5); }, "pow(nan, 2.5)");
  const auto check_gradient = [](const auto& function, const char* what) {
    const amp::Tensor x = amp::tensor({from_bits(kNan), 1.0f}, {2}, {.requires_grad = true});
    function(x).backward(amp::ones({2}));
    expect(x.grad().template to_vector<float>()[0] == 1, what);
  };
  check_gradient([](const auto& x) { return amp::softshrink(x); }, "softshrink's gradient at nan");
  check_gradient([](const auto& x) { return amp::hardtanh(x); }, "hardtanh's gradient at nan");
  check_gradient([](const auto& x) { return amp::relu6(x); }, "relu6's gradient at nan");
  check_gradient([](const auto& x) { return amp::hardswish(x); }, "hardswish's gradient at nan");
}

}  // namespace

int main() {
  scaler_finds_overflow();
  codes_are_exact();
  exponentials_are_rounded();
  large_arguments_have_limits();
  softmax_of_nan_is_nan();
  functions_of_nan_are_nan();
  bulk_is_exact<amp::half>();
  bulk_is_exact<amp::bfloat16>();
}
