// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions through oneDNN: values and gradients, and the order in which activations lie.
#include <amp/kernels/onednn/api.hpp>
#include <amp/kernels/onednn/packed_copies.hpp>

#include "onednn/reference.hpp"
#include "support/catch.hpp"

using amp_test::difference;
using amp_test::kEngineDTypes;
using amp_test::tolerance;

namespace {

struct Case {
  std::int64_t images, channels, filters, height, width, kernel, stride, padding, dilation, groups;
  bool relu;
};

struct Results {
  amp::Tensor y, dx, dw, db;
};

Results run(const Case& c, const amp::Tensor& x, const amp::Tensor& w, const amp::Tensor& b,
            const amp::Tensor& grad, amp::DType dtype) {
  const auto leaf = [&](const amp::Tensor& t) { return t.to(dtype).clone().requires_grad_(); };
  const amp::Tensor in = leaf(x), kernel = leaf(w), bias = leaf(b);
  const amp::Tensor y = amp::conv2d(in, kernel, bias,
                                    {.stride = c.stride,
                                     .padding = c.padding,
                                     .dilation = c.dilation,
                                     .groups = c.groups,
                                     .relu = c.relu});
  y.backward(grad.to(dtype).reshape(y.shape()));
  return {y.detach(), in.grad(), kernel.grad(), bias.grad()};
}

}  // namespace

TEST_CASE("onednn: convolutions and their gradients", "[onednn]") {
  for (const Case& c :
       {Case{9, 3, 8, 16, 16, 3, 1, 1, 1, 1, true}, Case{33, 16, 24, 8, 9, 3, 1, 1, 1, 1, false},
        Case{3, 8, 16, 15, 13, 3, 2, 1, 1, 1, true}, Case{2, 4, 6, 12, 12, 3, 1, 2, 2, 1, false},
        Case{4, 8, 8, 9, 9, 3, 1, 0, 1, 2, false}, Case{4, 8, 8, 9, 9, 3, 1, 1, 1, 8, true},
        Case{2, 16, 32, 14, 14, 1, 1, 0, 1, 1, false}, Case{2, 1, 4, 20, 20, 5, 1, 2, 1, 1, true},
        Case{1, 7, 11, 13, 13, 3, 1, 1, 1, 1, false}}) {
    const amp::Tensor x = amp::randn({c.images, c.channels, c.height, c.width}),
                      w = amp::randn({c.filters, c.channels / c.groups, c.kernel, c.kernel}),
                      b = amp::randn({c.filters});
    const std::int64_t reach = c.dilation * (c.kernel - 1) + 1;
    const auto extent = [&](std::int64_t n) { return (n + 2 * c.padding - reach) / c.stride + 1; };
    const amp::Tensor grad =
        amp::randn({c.images * c.filters * extent(c.height) * extent(c.width)});
    for (const amp::DType dtype : kEngineDTypes) {
      CAPTURE(c.channels, c.filters, c.kernel, c.groups, dtype);
      const auto rounded = [&](const amp::Tensor& t) { return t.to(dtype); };
      const Results got = run(c, rounded(x), rounded(w), rounded(b), rounded(grad), dtype);
      const Results wanted =
          run(c, rounded(x), rounded(w), rounded(b), rounded(grad), amp::kFloat64);
      CHECK(difference(got.y, wanted.y) < tolerance(dtype));
      CHECK(difference(got.dx, wanted.dx) < tolerance(dtype));
      CHECK(difference(got.dw, wanted.dw) < tolerance(dtype));
      CHECK(difference(got.db, wanted.db) < tolerance(dtype));
      CHECK(got.y.is_contiguous());
    }
  }
}

TEST_CASE("onednn: relu within a convolution lets NaN through", "[onednn]") {
  for (const amp::DType dtype : kEngineDTypes) {
    CAPTURE(dtype);
    const amp::Tensor x = amp::full({1, 2, 16, 16}, NAN).to(dtype),
                      w = amp::ones({4, 2, 3, 3}).to(dtype);
    const amp::Tensor y = amp::conv2d(x, w, {}, {.padding = 1, .relu = true});
    for (const double value : y.to_vector<double>()) CHECK(std::isnan(value));
  }
}

