// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The readers of MNIST and CIFAR: valid files, and every kind of invalid one with its error.
#include <amp/amp.hpp>
#include <amp/data.hpp>

#include "support/catch.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace data_files {
namespace {

namespace data = amp::data;
namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

/// A directory of its own for each test, gone afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    static int count = 0;
    path_ = fs::temp_directory_path() /
            ("amp-data-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    fs::create_directories(path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  /// Writes a file; as gzip when its name ends in ".gz".
  void write(const std::string& name, const Bytes& bytes) const {
    const std::string mode = name.ends_with(".gz") ? "wb" : "wbT";  // T: transparent, no gzip
    gzFile stream = gzopen((path_ / name).c_str(), mode.c_str());
    REQUIRE(stream != nullptr);
    REQUIRE(gzwrite(stream, bytes.data(), static_cast<unsigned>(bytes.size())) ==
            static_cast<int>(bytes.size()));
    REQUIRE(gzclose(stream) == Z_OK);
  }

  [[nodiscard]] Bytes read_raw(const std::string& name) const {
    std::ifstream stream(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// Writes bytes as they are, whatever the name.
  void write_raw(const std::string& name, const Bytes& bytes) const {
    std::ofstream stream(path_ / name, std::ios::binary);
    for (const std::uint8_t byte : bytes) stream.put(static_cast<char>(byte));
  }

 private:
  fs::path path_;
};

/// The text of the amp::Error that `call` throws; any other outcome fails the test.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const amp::Error& error) {
    return error.what();
  }
  FAIL("no error");
  return {};
}

/// Whether the text names the file and the offset and holds the other parts too.
bool says(const std::string& text, const fs::path& file, std::uint64_t offset,
          std::initializer_list<const char*> parts) {
  bool all = text.starts_with(file.string() + ": at byte offset " + std::to_string(offset));
  for (const char* part : parts) all = all && text.find(part) != text.npos;
  if (!all) UNSCOPED_INFO(text);
  return all;
}

void append_big_endian(Bytes& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

Bytes idx_images(std::uint32_t count, std::uint32_t magic = 0x803, std::uint32_t rows = 28,
                 std::uint32_t columns = 28) {
  Bytes bytes;
  for (const std::uint32_t number : {magic, count, rows, columns}) append_big_endian(bytes, number);
  for (std::uint32_t i = 0; i < count * 784; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i * 7));
  }
  return bytes;
}

Bytes idx_labels(const Bytes& labels, std::uint32_t magic = 0x801) {
  Bytes bytes;
  append_big_endian(bytes, magic);
  append_big_endian(bytes, static_cast<std::uint32_t>(labels.size()));
  bytes.insert(bytes.end(), labels.begin(), labels.end());
  return bytes;
}

/// Records of CIFAR-10: in record i every pixel of channel c is 10 * i + c.
Bytes cifar(const Bytes& labels) {
  Bytes bytes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    bytes.push_back(labels[i]);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      bytes.insert(bytes.end(), 1024, static_cast<std::uint8_t>(10 * i + channel));
    }
  }
  return bytes;
}

const char* const kImages = "train-images-idx3-ubyte";
const char* const kLabels = "train-labels-idx1-ubyte";

std::string idx_error(const TemporaryDirectory& directory) {
  return error_of([&] { (void)data::MNIST(directory.path()); });
}

std::string cifar_error(const TemporaryDirectory& directory, std::int64_t records = 2) {
  return error_of([&] {
    (void)data::detail::read_cifar10(directory.path(), true, {.records = records});
    (void)data::detail::read_cifar10(directory.path(), false, {.records = records});
  });
}

}  // namespace

TEST_CASE("idx files are read, plain or compressed", "[data]") {
  const std::string ending = GENERATE("", ".gz");
  const TemporaryDirectory directory;
  directory.write(kImages + ending, idx_images(3));
  directory.write(kLabels + ending, idx_labels({4, 0, 9}));
  const data::MNIST set(directory.path());
  CHECK(set.images().shape() == amp::Shape{3, 1, 28, 28});
  CHECK(set.targets().to_vector<std::int64_t>() == std::vector<std::int64_t>{4, 0, 9});
  CHECK(set.images().to_vector<std::uint8_t>()[785] == static_cast<std::uint8_t>(785 * 7));
  const auto [image, target] = set.get(2);
  CHECK(image.shape() == amp::Shape{1, 28, 28});
  CHECK(target == 9);
  CHECK_THROWS_AS(set.get(3), amp::Error);
  CHECK(set.get_batch(std::vector<std::int64_t>{2, 0}).target.to_vector<int>() ==
        std::vector<int>{9, 4});
  // As torchvision puts them.
  fs::create_directories(directory.path() / "root" / "MNIST");
  fs::create_directory_symlink(directory.path(), directory.path() / "root" / "MNIST" / "raw");
  CHECK(data::MNIST(directory.path() / "root").size() == 3);
}

