// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Edges of ops that golden cases do not reach: gradients of several views, tensors that lie
// channels-last, infinities, empty dimensions, and integers that float32 does not hold.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/channels_last.hpp"
#include "support/error_of.hpp"

namespace {

using amp::Tensor;
using amp_test::laid_out;
using Numbers = std::vector<float>;

constexpr float kInf = std::numeric_limits<float>::infinity();

Numbers numbers(const Tensor& x) { return x.to_vector<float>(); }
Tensor leaf(const Numbers& values) { return amp::tensor(values, {values.size()}).requires_grad_(); }
Tensor random(const amp::Shape& shape) {
  return amp::sin(amp::arange(shape.numel()).reshape(shape).to(amp::kFloat32));
}

}  // namespace

TEST_CASE("views: their gradients are added where the sum of the others lies") {
  const Tensor x = amp::ones({4}).requires_grad_();
  const Tensor first = x.narrow(0, 0, 1);
  const Tensor joined = amp::cat({amp::zeros({4}), x});
  (amp::sum(joined * amp::ones({8})) + amp::sum(first * 10.0)).backward();
  CHECK(numbers(x.grad()) == Numbers{11, 1, 1, 1});
}

TEST_CASE("views: of a tensor that lies channels-last, and of its rows") {
  const Tensor images = random({2, 3, 5, 5}), weight1 = random({4, 3, 3, 3}) * 0.5,
               weight2 = random({2, 4, 3, 3}) * 0.25;
  const auto gradient = [&](bool of_view) {
    const Tensor x = images.clone().requires_grad_();
    const Tensor y = amp::conv2d(x, weight1, {});
    const Tensor rows = y.flatten(1), some = rows.narrow(1, 3, 7);
    const Tensor z = amp::conv2d(rows.reshape(y.shape()), weight2, {});
    if (of_view) {
      (amp::sum(z) + amp::sum(some)).backward();
    } else {
      amp::sum(z).backward();
    }
    return x.grad();
  };
  const Tensor x = images.clone().requires_grad_();
  amp::sum(amp::conv2d(x, weight1, {}).flatten(1).narrow(1, 3, 7)).backward();
  const Tensor apart = gradient(true) - gradient(false) - x.grad();
  CHECK(amp::amax(amp::abs(apart), {}).item<float>() < 1e-4F);
}

TEST_CASE("scans: an infinite gradient stays where it is") {
  const Tensor x = leaf({1, 2});
  amp::cummax(x, 0).values.backward(amp::tensor({1.0F, kInf}, {2}));
  CHECK(numbers(x.grad()) == Numbers{1, kInf});
  const Tensor y = leaf({2, 0});
  amp::cumprod(y, 0).backward(amp::tensor({1.0F, kInf}, {2}));
  CHECK(numbers(y.grad()) == Numbers{1, kInf});
}

TEST_CASE("index: a dimension without elements that is not indexed") {
  const Tensor none = amp::zeros({3, 0, 2}), i = amp::tensor({0}, {1}), j = amp::tensor({1}, {1});
  CHECK(amp::index(none, {i, Tensor(), j}).shape() == amp::Shape(1, 0));
  CHECK(amp::index(amp::zeros({3, 2, 0}), {i, j}).shape() == amp::Shape(1, 0));
  CHECK_THAT(amp_test::error_of([&] {
               (void)amp::index(none, {i, j});
             }),
             Catch::Matchers::ContainsSubstring("index: "));
}

TEST_CASE("slice: a step beyond the extent gives one element") {
  const Tensor x = amp::ones({4, 5}).requires_grad_();
  const Tensor y = x.slice(0, {}, {}, std::numeric_limits<std::int64_t>::max());
  CHECK(y.shape() == amp::Shape(1, 5));
  amp::sum(y).backward();
  CHECK(amp::sum(x.grad()).item<float>() == 5);
}

TEST_CASE("norm: of 16-bit numbers whose squares float does not hold, and of those it does") {
  for (const std::int64_t n : {1, 37, 1024, 2500}) {
    const Tensor x = random({3, n}).to(amp::kFloat64) + 0.25;
    for (const double scale : {1.0, 1e-30, 1e-22, 1e20, 1e30}) {
      for (const amp::DType dtype : {amp::kBFloat16, amp::kFloat16}) {
        const Tensor y = (x * (dtype == amp::kFloat16 ? scale > 1 ? 10 : 1e-3 : scale)).to(dtype);
        for (const double p : {1.0, 2.0}) {
          INFO(n << " " << scale << " " << amp::name(dtype) << " " << p);
          const Tensor expected = amp::norm(y.to(amp::kFloat64), p, 1),
                       got = amp::norm(y, p, 1).to(amp::kFloat64);
          const Tensor all = amp::norm(y), all_expected = amp::norm(y.to(amp::kFloat64));
          CHECK(amp::amax(amp::abs(got / expected - 1), {}).item<double>() < 4e-3);
          CHECK(std::abs(all.item<double>() / all_expected.item<double>() - 1) < 4e-3);
        }
      }
    }
    const Tensor zeros = amp::zeros({n}, {.dtype = amp::kBFloat16});
    CHECK(amp::norm(zeros).item<float>() == 0);
    CHECK(amp::norm(zeros + kInf).item<float>() == kInf);
    CHECK(std::isnan(amp::norm(zeros * kInf).item<float>()));
  }
}

