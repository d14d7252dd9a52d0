// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Files that do not keep to the format are refused by amp::Error, which names the file and what is
// wrong. Nothing in them is trusted, neither if they are read nor if they are mapped.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace safetensors_damage {
namespace {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
using namespace std::string_literals;
using amp::SafeTensors;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

/// All that was loaded, bit for bit; or what the error says.
std::string summary(const fs::path& path, const amp::SafeTensorsOptions& options) {
  try {
    const SafeTensors contents = amp::load_safetensors(path, options);
    std::string all = "loaded";
    for (const auto& [name, tensor] : contents.tensors) {
      all += name + amp::to_string(tensor.dtype()) + amp::to_string(tensor.shape());
      if (tensor.numel() == 0) continue;
      all.append(static_cast<const char*>(tensor.raw_data()),
                 static_cast<std::size_t>(tensor.numel() * amp::item_size(tensor.dtype())));
    }
    for (const auto& [key, value] : contents.metadata) all += key + value;
    for (const auto& [name, dtype] : contents.unsupported) all += name + dtype;
    return all;
  } catch (const amp::Error& error) {
    return error.what();
  }
}

/// A file that can be written and loaded again and again.
struct File {
  Folder folder;
  fs::path path = folder.path / "damaged.safetensors";

  SafeTensors load(std::string_view bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    // In brackets: not printed.
    CHECK((summary(path, {}) == summary(path, {.memory_map = true})));
    return amp::load_safetensors(path);
  }
  /// The error's text besides the name of the file, or "accepted" if there is no error.
  std::string refusal(std::string_view bytes) const {
    const std::string text = error_of([&] { (void)load(bytes); });
    if (text.empty()) return "accepted";
    const std::size_t at = text.find(path.string());
    if (at == std::string::npos) return "does not name the file: " + text;
    return text.substr(at + path.string().size());
  }
};

std::string length_of(std::uint64_t length) {
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}
std::string file_of(const std::string& header, const std::string& data = "") {
  return length_of(header.size()) + header + data;
}
/// The entry of a tensor `t`.
std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"("t":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}
/// A file of one tensor `t`.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets,
                const std::string& data = "") {
  return file_of("{" + entry(dtype, shape, offsets) + "}", data);
}
std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

/// Three tensors and metadata, as save_safetensors writes them.
std::string valid_file() {
  const Folder folder;
  amp::save_safetensors(folder.path / "f", {{{"weight", amp::tensor({1.5, -2.0, 3.25}, {3, 1})},
                                             {"count", amp::tensor({7, 8}, {2})},
                                             {"flags", amp::tensor({true, false, true}, {3})}},
                                            {{"epoch", "3"}, {"note", "größe"}}});
  std::ifstream file(folder.path / "f", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string header_of(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return bytes.substr(8, static_cast<std::size_t>(length));
}

}  // namespace

TEST_CASE("safetensors: whatever keeps to the format is read", "[interop]") {
  const File file;
  CHECK(file.load(valid_file()).tensors.size() == 3);
  CHECK(file.load(file_of("{}")).tensors.empty());
  CHECK(file.load(file_of("{} \n\t\r ")).tensors.empty());
  CHECK(file.load(file_of(R"({"__metadata__":{}})")).metadata.empty());
  CHECK(file.load(file_of("{ \"\\u0074\" : {\"data_offsets\":[0,2],\n\"shape\":[ 2 ],"
                          "\"dtype\":\"U8\"} } ",
                          "\x05\x06"))
            .tensors[0]
            .second.to_vector<int>() == std::vector<int>{5, 6});
  // In any order, not aligned, empty ones anywhere between.
  const SafeTensors mixed = file.load(file_of(
      R"({"z":{"dtype":"F64","shape":[0],"data_offsets":[5,5]},"b":{"dtype":"F32","shape":[],)"
      R"("data_offsets":[1,5]},"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},)"
      R"("y":{"dtype":"U8","shape":[9,0],"data_offsets":[1,1]},)"
      R"("x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
      "\x01\x00\x00\x80\x3f"s));
  REQUIRE(mixed.tensors.size() == 5);
  CHECK(mixed.tensors[0].second.item<bool>());
  CHECK(mixed.tensors[1].second.item<float>() == 1);
}

