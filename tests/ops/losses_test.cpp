// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What golden cases do not show of losses: 16 bits, many elements, repeated runs, and what is
// refused.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace losses {
namespace {

using amp::Tensor;
using amp_test::error_of;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;

Tensor classes(const std::vector<std::int64_t>& values) {
  return amp::tensor(values, {static_cast<std::int64_t>(values.size())});
}

/// A batch for ctc_loss: scores of many steps, and labels.
struct Speech {
  Tensor scores, targets, inputs, labels;

  explicit Speech(std::int64_t steps = 60, std::int64_t samples = 4, std::int64_t count = 20) {
    amp::manual_seed(3);
    scores = amp::randn({steps, samples, 8}, {.requires_grad = true});
    std::vector<std::int64_t> all, lengths_in, lengths_out;
    for (std::int64_t n = 0; n < samples; ++n) {
      lengths_in.push_back(steps - n);
      lengths_out.push_back(count - n);
      for (std::int64_t k = 0; k < count; ++k) all.push_back(1 + (k * k + n) % 7);
    }
    targets = amp::tensor(all, {samples, count});
    inputs = classes(lengths_in);
    labels = classes(lengths_out);
  }
  Tensor loss(const amp::CtcLossOptions& options = {}) const {
    return amp::ctc_loss(amp::log_softmax(scores, -1), targets, inputs, labels, options);
  }
};

}  // namespace

TEST_CASE("losses: a reduction is an argument or an option, under both of its names") {
  const Tensor x = amp::tensor({1.0F, 2.0F, 4.0F}, {3}), y = amp::zeros({3});
  CHECK(amp::mse_loss(x, y, amp::kSum).item<float>() == 21);
  CHECK(amp::mse_loss(x, y, {.reduction = amp::Reduction::kSum}).item<float>() == 21);
  CHECK(amp::l1_loss(x, y).item<float>() == 7.0F / 3);
  CHECK(amp::l1_loss(x, y, {.reduction = amp::kNone}).numel() == 3);
  CHECK(amp::kl_div(x, y + 1, {.reduction = amp::kBatchMean}).item<float>() == -7.0F / 3);
}

TEST_CASE("losses: the batch mean is kl_div's alone") {
  const Tensor x = amp::ones({2, 3}), t = classes({0, 1});
  const auto message = ContainsSubstring("`reduction` must be kNone, kMean or kSum");
  CHECK_THAT(error_of([&] { (void)amp::mse_loss(x, x, amp::kBatchMean); }), message);
  CHECK_THAT(error_of([&] { (void)amp::cross_entropy(x, t, {.reduction = amp::kBatchMean}); }),
             message);
  CHECK_THAT(error_of([&] { (void)amp::nll_loss(x, t, {.reduction = amp::kBatchMean}); }), message);
  CHECK_THAT(error_of([&] { (void)amp::multi_margin_loss(x, t, {.reduction = amp::kBatchMean}); }),
             message);
  CHECK_THAT(error_of([&] { (void)amp::binary_cross_entropy_with_logits(x, x, amp::kBatchMean); }),
             message);
}

