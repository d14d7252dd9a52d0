// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of one and three dimensions, transposed ones, pools, unfold and fold, and
// instance_norm: what golden cases do not show.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace windows {
namespace {

using amp::Tensor;

double largest(const Tensor& x) { return amp::amax(amp::abs(x), {}).item<float>(); }
double difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  return largest(a - b) / (largest(a) + 1e-30);
}

/// Results and gradients by all inputs.
std::vector<Tensor> with_gradients(const std::vector<Tensor>& inputs,
                                   const std::function<Tensor(const std::vector<Tensor>&)>& op) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : inputs) leaves.push_back(x.detach().requires_grad_());
  std::vector<Tensor> results{op(leaves)};
  amp::sum(results[0] * amp::sin(amp::arange(results[0].numel())).reshape(results[0].shape()))
      .backward();
  results[0] = results[0].detach();
  for (const Tensor& leaf : leaves) results.push_back(leaf.grad());
  return results;
}
void check_equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double limit = 1e-5) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("result " << i);
    CHECK(difference(a[i].reshape({a[i].numel()}), b[i].reshape({b[i].numel()})) <= limit);
  }
}

TEST_CASE("windows: a convolution pads each side by its own number") {
  amp::manual_seed(1);
  using Inputs = std::vector<Tensor>;
  const Inputs images{amp::randn({2, 6, 9, 11}), amp::randn({4, 3, 3, 2}), amp::randn({4})};
  check_equal(with_gradients(images,
                             [](const Inputs& x) {
                               return amp::conv2d(
                                   x[0], x[1], x[2],
                                   {.stride = {2, 1}, .padding = {{0, 3}, {2, 1}}, .groups = 2});
                             }),
              with_gradients(images, [](const Inputs& x) {
                return amp::conv2d(amp::pad(x[0], {3, 1, 0, 2}), x[1], x[2],
                                   {.stride = {2, 1}, .groups = 2});
              }));
  // Planes of one channel have kernels of their own.
  const Inputs planes{amp::randn({2, 3, 7, 9}), amp::randn({3, 1, 3, 3})};
  check_equal(
      with_gradients(planes,
                     [](const Inputs& x) {
                       return amp::conv2d(x[0], x[1], {}, {.padding = {{2, 0}, 1}, .groups = 3});
                     }),
      with_gradients(planes, [](const Inputs& x) {
        return amp::conv2d(amp::pad(x[0], {0, 1, 2, 1}), x[1], {}, {.groups = 3});
      }));
  // A causal convolution sees no later element.
  const Tensor weight = amp::randn({1, 1, 3}), x = amp::randn({1, 1, 8});
  const Tensor y = amp::conv1d(x, weight, {}, {.padding = {2, 0}});
  REQUIRE(y.shape() == amp::Shape{1, 1, 8});
  CHECK(difference(y.narrow(2, 0, 5),
                   amp::conv1d(x.narrow(2, 0, 5), weight, {}, {.padding = {2, 0}})) == 0);
  const std::string error = amp_test::error_of([&] {
    return amp::conv1d(x, weight, {}, {.padding = {0, -1}});
  });
  CHECK(error.find("conv1d: `padding` must be at least 0") != std::string::npos);
}

TEST_CASE("windows: conv3d is conv2d of slices, and conv1d of one row") {
  amp::manual_seed(1);
  const std::vector<Tensor> inputs{amp::randn({3, 16, 20, 24}), amp::randn({24, 8, 3, 3}),
                                   amp::randn({24})};
  const auto planes = with_gradients(inputs, [](const std::vector<Tensor>& x) {
    return amp::conv2d(x[0], x[1], x[2], {.stride = {1, 2}, .padding = 1, .groups = 2});
  });
  check_equal(planes, with_gradients(inputs, [](const std::vector<Tensor>& x) {
                return amp::conv3d(x[0].unsqueeze(2), x[1].unsqueeze(2), x[2],
                                   {.stride = {1, 1, 2}, .padding = {0, 1, 1}, .groups = 2});
              }));
  // The rows as slices.
  check_equal(planes, with_gradients(inputs, [](const std::vector<Tensor>& x) {
                return amp::conv3d(x[0].unsqueeze(3), x[1].unsqueeze(3), x[2],
                                   {.stride = {1, 1, 2}, .padding = {1, 0, 1}, .groups = 2});
              }));
}