TEST_CASE("safetensors: a file cut anywhere, or with bytes too many, is refused", "[interop]") {
  const File file;
  const std::string good = valid_file();
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    const std::string text = file.refusal(good.substr(0, length));
    if (length < 8) {
      CHECK_THAT(text, ContainsSubstring("has " + std::to_string(length) + " bytes"));
    } else {
      CHECK_THAT(text, ContainsSubstring(length < 8 + header_of(good).size()
                                             ? "the file has " + std::to_string(length)
                                             : "within the file"));
    }
  }
  CHECK_THAT(file.refusal(good + '\0'), ContainsSubstring("the file ends at"));
  CHECK_THAT(file.refusal(good + good), ContainsSubstring("the file ends at"));
  CHECK_THAT(file.refusal(file_of("{}", "x")), ContainsSubstring("the file ends at 1"));
}

TEST_CASE("safetensors: a wrong length of the header is refused", "[interop]") {
  const File file;
  const std::string good = valid_file(), rest = good.substr(8);
  for (const std::uint64_t length :
       {std::uint64_t{rest.size() + 1}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
        std::uint64_t{1} << 62, std::uint64_t{1} << 63, UINT64_MAX - 8, UINT64_MAX - 7,
        UINT64_MAX}) {
    CHECK_THAT(file.refusal(length_of(length) + rest),
               ContainsSubstring("header") && ContainsSubstring(std::to_string(length)) &&
                   ContainsSubstring(std::to_string(good.size())));
  }
  const auto length = static_cast<std::uint64_t>(header_of(good).size());
  CHECK_THAT(file.refusal(length_of(0) + rest), ContainsSubstring("must begin with {"));
  CHECK_THAT(file.refusal(length_of(length / 2) + rest), ContainsSubstring("JSON"));
  CHECK_THAT(file.refusal(length_of(length + 1) + rest), ContainsSubstring("JSON"));
  CHECK_THAT(file.refusal(length_of(rest.size()) + rest), ContainsSubstring("JSON"));
  // The reference's limit, whatever the file has: 300 MB, of which the disk holds a page.
  std::ofstream(file.path, std::ios::binary) << length_of(100'000'001);
  fs::resize_file(file.path, 300'000'000);
  CHECK_THAT(error_of([&] { (void)amp::load_safetensors(file.path); }),
             ContainsSubstring("100000001") && ContainsSubstring(file.path.string()));
}

TEST_CASE("safetensors: what is another kind of file is said to be one", "[interop]") {
  const File file;
  for (const char* const text :
       {"hello, world\n", "# a text\nwith lines\n", "PK\3\4 a zip, as torch.save writes it",
        "\x80\x02}q\1.pickled......"})
    CHECK_THAT(file.refusal(text), ContainsSubstring("is no safetensors file"));
  CHECK_THAT(file.refusal("\4\0\0\0\0\0\0\0spam, and more"s),
             ContainsSubstring("is no safetensors file"));
}

TEST_CASE("safetensors: a header that is no JSON object is refused", "[interop]") {
  const File file;
  for (const char* const header :
       {" {}", "\n{}", "[]", "null", "1", "\"{}\"", "}", "\xef\xbb\xbf{}"})
    CHECK_THAT(file.refusal(file_of(header)), ContainsSubstring("must begin with {"));
  for (const std::string& header : {"{"s,
                                    "{\"a\""s,
                                    "{\"a\":"s,
                                    "{\"a\":}"s,
                                    "{\"a\" 1}"s,
                                    "{,}"s,
                                    "{\"__metadata__\":{},}"s,
                                    "{a:1}"s,
                                    "{'a':1}"s,
                                    "{1:2}"s,
                                    "{}}"s,
                                    "{}{}"s,
                                    "{} x"s,
                                    "{]"s,
                                    "{}/**/"s,
                                    "{/**/}"s,
                                    "{}//"s,
                                    "{\"a\":NaN}"s,
                                    "{\"a\":Infinity}"s,
                                    "{\"a\":{\"shape\":[01]}}"s,
                                    "{\"a\":+1}"s,
                                    "{\"a\":{\"shape\":[0x1]}}"s,
                                    "{\"a\":1e999}"s,
                                    "{\"a\":nul}"s,
                                    "{\"a\":\"\n\"}"s,
                                    "{\"a\":\"\\x\"}"s,
                                    "{\"a\":\"\\ud800\"}"s,
                                    "{\"a\":\"\\ud800\\u0041\"}"s,
                                    "{\"a\":\"\\udc00\"}"s,
                                    "{\"a\0\":1}"s,
                                    "{\0}"s,
                                    "{}\0"s,
                                    "{}\0\0\0\0\0\0"s,
                                    "{}\0{}"s,
                                    "{}\0 anything"s}) {
    INFO(header);
    CHECK_THAT(file.refusal(file_of(header)), ContainsSubstring("JSON"));
  }
}

