// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax, losses and normalisation at the sizes at which their kernels change: rows of vectors or
// of single elements, held by a part of a warp, by a warp, by a block, or by none.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_rows {
namespace {

using amp::Tensor;
using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

constexpr std::int64_t kLengths[] = {1,    7,    8,    9,    16,   31,   32,   33,    64,
                                     255,  256,  257,  264,  512,  1023, 1024, 1025,  1032,
                                     2048, 4104, 5120, 5128, 8191, 8192, 8193, 16384, 16392};
constexpr std::int64_t kLong[] = {24576, 24584, 32768, 32776, 70000, 70001};

/// Rows for several teams of a block, and a team with none; one of what no block holds.
std::int64_t rows_of(std::int64_t length) { return length <= 512 ? 67 : length <= 2048 ? 5 : 2; }

double limit_of(amp::DType dtype) { return 2 * tolerance(dtype); }

template <class Visitor>
void for_each_length(Visitor&& visitor) {
  for (const std::int64_t length : kLengths) visitor(rows_of(length), length, true);
  for (const std::int64_t length : kLong) visitor(std::int64_t{1}, length, false);
}

/// The formats of the rows of a length: the one that is widest in memory, and a narrow one.
const amp::DType kWideAndNarrow[] = {amp::kFloat32, amp::kBFloat16};

TEST_CASE("cuda rows: softmax and log_softmax of every length", "[cuda]") {
  amp::manual_seed(1);
  for_each_length([](std::int64_t rows, std::int64_t length, bool) {
    for (const amp::DType dtype : kWideAndNarrow) {
      const Tensors x{(amp::randn({rows, length}) * 3).to(dtype)};
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::softmax(t[0], 1); });
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::log_softmax(t[0], 1); });
    }
  });
}

TEST_CASE("cuda rows: var", "[cuda]") {
  amp::manual_seed(10);
  for (const std::int64_t length : {1, 7, 8, 33, 64, 264, 1032, 5120, 8193, 32768, 32776}) {
    for (const amp::DType dtype : kWideAndNarrow) {
      const Tensors x{(amp::randn({rows_of(length), length}) + 8).to(dtype)};
      compare(x, limit_of(dtype), [](const Tensors& t) { return amp::var(t[0], 1, 0); });
    }
  }
}

TEST_CASE("cuda rows: cross_entropy of every length", "[cuda][values]") {
  amp::manual_seed(2);
  for_each_length([](std::int64_t rows, std::int64_t length, bool all) {
    const Tensor targets = (amp::rand({rows}) * static_cast<double>(length)).to(amp::kInt64);
    const Tensor weight = amp::rand({length}) + 0.5;
    for (const amp::DType dtype : kWideAndNarrow) {
      INFO(amp::name(dtype) << " " << length);
      const Tensors x{(amp::randn({rows, length}) * 3).to(dtype), targets};
      const auto options = [&](double smoothing, bool weighted, amp::Device device) {
        return amp::CrossEntropyOptions{.ignore_index = 1,
                                        .label_smoothing = smoothing,
                                        .weight = weighted ? weight.to(device) : Tensor()};
      };
      for (const double smoothing : {0.0, 0.25}) {
        for (const bool weighted : {false, true}) {
          if (!all && weighted != (smoothing != 0)) continue;
          // The host adds up the classes' shares in float32, in order.
          compare(x, limit_of(dtype) + 2e-8 * static_cast<double>(length), [&](const Tensors& t) {
            return amp::cross_entropy(t[0], t[1], options(smoothing, weighted, t[0].device()));
          });
        }
      }
      compare(x, limit_of(dtype), [&](const Tensors& t) { return amp::nll_loss(t[0], t[1]); });
    }
  });
}