TEST_CASE("windows: a transposed convolution is the gradient of a convolution") {
  amp::manual_seed(2);
  for (const std::int64_t groups : {1, 2, 8}) {
    const Tensor x = amp::randn({3, 8, 11, 12}), w = amp::randn({16, 8 / groups, 4, 3});
    const amp::Conv2dOptions options{.stride = {2, 3}, .padding = 1, .groups = groups};
    const Tensor leaf = x.detach().requires_grad_();
    const Tensor y = amp::conv2d(leaf, w, {}, options);
    const Tensor grad = amp::randn(y.shape());
    y.backward(grad);
    const Tensor transposed = amp::conv_transpose2d(
        grad, w, {}, {.stride = {2, 3}, .padding = 1, .output_padding = {1, 2}, .groups = groups});
    CHECK(difference(leaf.grad(), transposed.narrow(2, 0, 11).narrow(3, 0, 12)) <= 1e-6);
  }
}

TEST_CASE("windows: a slice that no tap reaches is the bias") {
  amp::manual_seed(9);
  for (const std::int64_t groups : {1, 2}) {
    const Tensor y = amp::conv_transpose3d(
        amp::randn({3, 2, 1, 8, 9}), amp::randn({2, 2 / groups, 1, 3, 3}), amp::ones({2}),
        {.stride = 3, .padding = {1, 2, 0}, .output_padding = {2, 0, 1}, .groups = groups});
    CHECK(amp::amin(y, {}).item<float>() == 1);
    CHECK(amp::amax(y, {}).item<float>() == 1);
  }
}

TEST_CASE("windows: one pixel becomes an image") {
  amp::manual_seed(3);
  const Tensor x = amp::randn({5, 7, 1, 1}), w = amp::randn({7, 6, 4, 4}), b = amp::randn({6});
  const Tensor expected =
      (amp::matmul(x.reshape({5, 7}), w.reshape({7, 96})).reshape({5, 6, 16}) + b.reshape({6, 1}))
          .reshape({5, 6, 4, 4});
  CHECK(difference(expected, amp::conv_transpose2d(x, w, b)) <= 1e-6);
  for (const amp::DType dtype : {amp::kBFloat16, amp::kFloat16}) {
    const Tensor y = amp::conv_transpose2d(x.to(dtype), w.to(dtype), b.to(dtype));
    CHECK(difference(expected, y.to(amp::kFloat32)) <= 2e-2);
  }
}

TEST_CASE("windows: a chain of layers of one and three dimensions keeps its values") {
  amp::manual_seed(4);
  const auto chain = [](const Tensor& x, const Tensor& w, bool copies) {
    const auto laid = [&](const Tensor& t) { return copies ? t.clone().contiguous() : t; };
    const bool line = x.dim() == 3;
    const Tensor b;
    Tensor h = line ? amp::conv1d(x, w, b, {.padding = 1}) : amp::conv3d(x, w, b, {.padding = 1});
    h = laid(amp::relu(laid(h)));
    h = laid(amp::batch_norm(h, {}, {}, {}, {}, true));
    h = laid(line ? amp::max_pool1d(h, 2) : amp::max_pool3d(h, 2));
    h = laid(line ? amp::conv1d(h, w, b, {.padding = 1}) : amp::conv3d(h, w, b, {.padding = 1}));
    return line ? amp::adaptive_avg_pool1d(h, 3) : amp::adaptive_avg_pool3d(h, {2, 3, 1});
  };
  for (const bool line : {true, false}) {
    const std::vector<Tensor> inputs{
        amp::randn(line ? amp::Shape{2, 8, 24} : amp::Shape{2, 8, 6, 8, 10}),
        amp::randn(line ? amp::Shape{8, 8, 3} : amp::Shape{8, 8, 3, 3, 3})};
    const auto run = [&](bool copies) {
      return with_gradients(
          inputs, [&](const std::vector<Tensor>& x) { return chain(x[0], x[1], copies); });
    };
    check_equal(run(false), run(true), 1e-4);
  }
}

