// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls and convolutions of random shapes, strides and formats beside plain loops in double.
// AMP_TEST_PRODUCTS sets their number.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace random_products_test {
namespace {

using amp::DType;
using amp::Tensor;

std::int64_t cases() {
  const char* const setting = std::getenv("AMP_TEST_PRODUCTS");
  return setting != nullptr ? std::atoll(setting) : 60;
}

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool coin() { return from(0, 1) != 0; }
  /// Often small, sometimes larger than a tile.
  std::int64_t size() { return coin() ? from(1, 20) : from(1, coin() ? 80 : 420); }
  DType dtype() {
    constexpr DType kDTypes[] = {amp::kFloat32, amp::kBFloat16, amp::kFloat16, amp::kFloat64};
    return kDTypes[from(0, 3)];
  }

 private:
  std::mt19937 engine_;
};

std::vector<double> doubles(const Tensor& x) {
  return x.detach().to(amp::kFloat64).contiguous().to_vector<double>();
}

/// Sums of products, and of their magnitudes, which bound the error.
struct Sums {
  explicit Sums(std::size_t n) : value(n), magnitude(n) {}
  void add(std::int64_t i, double term) {
    value[static_cast<std::size_t>(i)] += term;
    magnitude[static_cast<std::size_t>(i)] += std::abs(term);
  }
  std::vector<double> value, magnitude;
};

/// The largest error in units of the rounding of the dtype.
double error(const Tensor& got, const Sums& wanted) {
  const std::vector<double> values = doubles(got);
  REQUIRE(values.size() == wanted.value.size());
  const double epsilon = got.dtype() == amp::kFloat64    ? 0x1p-52
                         : got.dtype() == amp::kFloat32  ? 0x1p-23
                         : got.dtype() == amp::kBFloat16 ? 0x1p-8
                                                         : 0x1p-11;
  const double least = got.dtype() == amp::kFloat16 ? 0x1p-24 : 0x1p-120;  // of its numbers
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = epsilon * wanted.magnitude[i] + least;
    worst = (std::max)(worst,
                       std::isnan(values[i]) ? 1e9 : std::abs(values[i] - wanted.value[i]) / bound);
  }
  return worst;
}

/// A matrix [batches, rows, columns] that lies in one of several ways.
Tensor matrix(Draw& draw, std::int64_t batches, std::int64_t rows, std::int64_t columns,
              DType dtype) {
  switch (draw.from(0, 3)) {
    case 0:
      return amp::randn({batches, columns, rows}).to(dtype).transpose(1, 2);
    case 1:  // rows apart
      return amp::randn({batches, rows, columns + 3}).to(dtype).narrow(2, 1, columns);
    case 2:  // no dimension is dense
      return amp::randn({batches, rows, columns, 2}).to(dtype).select(3, 1);
    default:
      return amp::randn({batches, rows, columns}).to(dtype);
  }
}

/// The same images, but channels-last, as are the results of convolutions.
Tensor channels_last(const Tensor& x) {
  const std::int64_t channels = x.size(1);
  std::vector<float> one(static_cast<std::size_t>(channels * channels));
  for (std::int64_t c = 0; c < channels; ++c) one[static_cast<std::size_t>(c * channels + c)] = 1;
  return amp::conv2d(x, amp::tensor(one, {channels, channels, 1, 1}).to(x.dtype()));
}

}  // namespace

TEST_CASE("random products: matmul", "[ops]") {
  Draw draw(7);
  amp::manual_seed(7);
  for (std::int64_t i = 0; i < cases(); ++i) {
    const std::int64_t batches = draw.coin() ? 1 : draw.from(1, 5);
    std::int64_t m = draw.size(), n = draw.size(), k = draw.from(0, 30) == 0 ? 0 : draw.size();
    if ((std::min)(m, n) <= 40 && draw.from(0, 3) == 0) k = draw.from(1, 1100);  // thin
    if (draw.from(0, 9) == 0) {  // few rows by a wide weight
      m = draw.from(50, 100);
      n = draw.from(200, 700);
      k = draw.from(200, 400);
    }
    const DType dtype = draw.dtype();
    CAPTURE(i, batches, m, n, k, dtype);
    const Tensor a = matrix(draw, batches, m, k, dtype), b = matrix(draw, batches, k, n, dtype);
    const std::vector<double> x = doubles(a), y = doubles(b);
    Sums sums(static_cast<std::size_t>(batches * m * n));
    for (std::int64_t r = 0; r < batches * m; ++r) {
      for (std::int64_t q = 0; q < k; ++q) {
        const double factor = x[static_cast<std::size_t>(r * k + q)];
        for (std::int64_t j = 0; j < n; ++j)
          sums.add(r * n + j, factor * y[static_cast<std::size_t>((r / m * k + q) * n + j)]);
      }
    }
    CHECK(error(amp::bmm(a, b), sums) < 8);
  }
}