TEST_CASE("safetensors: a header that is no UTF-8 is refused", "[interop]") {
  const File file;
  for (const char* const bad :
       {"\xff", "\x80", "\xc0\xaf", "\xc1\x81", "\xe0\x80\xaf", "\xed\xa0\x80", "\xe2\x82",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"}) {
    const std::string text = "\"" + std::string(bad) + "\"";
    for (const std::string& header :
         {"{" + text + R"(:{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
          R"({"__metadata__":{"k":)" + text + "}}", R"({"__metadata__":{)" + text + R"(:"v"}})",
          "{" + entry(text, "[0]", "[0,0]") + "}"})
      CHECK_THAT(file.refusal(file_of(header)), ContainsSubstring("UTF-8"));
  }
  CHECK_THAT(file.refusal(file_of("{\xff}")), ContainsSubstring("JSON"));
}

TEST_CASE("safetensors: deep nesting is refused", "[interop]") {
  const File file;
  for (const auto& [open, close] :
       {std::pair("["s, "]"s), std::pair("{\"a\":"s, "}"s), std::pair("[{\"a\":"s, "}]"s)}) {
    const int depth = 1'000'000 / static_cast<int>(open.size());
    const std::string opened = repeat(open, depth), closed = opened + "1" + repeat(close, depth);
    for (const std::string& bytes :
         {file_of("{\"t\":" + opened), file_of("{\"t\":" + closed + "}"),
          file_of(R"({"__metadata__":{"t":)" + closed + "}}"), one("\"U8\"", closed, "[0,0]"),
          one("\"U8\"", "[0]", closed), one(closed, "[0]", "[0,0]")}) {
      INFO(bytes.substr(8, 60));
      CHECK_THAT(file.refusal(bytes), StartsWith(": "));
    }
  }
}

TEST_CASE("safetensors: errors quote the beginning of a long text", "[interop]") {
  const File file;
  const std::string text = repeat("\xf0\x9f\x99\x82", 100'000);
  const std::string key = "{\"" + text + "\":", other = R"("shape":[1],"data_offsets":[0,1]})";
  const std::string u8 = R"({"dtype":"U8",)", none = R"("shape":[0],"data_offsets":[0,0]})";
  for (const std::string& bytes :
       {file_of(key + "1}"), file_of(key + "{}}"), file_of(key + R"({"dtype":1}})"),
        file_of(key + R"({"shape":[9223372036854775808]}})"),
        file_of(key + R"({"dtype":"U8","dtype":"U8"}})"), file_of(key + u8 + other + "}"),
        file_of(key + u8 + none + "," + key.substr(1) + "{}}"),
        file_of(key + u8 + R"("shape":[1],"data_offsets":[0,0]}})"),
        file_of(key + u8 + R"("shape":[1],"data_offsets":[1,2]}})", "xx"),
        file_of(key + R"({"dtype":"BOOL",)" + other + "}", "x"),
        file_of(R"({"__metadata__":)" + key + "1}}"),
        file_of(R"({"__metadata__":")" + text + "\"}"), one("\"" + text + "\"", "[0]", "[0,0]"),
        one("\"U8\"", "\"" + text + "\"", "[0,0]"), file_of("{\"t\":{\"" + text + "\":1}}")}) {
    INFO(bytes.substr(8, 30));
    const std::string refusal = file.refusal(bytes);
    CHECK(refusal.size() < 600);
    CHECK_THAT(refusal, ContainsSubstring("...") && ContainsSubstring(text.substr(0, 160)));
  }
  CHECK(file.refusal(file_of("{\"" + text)).size() < 600);
  CHECK(file.refusal(file_of(key + u8 + none + text)).size() < 600);
}

TEST_CASE("safetensors: a key that is there twice is refused, at any depth", "[interop]") {
  const File file;
  const std::string t = entry("\"U8\"", "[0]", "[0,0]");
  const auto twice = [&](const std::string& header, const std::string& key) {
    CHECK_THAT(file.refusal(file_of(header)),
               ContainsSubstring("\"" + key + "\"") && ContainsSubstring("twice"));
  };
  twice("{" + t + "," + t + "}", "t");
  twice("{" + t + ",\"\\u0074\":{}}", "t");
  twice("{" + t + ",\"\":" + t.substr(4) + ",\"\":" + t.substr(4) + "}", "");
  twice(R"({"__metadata__":{},)" + t + R"(,"__metadata__":{}})", "__metadata__");
  twice(R"({"__metadata__":{"k":"1","k":"2"}})", "k");
  twice(R"({"__metadata__":{"k":"1","\u006b":"1"}})", "k");
  twice(R"({"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"dtype":"U8"}})", "dtype");
  twice(R"({"t":{"dtype":"U8","shape":[0],"shape":[1],"data_offsets":[0,0]}})", "shape");
  twice(R"({"t":{"shape":[0],"dtype":"U8","shape":[0]}})", "shape");
  // The same key is allowed in different objects.
  CHECK(file.load(file_of(R"({"__metadata__":{"t":"","dtype":""},"dtype":)" + t.substr(4) + "," +
                          t + "}"))
            .tensors.size() == 2);
}