TEST_CASE("windows: pools of images in either order agree, in all dimensions") {
  amp::manual_seed(5);
  const auto check = [](const Tensor& x, const auto& pool) {
    const Tensor a = x.detach().requires_grad_();
    // A convolution with the identity lays its result out channels-last.
    Tensor weight = amp::zeros({x.size(1), x.size(1), 1, 1, 1});
    for (std::int64_t c = 0; c < x.size(1); ++c) weight.select(0, c).select(0, c).fill_(1);
    const Tensor leaf = x.detach().requires_grad_();
    const Tensor y = pool(amp::conv3d(leaf, weight)), z = pool(a);
    CHECK(difference(z.detach(), y.detach()) <= 1e-6);
    amp::sum(y * y).backward();
    amp::sum(z * z).backward();
    CHECK(difference(a.grad(), leaf.grad()) <= 1e-6);
  };
  const Tensor x = amp::randn({2, 5, 6, 7, 8});
  check(x, [](const Tensor& t) { return amp::max_pool3d(t, 3, {2, 1, 2}, 1); });
  check(x, [](const Tensor& t) { return amp::avg_pool3d(t, 3, {2, 1, 2}, 1); });
  check(x, [](const Tensor& t) {
    return amp::avg_pool3d(
        t, 3, {.stride = 2, .padding = 1, .ceil_mode = true, .count_include_pad = false});
  });
  check(x, [](const Tensor& t) { return amp::adaptive_avg_pool3d(t, {4, 3, 5}); });
  check(x, [](const Tensor& t) { return amp::adaptive_max_pool3d(t, {4, 3, 5}); });
  check(x, [](const Tensor& t) { return amp::adaptive_avg_pool3d(t, 1); });
}

TEST_CASE("windows: positions of maxima find them") {
  amp::manual_seed(6);
  const Tensor x = amp::randn({3, 40, 41});
  const auto [values, indices] = amp::max_pool2d_with_indices(x, 3, {.stride = 2, .padding = 1});
  CHECK(indices.dtype() == amp::kInt64);
  const auto all = x.to_vector<float>(), maxima = values.to_vector<float>();
  const auto places = indices.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < maxima.size(); ++i) {
    const std::size_t plane = i / (maxima.size() / 3);
    CHECK(maxima[i] == all[plane * 40 * 41 + static_cast<std::size_t>(places[i])]);
  }
}

TEST_CASE("windows: unfold, matmul and fold are a convolution and its gradient") {
  amp::manual_seed(7);
  const Tensor x = amp::randn({2, 6, 33, 34}), w = amp::randn({8, 6, 3, 3});
  const Tensor columns = amp::unfold(x, 3, {.padding = 1, .stride = 2});
  const Tensor y = amp::conv2d(x, w, {}, {.stride = 2, .padding = 1});
  CHECK(difference(y, amp::matmul(w.reshape({8, 54}), columns).reshape(y.shape())) <= 1e-5);
  const Tensor grad =
      amp::conv_transpose2d(y, w, {}, {.stride = 2, .padding = 1, .output_padding = {0, 1}});
  const Tensor folded =
      amp::fold(amp::matmul(w.reshape({8, 54}).t(), y.reshape({2, 8, y.size(2) * y.size(3)})),
                {33, 34}, 3, {.padding = 1, .stride = 2});
  CHECK(difference(folded, grad) <= 1e-5);
}

