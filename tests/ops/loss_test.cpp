// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What losses of two tensors make of dtypes and shapes that differ.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace loss_test {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("binary_cross_entropy_with_logits: the dtype of the target", "[ops]") {
  // torch 2.15
  const amp::DType dtypes[] = {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16};
  for (const amp::DType of_input : dtypes) {
    for (const amp::DType of_target : dtypes) {
      const Tensor x = amp::zeros({2}, {.dtype = of_input, .requires_grad = true});
      const Tensor y = amp::ones({2}, {.dtype = of_target}), w = amp::full({2}, 2);
      for (const amp::Reduction reduction : {amp::kNone, amp::kMean}) {
        const Tensor plain = amp::binary_cross_entropy_with_logits(x, y, reduction);
        const Tensor weighted = amp::binary_cross_entropy_with_logits(
            x, y, {.reduction = reduction, .weight = w, .pos_weight = w});
        CHECK(plain.dtype() == of_target);
        CHECK(weighted.dtype() == of_target);
        CHECK(plain.to_vector<double>()[0] == Approx(0.693147).epsilon(0.005));
        CHECK(weighted.to_vector<double>()[0] == Approx(4 * 0.693147).epsilon(0.005));
        x.set_grad({});
        amp::sum(plain).backward();
        CHECK(x.grad().dtype() == of_input);
        CHECK(x.grad().to_vector<float>()[0] == (reduction == amp::kNone ? -0.5F : -0.25F));
      }
    }
  }
}

TEST_CASE("binary_cross_entropy_with_logits: an infinite logit gives the limit", "[ops]") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16}) {
    INFO(amp::name(dtype));
    const Tensor x = amp::tensor({inf, inf, inf, -inf, -inf, -inf}, {6}).to(dtype);
    const Tensor y = amp::tensor({0.0F, 0.5F, 1.0F, 0.0F, 0.5F, 1.0F}, {6}).to(dtype);
    x.requires_grad_();
    const Tensor losses = amp::binary_cross_entropy_with_logits(x, y, amp::kNone);
    CHECK(losses.to_vector<float>() == std::vector<float>{inf, inf, 0, 0, inf, inf});
    amp::sum(losses).backward();
    CHECK(x.grad().to_vector<float>() == std::vector<float>{1, 0.5F, 0, 0, -0.5F, -1});
  }
  const Tensor nan = amp::full({1}, std::numeric_limits<double>::quiet_NaN());
  CHECK(std::isnan(amp::binary_cross_entropy_with_logits(nan, amp::zeros({1})).item<float>()));
}

TEST_CASE("nll_loss: targets alone are read, and alone have a gradient", "[ops]") {
  constexpr int kLines = 300, kClasses = 5;
  constexpr std::int64_t kIgnored = 2;
  std::vector<std::int64_t> t;
  for (int i = 0; i < kLines * 3; ++i) t.push_back(i * 7 % kClasses);
  const Tensor weight = amp::tensor({1.0F, 2.0F, 4.0F, 0.5F, 8.0F}, {kClasses});
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16}) {
    for (const bool weighted : {false, true}) {
      for (const amp::Reduction reduction : {amp::kNone, amp::kSum}) {
        INFO(to_string(dtype) << ", weights " << weighted << ", " << static_cast<int>(reduction));
        // Of each image [C, 3] the losses of 3 columns.
        Tensor x = amp::randn({kLines, kClasses, 3}, {.dtype = dtype}).requires_grad_();
        const Tensor loss = amp::nll_loss(x, amp::tensor(t, {kLines, 3}),
                                          {.ignore_index = kIgnored,
                                           .reduction = reduction,
                                           .weight = weighted ? weight : Tensor()});
        const Tensor grad = amp::full(loss.shape(), 0.5, {.dtype = loss.dtype()});
        loss.backward(grad);
        const auto in = x.to_vector<double>(), result = x.grad().to_vector<double>();
        const auto weights = weight.to_vector<double>(), losses = loss.to_vector<double>();
        double total = 0;
        std::size_t wrong = 0;
        for (std::size_t line = 0; line < t.size(); ++line) {
          for (std::size_t c = 0; c < kClasses; ++c) {
            const std::size_t at = (line / 3 * kClasses + c) * 3 + line % 3;
            const bool counts = t[line] == static_cast<std::int64_t>(c) && t[line] != kIgnored;
            const double w = !counts ? 0 : weighted ? weights[c] : 1;
            total -= w * in[at];
            wrong += result[at] == -0.5 * w ? 0 : 1;
            if (counts && reduction == amp::kNone) wrong += losses[line] == -w * in[at] ? 0 : 1;
          }
        }
        CHECK(wrong == 0);
        if (reduction == amp::kSum)
          CHECK(std::abs(losses[0] - total) < (dtype == amp::kFloat16 ? 2 : 1e-2));
      }
    }
  }
}

TEST_CASE("losses: shapes that would broadcast are refused, and both named", "[ops]") {
  const Tensor column = amp::zeros({8, 1}), line = amp::zeros({8}), number = amp::zeros({});
  const auto both_named = [](const std::string& error, const char* a, const char* b) {
    CHECK_THAT(error, ContainsSubstring("`target` must have the shape of `input`") &&
                          ContainsSubstring(a) && ContainsSubstring(b));
  };
  both_named(error_of([&] { return amp::mse_loss(column, line); }), "float32[8, 1]", "float32[8]");
  both_named(error_of([&] { return amp::mse_loss(line, column, amp::kSum); }), "float32[8]",
             "float32[8, 1]");
  both_named(error_of([&] { return amp::mse_loss(line, number); }), "float32[8]", "float32[]");
  both_named(error_of([&] { return amp::binary_cross_entropy_with_logits(column, line); }),
             "float32[8, 1]", "float32[8]");
  CHECK(amp::mse_loss(column, line.unsqueeze(1)).item<float>() == 0);
}

}  // namespace
}  // namespace loss_test
