// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that are mapped into memory: the same tensors as without mapping, in pages that take memory
// when they are used; no write reaches the file.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"
#include "support/temporary_folder.hpp"

namespace safetensors_mapped {
namespace {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
using amp::SafeTensors;
using amp::Tensor;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;

SafeTensors mapped(const fs::path& path) {
  return amp::load_safetensors(path, {.memory_map = true});
}
std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
/// A file of these tensors, whose header is padded to `padded` bytes more than it takes.
void write(const fs::path& path, std::string header, const std::string& data,
           std::size_t padded = 0) {
  header.append(padded, ' ');
  const std::uint64_t length = header.size();
  std::string size(sizeof length, '\0');
  std::memcpy(size.data(), &length, sizeof length);
  std::ofstream(path, std::ios::binary) << size << header << data;
}
std::string entry(const std::string& name, const std::string& dtype, std::int64_t count,
                  std::int64_t begin, std::int64_t end) {
  return '"' + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + std::to_string(count) +
         R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// How often a file lies in the memory of this process.
int mappings_of(const fs::path& path) {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find(path.string()) == std::string::npos ? 0 : 1;
  return count;
}
std::int64_t resident_bytes() {
  std::ifstream sizes("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  sizes >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}
void check_same(const SafeTensors& a, const SafeTensors& b) {
  CHECK(a.metadata == b.metadata);
  CHECK(a.unsupported == b.unsupported);
  REQUIRE(a.tensors.size() == b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    INFO(a.tensors[i].first);
    CHECK(a.tensors[i].first == b.tensors[i].first);
    CHECK(same_bits(a.tensors[i].second, b.tensors[i].second));
  }
}

}  // namespace

TEST_CASE("mapped safetensors: the same tensors as those that are read", "[interop]") {
  const Folder folder;
  SafeTensors contents{{}, {{"epoch", "3"}}};
  for (int d = 0; d < amp::kDTypeCount; ++d) {
    const auto dtype = static_cast<amp::DType>(d);
    for (const amp::Shape& shape : {amp::Shape(), amp::Shape(0, 2), amp::Shape(3), amp::Shape(257)})
      contents.tensors.emplace_back(amp::to_string(dtype) + amp::to_string(shape),
                                    (amp::randn(shape) * 3).to(dtype));
  }
  amp::save_safetensors(folder / "f", contents);
  const SafeTensors loaded = mapped(folder / "f");
  check_same(loaded, amp::load_safetensors(folder / "f"));
  CHECK(mappings_of(folder / "f") == 1);
  for (const auto& [name, tensor] : loaded.tensors) {
    INFO(name);
    CHECK_FALSE(tensor.requires_grad());
    CHECK(tensor.is_contiguous());
  }
  // Other dtypes are listed as without mapping, and their bytes skipped.
  write(folder / "g",
        "{" + entry("a", "U8", 2, 0, 2) + "," + entry("b", "I16", 1, 2, 4) + "," +
            entry("c", "U8", 2, 4, 6) + "}",
        "abcdef");
  const SafeTensors others = mapped(folder / "g");
  check_same(others, amp::load_safetensors(folder / "g"));
  CHECK(others.at("c").to_vector<int>() == std::vector<int>{'e', 'f'});
  CHECK(others.unsupported.at("b") == "I16");
}

TEST_CASE("mapped safetensors: a page takes memory once it is used", "[interop]") {
  const Folder folder;
  constexpr std::int64_t kBytes = std::int64_t{1} << 30, kMegabyte = 1 << 20;
  write(folder / "f",
        "{" + entry("a", "F32", kBytes / 8, 0, kBytes / 2) + "," +
            entry("b", "F32", kBytes / 8, kBytes / 2, kBytes) + "}",
        "");
  const auto header = static_cast<std::int64_t>(fs::file_size(folder / "f"));
  fs::resize_file(folder / "f", static_cast<std::uintmax_t>(header + kBytes));  // a hole of zeros
  const amp::MemoryStats before = amp::memory_stats();
  const std::int64_t resident = resident_bytes();
  const SafeTensors loaded = mapped(folder / "f");
  CHECK(resident_bytes() - resident < 8 * kMegabyte);
  CHECK(amp::memory_stats().allocations == before.allocations);

  const Tensor part = loaded.at("b").narrow(0, 5'000'000, 4'000'000);
  CHECK(amp::sum(part).item<float>() == 0);
  CHECK(resident_bytes() - resident < 64 * kMegabyte);  // 16 MB were read
  CHECK(resident_bytes() - resident > 8 * kMegabyte);
}

TEST_CASE("mapped safetensors: no write reaches the file", "[interop]") {
  const Folder folder;
  const fs::path path = folder / "f";
  const SafeTensors contents{{{"bias", amp::ones({3})}, {"weight", amp::ones({3, 2})}}};
  amp::save_safetensors(path, contents);
  const std::string bytes = bytes_of(path);

  const SafeTensors loaded = mapped(path);
  const amp::nn::Linear layer(2, 3);
  layer.weight.set_data(loaded.at("weight"));
  layer.bias.set_data(loaded.at("bias"));
  amp::SGD optimizer(layer.named_parameters(), {.lr = 1});
  amp::sum(layer(amp::ones({1, 2}))).backward();
  optimizer.step();
  CHECK(layer.weight.to_vector<float>() == std::vector<float>(6, 0));
  loaded.at("bias").fill_(7);
  loaded.at("weight").data<float>()[0] = 5;
  CHECK(layer.bias.to_vector<float>() == std::vector<float>(3, 7));
  CHECK(bytes_of(path) == bytes);
  check_same(mapped(path), contents);
  check_same(amp::load_safetensors(path), contents);

  amp::save_safetensors(path, loaded);  // at the place of the file that is mapped
  CHECK(amp::load_safetensors(path).at("bias").to_vector<float>() == std::vector<float>(3, 7));
  CHECK(loaded.at("weight").to_vector<float>() == std::vector<float>{5, 0, 0, 0, 0, 0});
}

TEST_CASE("mapped safetensors: the mapping lasts as long as a tensor of it", "[interop]") {
  const Folder folder;
  const fs::path path = folder / "f";
  amp::save_safetensors(path, {{{"a", amp::full({2000}, 1)}, {"b", amp::full({2000}, 2)}}});
  Tensor view, copy;
  {
    const SafeTensors first = mapped(path), second = mapped(path);
    CHECK(mappings_of(path) == 2);
    view = first.at("b").narrow(0, 1990, 10);
    copy = second.at("a").clone();
  }
  CHECK(mappings_of(path) == 1);
  CHECK(view.to_vector<int>() == std::vector<int>(10, 2));
  view = Tensor();
  CHECK(mappings_of(path) == 0);
  CHECK(copy.to_vector<int>() == std::vector<int>(2000, 1));
  // Nothing of a file is mapped if it is refused on its way.
  std::string bytes = bytes_of(path);
  bytes += '\0';
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK_THROWS_AS((void)mapped(path), amp::Error);
  CHECK(mappings_of(path) == 0);
}

TEST_CASE("mapped safetensors: a file that is replaced or deleted stays as it was", "[interop]") {
  const Folder folder;
  const fs::path path = folder / "f";
  const SafeTensors first{{{"t", amp::full({5000}, 1)}}}, second{{{"t", amp::full({3}, 2)}}};
  amp::save_safetensors(path, first);
  const SafeTensors old = mapped(path);
  amp::save_safetensors(path, second);
  const SafeTensors fresh = mapped(path);
  fs::remove(path);
  check_same(old, first);
  check_same(fresh, second);
}

TEST_CASE("mapped safetensors: what is not aligned is read, and bools are", "[interop]") {
  const Folder folder;
  const fs::path path = folder / "f";
  const float values[] = {1.5F, -2.25F};
  std::string data(sizeof values, '\0');
  std::memcpy(data.data(), values, sizeof values);
  const std::string header = "{" + entry("t", "F32", 2, 0, 8) + "}";
  for (std::size_t padded = 0; padded < 8; ++padded) {
    INFO(padded);
    write(path, header, data, padded);
    const bool aligned = (8 + header.size() + padded) % 4 == 0;
    const SafeTensors loaded = mapped(path);
    CHECK(mappings_of(path) == (aligned ? 1 : 0));
    const auto address = reinterpret_cast<std::uintptr_t>(loaded.at("t").raw_data());
    CHECK(address % 4 == 0);
    CHECK(loaded.at("t").to_vector<float>() == std::vector<float>(values, values + 2));
  }
  // Beside one that is mapped.
  write(path, "{" + entry("a", "U8", 1, 0, 1) + "," + entry("t", "F32", 2, 1, 9) + "}", "a" + data,
        (8 - (2 + entry("a", "U8", 1, 0, 1).size() + 1 + entry("t", "F32", 2, 1, 9).size()) % 8));
  const SafeTensors both = mapped(path);
  CHECK(mappings_of(path) == 1);
  CHECK(both.at("a").item<int>() == 'a');
  CHECK(both.at("t").to_vector<float>() == std::vector<float>(values, values + 2));

  amp::save_safetensors(folder / "bools",
                        {{{"t", amp::tensor({true, false}, {2})}, {"none", amp::empty({0, 3})}}});
  CHECK(mapped(folder / "bools").at("t").to_vector<bool>() == std::vector<bool>{true, false});
  const SafeTensors bools = mapped(folder / "bools");
  CHECK(mappings_of(folder / "bools") == 0);
  CHECK(bools.at("none").shape() == amp::Shape(0, 3));
}

TEST_CASE("mapped safetensors: a file that memory cannot hold is refused, as if it is read",
          "[interop]") {
  const int file = memfd_create("large", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  const fs::path path = "/proc/self/fd/" + std::to_string(file);
  constexpr std::int64_t kBytes = std::int64_t{1} << 60;
  write(path, "{" + entry("t", "U8", kBytes, 0, kBytes) + "}", "");
  const auto header = static_cast<std::int64_t>(fs::file_size(path));
  REQUIRE(ftruncate(file, header + kBytes) == 0);
  CHECK_THAT(amp_test::error_of([&] { (void)mapped(path); }),
             ContainsSubstring(path.string()) && ContainsSubstring("mapped") &&
                 ContainsSubstring("Cannot allocate memory"));
  CHECK_THAT(amp_test::error_of([&] { (void)amp::load_safetensors(path); }),
             ContainsSubstring(path.string()) && ContainsSubstring("\"t\"") &&
                 ContainsSubstring("out of memory"));
  CHECK(mappings_of("memfd:large") == 0);
  close(file);
}

TEST_CASE("mapped safetensors: weights are cast once for autocast", "[interop]") {
  const Folder folder;
  amp::save_safetensors(folder / "f", {{{"w", amp::ones({2, 2})}}});
  const SafeTensors loaded = mapped(folder / "f");
  const Tensor weight = loaded.at("w").requires_grad_();
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  const auto use = [&] {
    return amp::matmul(amp::ones({1, 2}), weight).to_vector<float>().front();
  };
  const amp::AutocastCacheStats before = amp::autocast_cache_stats();
  CHECK(use() == 2);
  CHECK(use() == 2);
  CHECK(amp::autocast_cache_stats().refreshes == before.refreshes + 1);
  CHECK(amp::autocast_cache_stats().hits == before.hits + 1);
  {
    const amp::NoGradGuard no_grad;
    weight.fill_(2);
  }
  CHECK(use() == 4);
  CHECK(amp::autocast_cache_stats().refreshes == before.refreshes + 2);
}

}  // namespace safetensors_mapped
