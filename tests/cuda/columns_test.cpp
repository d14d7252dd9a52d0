// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lines that lie side by side, [outer, length, stride], at the sizes at which their kernels change:
// held by a block or not, as wide as a block or narrower, in vectors or not.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_columns {
namespace {

using amp::Tensor;
using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

const std::vector<amp::Shape> kShapes = {
    {1, 1, 8},   {2, 5, 8},    {1, 300, 8},  {3, 33, 16},   {2, 19, 24},  {5, 64, 40},
    {1, 257, 8}, {1, 40, 264}, {1, 1030, 8}, {1, 517, 40},  {2, 3, 2048}, {1, 2, 4104},
    {600, 4, 8}, {3, 7, 12},   {1, 600, 20}, {1, 1025, 32}, {1, 0, 8},    {0, 3, 8}};
const amp::DType kWideAndNarrow[] = {amp::kFloat32, amp::kBFloat16};

double limit_of(amp::DType dtype) { return 2 * tolerance(dtype); }

/// `n` numbers in an order of which no stretch is sorted, each of them several times.
Tensor with_ties(const amp::Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761U % 97) - 48;
  return amp::tensor(values, shape);
}

TEST_CASE("cuda columns: softmax and log_softmax", "[cuda][values]") {
  amp::manual_seed(1);
  for (const amp::Shape& shape : kShapes) {
    for (const amp::DType dtype : kWideAndNarrow) {
      const Tensors x{(amp::randn(shape) * 3).to(dtype)};
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::softmax(t[0], 1); });
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::log_softmax(t[0], 1); });
    }
  }
}

TEST_CASE("cuda columns: var", "[cuda]") {
  amp::manual_seed(4);
  for (const amp::Shape& shape : kShapes) {
    for (const amp::DType dtype : kWideAndNarrow) {
      const Tensors x{(amp::randn(shape) + 8).to(dtype)};
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::var(t[0], 1, 0, true); });
    }
  }
}

TEST_CASE("cuda columns: infinities and NaN stay in their line", "[cuda]") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const std::int64_t length : {3, 300, 1100}) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < length; ++i) {
      const bool second = i % 3 == 1;
      const float x = static_cast<float>(i % 7);
      values.insert(values.end(), {second ? -kInf : x, -kInf, second ? kInf : x, second ? NAN : x,
                                   second ? 3e38F : -3e38F, x, -kInf, i == 1 ? 5 : -kInf});
    }
    for (const amp::DType dtype : kWideAndNarrow) {
      const Tensors x{amp::tensor(values, {length, 8}).to(dtype)};
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::softmax(t[0], 0); });
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::log_softmax(t[0], 0); });
      compare(x, 0, [](const Tensors& t) { return (amp::max)(t[0], 0).values; });
      compare(x, 0, [](const Tensors& t) { return (amp::min)(t[0], 0).indices; });
    }
  }
}

TEST_CASE("cuda columns: cross_entropy and nll_loss", "[cuda]") {
  amp::manual_seed(2);
  for (const amp::Shape& shape : kShapes) {
    if (shape.numel() == 0 || shape[1] < 2 || shape.numel() > 10000) continue;
    const std::int64_t classes = shape[1];
    const Tensor targets =
        (amp::rand({shape[0], shape[2]}) * static_cast<double>(classes)).to(amp::kInt64);
    const Tensor weight = amp::rand({classes}) + 0.5;
    for (const amp::DType dtype : kWideAndNarrow) {
      INFO(amp::name(dtype) << " " << to_string(shape));
      const Tensors x{(amp::randn(shape) * 3).to(dtype), targets};
      for (const double smoothing : {0.0, 0.25}) {
        for (const bool weighted : {false, true}) {
          for (const amp::Reduction reduction : {amp::Reduction::kMean, amp::Reduction::kNone}) {
            // The host adds up the classes' shares in float32, in order.
            compare(x, limit_of(dtype) + 2e-8 * static_cast<double>(classes),
                    [&](const Tensors& t) {
                      return amp::cross_entropy(
                          t[0], t[1],
                          {.ignore_index = 1,
                           .label_smoothing = smoothing,
                           .reduction = reduction,
                           .weight = weighted ? weight.to(t[0].device()) : Tensor()});
                    });
          }
        }
      }
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::nll_loss(t[0], t[1]); });
    }
  }
}

TEST_CASE("cuda columns: a target out of range is NaN, and its neighbours are not", "[cuda]") {
  std::vector<std::int64_t> targets(16, 2);
  targets[3] = 40;
  targets[9] = -1;
  const Tensor x = amp::randn({2, 40, 8});
  const Tensor on_device = x.to(amp::kCUDA).detach().requires_grad_();
  const Tensor loss = amp::cross_entropy(on_device, amp::tensor(targets, {2, 8}).to(amp::kCUDA),
                                         {.reduction = amp::Reduction::kNone});
  const auto losses = loss.to_vector<float>();
  amp::sum(loss).backward();
  const auto grad = on_device.grad().to_vector<float>();
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(std::isnan(losses[i]) == (i == 3 || i == 9));
    for (std::size_t c = 0; c < 40; ++c)
      CHECK(std::isnan(grad[i / 8 * 320 + c * 8 + i % 8]) == (i == 3 || i == 9));
  }
}

TEST_CASE("cuda columns: max, min and where they are", "[cuda][values]") {
  for (const amp::Shape& shape : kShapes) {
    if (shape.numel() == 0) continue;
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kInt32}) {
      const Tensors x{with_ties(shape).to(dtype)};
      for (const int dim : {1, 2}) {
        compare(x, 0, [&](const Tensors& t) -> Tensors {
          const auto [values, indices] = (amp::max)(t[0], dim);
          return {values, indices};
        });
        compare(x, 0, [&](const Tensors& t) -> Tensors {
          const auto [values, indices] = (amp::min)(t[0], dim);
          return {values, indices};
        });
        compare(x, 0, [&](const Tensors& t) { return amp::argmax(t[0], dim); });
      }
    }
  }
}

TEST_CASE("cuda rows: max and min of what several blocks have, infinities and NaN", "[cuda]") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto check = [](const Tensor& x) {
    compare({x}, 0, [](const Tensors& t) -> Tensors {
      const auto [values, indices] = (amp::max)(t[0], -1);
      return {values, indices};
    });
    compare({x}, 0, [](const Tensors& t) -> Tensors {
      const auto [values, indices] = (amp::min)(t[0], -1);
      return {values, indices};
    });
  };
  for (const std::int64_t length : {1, 8, 40, 264, 5000, 8192, 65536, 70001}) {
    for (const float special : {0.0F, kInf, -kInf, NAN}) {
      for (const std::int64_t place : {std::int64_t{0}, length / 2, length - 1}) {
        std::vector<float> values(static_cast<std::size_t>(length), 1.0F);
        values[static_cast<std::size_t>(place)] = special;
        check(amp::tensor(values, {length}).to(amp::kFloat16));
      }
    }
    check(amp::full({2, length}, -kInf));
    check(amp::full({2, length}, kInf));
    check(amp::full({2, length}, NAN));
    check(with_ties({3, length}));
  }
}

TEST_CASE("cuda columns: the same bits every time", "[cuda]") {
  amp::manual_seed(3);
  const Tensor x = amp::randn({2, 300, 40}).to(amp::kFloat16).to(amp::kCUDA);
  const Tensor first = amp::softmax(x, 1), second = amp::softmax(x, 1);
  CHECK(cuda_test::same_bits(first.to(amp::kCPU), second));
}

}  // namespace
}  // namespace cuda_columns
