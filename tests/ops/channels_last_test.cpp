// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops on activations whose elements lie channels-last: bit for bit what row-major ones give, and
// laid out as they were.
#include <amp/amp.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/channels_last.hpp"

namespace channels_last_ops {
namespace {

using amp::Tensor;
using amp_test::bits_of;
using amp_test::laid_out;
using amp_test::lies_channels_last;
using Function = std::function<Tensor(const Tensor& x)>;

const amp::DType kDTypes[] = {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16};
// More channels than a vector has lanes, and a remainder.
const amp::Shape kShape(3, 18, 7, 6);

/// Random numbers, many of them equal, with a NaN, infinities and a negative zero in between.
Tensor numbers(const amp::Shape& shape, amp::DType dtype, std::uint64_t seed) {
  amp::manual_seed(seed);
  std::vector<float> values = (amp::randn(shape) * 4).to(amp::kInt32).to_vector<float>();
  return amp::tensor(values, shape).to(dtype);
}
Tensor with_special_numbers(const amp::Shape& shape, amp::DType dtype) {
  std::vector<float> values = numbers(shape, amp::kFloat32, 1).to_vector<float>();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float special[] = {std::nanf(""), kInfinity, -kInfinity, -0.0F};
  for (std::size_t i = 5; i < values.size(); i += 29) values[i] = special[i % 4];
  return amp::tensor(values, shape).to(dtype);
}

struct Result {
  Tensor output, gradient;
};
Result run(const Function& f, const Tensor& input, const Tensor& grad_output) {
  const Tensor x = input.detach().requires_grad_();
  const Tensor y = f(x);
  y.backward(grad_output);
  return {y.detach(), x.grad()};
}

/// f of a tensor in either layout, with a gradient that comes in either.
void compare(const Function& f, const Tensor& x) {
  const Tensor grad = numbers(f(x).shape(), f(x).dtype(), 2);
  const Result expected = run(f, x, grad);
  REQUIRE_FALSE(lies_channels_last(expected.output));
  for (const Tensor& arriving : {grad, laid_out(grad)}) {
    const Result result = run(f, laid_out(x), arriving);
    CHECK(lies_channels_last(result.output));
    CHECK((bits_of(result.output) == bits_of(expected.output)));  // in brackets: not printed
    CHECK((bits_of(result.gradient) == bits_of(expected.gradient)));
  }
  const Result crossed = run(f, x, laid_out(grad));
  CHECK((bits_of(crossed.gradient) == bits_of(expected.gradient)));
}

}  // namespace

TEST_CASE("channels-last: pooling gives the same bits", "[ops]") {
  using amp::Size2d;
  struct Window {
    Size2d kernel, stride, padding;
  };
  const Window windows[] = {{2, 2, 0}, {3, 2, 1}, {{1, 3}, {2, 1}, {0, 1}},
                            {2, 3, 0}, {3, 1, 0}, {{7, 6}, 1, 0}};
  for (const amp::DType dtype : kDTypes) {
    for (const Window& w : windows) {
      INFO(to_string(dtype) << ", kernel " << w.kernel.height << " x " << w.kernel.width);
      for (const amp::Shape& shape : {amp::Shape{3, 18, 7, 8}, amp::Shape{1, 2, 7, 167}}) {
        const Tensor x = with_special_numbers(shape, dtype);
        compare([&](const Tensor& t) { return amp::max_pool2d(t, w.kernel, w.stride, w.padding); },
                x);
        compare(
            [&](const Tensor& t) {
              return amp::max_pool2d(t, 3, {.stride = w.stride, .padding = 1, .dilation = 2});
            },
            x);
        compare([&](const Tensor& t) { return amp::avg_pool2d(t, w.kernel, w.stride, w.padding); },
                numbers(shape, dtype, 3));
      }
    }
  }
}

TEST_CASE("channels-last: batch norm gives the same bits", "[ops]") {
  for (const amp::DType dtype : kDTypes) {
    for (const bool training : {true, false}) {
      INFO(to_string(dtype) << (training ? ", training" : ""));
      std::vector<std::vector<std::uint64_t>> others[2];
      for (const bool lies : {false, true}) {
        const Tensor weight = numbers({18}, amp::kFloat32, 4).requires_grad_();
        const Tensor bias = numbers({18}, amp::kFloat32, 5).requires_grad_();
        const Tensor mean = amp::zeros({18}), variance = amp::ones({18});
        const auto f = [&](const Tensor& x) {
          return amp::batch_norm(x, mean, variance, weight, bias, training, 0.25, 1e-5);
        };
        const Tensor x = numbers(kShape, dtype, 6);
        const Result result = run(f, lies ? laid_out(x) : x, numbers(kShape, dtype, 7));
        CHECK(lies_channels_last(result.output) == lies);
        for (const Tensor& t :
             {result.output, result.gradient, weight.grad(), bias.grad(), mean, variance})
          others[lies].push_back(bits_of(t));
      }
      CHECK((others[0] == others[1]));
    }
  }
}

TEST_CASE("channels-last: a view of [N, H, W, C] is not copied to row-major order", "[ops]") {
  const Tensor weight = numbers({18}, amp::kFloat32, 4), bias = numbers({18}, amp::kFloat32, 5);
  const Function functions[] = {
      [](const Tensor& t) { return amp::max_pool2d(t, 3, 2, 1); },
      [](const Tensor& t) { return amp::avg_pool2d(t, 3, 2, 1); },
      [&](const Tensor& t) { return amp::batch_norm(t, {}, {}, weight, bias, true, 0.25, 1e-5); }};
  for (const amp::DType dtype : kDTypes) {
    const Tensor x = numbers(kShape, dtype, 21);
    const Tensor view = x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
    for (const Function& f : functions) {
      INFO(to_string(dtype) << ", function " << &f - functions);
      const Tensor grad = numbers(f(x).shape(), dtype, 22);
      const Result expected = run(f, x, grad), result = run(f, view, grad);
      CHECK(lies_channels_last(result.output));
      CHECK((bits_of(result.output) == bits_of(expected.output)));
      CHECK((bits_of(result.gradient) == bits_of(expected.gradient)));
    }
  }
}

TEST_CASE("channels-last: convolutions and pools do not copy their input", "[ops]") {
  for (const amp::DType dtype : kDTypes) {
    const Tensor dense = numbers({5, 18, 3, 3}, dtype, 23),
                 depthwise = numbers({18, 1, 3, 3}, dtype, 24);
    const Function functions[] = {
        [&](const Tensor& t) { return amp::conv2d(t, dense); },
        [&](const Tensor& t) { return amp::conv2d(t, depthwise, {}, {.groups = 18}); },
        [](const Tensor& t) { return amp::max_pool2d(t, 2); }};
    for (const Function& f : functions) {
      INFO(to_string(dtype) << ", function " << &f - functions);
      const Tensor x = laid_out(numbers(kShape, dtype, 25));
      const std::int64_t before = amp::memory_stats().current_bytes;
      const Tensor y = f(x);
      REQUIRE(y.numel() < x.numel() / 2);
      CHECK(amp::memory_stats().current_bytes - before < x.numel() * amp::item_size(dtype));
    }
  }
}

TEST_CASE("channels-last: elementwise ops keep to the layout", "[ops]") {
  const Tensor same = numbers(kShape, amp::kFloat32, 8);
  const Tensor per_channel = numbers({18, 1, 1}, amp::kFloat32, 9);
  const Tensor larger = numbers({2, 1, 1, 1, 1}, amp::kFloat32, 9);
  const std::vector<std::pair<std::string, Function>> functions = {
      {"relu", [](const Tensor& x) { return amp::relu(x); }},
      {"silu", [](const Tensor& x) { return amp::silu(x); }},
      {"gelu", [](const Tensor& x) { return amp::gelu(x); }},
      {"number", [](const Tensor& x) { return 2 - x * 3; }},
      {"residual", [&](const Tensor& x) { return x + same; }},
      {"residual, the other way", [&](const Tensor& x) { return same - x; }},
      {"per channel", [&](const Tensor& x) { return x * per_channel; }},
      {"of a view", [&](const Tensor& x) { return x * same.transpose(2, 3).reshape(kShape); }},
      {"twice", [](const Tensor& x) { return x * amp::tanh(x) + x; }},
      {"clone", [](const Tensor& x) { return x.clone(); }},
      {"to", [](const Tensor& x) { return x.to(amp::kBFloat16); }},
      {"there and back", [](const Tensor& x) { return x.to(amp::kFloat16).to(amp::kFloat32); }},
      {"under autocast",
       [&](const Tensor& x) {
         const amp::AutocastGuard guard(amp::kCPU);
         return amp::exp(amp::relu(x).to(amp::kBFloat16));
       }},
  };
  for (const auto& [name, f] : functions) {
    INFO(name);
    compare(f, numbers(kShape, amp::kFloat32, 10));
  }
  const Tensor x = numbers(kShape, amp::kFloat32, 11);
  CHECK((bits_of(laid_out(x) + larger) == bits_of(x + larger)));
  CHECK(lies_channels_last(amp::gt(laid_out(x), 0)));
}

TEST_CASE("channels-last: what knows nothing of it gives the same", "[ops]") {
  const Tensor weight = numbers({4, 18, 3, 3}, amp::kFloat32, 12);
  const std::vector<std::pair<std::string, Function>> functions = {
      {"conv2d", [&](const Tensor& x) { return amp::conv2d(x, weight, {}, {.relu = true}); }},
      {"dropout",
       [](const Tensor& x) {
         amp::manual_seed(13);
         return amp::dropout(x, 0.5);
       }},
      {"flatten", [](const Tensor& x) { return amp::relu(x).flatten(1); }},
      {"sum", [](const Tensor& x) { return amp::sum(x, 1); }},
      {"softmax", [](const Tensor& x) { return amp::softmax(x, 1); }},
      {"group_norm", [](const Tensor& x) { return amp::group_norm(x, 3); }},
      {"select", [](const Tensor& x) { return x.select(1, 3); }},
      {"cat",
       [](const Tensor& x) {
         return amp::cat({x, amp::relu(x)}, 1);
       }},
  };
  for (const auto& [name, f] : functions) {
    INFO(name);
    const Tensor x = numbers(kShape, amp::kFloat32, 14);
    const Tensor grad = numbers(f(x).shape(), amp::kFloat32, 15);
    const Result expected = run(f, x, grad), result = run(f, laid_out(x), grad);
    CHECK((bits_of(result.output) == bits_of(expected.output)));
    CHECK((bits_of(result.gradient) == bits_of(expected.gradient)));
  }
}

TEST_CASE("channels-last: the gradient of a leaf is row-major, for who writes to its memory",
          "[ops]") {
  const Tensor x = laid_out(numbers(kShape, amp::kFloat32, 16)).requires_grad_();
  amp::sum(amp::relu(x) * x).backward();
  CHECK_FALSE(lies_channels_last(x.grad()));
  const Tensor before = x.grad().clone();
  amp::sum(amp::relu(x) * x).backward();
  CHECK((bits_of(x.grad()) == bits_of(before * 2)));
}

TEST_CASE("channels-last: gradients are added where both orders see it", "[ops]") {
  // Its gradient has row-major memory, too, when it is added to.
  const auto looks_at_gradient = [](const Tensor& x) {
    return amp::custom_function(
        [](const Tensor& input) {
          return std::pair{input * 2, [](const Tensor& grad) {
                             const Tensor twice = grad * 2;
                             (void)twice.const_data<float>();
                             return std::array{twice};
                           }};
        },
        x);
  };
  const auto f = [&](const Tensor& x) {
    const Tensor h = amp::softmax(x, 1);  // its backward pass reads row-major memory
    return looks_at_gradient(h) + looks_at_gradient(h);
  };
  const Tensor x = numbers(kShape, amp::kFloat32, 18), grad = numbers(kShape, amp::kFloat32, 19);
  CHECK((bits_of(run(f, x, laid_out(grad)).gradient) == bits_of(run(f, x, grad).gradient)));
}

TEST_CASE("channels-last: what is written through an optimizer's view of a gradient is read",
          "[ops]") {
  const Tensor w = amp::zeros(kShape).requires_grad_();
  w.set_grad(laid_out(numbers(kShape, amp::kFloat32, 20)));
  const amp::SGD optimizer({w}, {.lr = 1});
  for (const amp::TensorView& view : optimizer.gradients()) {
    auto* const numbers_of = static_cast<float*>(view.data);
    for (std::int64_t i = 0; i < view.numel; ++i) numbers_of[i] = 2;
  }
  CHECK(amp::relu(w.grad()).to_vector<float>() == w.grad().to_vector<float>());
  CHECK(w.grad().to_vector<float>()[3] == 2);
}

TEST_CASE("channels-last: a saved tensor notices that it was written", "[ops]") {
  const Tensor x = laid_out(numbers(kShape, amp::kFloat32, 17)).requires_grad_();
  const Tensor h = amp::relu(x), y = amp::max_pool2d(h, 2) * 1.0;
  h.detach().zero_();
  CHECK_THROWS_AS(y.backward(amp::ones(y.shape())), amp::Error);
}

}  // namespace channels_last_ops