TEST_CASE("safetensors: entries that are none are refused", "[interop]") {
  const File file;
  for (const char* const value :
       {"1", "null", "true", "\"U8\"", "[]", "{}", "[{}]", R"({"shape":[0],"data_offsets":[0,0]})",
        R"({"dtype":"U8","data_offsets":[0,0]})", R"({"dtype":"U8","shape":[0]})",
        R"({"Dtype":"U8","shape":[0],"data_offsets":[0,0]})",
        R"({"dtype":"U8","shape":[0],"data_offsets":[0,0],"more":0})",
        R"({"dtype":"U8","shape":[0],"offsets":[0,0]})"}) {
    INFO(value);
    CHECK_THAT(file.refusal(file_of(R"({"t":)" + std::string(value) + "}")),
               ContainsSubstring("\"t\"") && ContainsSubstring("`data_offsets`"));
  }
  for (const char* const dtype :
       {"\"\"", "\"F5\"", "\"f32\"", "\"float32\"", "\"U8 \"", "1", "null", "[\"U8\"]", "{}"}) {
    INFO(dtype);
    CHECK_THAT(file.refusal(one(dtype, "[0]", "[0,0]")),
               ContainsSubstring("\"t\"") && ContainsSubstring("`dtype`"));
  }
}

TEST_CASE("safetensors: shapes that are none are refused", "[interop]") {
  const File file;
  for (const char* const shape :
       {"[-1]", "[-0]", "[1.0]", "[1e0]", "[0.5]", "[\"1\"]", "[null]", "[true]", "[[1]]", "1",
        "null", "\"\"", "{}", R"({"0":1})", "[18446744073709551616]", "[1e300]"}) {
    INFO(shape);
    CHECK_THAT(file.refusal(one("\"U8\"", shape, "[0,1]", "x")),
               ContainsSubstring("\"t\"") && ContainsSubstring("`shape`"));
  }
  for (const char* const shape :
       {"[9223372036854775808]", "[18446744073709551615]", "[4294967296,4294967296]",
        "[4611686018427387904,4]", "[3037000500,3037000500,2]", "[0,9223372036854775808]",
        "[0,4294967296,4294967296]", "[1152921504606846976]", "[1,1,1,1,1,1,1,1,1]",
        "[0,0,0,0,0,0,0,0,0,0,0,0]"}) {
    for (const char* const offsets : {"[0,0]", "[0,8]"}) {
      INFO(shape);
      CHECK_THAT(file.refusal(one("\"F64\"", shape, offsets, repeat("x", offsets[3] - '0'))),
                 ContainsSubstring("\"t\"") && ContainsSubstring("shape"));
    }
  }
  // Fits into 63 bits, but not into the file.
  CHECK_THAT(file.refusal(one("\"U8\"", "[9223372036854775807]", "[0,1]", "x")),
             ContainsSubstring("\"t\"") && ContainsSubstring("bytes"));
  CHECK_THAT(file.refusal(one("\"U8\"", "[9223372036854775807]", "[0,9223372036854775807]", "x")),
             ContainsSubstring("\"t\"") && ContainsSubstring("within"));
}

