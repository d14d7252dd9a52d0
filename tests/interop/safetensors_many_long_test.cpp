// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files of a million entries, the most that there may be: what can be written can be read.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace safetensors_many {
namespace {

using Catch::Matchers::ContainsSubstring;
constexpr int kMost = 1'000'000;

void write(const std::filesystem::path& path, const std::string& header) {
  const std::uint64_t length = header.size();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(&length), sizeof length)
      .write(header.data(), static_cast<std::streamsize>(header.size()));
}
/// `"0":value,"1":value,...`
std::string entries(int count, const std::string& value) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":" + value;
  return all;
}
std::string refusal(const std::filesystem::path& path, bool memory_map) {
  return amp_test::error_of([&] { (void)amp::load_safetensors(path, {memory_map}); });
}

const std::string kEmpty = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";

}  // namespace

TEST_CASE("safetensors: a million tensors are read, and more refused", "[interop]") {
  const amp_test::TemporaryFolder folder;
  const auto path = folder / "f";
  write(path, "{" + entries(kMost, kEmpty) + "}");
  CHECK(amp::load_safetensors(path).tensors.size() == kMost);
  const amp::SafeTensors contents = amp::load_safetensors(path, {.memory_map = true});
  CHECK(contents.tensors.size() == kMost);
  amp::save_safetensors(path, contents);
  CHECK(amp::load_safetensors(path).tensors.size() == kMost);
  write(path, "{" + entries(kMost + 1, kEmpty) + "}");
  for (const bool memory_map : {false, true})
    CHECK_THAT(refusal(path, memory_map), ContainsSubstring("more than 1000000 entries"));
}

TEST_CASE("safetensors: metadata counts towards the million entries", "[interop]") {
  const amp_test::TemporaryFolder folder;
  const auto path = folder / "f";
  const auto header = [](int notes) {
    return R"({"__metadata__":{)" + entries(notes, "\"\"") + R"(},"t":)" + kEmpty + "}";
  };
  write(path, header(kMost - 1));
  amp::SafeTensors contents = amp::load_safetensors(path);
  CHECK(contents.metadata.size() == kMost - 1);
  CHECK(contents.tensors.size() == 1);
  amp::save_safetensors(path, contents);
  CHECK(amp::load_safetensors(path).metadata.size() == kMost - 1);
  contents.metadata["one more"] = "";
  CHECK_THAT(amp_test::error_of([&] { amp::save_safetensors(path, contents); }),
             ContainsSubstring("1000001 entries"));
  write(path, header(kMost));
  CHECK_THAT(refusal(path, false), ContainsSubstring("more than 1000000 entries"));
}

}  // namespace safetensors_many