TEST_CASE("onednn: between convolutions activations lie channels-last, and look as always",
          "[onednn]") {
  const amp::Tensor x = amp::randn({4, 3, 16, 16}), w = amp::randn({8, 3, 3, 3}),
                    v = amp::randn({8, 8, 3, 3});
  const amp::Tensor y = amp::conv2d(x, w, {}, {.padding = 1});
  CHECK(amp::detail::lies_channels_last(y));
  const amp::Tensor pooled = amp::max_pool2d(amp::relu(y), 2);
  CHECK(amp::detail::lies_channels_last(pooled));
  CHECK(amp::detail::lies_channels_last(amp::conv2d(pooled, v, {}, {.padding = 1})));
  const amp::Tensor wanted =
      amp::conv2d(x.to(amp::kFloat64), w.to(amp::kFloat64), {}, {.padding = 1});
  CHECK(difference(y.flatten(1), wanted.flatten(1)) < tolerance(amp::kFloat32));
  const float* const first = y.const_data<float>();
  CHECK(static_cast<double>(first[1]) == Approx(wanted.to_vector<double>()[1]).margin(1e-4));
}

TEST_CASE("onednn: images of no size for oneDNN", "[onednn]") {
  const amp::Tensor x = amp::ones({1, 1, 1, 1}), w = amp::ones({1, 1, 3, 3});
  CHECK_THROWS_AS(amp::conv2d(x, w, {}, {.padding = std::int64_t{1} << 30}), amp::Error);
  // It writes code for each column of the output.
  const std::int64_t before = amp::kernels::host::onednn::library().primitives_made;
  const amp::Tensor wide = amp::conv2d(amp::ones({1, 2, 1, 5000}), amp::ones({4, 2, 1, 3}));
  CHECK(amp::kernels::host::onednn::library().primitives_made == before);
  CHECK(wide.to_vector<float>()[9999] == 6);
}

TEST_CASE("onednn: packed weights are kept while nothing writes the weights", "[onednn]") {
  const amp::NoGradGuard no_grad;
  const amp::Tensor x = amp::randn({2, 8, 16, 16}), w = amp::randn({8, 8, 3, 3});
  const auto exact = [&] {
    return amp::conv2d(x.to(amp::kFloat64), w.to(amp::kFloat64), {}, {.padding = 1});
  };
  const auto agrees = [&](bool autocast) {
    const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kBFloat16, .enabled = autocast});
    const double most = amp_test::tolerance(autocast ? amp::kBFloat16 : amp::kFloat32);
    CHECK(difference(amp::conv2d(x, w, {}, {.padding = 1}), exact()) < 2 * most);
  };
  w.requires_grad_();
  for (const bool autocast : {false, true}) {
    CAPTURE(autocast);
    agrees(autocast);
    agrees(autocast);
    agrees(autocast);
    w.copy_(amp::randn(w.shape()));
    agrees(autocast);
    agrees(autocast);
    agrees(autocast);
    w.fill_(0.25);
    agrees(autocast);
  }
  float* const pointer = w.data<float>();  // from now on amp cannot see all writes
  for (int i = 0; i < 3; ++i) {
    agrees(false);
    pointer[i * 5] += 3;
  }
}

TEST_CASE("onednn: an optimizer's step reaches the packed weights", "[onednn]") {
  const amp::Tensor x = amp::randn({2, 8, 16, 16}), w = amp::randn({8, 8, 3, 3}).requires_grad_();
  amp::SGD optimizer({w}, {.lr = 0.5});
  for (int step = 0; step < 4; ++step) {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    for (int i = 0; i < 2; ++i) {  // twice, as in accumulation
      const amp::Tensor y = amp::conv2d(x, w, {}, {.padding = 1});
      CHECK(difference(y.detach(), amp::conv2d(x.to(amp::kFloat64), w.detach().to(amp::kFloat64),
                                               {}, {.padding = 1})) < 0x1p-6);
      amp::mean(y * y).backward();
    }
    optimizer.step();
    optimizer.zero_grad();
  }
}

TEST_CASE("onednn: weights are packed again only if they moved on, and kept from the second use on",
          "[onednn]") {
  amp::kernels::PackedCopies copies;
  int packs = 0;
  const auto use = [&](std::uint64_t version, std::int64_t order) {
    amp::kernels::PackKey key = {};
    key[0] = order;
    const auto copy = copies.get(version, key, 64, [&](std::byte*) { ++packs; });
    return copy.use_count();
  };
  CHECK(use(1, 7) == 1);  // not kept
  CHECK(use(1, 7) == 2);
  CHECK(packs == 2);
  CHECK(use(1, 7) == 2);
  CHECK(packs == 2);
  CHECK(use(2, 7) == 1);
  CHECK(packs == 3);
  for (std::int64_t order = 0; order < 3 * amp::kernels::PackedCopies::kMost; ++order)
    use(2, order);
  CHECK(use(2, 100) == 1);
}