/// A convolution in three dimensions, the first of which is 1 in conv2d.
struct Convolution {
  std::int64_t images, groups, channels, filters;
  std::int64_t size[3], kernel[3], stride[3], before[3], after[3], dilation[3];

  Convolution(Draw& draw, int dims) {
    const bool depthwise = draw.from(0, 4) == 0, large = !depthwise && draw.from(0, 7) == 0;
    groups = depthwise ? draw.from(2, 40) : draw.coin() ? 1 : draw.from(2, 4);
    channels = depthwise ? 1 : draw.from(1, draw.coin() && !large ? 40 : 4);
    filters = depthwise ? 1 : draw.from(1, draw.coin() ? 40 : 4);
    images = draw.from(1, 3);
    const bool sides = draw.coin();
    for (int d = 0; d < 3; ++d) {
      const bool is_there = d >= 3 - dims;
      const auto pick = [&](std::int64_t least, std::int64_t most, std::int64_t absent) {
        return is_there ? draw.from(least, most) : absent;
      };
      kernel[d] = pick(1, dims == 3 ? 3 : 4, 1);
      stride[d] = pick(1, 3, 1);
      before[d] = pick(0, 4, 0);
      after[d] = sides ? pick(0, 4, 0) : before[d];
      dilation[d] = pick(1, 3, 1);
      size[d] = pick(1,
                     d == 0      ? 4
                     : large     ? 50
                     : dims == 3 ? 9
                                 : 12,
                     1) +
                dilation[d] * (kernel[d] - 1);
    }
  }
  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }

  Tensor run(const Tensor& x, const Tensor& w, const Tensor& b) const {
    if (x.dim() == 4) {
      return amp::conv2d(x, w, b,
                         {.stride = {stride[1], stride[2]},
                          .padding = {{before[1], before[2]}, {after[1], after[2]}},
                          .dilation = {dilation[1], dilation[2]},
                          .groups = groups});
    }
    return amp::conv3d(
        x, w, b,
        {.stride = {stride[0], stride[1], stride[2]},
         .padding = {{before[0], before[1], before[2]}, {after[0], after[1], after[2]}},
         .dilation = {dilation[0], dilation[1], dilation[2]},
         .groups = groups});
  }

  /// Calls body(output, input, weight) with the places of all products.
  template <class Body>
  void for_each_product(const std::int64_t* out, const Body& body) const {
    std::int64_t y = 0;
    for (std::int64_t n = 0; n < images * groups * filters; ++n) {
      const std::int64_t filter = n % (groups * filters), image = n / (groups * filters);
      for (std::int64_t p = 0; p < out[0] * out[1] * out[2]; ++p, ++y) {
        const std::int64_t at[] = {p / out[2] / out[1], p / out[2] % out[1], p % out[2]};
        for (std::int64_t q = 0; q < channels * taps(); ++q) {
          const std::int64_t tap[] = {q % taps() / kernel[2] / kernel[1], q / kernel[2] % kernel[1],
                                      q % kernel[2]};
          std::int64_t x = (image * groups + filter / filters) * channels + q / taps();
          bool inside = true;
          for (int d = 0; d < 3; ++d) {
            const std::int64_t i = at[d] * stride[d] - before[d] + tap[d] * dilation[d];
            inside = inside && i >= 0 && i < size[d];
            x = x * size[d] + i;
          }
          if (inside) body(y, x, filter * channels * taps() + q);
        }
      }
    }
  }
};