TEST_CASE("safetensors: offsets that are none are refused", "[interop]") {
  const File file;
  for (const char* const offsets :
       {"[]", "[0]", "[0,1,1]", "[-1,0]", "[0,-1]", "[0.0,1]", "[0,1.0]", "[0,1e0]", "[null,1]",
        "[\"0\",\"1\"]", "0", "null", "{}", R"({"0":0,"1":1})", "\"0,1\"",
        "[0,18446744073709551616]", "[[0],[1]]", "[true,false]"}) {
    INFO(offsets);
    CHECK_THAT(file.refusal(one("\"U8\"", "[1]", offsets, "x")),
               ContainsSubstring("\"t\"") && ContainsSubstring("two numbers"));
  }
  for (const char* const offsets :
       {"[0,9]", "[8,9]", "[7,9]", "[9,9]", "[9,8]", "[4,0]", "[8,0]", "[0,9223372036854775807]",
        "[0,9223372036854775808]", "[0,18446744073709551615]", "[18446744073709551615,0]",
        "[18446744073709551615,18446744073709551615]", "[18446744073709551615,3]",
        "[9223372036854775808,4]"}) {
    INFO(offsets);
    CHECK_THAT(file.refusal(one("\"F32\"", "[1]", offsets, "12345678")),
               ContainsSubstring("\"t\"") && ContainsSubstring("within"));
  }
  for (const char* const offsets : {"[0,0]", "[0,3]", "[0,5]", "[0,8]", "[4,4]", "[8,8]"}) {
    INFO(offsets);
    CHECK_THAT(file.refusal(one("\"F32\"", "[1]", offsets, "12345678")),
               ContainsSubstring("\"t\"") && ContainsSubstring("as many bytes"));
  }
  CHECK_THAT(file.refusal(one("\"F32\"", "[0]", "[0,4]", "1234")), ContainsSubstring("\"t\""));
}