TEST_CASE("CIFAR-10 files are read, plain or compressed, those that are there", "[data]") {
  const std::string ending = GENERATE("", ".gz");
  const TemporaryDirectory directory;
  directory.write("data_batch_2.bin" + ending, cifar({1, 2}));
  directory.write("data_batch_5.bin" + ending, cifar({3, 9}));
  directory.write("test_batch.bin" + ending, cifar({0, 7}));
  const auto train = data::detail::read_cifar10(directory.path(), true, {.records = 2});
  const auto test = data::detail::read_cifar10(directory.path(), false, {.records = 2});
  CHECK(train.targets().to_vector<int>() == std::vector<int>{1, 2, 3, 9});
  CHECK(test.targets().to_vector<int>() == std::vector<int>{0, 7});
  REQUIRE(train.images().shape() == amp::Shape{4, 3, 32, 32});
  CHECK(train.images().to_vector<int>()[0] == 0);
  CHECK(train.images().to_vector<int>()[3072 + 2048] == 12);  // second image, blue
  // Two labels: the coarse class and the fine one.
  Bytes both = cifar({5});
  both.insert(both.begin() + 1, 77);
  directory.write("train.bin", both);
  const auto hundred =
      data::detail::read_cifar_files({(directory.path() / "train.bin").string()},
                                     {.labels = 2, .label = 1, .classes = 100, .records = 1});
  CHECK(hundred.targets().item<int>() == 77);
  CHECK(says(error_of([&] { (void)data::CIFAR100(directory.path()); }),
             directory.path() / "train.bin", 3074, {"153700000 bytes"}));
}

TEST_CASE("a missing file is named", "[data]") {
  const TemporaryDirectory directory;
  const fs::path& path = directory.path();
  CHECK(says(idx_error(directory), path / kImages, 0, {"this file or", ".gz", "none"}));
  directory.write(kImages, idx_images(1));
  CHECK(says(idx_error(directory), path / kLabels, 0, {"none"}));
  CHECK(says(cifar_error(directory), path / "data_batch_1.bin", 0, {"at least one", "none"}));
  directory.write("data_batch_1.bin", cifar({1, 2}));
  CHECK(says(cifar_error(directory), path / "test_batch.bin", 0, {"none"}));
  const fs::path absent = path / "absent";
  CHECK(says(error_of([&] { (void)data::MNIST(absent); }), absent / kImages, 0,
             {"no such directory"}));
  CHECK(says(error_of([&] { (void)data::CIFAR10(absent); }), absent / "data_batch_1.bin", 0,
             {"no such directory"}));
}

TEST_CASE("a directory in a file's place is an error", "[data]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / kImages);
  directory.write(kLabels, idx_labels({1}));
  CHECK_THAT(idx_error(directory),
             Catch::Matchers::ContainsSubstring((directory.path() / kImages).string()) &&
                 Catch::Matchers::ContainsSubstring("it is a directory"));
}

TEST_CASE("a pipe in a file's place is an error at once", "[data]") {
  const std::string ending = GENERATE("", ".gz");
  const TemporaryDirectory directory;
  const fs::path pipe = directory.path() / ("data_batch_1.bin" + ending);
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  alarm(20);  // ends a reader that waits for a writer
  CHECK_THAT(cifar_error(directory),
             Catch::Matchers::ContainsSubstring(pipe.string()) &&
                 Catch::Matchers::ContainsSubstring("it is no regular file"));
  alarm(0);
}

TEST_CASE("a truncated idx file is told from a whole one", "[data]") {
  const std::string ending = GENERATE("", ".gz");
  const std::size_t kept = GENERATE(0U, 3U, 7U, 15U, 16U, 16U + 784U, 16U + 3 * 784U - 1);
  const TemporaryDirectory directory;
  Bytes bytes = idx_images(3);
  bytes.resize(kept);
  directory.write(kImages + ending, bytes);
  directory.write(kLabels, idx_labels({1, 2, 3}));
  const char* expected = kept < 4    ? "expected the magic number of idx images 0x00000803"
                         : kept < 8  ? "expected the number of images"
                         : kept < 16 ? "expected the number of rows or columns"
                                     : "expected 2352 bytes for 3 images";
  CHECK(says(idx_error(directory), directory.path() / (kImages + ending), kept,
             {expected, "found the end of the file"}));
}

TEST_CASE("truncated labels are told from whole ones", "[data]") {
  const TemporaryDirectory directory;
  directory.write(kImages, idx_images(3));
  Bytes bytes = idx_labels({1, 2, 3});
  bytes.pop_back();
  directory.write(kLabels, bytes);
  CHECK(says(idx_error(directory), directory.path() / kLabels, 10,
             {"expected 3 bytes for 3 labels", "found the end of the file"}));
}