TEST_CASE("isclose: integers that float32 does not hold") {
  const Tensor a = amp::tensor(std::vector<std::int64_t>{16777217}, {1}),
               b = amp::tensor(std::vector<std::int64_t>{16777216}, {1});
  CHECK_FALSE(amp::allclose(a, b, 0, 0));
  CHECK_FALSE(amp::allclose(a, b, 0, 0.5));
  CHECK(amp::allclose(a, b, 0, 1));
}

TEST_CASE("normal: beside float64 a number is not rounded to float32") {
  const Tensor none = amp::zeros({1}, {.dtype = amp::kFloat64});
  CHECK(amp::normal(0.1, none).item<double>() == 0.1);
  CHECK(amp::normal(100000001.0, none).item<double>() == 100000001.0);
}

TEST_CASE("histc: ends that are farther apart than the largest number") {
  const Tensor x = amp::tensor({-3e38F, -1e38F, 0.0F, 3e38F}, {4});
  CHECK(numbers(amp::histc(x, 4, -3e38, 3e38)) == Numbers{1, 1, 1, 1});
}

TEST_CASE("quantile: of more elements than float32 counts") {
  const std::int64_t n = (std::int64_t{1} << 24) + 4;
  const Tensor x = amp::zeros({n});
  CHECK(amp::quantile(x, 1.0).item<float>() == 0);
  CHECK(amp::quantile(x, amp::tensor({1.0F}, {1})).to_vector<float>() == Numbers{0});
}

TEST_CASE("interpolate: volumes that lie channels-last") {
  const Tensor x = random({2, 3, 4, 5, 3});
  using amp::InterpolateMode;
  for (const InterpolateMode mode :
       {InterpolateMode::kTrilinear, InterpolateMode::kArea, InterpolateMode::kNearest}) {
    for (const amp::Shape& size : {amp::Shape(7, 3, 6), amp::Shape(2, 9, 2)}) {
      const auto run = [&](const Tensor& input) {
        const Tensor in = input.detach().requires_grad_();
        const Tensor y = amp::interpolate(in, {.size = {size[0], size[1], size[2]}, .mode = mode});
        amp::sum(y * random(y.shape())).backward();
        return std::vector<Tensor>{y.detach().contiguous(), in.grad().contiguous()};
      };
      const auto rows = run(x), last = run(laid_out(x));
      for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK(amp::allclose(rows[i], last[i], 1e-4, 1e-5));
    }
  }
}

TEST_CASE("adaptive pools: to no rows, or to no columns") {
  const Tensor x = random({1, 3, 4, 4});
  CHECK(amp::adaptive_avg_pool2d(x, {1, 0}).shape() == amp::Shape(1, 3, 1, 0));
  for (const bool last : {false, true}) {
    const Tensor in = (last ? laid_out(x) : x).detach().requires_grad_();
    amp::sum(amp::adaptive_avg_pool2d(in, {0, 2})).backward();
    amp::sum(amp::adaptive_max_pool2d(in, {2, 0})).backward();
    CHECK(amp::count_nonzero(in.grad()).item<std::int64_t>() == 0);
  }
}

TEST_CASE("group_norm: the gradients of parameters of planes without elements are 0") {
  const Tensor x = amp::zeros({2, 4, 0}).requires_grad_(), weight = amp::ones({4}).requires_grad_(),
               bias = amp::ones({4}).requires_grad_();
  amp::sum(amp::group_norm(x, 2, weight, bias)).backward();
  CHECK(numbers(weight.grad()) == Numbers(4, 0));
  CHECK(numbers(bias.grad()) == Numbers(4, 0));
}

TEST_CASE("multi_margin_loss: an infinite score of the target") {
  const Tensor target = amp::tensor({0}, {1});
  CHECK(amp::multi_margin_loss(amp::tensor({kInf, 0.0F, 1.0F}, {1, 3}), target).item<float>() == 0);
  CHECK(amp::multi_margin_loss(amp::tensor({-kInf, 0.0F, 1.0F}, {1, 3}), target).item<float>() ==
        kInf);
}

TEST_CASE("ctc_loss, recurrent layers: what backward reads may not change before it") {
  const Tensor scores = amp::log_softmax(random({5, 1, 4}), -1).requires_grad_();
  const Tensor targets = amp::tensor({1, 2}, {1, 2});
  const Tensor loss = amp::ctc_loss(scores, targets, amp::tensor({5}, {1}), amp::tensor({2}, {1}));
  targets.fill_(1000000);
  CHECK_THAT(amp_test::error_of([&] { loss.backward(); }),
             Catch::Matchers::ContainsSubstring("ctc_loss"));

  const std::vector<Tensor> params{random({4, 3}).requires_grad_(), random({4, 4}), random({4}),
                                   random({4})};
  const amp::PackedSequence packed =
      amp::pack_padded_sequence(random({3, 2, 3}), amp::tensor({3, 2}, {2}));
  const auto y = amp::rnn_tanh(packed, Tensor(), params);
  packed.batch_sizes.fill_(1000);
  amp::sum(y.output.data).backward();
  CHECK(amp::all(amp::isfinite(params[0].grad())).item<bool>());
}
