// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Transforms with random parameters: what they may give, how often, and what they refuse.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <amp/amp.hpp>
#include <amp/data/transforms.hpp>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace data_transforms_random {
namespace {

namespace transforms = amp::data::transforms;
using amp::Tensor;
using amp::data::Generator;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

/// [1, 4, 6], elements 1, 2, ...
Tensor image() { return amp::arange(1, 25).to(amp::kUInt8).reshape({1, 4, 6}); }

TEST_CASE("data: RandomCrop takes every place, and what lies around") {
  Generator g(1);
  const transforms::RandomCrop crop({2, 5});
  std::set<std::int64_t> firsts;
  for (int i = 0; i < 100; ++i) {
    const Tensor part = crop(image(), g);
    REQUIRE(part.shape() == amp::Shape{1, 2, 5});
    firsts.insert(part.to_vector<std::int64_t>()[0]);
  }
  CHECK(firsts == std::set<std::int64_t>{1, 2, 7, 8, 13, 14});

  const transforms::RandomCrop padded(4, {.padding = {3, 1}, .fill = 99});
  int with_border = 0;
  for (int i = 0; i < 50; ++i) {
    const std::vector<int> pixels = padded(image(), g).to_vector<int>();
    with_border += std::count(pixels.begin(), pixels.end(), 99) > 0 ? 1 : 0;
  }
  CHECK(with_border > 20);
  CHECK(transforms::RandomCrop(8, {.pad_if_needed = true})(image(), g).shape() ==
        amp::Shape{1, 8, 8});
  CHECK_THAT(error_of([&] { (void)transforms::RandomCrop(5)(image()); }),
             ContainsSubstring("5 x 5") && ContainsSubstring("4 x 6"));
  CHECK_THROWS_AS(transforms::RandomCrop(0), amp::Error);
  CHECK_THROWS_AS(transforms::RandomCrop(2, {.padding = -1}), amp::Error);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(transforms::RandomCrop(2, {.padding = kMost}), amp::Error);
  CHECK_THROWS_AS(transforms::RandomCrop(kMost, {.pad_if_needed = true}), amp::Error);
  CHECK_THROWS_AS(transforms::pad(image(), kMost), amp::Error);
  const transforms::RandomCrop mirrored(
      2, {.padding = 4, .padding_mode = transforms::PaddingMode::kReflect});
  CHECK_THAT(error_of([&] { (void)mirrored(image()); }), ContainsSubstring("cannot be taken"));
}

TEST_CASE("data: flips and shades of grey come with their probability") {
  Generator g(2);
  const Tensor x = image();
  const auto count = [&](const auto& transform) {
    int changed = 0;
    for (int i = 0; i < 400; ++i) changed += transform(x, g).is_same(x) ? 0 : 1;
    return changed;
  };
  CHECK(count(transforms::RandomHorizontalFlip()) == Approx(200).margin(45));
  CHECK(count(transforms::RandomVerticalFlip(0.2)) == Approx(80).margin(35));
  CHECK(count(transforms::RandomGrayscale()) == Approx(40).margin(25));
  CHECK(count(transforms::RandomApply(transforms::Pad(1), 0.7)) == Approx(280).margin(45));
  CHECK(count(transforms::RandomHorizontalFlip(0)) == 0);
  CHECK(count(transforms::RandomErasing({.p = 1})) == 400);
  CHECK_THROWS_AS(transforms::RandomHorizontalFlip(1.5), amp::Error);
  CHECK_THROWS_AS(transforms::RandomVerticalFlip(NAN), amp::Error);
  CHECK_THROWS_AS(transforms::RandomGrayscale(-1), amp::Error);
}

TEST_CASE("data: RandomResizedCrop draws area and proportion within their ranges") {
  Generator g(3);
  const transforms::RandomResizedCrop crop(5, {.scale = {0.2, 0.5}, .ratio = {0.5, 2}});
  double least = 1, most = 0;
  for (int i = 0; i < 300; ++i) {
    const auto part = crop.draw(100, 150, g);
    REQUIRE((part.top >= 0 && part.top + part.height <= 100));
    REQUIRE((part.left >= 0 && part.left + part.width <= 150));
    const double area = static_cast<double>(part.height * part.width) / 15000;
    least = std::min(least, area);
    most = std::max(most, area);
    const double ratio = static_cast<double>(part.width) / static_cast<double>(part.height);
    REQUIRE((ratio > 0.48 && ratio < 2.1));
  }
  CHECK((least > 0.19 && least < 0.25));
  CHECK((most < 0.52 && most > 0.45));
  CHECK(crop(image(), g).shape() == amp::Shape{1, 5, 5});
  // No part of such an image has the proportion: the middle is taken.
  const auto middle = transforms::RandomResizedCrop(4, {.scale = {1, 1}}).draw(10, 100, g);
  CHECK(middle.width == 13);
  CHECK(middle.height == 10);
  CHECK(middle.left == 43);
  CHECK_THROWS_AS(transforms::RandomResizedCrop(4, {.scale = {0.5, 0.1}}), amp::Error);
  CHECK_THROWS_AS(transforms::RandomResizedCrop(4, {.ratio = {0, 1}}), amp::Error);
  CHECK_THROWS_AS(transforms::RandomResizedCrop(-4), amp::Error);
}

TEST_CASE("data: ColorJitter draws factors from their ranges") {
  Generator g(4);
  const Tensor grey = amp::full({3, 2, 2}, 0.5);
  const transforms::ColorJitter brightness({.brightness = 0.4});
  float least = 1, most = 0;
  for (int i = 0; i < 300; ++i) {
    const float value = brightness(grey, g).to_vector<float>()[0];
    least = std::min(least, value);
    most = std::max(most, value);
  }
  CHECK((least >= 0.3F && least < 0.32F));
  CHECK((most <= 0.7F && most > 0.68F));
  CHECK(transforms::ColorJitter({})(grey, g).is_same(grey));
  const Tensor all = transforms::ColorJitter(
      {.brightness = {0.8, 1.2}, .contrast = 0.5, .saturation = 3, .hue = 0.5})(image(), g);
  CHECK(all.shape() == image().shape());
  CHECK_THROWS_AS(transforms::ColorJitter({.brightness = -1}), amp::Error);
  CHECK_THROWS_AS(transforms::ColorJitter({.contrast = {2, 1}}), amp::Error);
  CHECK_THROWS_AS(transforms::ColorJitter({.saturation = NAN}), amp::Error);
  CHECK_THROWS_AS(transforms::ColorJitter({.hue = 0.6}), amp::Error);
  CHECK_THAT(error_of([&] {
               (void)transforms::ColorJitter({.hue = 0.1})(amp::zeros({2, 3, 3}));
             }),
             ContainsSubstring("1 or 3 channels"));
}

TEST_CASE("data: RandomErasing writes a value or noise, and leaves the given image") {
  Generator g(5);
  const Tensor x = amp::ones({3, 16, 16});
  const Tensor zero =
      transforms::RandomErasing({.p = 1, .scale = {0.25, 0.25}, .ratio = {1, 1}})(x, g);
  CHECK(amp::sum(zero).item<float>() == 3 * (256 - 64));
  CHECK(amp::sum(x).item<float>() == 3 * 256);
  const Tensor noise = transforms::RandomErasing({.p = 1, .value = {}})(x, g);
  const std::vector<float> values = noise.to_vector<float>();
  CHECK(std::set(values.begin(), values.end()).size() > 10);
  CHECK_THROWS_AS(transforms::RandomErasing({.value = {}})(image()), amp::Error);
  CHECK_THROWS_AS(transforms::RandomErasing({.scale = {0.5, 2}}), amp::Error);
  CHECK_THROWS_AS(transforms::erase(x, 10, 0, 7, 1, 0), amp::Error);
}

TEST_CASE("data: MixUp and CutMix mix images and classes in one proportion") {
  Generator g(6);
  const Tensor images = amp::arange(4.0).reshape({4, 1, 1, 1}).expand({4, 2, 8, 8}).contiguous();
  const Tensor classes = amp::arange(4);
  for (int i = 0; i < 20; ++i) {
    const auto [mixed, p] = transforms::MixUp({.num_classes = 4})(images, classes, g);
    const float own = p.to_vector<float>()[5];  // of image 1, class 1
    CHECK(p.to_vector<float>()[4] == Approx(1 - own));
    CHECK(mixed.select(0, 1).to_vector<float>()[0] == Approx(own * 1).margin(1e-6));
    const auto [cut, q] = transforms::CutMix({.num_classes = 4})(images, classes, g);
    const float left = q.to_vector<float>()[5];
    CHECK(amp::mean(cut.select(0, 1)).item<float>() == Approx(left).margin(1e-6));
    CHECK(q.dtype() == amp::kFloat32);
  }
  CHECK_THROWS_AS(transforms::MixUp({.alpha = 0}), amp::Error);
  CHECK_THAT(error_of([&] { (void)transforms::MixUp()(images, classes); }),
             ContainsSubstring("`num_classes`"));
  CHECK_THROWS_AS(transforms::MixUp({.num_classes = 4})(images, amp::arange(3)), amp::Error);
  CHECK_THROWS_AS(transforms::CutMix({.num_classes = 4})(images.flatten(1), classes), amp::Error);
  CHECK_THROWS_AS(transforms::CutMix({.num_classes = 4})(amp::Tensor(), classes), amp::Error);
}

TEST_CASE("data: Compose passes its generator on, and takes functions") {
  const transforms::Compose both(
      transforms::RandomCrop(3), [](const Tensor& x) { return x + 1; },
      [](const Tensor& x, Generator& g) { return x * g.randint(1, 99); });
  Generator a(9), b(9);
  CHECK(both(image(), a).to_vector<int>() == both(image(), b).to_vector<int>());
  amp::manual_seed(4);
  const std::vector<int> first = both(image()).to_vector<int>();
  amp::manual_seed(4);
  CHECK(both(image()).to_vector<int>() == first);
}

TEST_CASE("data: transforms refuse what is no image") {
  CHECK_THROWS_AS(transforms::hflip(Tensor()), amp::Error);
  CHECK_THAT(error_of([] { (void)transforms::hflip(amp::zeros({3})); }), ContainsSubstring("[3]"));
  CHECK_THAT(error_of([] { (void)transforms::Normalize({0.5}, {0.5})(image()); }),
             ContainsSubstring("ToTensor"));
  CHECK_THROWS_AS(transforms::Normalize({0.5}, {0}), amp::Error);
  CHECK_THROWS_AS(transforms::Normalize({0.5}, {1, 2}), amp::Error);
  CHECK_THROWS_AS(transforms::Normalize({}, {}), amp::Error);
  CHECK_THROWS_AS(transforms::normalize(amp::zeros({3, 2, 2}), {1, 2}, {1, 2}), amp::Error);
  CHECK_THROWS_AS(transforms::to_tensor(amp::zeros({9, 2, 9})), amp::Error);
  CHECK_THROWS_AS(transforms::resize(amp::zeros({1, 0, 2}), 3), amp::Error);
  CHECK_THROWS_AS(transforms::resize(image(), 3, {.max_size = 2}), amp::Error);
  CHECK_THROWS_AS(transforms::resize(image(), {2, 2}, {.max_size = 9}), amp::Error);
  CHECK_THROWS_AS(transforms::resize(image(), {0, 2}), amp::Error);
  CHECK_THROWS_AS(transforms::resize(image().to(amp::kInt64), 2), amp::Error);
  CHECK_THROWS_AS(transforms::adjust_hue(image(), 0.6), amp::Error);
  CHECK_THROWS_AS(transforms::adjust_contrast(image(), -1), amp::Error);
  CHECK_THROWS_AS(transforms::crop(image(), 0, std::numeric_limits<std::int64_t>::min(), 1, 1),
                  amp::Error);
  CHECK_THROWS_AS(transforms::Grayscale(2), amp::Error);
  CHECK_THROWS_AS(transforms::convert_image_dtype(amp::arange(3)), amp::Error);
  CHECK(transforms::hflip(amp::zeros({3, 0, 4})).numel() == 0);
  CHECK(transforms::center_crop(image().to(amp::kFloat16), 2).dtype() == amp::kFloat16);
  CHECK(
      transforms::adjust_brightness(amp::ones({1, 1, 1}, {.dtype = amp::kFloat64}), 0.5).dtype() ==
      amp::kFloat64);
}

}  // namespace
}  // namespace data_transforms_random