TEST_CASE("a huge count in a header allocates nothing huge", "[data]") {
  const TemporaryDirectory directory;
  Bytes bytes = idx_images(1);
  std::fill_n(bytes.begin() + 4, 4, std::uint8_t{0xFF});
  directory.write(kImages, bytes);
  directory.write(kLabels, idx_labels({1}));
  amp::reset_peak_memory();
  const std::int64_t before = amp::memory_stats().current_bytes;
  CHECK(says(idx_error(directory), directory.path() / kImages, 16 + 784, {"4294967295 images"}));
  std::fill_n(bytes.begin() + 8, 8, std::uint8_t{0xFF});
  directory.write(kImages, bytes);
  CHECK(says(idx_error(directory), directory.path() / kImages, 8, {"4294967295"}));
  CHECK(amp::memory_stats().peak_bytes - before < 1 << 20);
}

TEST_CASE("bytes after the end are an error", "[data]") {
  const std::string ending = GENERATE("", ".gz");
  const TemporaryDirectory directory;
  const fs::path& path = directory.path();
  Bytes images = idx_images(2);
  images.push_back(0);
  directory.write(kImages + ending, images);
  directory.write(kLabels + ending, idx_labels({1, 2}));
  CHECK(says(idx_error(directory), path / (kImages + ending), 16 + 2 * 784, {"more bytes"}));

  directory.write(kImages + ending, idx_images(2));
  Bytes labels = idx_labels({1, 2});
  labels.push_back(0);
  directory.write(kLabels + ending, labels);
  CHECK(says(idx_error(directory), path / (kLabels + ending), 10, {"more bytes"}));

  directory.write("data_batch_1.bin" + ending, cifar({1, 2, 3}));
  CHECK(says(cifar_error(directory), path / ("data_batch_1.bin" + ending), 2 * 3073,
             {"the end of the file", "more bytes"}));
}

TEST_CASE("a wrong idx header is an error", "[data]") {
  const TemporaryDirectory directory;
  const fs::path& path = directory.path();
  directory.write(kLabels, idx_labels({1, 2}));

  directory.write(kImages, idx_images(2, 0x801));
  CHECK(says(idx_error(directory), path / kImages, 0, {"0x00000803", "0x00000801"}));
  directory.write(kImages, idx_images(0));
  CHECK(says(idx_error(directory), path / kImages, 4, {"an extent", "found 0"}));
  directory.write(kImages, idx_images(2, 0x803, 28, 29));
  CHECK(says(idx_error(directory), path / kImages, 16 + 2 * 784, {"1624 bytes"}));

  directory.write(kImages, idx_images(2));
  directory.write(kLabels, idx_labels({1, 2}, 0x803));
  CHECK(says(idx_error(directory), path / kLabels, 0, {"0x00000801", "0x00000803"}));
  directory.write(kLabels, idx_labels({1, 2, 3}));
  CHECK(says(idx_error(directory), path / kLabels, 4, {"as many labels", "2", "found 3"}));
}

TEST_CASE("a label beyond the classes is an error", "[data]") {
  const TemporaryDirectory directory;
  directory.write(kImages, idx_images(3));
  directory.write(kLabels, idx_labels({1, 10, 2}));
  CHECK(says(idx_error(directory), directory.path() / kLabels, 9,
             {"a label from 0 to 9", "found 10"}));
  directory.write("data_batch_1.bin.gz", cifar({9, 10}));
  CHECK(says(cifar_error(directory), directory.path() / "data_batch_1.bin.gz", 3073,
             {"a label from 0 to 9", "found 10"}));
}

TEST_CASE("a truncated CIFAR-10 file is told from a whole one", "[data]") {
  const std::string ending = GENERATE("", ".gz");
  const std::size_t kept = GENERATE(0U, 1U, 3072U, 3073U, 2U * 3073U - 1);
  const TemporaryDirectory directory;
  Bytes bytes = cifar({1, 2});
  bytes.resize(kept);
  directory.write("data_batch_3.bin" + ending, bytes);
  CHECK(says(cifar_error(directory), directory.path() / ("data_batch_3.bin" + ending), kept,
             {"6146 bytes (2 records of 3073)", "the end of the file"}));
}

