// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and the losses of classes on the CUDA device against the host, results and gradients.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_softmax_loss {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

/// Of a float32 in between, and of a rounding to the dtype.
double limit_of(amp::DType dtype) { return 2 * tolerance(dtype); }

TEST_CASE("cuda softmax: the host's, over every dimension", "[cuda]") {
  amp::manual_seed(1);
  for (const amp::Shape& shape : std::vector<amp::Shape>{{},
                                                         {1},
                                                         {0, 3},
                                                         {5, 1},
                                                         {7, 31},
                                                         {3, 33},
                                                         {2, 1000},
                                                         {1000, 3},
                                                         {3, 40, 60},
                                                         {80, 70}}) {
    for (const amp::DType dtype : cuda_test::kFloats) {
      if (!cuda_test::worth_while(shape, dtype)) continue;
      for (const double size : {1.0, 30.0}) {
        const Tensors x{(amp::randn(shape) * size).to(dtype)};
        for (int d = 0; d < (shape.dims() == 0 ? 1 : shape.dims()); ++d) {
          // Gradients near 1 cancel where one probability is nearly 1.
          compare(
              x, limit_of(dtype),
              [&](const Tensors& t) -> Tensors { return {amp::softmax(t[0], d)}; }, 1);
          compare(
              x, limit_of(dtype),
              [&](const Tensors& t) -> Tensors { return {amp::log_softmax(t[0], d)}; }, 1);
        }
      }
    }
  }
}

TEST_CASE("cuda softmax: views, and many lines side by side", "[cuda]") {
  amp::manual_seed(2);
  const Tensors x{amp::randn({3, 40, 1500}, {.dtype = amp::kFloat64})};
  for (const int d : {0, 1, 2}) {
    compare(x, limit_of(amp::kFloat64),
            [&](const Tensors& t) -> Tensors { return {amp::softmax(t[0], d).transpose(0, 2)}; });
    compare(x, limit_of(amp::kFloat64), [&](const Tensors& t) -> Tensors {
      return {amp::log_softmax(t[0].transpose(0, 2), d)};
    });
  }
}

TEST_CASE("cuda softmax: infinities and NaN stay in their line", "[cuda]") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> kinds[] = {{-kInf, 1, 2},
                                      {-kInf, -kInf, -kInf},
                                      {kInf, 1, 2},
                                      {std::numeric_limits<float>::quiet_NaN(), 1, 2},
                                      {1, 2, 3}};
  for (const std::int64_t n : {3, 300}) {
    std::vector<float> values;
    for (const auto& kind : kinds) {
      for (std::int64_t i = 0; i < n; ++i) values.push_back(kind[static_cast<std::size_t>(i % 3)]);
    }
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
      const Tensors x{amp::tensor(values, {5, n}).to(dtype)};
      compare(x, limit_of(dtype),
              [](const Tensors& t) -> Tensors { return {amp::softmax(t[0], 1)}; });
      compare(x, limit_of(dtype),
              [](const Tensors& t) -> Tensors { return {amp::log_softmax(t[0], 1)}; });
    }
  }
}

/// Class numbers, one in eight of them -100.
amp::Tensor some_targets(const amp::Shape& shape, std::int64_t classes) {
  const amp::Tensor ignored = amp::lt(amp::rand(shape), 0.125);
  return amp::where(ignored, amp::full(shape, -100, {.dtype = amp::kInt64}),
                    (amp::rand(shape) * static_cast<double>(classes)).to(amp::kInt64));
}

TEST_CASE("cuda cross_entropy, nll_loss: the host's", "[cuda][values]") {
  amp::manual_seed(3);
  for (const amp::Shape& shape : std::vector<amp::Shape>{
           {1, 1}, {0, 5}, {7, 3}, {300, 10}, {5, 33}, {3, 1000}, {2, 4, 50, 50}, {6, 40, 9}}) {
    amp::Shape target_shape = shape;
    target_shape.erase(1);
    const std::int64_t classes = shape[1];
    const amp::Tensor targets = some_targets(target_shape, classes);
    const amp::Tensor weight = amp::rand({classes}) + 0.5;
    for (const amp::DType dtype : cuda_test::kFloats) {
      if (!cuda_test::worth_while(shape, dtype)) continue;
      const Tensors x{amp::randn(shape).to(dtype), targets, weight};
      // The host adds the classes' shares up in float32, in order.
      const double in_order = dtype == amp::kFloat64 ? 0 : 2e-8 * static_cast<double>(classes);
      const double limit = limit_of(dtype) + in_order;
      for (const amp::Reduction reduction : {amp::kNone, amp::kMean, amp::kSum}) {
        for (const bool weighted : {false, true}) {
          const auto weights = [&](const Tensors& t) {
            return weighted ? t[2].detach() : amp::Tensor();
          };
          for (const double smoothing : {0.0, 0.125, 1.0}) {
            CAPTURE(static_cast<int>(reduction), weighted, smoothing);
            compare(x, limit, [&](const Tensors& t) -> Tensors {
              return {amp::cross_entropy(
                  t[0], t[1],
                  {.label_smoothing = smoothing, .reduction = reduction, .weight = weights(t)})};
            });
          }
          compare(x, limit_of(dtype), [&](const Tensors& t) -> Tensors {
            return {amp::nll_loss(t[0], t[1], {.reduction = reduction, .weight = weights(t)})};
          });
        }
      }
    }
  }
}

TEST_CASE("cuda cross_entropy: more targets than one block sums", "[cuda]") {
  amp::manual_seed(4);
  const amp::Shape shape{3, 5, 60, 70};
  compare({amp::randn(shape), some_targets({3, 60, 70}, 5)}, limit_of(amp::kFloat32),
          [](const Tensors& t) -> Tensors { return {amp::cross_entropy(t[0], t[1])}; });
}

TEST_CASE("cuda cross_entropy: one sample, and ignored targets only", "[cuda]") {
  const amp::Tensor row = amp::tensor({1.0F, -2.0F, 0.5F}, {3});
  compare({row, amp::tensor({2}, {})}, limit_of(amp::kFloat32),
          [](const Tensors& t) -> Tensors { return {amp::cross_entropy(t[0], t[1])}; });
  compare({row, amp::tensor({1}, {})}, limit_of(amp::kFloat32), [](const Tensors& t) -> Tensors {
    return {amp::cross_entropy(t[0], t[1], {.ignore_index = 1})};
  });
}

TEST_CASE("cuda cross_entropy: a target out of range is NaN, and the others are not", "[cuda]") {
  for (const std::int64_t bad : {std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    for (const bool normalized : {false, true}) {
      const amp::Tensor x = amp::ones({2, 3}, {.device = amp::kCUDA}).requires_grad_();
      const amp::Tensor targets = amp::tensor({bad, std::int64_t{1}}, {2}, {.device = amp::kCUDA});
      const auto loss = [&](amp::Reduction reduction) {
        return normalized ? amp::nll_loss(x, targets, {.reduction = reduction})
                          : amp::cross_entropy(x, targets, {.reduction = reduction});
      };
      const auto losses = loss(amp::kNone).to_vector<double>();
      CHECK(std::isnan(losses[0]));
      CHECK(std::isfinite(losses[1]));
      CHECK(std::isnan(loss(amp::kMean).item<double>()));
      loss(amp::kSum).backward();
      const auto grad = x.grad().to_vector<double>();
      for (std::size_t i = 0; i < 6; ++i) CHECK(std::isnan(grad[i]) == (i < 3));
    }
  }
}

}  // namespace
}  // namespace cuda_softmax_loss