TEST_CASE("cuda rows: layer_norm and rms_norm of every length", "[cuda][values]") {
  amp::manual_seed(3);
  for_each_length([](std::int64_t rows, std::int64_t length, bool all) {
    const amp::Shape shape{length};
    for (const amp::DType dtype : kWideAndNarrow) {
      INFO(amp::name(dtype) << " " << length);
      const Tensor x = (amp::randn({rows, length}) + 3).to(dtype), w = amp::randn(shape),
                   b = amp::randn(shape).to(dtype);
      const auto layer = [&](const Tensors& t) { return amp::layer_norm(t[0], shape, t[1], t[2]); };
      // A length of 1 leaves nothing but what was rounded.
      compare({x, w, b}, limit_of(dtype), layer);
      compare({x, {}, {}}, limit_of(dtype), layer);
      if (all)
        compare(
            {x, w.to(dtype)}, limit_of(dtype),
            [&](const Tensors& t) { return amp::rms_norm(t[0], shape, t[1]); },
            length == 1 ? 1 : 0);
    }
  });
}

/// A constant input asks for no gradient: only those of the parameters are computed.
TEST_CASE("cuda rows: norms with gradients of the parameters alone, or of x alone", "[cuda]") {
  amp::manual_seed(4);
  for (const std::int64_t length : {24, 1032, 6000}) {
    const amp::Shape shape{length};
    const Tensor x = amp::randn({37, length}), w = amp::randn(shape), b = amp::randn(shape);
    compare({w, b}, 2e-6, [&](const Tensors& t) {
      return amp::layer_norm(x.to(t[0].device()), shape, t[0], t[1]);
    });
    compare({x}, 2e-6, [&](const Tensors& t) {
      return amp::layer_norm(t[0], shape, w.to(t[0].device()), b.to(t[0].device()));
    });
  }
}

/// Many rows: several per block that adds up gradients of parameters, the last block with fewer.
TEST_CASE("cuda rows: more rows than blocks", "[cuda]") {
  amp::manual_seed(5);
  for (const auto& [rows, length] : std::vector<std::pair<int, int>>{{8300, 8}, {1100, 264}}) {
    const amp::Shape shape{length};
    const Tensors t{amp::randn({rows, length}), amp::randn(shape), amp::randn(shape)};
    compare(t, 2e-6, [&](const Tensors& u) { return amp::layer_norm(u[0], shape, u[1], u[2]); });
  }
  const Tensors x{amp::randn({70000, 8}), (amp::rand({70000}) * 8.0).to(amp::kInt64)};
  compare({x[0]}, 2e-6, [](const Tensors& u) { return amp::softmax(u[0], 1); });
  compare(x, 2e-6, [](const Tensors& u) { return amp::cross_entropy(u[0], u[1]); });
}

TEST_CASE("cuda rows: groups and channels, in vectors and not", "[cuda]") {
  amp::manual_seed(6);
  for (const amp::Shape& shape :
       {amp::Shape{2, 6, 8}, amp::Shape{3, 4, 7, 8}, amp::Shape{2, 4, 12}, amp::Shape{5, 8},
        amp::Shape{1, 4, 96, 96}, amp::Shape{3, 2, 2056}, amp::Shape{70, 2, 31},
        amp::Shape{2, 2, 20000}}) {
    for (const amp::DType dtype : kWideAndNarrow) {
      INFO(amp::name(dtype) << " " << to_string(shape));
      const Tensor x = (amp::randn(shape) + 3).to(dtype), w = amp::randn({shape[1]}),
                   b = amp::randn({shape[1]}).to(dtype);
      compare({x, w, b}, limit_of(dtype),
              [](const Tensors& t) { return amp::group_norm(t[0], 2, t[1], t[2]); });
      const Tensor mean = amp::randn({shape[1]}), var = amp::rand({shape[1]}) + 0.5;
      for (const bool training : {true, false}) {
        compare({x, w, b}, limit_of(dtype), [&](const Tensors& t) {
          const amp::Device device = t[0].device();
          return amp::batch_norm(t[0], mean.to(device), var.to(device), t[1], t[2], training);
        });
        compare({w, b}, limit_of(dtype), [&](const Tensors& t) {
          const amp::Device device = t[0].device();
          return amp::batch_norm(x.to(device), mean.to(device), var.to(device), t[0], t[1],
                                 training);
        });
      }
    }
  }
}

