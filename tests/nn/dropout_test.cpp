// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers of which torch's numbers cannot be had: what dropouts drop; and what layers refuse.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace dropout_layers {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Of x, ones [channels, elements]: each channel is wholly 0 or wholly `kept`. Returns the share of
/// zeros.
double dropped_share(const Tensor& y, std::size_t channels, double kept) {
  const Values values = y.to_vector<double>();
  const std::size_t each = values.size() / channels;
  std::size_t zeros = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double first = values[c * each];
    CHECK((first == 0 || first == Approx(kept)));
    for (std::size_t i = 0; i < each; ++i) REQUIRE(values[c * each + i] == first);
    zeros += first == 0;
  }
  return static_cast<double>(zeros) / static_cast<double>(channels);
}

template <class M>
void check_channels(const Tensor& x) {
  amp::manual_seed(1);
  const M layer(0.25);
  const auto channels = static_cast<std::size_t>(2000);
  CHECK(dropped_share(layer(x), channels, 1 / 0.75) == Approx(0.25).margin(0.045));
  layer.eval();
  CHECK(layer(x).is_same(x));
}

}  // namespace

TEST_CASE("dropout: whole channels are dropped", "[nn]") {
  check_channels<nn::Dropout1d>(amp::ones({20, 100, 3}));
  check_channels<nn::Dropout1d>(amp::ones({2000, 3}));
  check_channels<nn::Dropout2d>(amp::ones({20, 100, 2, 2}));
  check_channels<nn::Dropout2d>(amp::ones({20, 100, 3}));
  check_channels<nn::Dropout3d>(amp::ones({20, 100, 2, 1, 2}));
  check_channels<nn::Dropout3d>(amp::ones({2000, 2, 1, 2}));
}

TEST_CASE("dropout: gradients pass the channels that stay; 16 bits are rounded once", "[nn]") {
  amp::manual_seed(2);
  const Tensor x = amp::full({4, 8, 2, 2}, 3, {.dtype = amp::kBFloat16, .requires_grad = true});
  const Tensor y = nn::Dropout2d(0.1)(x);
  CHECK(y.dtype() == amp::kBFloat16);
  amp::sum(y).backward();
  const Values values = y.to_vector<double>(), gradient = x.grad().to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK((values[i] == 0) == (gradient[i] == 0));
    CHECK((values[i] == 0 || values[i] == static_cast<double>(float(amp::bfloat16(3 / 0.9F)))));
  }
  CHECK(nn::Dropout2d(1)(x).to_vector<double>() == Values(values.size(), 0));
  CHECK(nn::Dropout2d(0)(x).is_same(x));
}

TEST_CASE("alpha dropout: mean and variance stay", "[nn]") {
  amp::manual_seed(3);
  const Tensor x = amp::randn({200, 500});
  const Tensor y = nn::AlphaDropout(0.3)(x);
  CHECK(amp::mean(y).item<double>() == Approx(0).margin(0.02));
  CHECK(amp::var(y).item<double>() == Approx(1).epsilon(0.02));
  const nn::FeatureAlphaDropout features(0.5);
  const Tensor z = features(amp::ones({10, 200, 3}));
  const Values values = z.to_vector<double>();
  std::size_t least = 0;
  for (std::size_t i = 0; i < values.size(); i += 3) {
    CHECK(values[i] == values[i + 2]);
    least += values[i] < 0;
  }
  CHECK(static_cast<double>(least) / 2000 == Approx(0.5).margin(0.05));
  CHECK(nn::AlphaDropout(1)(x).to_vector<double>() == Values(100000, 0));
  features.eval();
  CHECK(features(x).is_same(x));
}

TEST_CASE("rrelu, dropout: random in training only", "[nn]") {
  const Tensor x = amp::full({100}, -1);
  const nn::RReLU layer(0.1, 0.3);
  const Values y = layer(x).to_vector<double>();
  CHECK(y.front() != y.back());
  layer.eval();
  for (const double v : layer(x).to_vector<double>()) CHECK(v == Approx(-0.2));
}