void check_convolutions(int dims) {
  Draw draw(static_cast<std::uint32_t>(6 + dims));
  amp::manual_seed(8);
  for (std::int64_t i = 0; i < cases() / (dims - 1); ++i) {
    const DType dtype = draw.dtype();
    const Convolution c(draw, dims);
    const std::int64_t first = 3 - dims;  // the first dimension that is there
    amp::Shape images{c.images, c.groups * c.channels}, weights{c.groups * c.filters, c.channels};
    for (std::int64_t d = first; d < 3; ++d) {
      images.push_back(c.size[d]);
      weights.push_back(c.kernel[d]);
    }
    INFO(i << " " << amp::name(dtype) << " groups " << c.groups << " input " << to_string(images)
           << " weight " << to_string(weights) << " stride " << c.stride[0] << " " << c.stride[1]
           << " " << c.stride[2] << " padding " << c.before[0] << " " << c.before[1] << " "
           << c.before[2] << ", " << c.after[0] << " " << c.after[1] << " " << c.after[2]
           << " dilation " << c.dilation[0] << " " << c.dilation[1] << " " << c.dilation[2]);
    Tensor x = amp::randn(images).to(dtype), w = amp::randn(weights).to(dtype),
           b = amp::randn({c.groups * c.filters}).to(dtype);
    for (Tensor* const leaf : {&x, &w, &b}) leaf->requires_grad_();
    const Tensor y = c.run(dims == 2 && draw.coin() ? channels_last(x) : x, w, b);
    const Tensor grad = amp::randn(y.shape()).to(dtype);
    y.backward(grad);

    const std::vector<double> xs = doubles(x), ws = doubles(w), bs = doubles(b), gs = doubles(grad);
    Sums ys(gs.size()), dx(xs.size()), dw(ws.size()), db(bs.size());
    std::int64_t out[3] = {1, 1, 1};
    for (std::int64_t d = first; d < 3; ++d) out[d] = y.size(2 + d - first);
    const std::int64_t pixels = out[0] * out[1] * out[2];
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(gs.size()); ++at) {
      const std::int64_t filter = at / pixels % (c.groups * c.filters);
      ys.add(at, bs[static_cast<std::size_t>(filter)]);
      db.add(filter, gs[static_cast<std::size_t>(at)]);
    }
    c.for_each_product(out, [&](std::int64_t to, std::int64_t pixel, std::int64_t weight) {
      const double value = xs[static_cast<std::size_t>(pixel)],
                   tap = ws[static_cast<std::size_t>(weight)], g = gs[static_cast<std::size_t>(to)];
      ys.add(to, value * tap);
      dx.add(pixel, g * tap);
      dw.add(weight, g * value);
    });
    CHECK(error(y, ys) < 8);
    CHECK(error(x.grad(), dx) < 8);
    CHECK(error(w.grad(), dw) < 8);
    CHECK(error(b.grad(), db) < 8);
  }
}

TEST_CASE("random products: conv2d and its gradients", "[ops]") { check_convolutions(2); }
TEST_CASE("random products: conv3d and its gradients", "[ops]") { check_convolutions(3); }

TEST_CASE("conv2d: a stride far beyond the image, forward and backward", "[ops]") {
  constexpr std::int64_t kStride = std::int64_t{1} << 30;
  for (const std::int64_t groups : {1, 4}) {
    const Tensor x = amp::ones({1, 4, 3, 5}, {.requires_grad = true}),
                 w = amp::ones({4, 4 / groups, 2, 2}, {.requires_grad = true});
    const Tensor y = amp::conv2d(x, w, {}, {.stride = kStride, .groups = groups});
    amp::sum(y).backward();
    const double terms = 16.0 / static_cast<double>(groups);
    CHECK(y.detach().to_vector<double>() == std::vector<double>(4, terms));
    CHECK(amp::sum(x.grad()).item<float>() == 4 * static_cast<float>(terms));
    CHECK(x.grad().to_vector<float>()[14] == 0);
    CHECK(w.grad().to_vector<float>() ==
          std::vector<float>(static_cast<std::size_t>(w.numel()), 1));
  }
}

}  // namespace random_products_test