/// Where a mean is large against the deviations, its square drowns their squares.
TEST_CASE("cuda rows: variances around a large mean", "[cuda]") {
  amp::manual_seed(7);
  const Tensor x = amp::randn({4, 3, 64}) + 4096.0;
  compare({x}, 1e-5, [](const Tensors& t) { return amp::layer_norm(t[0], {64}); });
  compare({x.reshape({12, 64}).narrow(1, 0, 63)}, 1e-5,
          [](const Tensors& t) { return amp::layer_norm(t[0], {63}); });
  for (const std::int64_t n : {64, 63}) {
    compare({x.narrow(2, 0, n)}, 1e-5,
            [](const Tensors& t) { return amp::batch_norm(t[0], {}, {}, {}, {}, true); });
  }
  // Equal elements have no variance, whatever they are.
  const Tensor same = amp::full({5, 200}, 0.1, {.device = amp::kCUDA});
  for (const float value : amp::layer_norm(same, {200}).to_vector<float>()) CHECK(value == 0);
}

TEST_CASE("cuda rows: memory that begins anywhere, and rows in any dtypes", "[cuda]") {
  amp::manual_seed(8);
  for (const amp::DType dtype : cuda_test::kFloats) {
    for (const std::int64_t start : {1, 2, 4, 8}) {
      INFO(amp::name(dtype) << " " << start);
      const Tensor x = amp::randn({9 * 64 + start}).to(dtype);
      const auto rows = [&](const Tensors& t) {
        return t[0].narrow(0, start, 9 * 64).reshape({9, 64});
      };
      const amp::Tensor targets = amp::arange(9);
      compare({x}, limit_of(dtype), [&](const Tensors& t) { return amp::softmax(rows(t), 1); });
      compare({x}, limit_of(dtype), [&](const Tensors& t) { return amp::log_softmax(rows(t), 0); });
      compare({x}, limit_of(dtype), [&](const Tensors& t) {
        return amp::cross_entropy(rows(t), targets.to(t[0].device()));
      });
      compare({x}, limit_of(dtype), [&](const Tensors& t) {
        return amp::batch_norm(rows(t).reshape({3, 3, 64}), {}, {}, {}, {}, true);
      });
    }
    compare({amp::randn({9, 65}).to(dtype)}, limit_of(dtype),
            [&](const Tensors& t) { return amp::var(t[0].narrow(1, 1, 64), 1); });
    for (const amp::DType other : cuda_test::kFloats) {
      const amp::Shape shape{64};
      const Tensor x = amp::randn({9, 64}).to(dtype), w = amp::randn(shape).to(other);
      compare({x, w, w}, limit_of(dtype),
              [&](const Tensors& t) { return amp::layer_norm(t[0], shape, t[1], t[2]); });
      const Tensor offset = amp::randn({65}).to(other);
      compare({x, offset}, limit_of(dtype), [&](const Tensors& t) {
        return amp::layer_norm(t[0], shape, t[1].narrow(0, 1, 64));
      });
    }
  }
}

TEST_CASE("cuda rows: infinities and NaN stay in their row", "[cuda]") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t n : {8, 64, 77, 2048, 33000}) {
    for (const auto& [everywhere, once] : std::vector<std::pair<float, float>>{{-kInf, 2},
                                                                               {-kInf, -kInf},
                                                                               {1, kInf},
                                                                               {1, kNaN},
                                                                               {-kInf, kNaN},
                                                                               {kInf, -kInf},
                                                                               {1, -kInf},
                                                                               {-200, -300}}) {
      CAPTURE(n, everywhere, once);
      const Tensor x = amp::zeros({3, n});
      x.narrow(0, 1, 1).fill_(everywhere);
      x.narrow(0, 1, 1).narrow(1, n / 2, 1).fill_(once);
      const Tensor targets = amp::full({3}, static_cast<double>(n / 2), {.dtype = amp::kInt64});
      compare({x}, 2e-6, [](const Tensors& t) { return amp::softmax(t[0], 1); });
      compare({x}, 2e-6, [](const Tensors& t) { return amp::log_softmax(t[0], 1); });
      compare({x}, 2e-6, [](const Tensors& t) { return amp::softmax(t[0], 0); });
      compare({x}, 2e-6, [](const Tensors& t) { return amp::layer_norm(t[0], {t[0].size(1)}); });
      for (const double smoothing : {0.0, 0.5}) {
        // The host adds up the classes' shares in float32, in order.
        const double in_order = smoothing == 0 ? 0 : 2e-8 * static_cast<double>(n);
        compare({x, targets}, 2e-6 + in_order, [&](const Tensors& t) {
          return amp::cross_entropy(t[0], t[1],
                                    {.label_smoothing = smoothing, .reduction = amp::kNone});
        });
      }
    }
  }
}

