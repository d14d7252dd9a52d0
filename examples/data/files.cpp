// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reads the file formats of published data sets: idx and CIFAR-10, plain or compressed.
#include "data/cifar10.hpp"
#include "data/file.hpp"
#include "data/idx.hpp"

#include <amp/core/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace examples {
namespace {

constexpr std::uint64_t kMostInflation = 1040;         // deflate makes at most 1032 of a byte
constexpr std::uint32_t kIdxImagesMagic = 0x00000803;  // unsigned bytes, three dimensions
constexpr std::uint32_t kIdxLabelsMagic = 0x00000801;  // unsigned bytes, one dimension

/// Reads one header number and throws amp::Error unless it is `wanted`.
void expect_number(InputFile& file, const std::string& what, std::uint32_t wanted,
                   const char* format = "%u") {
  const auto text = [format](std::uint32_t number) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, format, number);
    return std::string(buffer);
  };
  const std::uint64_t offset = file.offset();
  const std::uint32_t found = file.read_big_endian(what + " " + text(wanted));
  if (found != wanted) file.fail(offset, what + " " + text(wanted), text(found));
}

}  // namespace

// --- any file -----------------------------------------------------------------------------------

void fail_at(const std::filesystem::path& file, std::uint64_t offset, const std::string& expected,
             const std::string& found) {
  const char* unpacked = file.extension() == ".gz" ? " of the unpacked content" : "";
  throw amp::Error(file.string() + ": at byte offset " + std::to_string(offset) + unpacked +
                   ": expected " + expected + ", found " + found);
}

bool has_file(const std::filesystem::path& directory, const std::string& name) {
  return std::filesystem::exists(directory / name) ||
         std::filesystem::exists(directory / (name + ".gz"));
}

std::filesystem::path find_file(const std::filesystem::path& directory, const std::string& name) {
  if (std::filesystem::exists(directory / name)) return directory / name;
  if (std::filesystem::exists(directory / (name + ".gz"))) return directory / (name + ".gz");
  fail_at(directory / name, 0, "this file or " + name + ".gz",
          std::filesystem::is_directory(directory) ? "neither" : "no such directory");
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) fail("a file that can be read", std::strerror(errno));
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    stream_.reset(gzdopen(file, "rb"));
  }
  if (!stream_) {
    ::close(file);
    fail("a regular file", S_ISDIR(status.st_mode) ? "a directory" : "a pipe or a device");
  }
  gzbuffer(stream_.get(), 1U << 17);
  most_bytes_ = static_cast<std::uint64_t>(status.st_size) *
                (gzdirect(stream_.get()) != 0 ? 1 : kMostInflation);
}

std::vector<std::uint8_t> InputFile::read(std::uint64_t count, const std::string& expected) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(std::min(count, most_bytes_));
  while (bytes.size() < count) {
    const auto chunk = std::min<std::uint64_t>(count - bytes.size(), 1U << 20);
    const std::size_t begin = bytes.size();
    bytes.resize(begin + chunk);
    const std::size_t got = read_some(bytes.data() + begin, static_cast<unsigned>(chunk));
    offset_ += got;
    if (got < chunk) fail(expected, "the end of the file");
  }
  return bytes;
}

std::uint32_t InputFile::read_big_endian(const std::string& expected) {
  std::uint32_t number = 0;
  for (const std::uint8_t byte : read(4, expected)) number = number << 8 | byte;
  return number;
}

void InputFile::expect_end() {
  std::uint8_t byte = 0;
  if (read_some(&byte, 1) != 0) fail("the end of the file", "more bytes");
}

std::size_t InputFile::read_some(std::uint8_t* bytes, unsigned count) {
  const int got = gzread(stream_.get(), bytes, count);
  int code = Z_OK;
  const char* reason = gzerror(stream_.get(), &code);
  if (code == Z_BUF_ERROR) {  // the compressed stream ends early: the bytes before are valid
    offset_ += static_cast<std::uint64_t>(std::max(got, 0));
    fail("more compressed data", "the end of the file (truncated gzip stream)");
  }
  if (got < 0) {
    const std::string why = code == Z_ERRNO ? std::strerror(errno) : reason;
    fail("readable data", "damage: " + why);
  }
  return static_cast<std::size_t>(got);
}

