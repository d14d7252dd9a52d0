// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses of elements, margins and sequences on the CUDA device against the host, results and
// gradients.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_losses {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

double limit_of(amp::DType dtype) { return 4 * tolerance(dtype); }

amp::Tensor labels(const std::vector<std::int64_t>& values, const amp::Shape& shape) {
  return amp::tensor(values, shape);
}

/// Scores, and labels of `count` classes but the first, with repetitions.
struct Speech {
  std::int64_t steps, samples, classes, count;
  amp::Tensor scores, targets, inputs, lengths;

  Speech(std::int64_t steps_, std::int64_t samples_, std::int64_t classes_, std::int64_t count_)
      : steps(steps_), samples(samples_), classes(classes_), count(count_) {
    scores = amp::randn({steps, samples, classes});
    std::vector<std::int64_t> all, of_steps, of_labels;
    for (std::int64_t n = 0; n < samples; ++n) {
      of_steps.push_back(steps - n);
      of_labels.push_back(count - n % (count + 1));
      for (std::int64_t k = 0; k < count; ++k) all.push_back(1 + (k * k + n) % (classes - 1));
    }
    targets = labels(all, {samples, count});
    inputs = labels(of_steps, {samples});
    lengths = labels(of_labels, {samples});
  }
};

}  // namespace

TEST_CASE("cuda losses: of elements, the host's", "[cuda]") {
  amp::manual_seed(1);
  for (const amp::Shape& shape : std::vector<amp::Shape>{{}, {1}, {0, 3}, {7, 31}, {5, 2003}}) {
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
      const Tensors pair{amp::rand(shape).to(dtype), amp::rand(shape).to(dtype)};
      const auto on = [&](const auto& loss) {
        for (const amp::Reduction reduction : {amp::kNone, amp::kMean}) {
          compare(
              pair, limit_of(dtype),
              [&](const Tensors& t) -> Tensors { return {loss(t[0], t[1], reduction)}; }, 1);
        }
      };
      using T = const amp::Tensor&;
      using R = amp::Reduction;
      on([](T x, T y, R r) { return amp::mse_loss(x, y, r); });
      on([](T x, T y, R r) { return amp::l1_loss(x, y, r); });
      on([](T x, T y, R r) { return amp::smooth_l1_loss(x, y, {.reduction = r, .beta = 0.25}); });
      on([](T x, T y, R r) { return amp::huber_loss(x, y, {.reduction = r, .delta = 0.25}); });
      on([](T x, T y, R r) { return amp::kl_div(x, y, {.reduction = r}); });
      on([](T x, T y, R r) { return amp::kl_div(x, y, {.reduction = r, .log_target = true}); });
      on([](T x, T y, R r) { return amp::binary_cross_entropy(x, y, {.reduction = r}); });
      on([](T x, T y, R r) { return amp::soft_margin_loss(x, y * 2 - 1, {.reduction = r}); });
      on([](T x, T y, R r) {
        return amp::hinge_embedding_loss(x, amp::round(y) * 2 - 1, {.reduction = r});
      });
      on([](T x, T y, R r) { return amp::poisson_nll_loss(x, y, {.reduction = r, .full = true}); });
      on([](T x, T y, R r) { return amp::gaussian_nll_loss(x, y, y + 0.5, {.reduction = r}); });
      on([](T x, T y, R r) {
        return amp::margin_ranking_loss(x, y, y - x, {.reduction = r, .margin = 0.25});
      });
    }
  }
}

TEST_CASE("cuda losses: of samples, the host's", "[cuda]") {
  amp::manual_seed(2);
  for (const std::int64_t classes : {1, 5, 33, 700}) {
    std::vector<std::int64_t> one, several;
    for (std::int64_t n = 0; n < 6; ++n) {
      one.push_back((n * 7) % classes);
      for (std::int64_t c = 0; c < classes; ++c)
        several.push_back(c < n * 3 ? (c * 11 + n) % classes : c % 3 - 1);
    }
    const amp::Tensor t = labels(one, {6}), many = labels(several, {6, classes});
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
      const Tensors x{amp::randn({6, classes}).to(dtype), amp::randn({6, classes}).to(dtype),
                      amp::randn({6, classes}).to(dtype)};
      const auto on = [&](const auto& loss) { compare(x, limit_of(dtype), loss, 1); };
      const amp::Tensor w = amp::rand({classes});
      for (const std::int64_t p : {1, 2}) {
        on([&](const Tensors& s) -> Tensors {
          return {amp::multi_margin_loss(s[0], t.to(s[0].device()),
                                         {.p = p, .weight = w.to(s[0].device())})};
        });
      }
      on([&](const Tensors& s) -> Tensors {
        return {
            amp::multilabel_margin_loss(s[0], many.to(s[0].device()), {.reduction = amp::kNone})};
      });
      on([&](const Tensors& s) -> Tensors {
        return {amp::cosine_embedding_loss(s[0], s[1], (t * 0 + 1).to(s[0].device()))};
      });
      on([&](const Tensors& s) -> Tensors {
        return {amp::triplet_margin_loss(s[0], s[1], s[2], {.swap = true})};
      });
    }
  }
}