/// A logit of -inf changes nothing if its whole line is ignored.
TEST_CASE("cuda rows: ignored rows and targets out of range", "[cuda]") {
  for (const std::int64_t n : {8, 4096, 33000}) {
    const Tensor x = amp::full({3, n}, -HUGE_VAL, {.device = amp::kCUDA});
    x.narrow(0, 0, 1).fill_(1);
    x.requires_grad_();
    const Tensor targets =
        amp::tensor({std::int64_t{0}, std::int64_t{-100}, n}, {3}, {.device = amp::kCUDA});
    const Tensor losses = amp::cross_entropy(x, targets, {.reduction = amp::kNone});
    amp::sum(losses.narrow(0, 0, 2)).backward();
    const auto loss = losses.to_vector<double>();
    CHECK(std::fabs(loss[0] - std::log(static_cast<double>(n))) < 1e-5);
    CHECK(loss[1] == 0);
    CHECK(std::isnan(loss[2]));
    const auto grad = x.grad().to_vector<double>();
    double sum = 0;
    for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(n); ++i) sum += std::fabs(grad[i]);
    CHECK(std::fabs(sum - 2 * (1 - 1 / static_cast<double>(n))) < 1e-4);
    CHECK(std::isnan(grad.back()));
  }
}

TEST_CASE("cuda rows: the same bits every time", "[cuda]") {
  amp::manual_seed(9);
  const auto twice = [](const Tensors& inputs, const auto& op) {
    const Tensors first = cuda_test::run(amp::kCUDA, inputs, op);
    const Tensors second = cuda_test::run(amp::kCUDA, inputs, op);
    for (std::size_t i = 0; i < first.size(); ++i)
      CHECK(cuda_test::same_bits(first[i].to(amp::kCPU), second[i]));
  };
  for (const std::int64_t n : {40, 1000, 6000}) {
    const Tensor x = amp::randn({30, n}).to(amp::kFloat16), w = amp::randn({n});
    twice({x}, [](const Tensors& t) { return amp::softmax(t[0], 1); });
    twice({x, w, w}, [&](const Tensors& t) { return amp::layer_norm(t[0], {n}, t[1], t[2]); });
    twice({x, amp::arange(30)}, [](const Tensors& t) { return amp::cross_entropy(t[0], t[1]); });
    const amp::Tensor planes = x.reshape({5, 6, n});
    twice({planes}, [](const Tensors& t) { return amp::batch_norm(t[0], {}, {}, {}, {}, true); });
  }
}

TEST_CASE("cuda rows: nothing to do", "[cuda]") {
  for (const amp::Shape& shape : {amp::Shape{0, 8}, amp::Shape{3, 0}, amp::Shape{0, 0}}) {
    const Tensor x = amp::zeros(shape);
    compare({x}, 1e-6, [](const Tensors& t) { return amp::softmax(t[0], 1); });
    compare({x}, 1e-6, [](const Tensors& t) { return amp::log_softmax(t[0], 0); });
    const amp::Shape last{shape[1]};
    const Tensor w = amp::ones(last);
    compare({x, w, w}, 1e-6,
            [&](const Tensors& t) { return amp::layer_norm(t[0], last, t[1], t[2]); });
  }
  compare({amp::zeros({0, 8}), amp::zeros({0}, {.dtype = amp::kInt64})}, 1e-6,
          [](const Tensors& t) { return amp::cross_entropy(t[0], t[1]); });
  compare({amp::zeros({2, 3, 0}), amp::ones({3})}, 1e-6,
          [](const Tensors& t) { return amp::batch_norm(t[0], {}, {}, t[1], {}, true); });
}

}  // namespace
}  // namespace cuda_rows