TEST_CASE("safetensors: tensors that overlap or leave holes are refused", "[interop]") {
  const File file;
  const auto two = [&](std::pair<int, int> a, std::pair<int, int> b) {
    const auto tensor = [](const char* name, std::pair<int, int> range) {
      return "\"" + std::string(name) + R"(":{"dtype":"U8","shape":[)" +
             std::to_string(range.second - range.first) + R"(],"data_offsets":[)" +
             std::to_string(range.first) + "," + std::to_string(range.second) + "]}";
    };
    return file.refusal(file_of("{" + tensor("a", a) + "," + tensor("b", b) + "}", "12345678"));
  };
  CHECK(two({0, 4}, {4, 8}) == "accepted");
  CHECK(two({5, 8}, {0, 5}) == "accepted");
  CHECK(two({0, 8}, {8, 8}) == "accepted");
  CHECK_THAT(two({0, 4}, {3, 8}), ContainsSubstring("\"b\" must begin at byte 4"));
  CHECK_THAT(two({0, 5}, {4, 8}), ContainsSubstring("\"b\" must begin at byte 5"));
  CHECK_THAT(two({0, 8}, {0, 8}), ContainsSubstring("must begin at byte 8, but begins at 0"));
  CHECK_THAT(two({0, 8}, {2, 4}), ContainsSubstring("\"b\" must begin at byte 8"));
  CHECK_THAT(two({0, 8}, {4, 4}), ContainsSubstring("\"b\" must begin at byte 8"));
  CHECK_THAT(two({0, 8}, {0, 4}), ContainsSubstring("\"a\" must begin at byte 4"));
  CHECK_THAT(two({1, 4}, {4, 8}), ContainsSubstring("\"a\" must begin at byte 0"));
  CHECK_THAT(two({5, 8}, {0, 4}), ContainsSubstring("\"a\" must begin at byte 4"));
  CHECK_THAT(two({0, 4}, {5, 8}), ContainsSubstring("\"b\" must begin at byte 4"));
  CHECK_THAT(two({0, 4}, {4, 7}), ContainsSubstring("end at byte 7"));
  CHECK_THAT(two({0, 0}, {0, 0}), ContainsSubstring("end at byte 0"));
}

TEST_CASE("safetensors: a BOOL of bytes other than 0 and 1 is refused", "[interop]") {
  const File file;
  CHECK(file.refusal(one("\"BOOL\"", "[3]", "[0,3]", "\0\1\0"s)) == "accepted");
  CHECK(file.refusal(one("\"U8\"", "[3]", "[0,3]", "\0\2\xff"s)) == "accepted");
  for (const std::string& data : {"\2\1\0"s, "\0\1\2"s, "\0\xff\0"s, "\0\x80\1"s})
    CHECK_THAT(file.refusal(one("\"BOOL\"", "[3]", "[0,3]", data)),
               ContainsSubstring("\"t\"") && ContainsSubstring("BOOL"));
}

TEST_CASE("safetensors: metadata other than strings is refused", "[interop]") {
  const File file;
  for (const char* const value : {"1", "null", "\"\"", "[]", "[\"k\",\"v\"]", "true"})
    CHECK_THAT(file.refusal(file_of(R"({"__metadata__":)" + std::string(value) + "}")),
               ContainsSubstring("__metadata__") && ContainsSubstring("object of strings"));
  for (const char* const value : {"1", "null", "{}", "[]", "[\"v\"]", "true", "1.5"})
    CHECK_THAT(file.refusal(file_of(R"({"__metadata__":{"a":"","k":)" + std::string(value) + "}}")),
               ContainsSubstring("__metadata__") && ContainsSubstring("\"k\""));
  CHECK_THAT(file.refusal(file_of(
                 R"({"__metadata__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x")),
             ContainsSubstring("__metadata__"));
}

TEST_CASE("safetensors: paths at which there is no file are refused", "[interop]") {
  const File file;
  const std::string good = valid_file();
  CHECK(file.load(good).tensors.size() == 3);
  const auto refused = [](const fs::path& path) {
    for (const bool memory_map : {false, true})
      CHECK_THAT(error_of([&] { (void)amp::load_safetensors(path, {memory_map}); }),
                 ContainsSubstring(path.string()) && ContainsSubstring("load_safetensors"));
  };
  refused(file.folder.path);
  refused(file.folder.path / "missing");
  refused(file.folder.path / "missing" / "f");
  refused(file.path / "f");
  refused(file.path / "");
  refused(file.folder.path / std::string(300, 'x'));
  refused("");
  refused("/dev/null");
  refused("/dev/zero");
  fs::create_symlink("loop", file.folder.path / "loop");
  refused(file.folder.path / "loop");
  fs::create_symlink("nowhere", file.folder.path / "dangling");
  refused(file.folder.path / "dangling");
  fs::create_symlink(file.path, file.folder.path / "link");
  CHECK(amp::load_safetensors(file.folder.path / "link").tensors.size() == 3);

  const fs::path fifo = file.folder.path / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  refused(fifo);
  const int held = open(fifo.c_str(), O_RDWR);
  REQUIRE(write(held, good.data(), good.size()) == static_cast<ssize_t>(good.size()));
  refused(fifo);
  close(held);

  fs::permissions(file.path, fs::perms::none);
  if (geteuid() != 0) refused(file.path);  // root may read everything
}

TEST_CASE("safetensors: a damaged file is read or refused, whatever the damage", "[interop]") {
  const File file;
  const std::string good = valid_file();
  std::minstd_rand random(1);
  int read = 0, refused = 0;
  std::uint64_t sum = 0;  // of all bytes that were read: they are there
  const auto load = [&](const std::string& bytes) {
    try {
      for (const auto& [name, tensor] : file.load(bytes).tensors) {
        const auto* const data = static_cast<const unsigned char*>(tensor.raw_data());
        const std::int64_t size = tensor.numel() * amp::item_size(tensor.dtype());
        for (std::int64_t i = 0; i < size; ++i) sum += data[i];
      }
      ++read;
    } catch (const amp::Error& error) {
      if (std::string(error.what()).find(file.path.string()) == std::string::npos)
        FAIL(error.what());
      ++refused;
    }  // anything else fails the test
  };
  const auto byte = [&] { return static_cast<char>(random() >> 8); };
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bytes = good;
    for (const char value : {'\0', '\x01', '\x7f', '\x80', '\xff', '0', '9', '"', '{', byte(),
                             static_cast<char>(good[i] ^ 1), static_cast<char>(good[i] + 1)}) {
      bytes[i] = value;
      load(bytes);
    }
  }
  for (int round = 0; round < 1000; ++round) {  // several bytes, lost and added ones
    std::string bytes = good;
    for (int i = 0; i < 4; ++i) {
      const std::size_t at = random() % bytes.size();
      if (round % 3 == 0) bytes[at] = byte();
      if (round % 3 == 1) bytes.erase(at, 1 + random() % 3);
      if (round % 3 == 2) bytes.insert(at, 1, good[random() % good.size()]);
    }
    load(bytes);
  }
  CHECK(read > 100);
  CHECK(refused > 1000);
  CHECK(sum > 0);
}

}  // namespace safetensors_damage