TEST_CASE("losses: options and values out of range are refused") {
  const Tensor x = amp::full({2, 3}, 0.5), t = classes({0, 1});
  const auto refused = [](const auto& call, std::string_view a, std::string_view b) {
    CHECK_THAT(error_of(call),
               ContainsSubstring(std::string(a)) && ContainsSubstring(std::string(b)));
  };
  refused([&] { (void)amp::smooth_l1_loss(x, x, {.beta = -1}); }, "smooth_l1_loss: `beta`", "-1");
  refused([&] { (void)amp::huber_loss(x, x, {.delta = 0}); }, "huber_loss: `delta`", "0");
  refused([&] { (void)amp::binary_cross_entropy(x * 3, x); }, "binary_cross_entropy: `input`",
          "1.5");
  refused([&] { (void)amp::binary_cross_entropy(x - 1, x); }, "binary_cross_entropy: `input`",
          "-0.5");
  refused([&] { (void)amp::binary_cross_entropy(amp::log(-x), x); }, "`input`", "nan");
  refused([&] { (void)amp::binary_cross_entropy(x, x, {.weight = amp::ones({2})}); }, "`weight`",
          "broadcast");
  refused([&] { (void)amp::gaussian_nll_loss(x, x, -x); }, "gaussian_nll_loss: `var`", "-0.5");
  refused([&] { (void)amp::gaussian_nll_loss(x, x, amp::ones({3})); }, "`var`", "float32[3]");
  refused([&] { (void)amp::gaussian_nll_loss(x, x, x, {.eps = 0}); }, "`eps`", "0");
  refused([&] { (void)amp::multi_margin_loss(x, t, {.p = 3}); }, "multi_margin_loss: `p`", "3");
  refused([&] { (void)amp::multi_margin_loss(x, classes({0, 3})); }, "[0, 3)", "targets[1] is 3");
  refused([&] { (void)amp::multi_margin_loss(x, classes({-100, 0})); }, "[0, 3)", "-100");
  refused([&] { (void)amp::multi_margin_loss(x, t, {.weight = amp::ones({2})}); }, "`weight`",
          "[3]");
  refused([&] { (void)amp::multilabel_margin_loss(x, t); }, "`targets`", "int64[2]");
  refused([&] { (void)amp::multilabel_margin_loss(x, x); }, "int64 class indices", "float32");
  refused(
      [&] {
        (void)amp::multilabel_margin_loss(amp::ones({2}), classes({2, 0}));
      },
      "[-1, 2)", "is 2");
  refused([&] { (void)amp::multilabel_soft_margin_loss(amp::ones({}), amp::ones({})); }, "`input`",
          "classes");
  refused([&] { (void)amp::cosine_embedding_loss(x, x, amp::ones({3})); }, "`target`", "[2]");
  refused([&] { (void)amp::triplet_margin_loss(x, x, x, {.margin = 0}); }, "`margin`", "0");
  refused([&] { (void)amp::triplet_margin_loss(x, x, amp::ones({3})); }, "`negative`",
          "float32[3]");
  refused([&] { (void)amp::glu(x); }, "glu: dimension 1", "even");
  refused([&] { (void)amp::glu(amp::ones({})); }, "glu: `input`", "halve");
  refused([&] { (void)amp::prelu(x, amp::ones({2})); }, "prelu: for `input`", "float32[2]");
  refused([&] { (void)amp::rrelu(x, 0.5, 0.25); }, "rrelu: `lower` and `upper`", "0.25");
  refused([&] { (void)amp::tanhshrink(amp::gt(x, 0)); }, "tanhshrink: `input`", "bool");
  refused([&] { (void)amp::gumbel_softmax(x, {.tau = 0}); }, "gumbel_softmax: `tau`", "0");
}

TEST_CASE("ctc_loss: what does not fit is refused") {
  const Speech s(5, 2, 3);
  const Tensor p = amp::log_softmax(s.scores, -1);
  const auto refused = [&](const Tensor& targets, const Tensor& inputs, const Tensor& labels,
                           std::string_view part, std::int64_t blank = 0) {
    CHECK_THAT(error_of([&] { (void)amp::ctc_loss(p, targets, inputs, labels, {.blank = blank}); }),
               ContainsSubstring("ctc_loss: ") && ContainsSubstring(std::string(part)));
  };
  const Tensor two = classes({2, 2});
  refused(s.targets, classes({6, 5}), two, "`input_lengths` must lie in [0, 5]");
  refused(s.targets, classes({5, -1}), two, "[1] is -1");
  refused(s.targets, two, classes({4, 2}), "`target_lengths` must lie in [0, 3]");
  refused(s.targets, two, classes({2, 2, 2}), "`target_lengths`");
  refused(classes({1, 2, 3}), two, two, "sum to more");
  refused(amp::full({2, 3}, 8, {.dtype = amp::kInt64}), two, two, "[0, 8)");
  refused(s.targets.to(amp::kFloat32), two, two, "`targets` must be integers");
  refused(s.targets, two, two, "`blank`", 8);
  CHECK_THAT(error_of([&] {
               (void)amp::ctc_loss(amp::ones({0, 2, 3}), s.targets, two, two);
             }),
             ContainsSubstring("not empty"));
}

TEST_CASE("ctc_loss: lengths and labels may have any integer dtype") {
  const Speech s;
  const Tensor p = amp::log_softmax(s.scores, -1);
  CHECK(same_bits(amp::ctc_loss(p, s.targets.to(amp::kInt32), s.inputs.to(amp::kInt32),
                                s.labels.to(amp::kUInt8)),
                  s.loss()));
}

TEST_CASE("ctc_loss: 16 bits are computed in float32 and rounded once") {
  const Speech s;
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
    const Tensor p = amp::log_softmax(s.scores.detach(), -1).to(dtype);
    const Tensor wide = p.to(amp::kFloat32);
    const Tensor loss = amp::ctc_loss(p, s.targets, s.inputs, s.labels);
    CHECK(loss.dtype() == dtype);
    CHECK(same_bits(loss, amp::ctc_loss(wide, s.targets, s.inputs, s.labels).to(dtype)));
  }
}