TEST_CASE("windows: errors name what is wrong") {
  const Tensor x = amp::randn({2, 4, 8}), w = amp::randn({6, 2, 3});
  const auto says = [](const auto& call, const std::vector<std::string>& parts) {
    const std::string text = amp_test::error_of(call);
    INFO(text);
    for (const std::string& part : parts) CHECK(text.find(part) != std::string::npos);
  };
  says([&] { return amp::conv1d(x, w); }, {"conv1d: ", "`groups`", "[O, C / groups, K]"});
  says([&] { return amp::conv1d(x.unsqueeze(0), w); }, {"conv1d: expected `input` [N, C, L]"});
  says(
      [&] {
        return amp::conv1d(x, w, {}, {.stride = 2, .padding = amp::Padding::kSame, .groups = 2});
      },
      {"conv1d: with `padding` kSame, `stride` must be 1, but is {2}"});
  says([&] { return amp::conv_transpose1d(x, w); }, {"conv_transpose1d: `weight`", "6 channels"});
  says(
      [&] {
        return amp::conv_transpose1d(amp::ones({2, 0, 5}), amp::ones({0, 2, 3}), {},
                                     {.groups = std::int64_t{1} << 62});
      },
      {"conv_transpose1d: `groups` 4611686018427387904 must divide"});
  says(
      [&] {
        return amp::conv_transpose1d(x, amp::randn({4, 2, 3}), {}, {.output_padding = 1});
      },
      {"conv_transpose1d: `output_padding` must be less than `stride` or `dilation`: {1}"});
  says(
      [&] {
        return amp::conv_transpose1d(x, amp::randn({4, 2, 3}), {}, {.padding = 9});
      },
      {"conv_transpose1d: `padding` {9} is more than the result has"});
  says([&] { return amp::conv_tbc(x, w, amp::zeros({3})); }, {"conv_tbc: expected"});
  says([&] { return amp::max_pool1d(x, 2, {.padding = 2}); },
       {"max_pool1d: `padding` must be at most half of `kernel`: {2} against {2}"});
  says(
      [&] {
        return amp::max_pool1d(amp::randn({1, 1, 2}), 2,
                               {.stride = 1, .padding = 1, .dilation = 3});
      },
      {"max_pool1d: with `dilation` {3}", "padding only"});
  says([&] { return amp::max_pool3d(x, 2); }, {"max_pool3d: expected `input` [N, C, D, H, W]"});
  says([&] { return amp::avg_pool1d(x, 2, {.divisor_override = 0}); }, {"`divisor_override`"});
  says([&] { return amp::adaptive_avg_pool1d(x, -1); },
       {"adaptive_avg_pool1d: `output_size` must be at least 0, but is {-1}"});
  says([&] { return amp::unfold(amp::randn({1, 1, 2, 2}), 3); }, {"unfold: `kernel` {3, 3}"});
  says([&] { return amp::fold(amp::randn({1, 5, 4}), 3, 2); }, {"fold: the 4 elements"});
  says(
      [&] {
        return amp::fold(amp::randn({1, 4, 5}), 3, 2);
      },
      {"fold: `output_size` {3, 3} has 4"});
  says([&] { return amp::instance_norm(amp::randn({2, 3, 1})); }, {"instance_norm: "});
  says([&] { return amp::instance_norm(x, {}, {}, {}, {}, false); },
       {"instance_norm: `running_mean` must be defined unless `use_input_stats`"});
}

TEST_CASE("windows: gradients have the same bits every time") {
  amp::manual_seed(8);
  const std::vector<Tensor> inputs{amp::randn({8, 16, 6, 10, 10}), amp::randn({16, 8, 3, 3, 3}),
                                   amp::randn({8})};
  const auto run = [&] {
    return with_gradients(inputs, [](const std::vector<Tensor>& x) {
      return amp::adaptive_avg_pool3d(
          amp::conv_transpose3d(x[0], x[1], x[2], {.stride = 2, .padding = 1}), {5, 7, 3});
    });
  };
  const auto first = run(), again = run();
  for (std::size_t i = 0; i < first.size(); ++i)
    CHECK(first[i].to_vector<float>() == again[i].to_vector<float>());
}

}  // namespace
}  // namespace windows
