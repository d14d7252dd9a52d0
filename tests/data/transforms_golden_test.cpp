// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The transforms without chance against torchvision's.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <amp/amp.hpp>
#include <amp/data/transforms.hpp>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"

namespace data_transforms_golden {
namespace {

namespace transforms = amp::data::transforms;
using amp::InterpolateMode;
using amp::Tensor;
using transforms::PaddingMode;

/// The images of tests/goldens/make_transforms.py.
Tensor bytes() {
  std::vector<std::uint8_t> values;
  for (int i = 0; i < 60; ++i)
    values.push_back(static_cast<std::uint8_t>((37 * i + 11 * i * i) % 251));
  return amp::tensor(values, {3, 4, 5});
}
Tensor floats() { return bytes().to(amp::kFloat32) / 250; }

/// A function of an image and of the word behind the name, if there is one.
using Call = std::function<Tensor(const Tensor&, const std::string&)>;

/// A function with a factor.
Call with_factor(Tensor (*adjust)(const Tensor&, double)) {
  return [adjust](const Tensor& x, const std::string& word) { return adjust(x, std::stod(word)); };
}

Call with_mode(const transforms::ImageSize& size) {
  return [size](const Tensor& x, const std::string& word) {
    static const std::map<std::string, InterpolateMode> modes = {
        {"bilinear", InterpolateMode::kBilinear},
        {"bicubic", InterpolateMode::kBicubic},
        {"nearest", InterpolateMode::kNearest},
        {"nearest-exact", InterpolateMode::kNearestExact}};
    return transforms::resize(x, size, {.interpolation = modes.at(word)});
  };
}

const std::map<std::string, Call> kCalls = {
    {"adjust_brightness", with_factor(transforms::adjust_brightness)},
    {"adjust_contrast", with_factor(transforms::adjust_contrast)},
    {"adjust_saturation", with_factor(transforms::adjust_saturation)},
    {"adjust_hue", with_factor(transforms::adjust_hue)},
    {"rgb_to_grayscale",
     [](const Tensor& x, const std::string& word) {
       return transforms::Grayscale(std::stoi(word))(x);
     }},
    {"pad",
     [](const Tensor& x, const std::string& word) {
       static const std::map<std::string, PaddingMode> modes = {
           {"constant", PaddingMode::kConstant},
           {"edge", PaddingMode::kEdge},
           {"reflect", PaddingMode::kReflect},
           {"symmetric", PaddingMode::kSymmetric}};
       return transforms::Pad({1, 2, 3, 3}, {.fill = 3, .padding_mode = modes.at(word)})(x);
     }},
    {"hflip", [](const Tensor& x, const std::string&) { return transforms::hflip(x); }},
    {"vflip", [](const Tensor& x, const std::string&) { return transforms::vflip(x); }},
    {"crop", [](const Tensor& x, const std::string&) { return transforms::crop(x, 1, -2, 5, 7); }},
    {"center_crop",
     [](const Tensor& x, const std::string& word) {
       return transforms::CenterCrop({word == "larger" ? 8 : 2, 4})(x);
     }},
    {"erase",
     [](const Tensor& x, const std::string&) { return transforms::erase(x, 1, 2, 3, 3, 5); }},
    {"resize shorter",
     [](const Tensor& x, const std::string&) { return transforms::Resize(3)(x); }},
    {"resize longest",
     [](const Tensor& x, const std::string&) {
       return transforms::resize(x, 9, {.max_size = 11});
     }},
    {"resize aliased",
     [](const Tensor& x, const std::string&) {
       return transforms::resize(x, {2, 4}, {.antialias = false});
     }},
    {"resize smaller", with_mode({2, 4})},
    {"resize larger", with_mode({6, 11})},
};

/// The call of a title behind its dtype: "resize smaller bilinear".
Tensor result_of(const Tensor& image, const std::string& title) {
  if (const auto whole = kCalls.find(title); whole != kCalls.end()) return whole->second(image, "");
  const std::size_t blank = title.rfind(' ');
  return kCalls.at(title.substr(0, blank))(image, title.substr(blank + 1));
}

void compare(const std::string& title, const Tensor& result, double most) {
  static const std::vector<goldens::Block> blocks = goldens::read_blocks("transforms.txt");
  CAPTURE(title);
  const goldens::Array expected = goldens::titled(blocks, title)["result"];
  REQUIRE(result.shape() == amp::Shape(expected.shape));
  const std::vector<double> values = result.to_vector<double>();
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(values[i] - expected.values[i]));
  CHECK(worst <= most);
}

TEST_CASE("data: transforms make what torchvision's make") {
  int compared = 0;
  for (const goldens::Block& block : goldens::read_blocks("transforms.txt")) {
    const std::size_t blank = block.title.find(' ');
    const std::string dtype = block.title.substr(0, blank);
    if ((dtype != "uint8" && dtype != "float32") || block.title.find(" to ") != block.title.npos)
      continue;
    const std::string title = block.title.substr(blank + 1);
    // Rounding may go the other way: in fixed point, or by the order of a sum. Cubics overshoot
    // white and black, which torchvision cuts off after each of two passes.
    const bool computed = title.starts_with("resize") || title.starts_with("adjust");
    const bool cubic = title.find("bicubic") != title.npos;
    const double most = dtype == "float32" ? 2e-6 : cubic ? 6 : computed ? 1 : 0;
    compare(block.title, result_of(dtype == "uint8" ? bytes() : floats(), title), most);
    ++compared;
  }
  CHECK(compared == 70);
}

TEST_CASE("data: dtypes of images are converted as torchvision does") {
  compare("uint8 to float32", transforms::ConvertImageDtype()(bytes()), 0);
  compare("uint8 to float32", transforms::ToTensor()(bytes()), 0);
  // [H, W, C], of which the first extent cannot be channels.
  const Tensor tall = bytes().narrow(2, 0, 4).permute({2, 1, 0}).contiguous();
  CHECK(transforms::to_tensor(amp::cat({tall, tall}, 0)).shape() == amp::Shape{3, 8, 4});
  compare("float32 to uint8", transforms::convert_image_dtype(floats(), amp::kUInt8), 0);
  const transforms::Normalize normalize({0.1, 0.2, 0.3}, {0.5, 0.25, 2});
  compare("normalize", normalize(floats()), 1e-6);
  // In one pass, bit for bit the same, also of [H, W, C].
  const Tensor twice = normalize(transforms::to_tensor(bytes()));
  CHECK(amp::equal(transforms::Compose(transforms::ToTensor(), normalize)(bytes()), twice));
  const Tensor last = amp::cat({tall, tall}, 0);
  CHECK(amp::equal(normalize.of_bytes(last), normalize(transforms::to_tensor(last))));
  CHECK_THROWS_AS(normalize.of_bytes(bytes().narrow(0, 0, 2)), amp::Error);
}

}  // namespace
}  // namespace data_transforms_golden
