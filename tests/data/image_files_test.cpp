// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Image files, folders of them, and files of tokens.
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace data_image_files {
namespace {

namespace data = amp::data;
using amp::Tensor;
using amp_test::error_of;
using amp_test::TemporaryFolder;
using Catch::Matchers::ContainsSubstring;

/// [C, 5, 7], values of all sizes.
Tensor picture(std::int64_t channels = 3) {
  std::vector<std::uint8_t> values;
  for (int i = 0; i < 35 * channels; ++i) values.push_back(static_cast<std::uint8_t>(i * 53));
  return amp::tensor(values, {channels, 5, 7});
}
Tensor floats() { return data::transforms::convert_image_dtype(picture()); }

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_CASE("data: what save_image writes, read_image reads") {
  const TemporaryFolder folder;
  data::save_image(floats(), folder / "a.ppm");
  CHECK(amp::equal(data::read_image(folder / "a.ppm"), picture()));
  data::save_image(floats(), folder / "a.png");
  CHECK(contents(folder / "a.png").starts_with("\x89PNG\r\n\x1a\n"));
#if AMP_USE_PNG
  CHECK(amp::equal(data::read_image(folder / "a.png"), picture()));
  CHECK(data::read_image(folder / "a.png", data::ImageMode::kGray).shape() == amp::Shape{1, 5, 7});
#endif
#if AMP_USE_JPEG
  data::save_image(amp::full({3, 16, 16}, 0.5), folder / "a.JPG");
  CHECK(data::read_image(folder / "a.JPG").to_vector<int>()[0] == Approx(128).margin(1));
  data::save_image(amp::zeros({8, 8}), folder / "b.jpeg");
  CHECK(data::read_image(folder / "b.jpeg").shape() == amp::Shape{3, 8, 8});
#endif
  write(folder / "grey.pgm", "P5 # a comment\n3 2\n255\nabcdef");
  CHECK(data::read_image(folder / "grey.pgm").to_vector<int>() ==
        std::vector<int>{'a', 'b', 'c', 'd', 'e', 'f'});
  CHECK(data::read_image(folder / "grey.pgm", data::ImageMode::kRGB).shape() ==
        amp::Shape{3, 2, 3});
  data::save_image(amp::full({1, 2, 2}, NAN), folder / "nan.ppm");
  CHECK(data::read_image(folder / "nan.ppm").to_vector<int>()[0] == 0);
}

TEST_CASE("data: grids of images are torchvision's") {
  const std::vector<goldens::Block> blocks = goldens::read_blocks("transforms.txt");
  const auto image = [](const amp::Shape& shape) {
    std::vector<std::uint8_t> values;
    for (int i = 0; i < shape.numel(); ++i)
      values.push_back(static_cast<std::uint8_t>((37 * i + 11 * i * i) % 251));
    return amp::tensor(values, shape).to(amp::kFloat32) / 250;
  };
  const auto compare = [&](const char* title, const Tensor& grid) {
    const goldens::Array expected = goldens::titled(blocks, title)["result"];
    REQUIRE(grid.shape() == amp::Shape(expected.shape));
    const Tensor wanted = amp::tensor(expected.values, expected.shape).to(amp::kFloat32);
    CHECK(amp::allclose(grid, wanted, 0, 1e-6));
  };
  compare("grid",
          data::make_grid(image({5, 3, 2, 3}), {.nrow = 3, .padding = 1, .pad_value = 0.5}));
  compare("grid normalized",
          data::make_grid(image({2, 1, 2, 3}), {.normalize = true, .scale_each = true}));
  CHECK(data::make_grid(amp::ones({4, 6})).shape() == amp::Shape{3, 4, 6});
  const Tensor cut =
      data::make_grid(amp::tensor({-1, 3, 9}, {1, 1, 3}),
                      {.normalize = true, .value_range = std::array<double, 2>{1, 5}});
  CHECK(cut.select(0, 0).to_vector<float>() == std::vector<float>{0, 0.5, 1});
  CHECK_THROWS_AS(data::make_grid(Tensor()), amp::Error);
  CHECK_THROWS_AS(data::make_grid(amp::ones({3})), amp::Error);
  CHECK_THROWS_AS(data::make_grid(amp::ones({0, 3, 2, 2})), amp::Error);
  CHECK_THROWS_AS(data::make_grid(amp::ones({2, 2}), {.nrow = 0}), amp::Error);
}

TEST_CASE("data: image files that cannot be read or written are named") {
  const TemporaryFolder folder;
  const auto error = [&](const char* name, const std::string& bytes) {
    write(folder / name, bytes);
    return error_of([&] { (void)data::read_image(folder / name); });
  };
  CHECK_THAT(error("empty", ""), ContainsSubstring("empty") && ContainsSubstring("no PNG"));
  CHECK_THAT(error("text", "P6"), ContainsSubstring("no width"));
  CHECK_THAT(error("short.ppm", "P6 2 2 255 abc"), ContainsSubstring("expected a blank and 12"));
  CHECK_THAT(error("deep.ppm", "P6 2 2 65535 abc"), ContainsSubstring("65535"));
  CHECK_THAT(error("huge.ppm", "P6 999999999 999999999 255 abc"), ContainsSubstring("behind"));
  data::save_image(floats(), folder / "a.png");
  std::string png = contents(folder / "a.png");
#if AMP_USE_PNG
  CHECK_THAT(error("cut.png", png.substr(0, 60)), ContainsSubstring("damaged PNG"));
  png[20] = '\x7F';
  CHECK_THAT(error("crc.png", png), ContainsSubstring("damaged PNG"));
#else
  CHECK_THAT(error("a.png", png), ContainsSubstring("AMP_USE_PNG=1"));
#endif
  CHECK_THAT(error("a.jpg", "\xff\xd8\xff\xe0"),
             ContainsSubstring(AMP_USE_JPEG ? "JPEG: " : "AMP_USE_JPEG=1"));
  CHECK_THROWS_AS(data::read_image(folder / "absent.png"), amp::Error);
  CHECK_THROWS_AS(data::read_image(folder.path), amp::Error);
  CHECK_THAT(error_of([&] { data::save_image(floats(), folder / "a.gif"); }),
             ContainsSubstring(".png, .jpg or .ppm"));
  CHECK_THAT(error_of([&] { data::save_image(floats(), folder / "no" / "a.png"); }),
             ContainsSubstring("cannot be written"));
  CHECK_THROWS_AS(data::save_image(amp::ones({2, 4, 4}), folder / "a.ppm"), amp::Error);
}

TEST_CASE("data: the folders of an ImageFolder are its classes") {
  const TemporaryFolder folder;
  const std::string image = "P6 1 1 255 abc";
  std::filesystem::create_directories(folder / "dogs" / "large");
  std::filesystem::create_directory(folder / "cats");
  write(folder / "dogs" / "2.ppm", image);
  write(folder / "dogs" / "large" / "1.PPM", image);
  write(folder / "dogs" / "notes.txt", "x");
  CHECK_THAT(error_of([&] { data::ImageFolder images(folder.path); }),
             ContainsSubstring("cats") && ContainsSubstring("has no .jpg"));
  write(folder / "cats" / "9.ppm", image);
  const data::ImageFolder images(folder.path);
  CHECK(images.classes() == std::vector<std::string>{"cats", "dogs"});
  REQUIRE(images.size() == 3);
  CHECK(images.samples()[1].first == (folder / "dogs" / "2.ppm").string());
  const auto [pixels, target] = images.get(2);
  CHECK(target == 1);
  CHECK(pixels.to_vector<int>() == std::vector<int>{'a', 'b', 'c'});
  CHECK_THROWS_AS(images.get(3), amp::Error);
  data::DataLoader loader(images.map(data::transforms::ToTensor()),
                          {.batch_size = 3, .workers = 1});
  for (const auto& [x, y] : loader) {
    CHECK(x.shape() == amp::Shape{3, 3, 1, 1});
    CHECK(y.to_vector<int>() == std::vector<int>{0, 1, 1});
  }
  std::filesystem::remove(folder / "dogs" / "2.ppm");
  CHECK_THAT(error_of([&] {
               for (const auto& batch : loader) (void)batch;
             }),
             ContainsSubstring("example 1") && ContainsSubstring("2.ppm"));
  CHECK_THROWS_AS(data::ImageFolder(folder / "absent"), amp::Error);
  CHECK_THAT(error_of([&] { data::ImageFolder none(folder / "cats"); }),
             ContainsSubstring("no folders"));
}

TEST_CASE("data: blocks of a file of tokens, and the tokens one later") {
  const TemporaryFolder folder;
  std::vector<std::uint16_t> tokens;
  for (int i = 0; i < 11; ++i) tokens.push_back(static_cast<std::uint16_t>(65530 + i));
  write(folder / "tokens", {reinterpret_cast<const char*>(tokens.data()), 22});
  const data::TokenDataset<> blocks(folder / "tokens", {.block_size = 4});
  CHECK(blocks.size() == 7);
  const auto [x, y] = blocks.get(6);
  CHECK(x.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(y.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(blocks.get(0).data.to_vector<std::int64_t>()[0] == 65530);
  CHECK_THROWS_AS(blocks.get(7), amp::Error);
  CHECK(blocks.all().size() == 11);
  const data::TokenDataset<std::uint16_t> apart(folder / "tokens", {.block_size = 4, .stride = 4});
  CHECK(apart.size() == 2);
  data::DataLoader loader(apart, {.batch_size = 2});
  for (const auto& batch : loader) CHECK(batch.target.shape() == amp::Shape{2, 4});

  using Ints = data::TokenDataset<std::int32_t>;
  CHECK_THAT(error_of([&] { Ints wrong(folder / "tokens"); }),
             ContainsSubstring("no whole tokens of 4 bytes"));
  CHECK_THAT(error_of([&] { data::TokenDataset<> large(folder / "tokens", {.block_size = 11}); }),
             ContainsSubstring("11 tokens"));
  CHECK_THROWS_AS(data::TokenDataset<>(folder / "tokens", {.stride = 0}), amp::Error);
  CHECK_THROWS_AS(data::TokenDataset<>(folder / "absent"), amp::Error);
  write(folder / "nothing", "");
  CHECK_THROWS_AS(data::TokenDataset<>(folder / "nothing"), amp::Error);
}

}  // namespace
}  // namespace data_image_files