TEST_CASE("losses: the weight is a buffer, and the tensor that was given stays", "[nn]") {
  const Tensor weight = amp::ones({3});
  const nn::BCEWithLogitsLoss loss({.weight = weight, .pos_weight = weight});
  CHECK(loss.parameters().empty());
  REQUIRE(loss.buffers().size() == 2);
  loss.to(amp::kFloat64);
  CHECK(weight.dtype() == amp::kFloat32);
  CHECK(loss.buffers()[0].dtype() == amp::kFloat64);
  const Tensor x = amp::ones({2, 3}, {.dtype = amp::kFloat64});
  CHECK(loss(x, x).dtype() == amp::kFloat64);
  CHECK(loss.clone()(x, x).item<double>() == loss(x, x).item<double>());
  nn::init::zeros_(loss.buffers()[0]);
  CHECK(loss(x, x).item<double>() == 0);
}

TEST_CASE("layers: what cannot be is refused", "[nn]") {
  const Tensor x = amp::ones({2, 3});
  CHECK_THAT(error_of([] { nn::Dropout2d(1.5); }), ContainsSubstring("nn::Dropout2d: `p`"));
  CHECK_THAT(error_of([] { nn::AlphaDropout{kNan}; }), ContainsSubstring("`p`"));
  CHECK_THAT(error_of([&] { (void)nn::Dropout2d()(x); }), ContainsSubstring("3 or 4 dimensions"));
  CHECK_THAT(error_of([&] { (void)nn::Dropout3d()(Tensor()); }), ContainsSubstring("undefined"));
  CHECK_THAT(error_of([&] { (void)nn::Dropout1d()(amp::arange(4)); }), ContainsSubstring("float"));
  CHECK_THAT(error_of([&] { (void)nn::Softmax2d()(x); }), ContainsSubstring("[C, H, W]"));
  CHECK_THAT(error_of([&] { (void)nn::Softmax(5)(x); }), ContainsSubstring("softmax"));
  CHECK_THAT(error_of([] { (void)nn::Upsample(amp::InterpolateOptions()); }),
             ContainsSubstring("`scale_factor`"));
  CHECK_THAT(error_of([] { nn::Upsample({.size = {2}, .scale_factor = 2}); }),
             ContainsSubstring("`size`"));
  CHECK_THAT(error_of([] { nn::LPPool1d(0, 2); }), ContainsSubstring("`norm_type`"));
  CHECK_THAT(error_of([] { nn::Unflatten(1, {}); }), ContainsSubstring("`sizes`"));
  CHECK_THROWS_AS(nn::PReLU(-1), amp::Error);
  CHECK_THROWS_AS(nn::PReLU(2)(x), amp::Error);
  CHECK_THROWS_AS(nn::Bilinear(-1, 2, 3), amp::Error);
  CHECK_THROWS_AS(nn::MaxPool2d(0)(amp::ones({1, 1, 4, 4})), amp::Error);
  CHECK_THROWS_AS(nn::MaxPool2d(2)(x), amp::Error);
  CHECK_THROWS_AS(nn::ReflectionPad1d(9)(x), amp::Error);
  CHECK_THROWS_AS(nn::PixelShuffle(0)(amp::ones({1, 4, 2, 2})), amp::Error);
  CHECK_THROWS_AS(nn::CrossEntropyLoss()(x, x.narrow(1, 0, 2)), amp::Error);
  CHECK_THROWS_AS(nn::MSELoss(nullptr)(x, x), amp::Error);
  CHECK_THROWS_AS(nn::LeakyReLU(nullptr)(x), amp::Error);
}

TEST_CASE("layers: windows of zeros have no gradient in a power-average pool", "[nn]") {
  const Tensor x = amp::zeros({1, 1, 4}, {.requires_grad = true});
  amp::sum(nn::LPPool1d(2, 2)(x)).backward();
  CHECK(x.grad().to_vector<double>() == Values(4, 0));
}

TEST_CASE("Bilinear: bias and weight start uniform in +-1 / sqrt(in1)", "[nn]") {
  const nn::Bilinear layer(4, 3, 50);
  CHECK(layer.weight.shape() == amp::Shape(50, 4, 3));
  for (const Tensor& p : layer.parameters()) {
    CHECK(amp::max(amp::abs(p)).item<double>() <= 0.5);
    CHECK(amp::max(amp::abs(p)).item<double>() > 0.45);
  }
  const Tensor x = amp::randn({2, 4}), y = amp::randn({2, 3});
  CHECK(layer(x, y).to_vector<float>() ==
        amp::bilinear(x, y, layer.weight, layer.bias).to_vector<float>());
  CHECK(nn::Bilinear(4, 3, 2, {.bias = false})(x, y).shape() == amp::Shape(2, 2));
}

}  // namespace dropout_layers