// --- idx ----------------------------------------------------------------------------------------

std::vector<std::uint8_t> read_idx_images(InputFile& file, std::uint32_t rows,
                                          std::uint32_t columns) {
  expect_number(file, "the magic number of idx images", kIdxImagesMagic, "0x%08x");
  const std::uint64_t count = file.read_big_endian("the number of images");
  if (count == 0) file.fail(file.offset() - 4, "at least one image", "0 images");
  if (count > kMostIdxImages) {
    file.fail(file.offset() - 4, "at most " + std::to_string(kMostIdxImages) + " images",
              std::to_string(count) + " images");
  }
  expect_number(file, "the number of rows", rows);
  expect_number(file, "the number of columns", columns);
  const std::uint64_t size = count * rows * columns;
  auto pixels = file.read(
      size, std::to_string(size) + " bytes of pixels for " + std::to_string(count) + " images");
  file.expect_end();
  return pixels;
}

std::vector<std::int64_t> read_idx_labels(InputFile& file, std::uint32_t count,
                                          std::int64_t classes) {
  expect_number(file, "the magic number of idx labels", kIdxLabelsMagic, "0x%08x");
  expect_number(file, "as many labels as there are images,", count);
  const std::uint64_t begin = file.offset();
  const auto bytes = file.read(count, std::to_string(count) + " labels");
  file.expect_end();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] < classes) continue;
    file.fail(begin + i, "a label from 0 to " + std::to_string(classes - 1),
              std::to_string(bytes[i]));
  }
  return {bytes.begin(), bytes.end()};
}

Dataset read_idx(const std::string& directory, const std::string& prefix) {
  Dataset set{1, 28, 28};
  InputFile images(find_file(directory, prefix + "-images-idx3-ubyte"));
  InputFile labels(find_file(directory, prefix + "-labels-idx1-ubyte"));
  set.pixels = read_idx_images(images, 28, 28);
  const auto count = set.pixels.size() / static_cast<std::size_t>(set.image_size());
  set.labels = read_idx_labels(labels, static_cast<std::uint32_t>(count), set.classes);
  return set;
}

TrainAndTest load_idx(const std::string& directory) {
  return {.train = read_idx(directory, "train"), .test = read_idx(directory, "t10k")};
}

// --- CIFAR-10 -----------------------------------------------------------------------------------

void append_cifar10(Dataset& set, const std::string& path, std::int64_t records) {
  InputFile file(path);
  const auto size = static_cast<std::uint64_t>(records * kCifarRecord);
  const auto bytes = file.read(size, std::to_string(size) + " bytes (" + std::to_string(records) +
                                         " records of " + std::to_string(kCifarRecord) + ")");
  file.expect_end();
  for (std::uint64_t at = 0; at < size; at += kCifarRecord) {
    const std::uint8_t label = bytes[at];
    if (label >= set.classes) file.fail(at, "a label from 0 to 9", std::to_string(label));
    set.labels.push_back(label);
    const auto pixels = bytes.begin() + static_cast<std::ptrdiff_t>(at + 1);
    set.pixels.insert(set.pixels.end(), pixels, pixels + kCifarPixels);
  }
}

TrainAndTest load_cifar10(const std::string& directory, std::int64_t records_per_file) {
  TrainAndTest sets{.train = {3, 32, 32}, .test = {3, 32, 32}};
  for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                           "data_batch_4.bin", "data_batch_5.bin"}) {
    if (!has_file(directory, name)) continue;
    append_cifar10(sets.train, find_file(directory, name), records_per_file);
  }
  if (sets.train.count() == 0) {
    fail_at(std::filesystem::path(directory) / "data_batch_1.bin", 0,
            "at least one of data_batch_{1..5}.bin[.gz]",
            std::filesystem::is_directory(directory) ? "none" : "no such directory");
  }
  append_cifar10(sets.test, find_file(directory, "test_batch.bin"), records_per_file);
  return sets;
}

}  // namespace examples