TEST_CASE("ctc_loss: gradients are the same in each run, and those of a sum of ways") {
  const Speech s;
  s.loss().backward();
  const Tensor first = s.scores.grad().clone();
  s.scores.grad().zero_();
  s.loss().backward();
  CHECK(same_bits(first, s.scores.grad()));
  // Of scores, so they sum to 0 over the classes; and a difference quotient.
  for (const double sum : amp::sum(first, -1).to_vector<double>()) CHECK(std::abs(sum) < 1e-6);
  constexpr float kStep = 1e-2F;
  const auto loss_with = [&](float step) {
    const amp::NoGradGuard no_grad;
    const Tensor moved = s.scores.detach().clone();
    moved.select(0, 3).select(0, 1).select(0, 2).fill_(
        s.scores.select(0, 3).select(0, 1).select(0, 2).item<float>() + step);
    return amp::ctc_loss(amp::log_softmax(moved.to(amp::kFloat64), -1), s.targets, s.inputs,
                         s.labels)
        .item<double>();
  };
  const double slope = (loss_with(kStep) - loss_with(-kStep)) / (2 * kStep);
  CHECK(std::abs(slope - first.select(0, 3).select(0, 1).select(0, 2).item<float>()) < 1e-4);
}

TEST_CASE("ctc_loss: steps beyond a sample's length have no gradient") {
  const Speech s;
  s.loss({.reduction = amp::kSum}).backward();
  for (std::int64_t n = 0; n < 4; ++n) {
    for (std::int64_t t = 0; t < 60; ++t) {
      const auto row = s.scores.grad().select(0, t).select(0, n).to_vector<float>();
      bool zero = true;
      for (const float g : row) zero = zero && g == 0;
      CHECK(zero == (t >= 60 - n));
    }
  }
}

TEST_CASE("losses: a large tensor is the mean of its parts") {
  amp::manual_seed(5);
  const Tensor x = amp::rand({300, 700}, {.requires_grad = true}), y = amp::rand({300, 700});
  const auto part = [](const Tensor& t, std::int64_t begin) { return t.narrow(0, begin, 150); };
  const auto is_mean = [&](const auto& loss) {
    if (x.grad().defined()) x.grad().zero_();
    const Tensor whole = loss(x, y);
    whole.backward();
    const Tensor grad = x.grad().clone();
    const double halves = (loss(part(x, 0), part(y, 0)).template item<float>() +
                           loss(part(x, 150), part(y, 150)).template item<float>()) /
                          2.0;
    CHECK(whole.item<float>() == Approx(halves).epsilon(1e-5));
    x.grad().zero_();
    (0.5 * loss(part(x, 0), part(y, 0)) + 0.5 * loss(part(x, 150), part(y, 150))).backward();
    CHECK(amp::sum(amp::abs(grad - x.grad())).item<float>() <
          1e-5F * amp::sum(amp::abs(grad)).item<float>());
  };
  is_mean(
      [](const Tensor& a, const Tensor& b) { return amp::smooth_l1_loss(a, b, {.beta = 0.25}); });
  is_mean([](const Tensor& a, const Tensor& b) { return amp::kl_div(a, b); });
  is_mean([](const Tensor& a, const Tensor& b) { return amp::binary_cross_entropy(a, b); });
  is_mean([](const Tensor& a, const Tensor& b) { return amp::gaussian_nll_loss(a, b, b); });
  is_mean([](const Tensor& a, const Tensor& b) { return amp::triplet_margin_loss(a, b, b * 0.5); });
}

TEST_CASE("gumbel_softmax: hard samples are one-hot with the gradients of soft ones") {
  amp::manual_seed(7);
  const Tensor logits =
      amp::log(amp::tensor({0.5F, 0.25F, 0.25F}, {3})).detach().expand({4000, 3}).contiguous();
  const Tensor x = logits.clone();
  x.requires_grad_();
  const Tensor y = amp::gumbel_softmax(x, {.hard = true});
  std::vector<double> counts(3);
  const std::vector<float> values = y.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK((values[i] == 0 || values[i] == 1));
    counts[i % 3] += values[i];
  }
  CHECK(counts[0] + counts[1] + counts[2] == 4000);
  CHECK(std::abs(counts[0] / 4000 - 0.5) < 0.04);  // five standard deviations
  CHECK(std::abs(counts[1] / 4000 - 0.25) < 0.035);
  amp::sum(y * amp::tensor({1.0F, 2.0F, 3.0F}, {3})).backward();
  CHECK(amp::sum(amp::abs(x.grad())).item<float>() > 0);
  const Tensor other = amp::gumbel_softmax(x, {.hard = true});
  CHECK_FALSE(same_bits(y, other));
}

TEST_CASE("rrelu: slopes in training lie in the range, and backward has the same") {
  amp::manual_seed(8);
  const Tensor x = amp::full({20'000}, -1, {.requires_grad = true});
  const Tensor y = amp::rrelu(x, 0.25, 0.5, true);
  y.backward(amp::ones({20'000}));
  CHECK(same_bits(-y.detach(), x.grad()));
  CHECK(amp::amin(x.grad()).item<float>() >= 0.25F);
  CHECK(amp::amax(x.grad()).item<float>() <= 0.5F);
  CHECK(amp::mean(x.grad()).item<float>() == Approx(0.375).margin(0.005));
}

}  // namespace losses