TEST_CASE("cuda ctc_loss: the host's, whatever the sizes", "[cuda]") {
  amp::manual_seed(3);
  for (const Speech& s : {Speech(1, 1, 2, 1), Speech(12, 3, 4, 3), Speech(40, 2, 70, 15),
                          Speech(90, 1, 300, 40), Speech(9, 5, 3, 8)}) {
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32}) {
      const Tensors x{s.scores.to(dtype)};
      for (const bool there : {true, false}) {  // lengths on the device, or the host
        compare(
            x, 10 * limit_of(dtype),
            [&](const Tensors& t) -> Tensors {
              const amp::Device at = there ? t[0].device() : amp::Device();
              return {amp::ctc_loss(amp::log_softmax(t[0], -1), s.targets.to(t[0].device()),
                                    s.inputs.to(at), s.lengths.to(at),
                                    {.reduction = amp::kNone, .zero_infinity = true})};
            },
            1);
      }
    }
  }
}

TEST_CASE("cuda ctc_loss: labels one behind the other, infinite losses, and a blank elsewhere",
          "[cuda]") {
  amp::manual_seed(4);
  const Tensors x{amp::randn({6, 3, 5})};
  const amp::Tensor targets = labels({1, 3, 3, 1, 2, 0, 1, 0}, {8});
  const auto on = [&](const std::vector<std::int64_t>& steps,
                      const std::vector<std::int64_t>& counts, const amp::CtcLossOptions& options) {
    compare(
        x, 1e-5,
        [&](const Tensors& t) -> Tensors {
          const amp::Device at = t[0].device();
          return {amp::ctc_loss(amp::log_softmax(t[0], -1), targets.to(at),
                                labels(steps, {3}).to(at), labels(counts, {3}).to(at), options)};
        },
        1);
  };
  on({6, 6, 5}, {3, 3, 2}, {.blank = 4, .reduction = amp::kNone});
  on({6, 2, 0}, {3, 3, 0}, {.blank = 4, .reduction = amp::kNone});
  on({6, 2, 5}, {3, 3, 2}, {.blank = 4, .zero_infinity = true});
  on({6, 0, 0}, {2, 0, 1}, {.blank = 4, .reduction = amp::kSum, .zero_infinity = true});
  on({6, 6, 6}, {3, 3, 2}, {.blank = 1, .reduction = amp::kNone});  // the blank as a label
}

TEST_CASE("cuda losses: what is out of range is NaN, and nothing is read beyond", "[cuda]") {
  const amp::Device cuda(amp::kCUDA);
  const amp::TensorOptions leaf{.device = cuda, .requires_grad = true};
  const auto nan_samples = [](const amp::Tensor& x, int dim) {
    std::vector<bool> result;
    const amp::Tensor grad = x.grad().transpose(0, dim).flatten(1);
    for (std::int64_t n = 0; n < grad.size(0); ++n) {
      const auto row = grad.select(0, n).to_vector<float>();
      result.push_back(std::isnan(row[0]));
    }
    return result;
  };
  const amp::Tensor scores = amp::rand({5, 3, 4}, leaf);
  const amp::Tensor loss = amp::ctc_loss(
      amp::log_softmax(scores, -1), labels({1, 2, 1, 9, 1, 2}, {3, 2}).to(cuda),
      labels({5, 5, 6}, {3}).to(cuda), labels({2, 2, 2}, {3}).to(cuda), {.reduction = amp::kNone});
  const auto losses = loss.to_vector<float>();
  CHECK(std::isfinite(losses[0]));
  CHECK(std::isnan(losses[1]));
  CHECK(std::isnan(losses[2]));
  amp::sum(loss).backward();
  CHECK(nan_samples(scores, 1) == std::vector<bool>{false, true, true});

  const amp::Tensor x = amp::rand({3, 4}, leaf);
  const amp::Tensor margin = amp::multilabel_margin_loss(
      x, labels({0, -1, 9, 9, 9, 0, -1, 0, 0, -2, 1, -1}, {3, 4}).to(cuda),
      {.reduction = amp::kNone});
  const auto margins = margin.to_vector<float>();
  CHECK(std::isfinite(margins[0]));
  CHECK(std::isnan(margins[1]));
  CHECK(std::isnan(margins[2]));
  amp::sum(margin).backward();
  CHECK(nan_samples(x, 0) == std::vector<bool>{false, true, true});

  const amp::Tensor y = amp::rand({2, 4}, leaf);
  const amp::Tensor hinge =
      amp::multi_margin_loss(y, labels({1, 4}, {2}).to(cuda), {.reduction = amp::kNone});
  CHECK(std::isfinite(hinge.to_vector<float>()[0]));
  CHECK(std::isnan(hinge.to_vector<float>()[1]));
}

TEST_CASE("cuda activations: with two operands, the host's", "[cuda]") {
  amp::manual_seed(5);
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
    const Tensors x{amp::randn({3, 34, 20}).to(dtype), amp::rand({34}).to(dtype)};
    for (const int d : {0, 1, 2}) {
      if (x[0].size(d) % 2 != 0) continue;
      compare({x[0]}, limit_of(dtype),
              [&](const Tensors& t) -> Tensors { return {amp::glu(t[0], d)}; });
    }
    compare(x, 8 * limit_of(dtype),
            [](const Tensors& t) -> Tensors { return {amp::prelu(t[0], t[1])}; });
    compare({x[0]}, limit_of(dtype),
            [](const Tensors& t) -> Tensors { return {amp::rrelu(t[0], 0.125, 0.25, true)}; });
    compare(
        {x[0]}, limit_of(dtype),
        [](const Tensors& t) -> Tensors {
          return {amp::gumbel_softmax(t[0], {.hard = true, .dim = 1})};
        },
        1);
  }
}

}  // namespace cuda_losses