TEST_CASE("a damaged gzip file is an error", "[data]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "data_batch_1.bin.gz";
  Bytes content = cifar({1, 2});
  data::Generator random(1);  // noise, which does not compress: the file is about as long
  for (std::uint8_t& byte : content) byte = static_cast<std::uint8_t>(random.randint(0, 10));
  directory.write(file.filename(), content);
  const Bytes whole = directory.read_raw(file.filename());
  REQUIRE(whole.size() > 2000);

  SECTION("cut off") {
    directory.write_raw(file.filename(), {whole.begin(), whole.begin() + 1000});
    const std::string text = cifar_error(directory);
    INFO(text);
    CHECK(text.starts_with(file.string() + ": at byte offset "));
    CHECK(text.find("truncated") != text.npos);
  }
  SECTION("without its checksum") {
    directory.write_raw(file.filename(), {whole.begin(), whole.end() - 8});
    CHECK(says(cifar_error(directory), file, 2 * 3073, {"truncated"}));
  }
  SECTION("with a wrong checksum") {
    Bytes damaged = whole;
    damaged[damaged.size() - 8] ^= 1;
    directory.write_raw(file.filename(), damaged);
    CHECK(cifar_error(directory).find("damage: ") != std::string::npos);
  }
  SECTION("changed inside") {
    Bytes damaged = whole;
    for (std::size_t i = 500; i < 600; ++i) damaged[i] = 0xFF;
    directory.write_raw(file.filename(), damaged);
    const std::string text = cifar_error(directory);
    INFO(text);
    CHECK(text.starts_with(file.string() + ": at byte offset "));
    CHECK(text.find("damage: ") != text.npos);
  }
}

// --- the published files, in the folder AMP_DATA_DIR --------------------------------------------

namespace {

struct Expected {
  std::int64_t count;
  std::vector<std::int64_t> first_labels;
  std::vector<std::int64_t> per_class;  // empty: as many of each
};

void check_labels(const data::ImageDataset& set, const Expected& expected) {
  CHECK(set.size() == expected.count);
  REQUIRE(set.size() >= 10);
  const auto labels = set.targets().to_vector<std::int64_t>();
  CHECK(std::equal(expected.first_labels.begin(), expected.first_labels.end(), labels.begin()));
  std::vector<std::int64_t> per_class(10);
  for (const std::int64_t label : labels) ++per_class[static_cast<std::size_t>(label)];
  CHECK(per_class == (expected.per_class.empty()
                          ? std::vector<std::int64_t>(10, expected.count / 10)
                          : expected.per_class));
}

/// The mean of a channel, for pixel values divided by 255.
double mean_of(const data::ImageDataset& set, std::int64_t channel = 0) {
  const amp::Tensor pixels = set.images().select(1, channel).to(amp::kFloat64);
  return amp::mean(pixels).item<double>() / 255;
}

/// The directory of a data set; empty if AMP_DATA_DIR does not contain it.
fs::path published(const char* name) {
  const char* root = std::getenv("AMP_DATA_DIR");
  if (root == nullptr) return {};
  const fs::path directory = fs::path(root) / name;
  return fs::is_directory(directory) ? directory : fs::path();
}

}  // namespace

TEST_CASE("the published MNIST is read", "[data][files]") {
  const fs::path directory = published("mnist");
  if (directory.empty()) AMP_TEST_SKIP("AMP_DATA_DIR names no folder with mnist in it");
  const data::MNIST train(directory), test(directory, {.train = false});
  check_labels(train, {60000,
                       {5, 0, 4, 1, 9, 2, 1, 3, 1, 4},
                       {5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}});
  check_labels(test, {10000,
                      {7, 2, 1, 0, 4, 1, 4, 9, 5, 9},
                      {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}});
  CHECK(mean_of(train) == Approx(0.13066048).epsilon(1e-7));
}

TEST_CASE("the published Fashion-MNIST is read", "[data][files]") {
  const fs::path directory = published("fashion-mnist");
  if (directory.empty()) AMP_TEST_SKIP("AMP_DATA_DIR names no folder with fashion-mnist in it");
  const data::FashionMNIST train(directory), test(directory, {.train = false});
  check_labels(train, {60000, {9, 0, 0, 3, 0, 2, 7, 2, 5, 5}, {}});
  check_labels(test, {10000, {9, 2, 1, 1, 6, 1, 4, 6, 5, 7}, {}});
  CHECK(mean_of(train) == Approx(0.28604060).epsilon(1e-7));
}

TEST_CASE("the published CIFAR-10 is read", "[data][files]") {
  const fs::path directory = published("cifar-10");
  if (directory.empty()) AMP_TEST_SKIP("AMP_DATA_DIR names no folder with cifar-10 in it");
  const data::CIFAR10 train(directory), test(directory, {.train = false});
  CHECK(train.size() % 10000 == 0);
  check_labels(test, {10000, {3, 8, 8, 0, 6, 6, 1, 6, 3, 1}, {}});
  if (!data::detail::found_file(directory, "data_batch_1.bin").empty()) {
    const data::ImageDataset first(train.images().narrow(0, 0, 10000),
                                   train.targets().narrow(0, 0, 10000));
    check_labels(first, {10000,
                         {6, 9, 9, 4, 1, 1, 2, 7, 8, 3},
                         {1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981}});
    CHECK(mean_of(first) == Approx(0.49345784).epsilon(1e-7));
  }
}

}  // namespace data_files
