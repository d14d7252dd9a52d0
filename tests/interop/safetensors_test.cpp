// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors in files: they come back bit for bit, the reference implementation's files are read, and
// what cannot be saved leaves the old file alone.
#include <amp/amp.hpp>
#include <amp/safetensors.hpp>
#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"
#include "support/temporary_folder.hpp"

namespace safetensors {
namespace {

namespace fs = std::filesystem;
using Folder = amp_test::TemporaryFolder;
using amp::SafeTensors;
using amp::Tensor;
using amp_test::error_of;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The tensors, metadata and files of goldens/safetensors.txt.
struct Golden {
  struct Named {
    std::string name, dtype;
    amp::Shape shape;
    std::vector<double> values;
  };
  std::vector<goldens::Block> blocks = goldens::read_blocks("safetensors.txt");
  std::vector<Named> tensors = {};
  std::map<std::string, std::string> metadata = {};

  Golden() {
    for (const goldens::Block& block : blocks) {
      if (!block.has("dtype")) continue;
      const auto [extents, values] = block["values"];
      tensors.push_back({nlohmann::json::parse(block.title).get<std::string>(), block.text("dtype"),
                         amp::Shape(extents), values});
    }
    metadata =
        nlohmann::json::parse(goldens::titled(blocks, "written by the reference").text("metadata"));
  }
  std::string file(std::string_view title) const {
    std::string bytes;
    for (const std::uint64_t code : goldens::titled(blocks, title).codes("bytes"))
      bytes += static_cast<char>(code);
    return bytes;
  }
};

const Tensor* find(const SafeTensors& contents, std::string_view name) {
  for (const auto& [known, tensor] : contents.tensors) {
    if (known == name) return &tensor;
  }
  return nullptr;
}
/// Whether loading gives what was saved, in any order.
bool same(const SafeTensors& loaded, const SafeTensors& saved) {
  return loaded.metadata == saved.metadata && loaded.tensors.size() == saved.tensors.size() &&
         std::all_of(saved.tensors.begin(), saved.tensors.end(), [&](const auto& entry) {
           const Tensor* const found = find(loaded, entry.first);
           return found != nullptr && same_bits(*found, entry.second);
         });
}
SafeTensors reloaded(const SafeTensors& contents) {
  const Folder folder;
  amp::save_safetensors(folder / "f", contents);
  return amp::load_safetensors(folder / "f");
}

/// All codes of the small formats, pseudo-random ones and NaNs of either sign and kind else.
Tensor every_code(amp::DType dtype) {
  const std::int64_t size = amp::item_size(dtype);
  const std::int64_t count = dtype == amp::kBool ? 2 : size == 1 ? 256 : size == 2 ? 65536 : 1000;
  const Tensor tensor = amp::empty({count}, {.dtype = dtype});
  auto* const bytes = static_cast<unsigned char*>(tensor.raw_data());
  const std::uint64_t nans[] = {0x7ff8'0000'0000'0000u, 0xfff8'0000'dead'beefu,
                                0x7ff0'0000'0000'0001u, 0x7fc0'1234'ff80'0001u,
                                0xffff'ffff'ffff'ffffu, 0x8000'0000'8000'0000u};
  for (std::int64_t i = 0; i < count; ++i) {
    auto code = static_cast<std::uint64_t>(i);
    if (size > 2) code = code < std::size(nans) ? nans[code] : (code + 1) * 0x9e37'79b9'7f4a'7c15u;
    std::memcpy(bytes + i * size, &code, static_cast<std::size_t>(size));
  }
  return tensor;
}

}  // namespace

TEST_CASE("safetensors: every dtype comes back bit for bit", "[interop]") {
  SafeTensors all;
  for (int d = 0; d < amp::kDTypeCount; ++d) {
    const auto dtype = static_cast<amp::DType>(d);
    const SafeTensors one{{{amp::to_string(dtype), every_code(dtype)}}};
    INFO(amp::name(dtype));
    CHECK(same(reloaded(one), one));
    all.tensors.push_back(one.tensors[0]);
  }
  CHECK(same(reloaded(all), all));
}

TEST_CASE("safetensors: every shape comes back", "[interop]") {
  SafeTensors contents;
  for (const amp::Shape& shape :
       {amp::Shape(), amp::Shape(0), amp::Shape(1), amp::Shape(2, 0, 3), amp::Shape(3, 1, 2),
        amp::Shape(1, 2, 1, 2, 1, 2, 1, 2), amp::Shape(0, 0)}) {
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat16, amp::kBool})
      contents.tensors.emplace_back(amp::to_string(shape) + amp::to_string(dtype),
                                    amp::ones(shape, {.dtype = dtype}));
  }
  CHECK(same(reloaded(contents), contents));
  const SafeTensors nothing{};
  CHECK(same(reloaded(nothing), nothing));
  const SafeTensors empty{{{"only", amp::zeros({0}, {.dtype = amp::kInt32})}}};
  CHECK(same(reloaded(empty), empty));
}

TEST_CASE("safetensors: views are saved as the tensors they show", "[interop]") {
  const Tensor base = amp::arange(60).reshape({3, 4, 5}).to(amp::kFloat32);
  const Tensor weight = amp::randn({2, 3}, {.requires_grad = true});
  const SafeTensors contents{{{"transposed", base.transpose(0, 2)},
                              {"narrow", base.narrow(1, 1, 2)},
                              {"row", base.select(0, 2)},
                              {"column", base.select(2, 3)},
                              {"expanded", base.narrow(1, 2, 1).expand({3, 7, 5})},
                              {"last", base.reshape({60}).narrow(0, 59, 1)},
                              {"none", base.narrow(0, 1, 0)},
                              {"weight", weight},
                              {"computed", weight.t() * 2}}};
  const SafeTensors loaded = reloaded(contents);
  CHECK(same(loaded, contents));
  for (const auto& [name, tensor] : loaded.tensors) CHECK_FALSE(tensor.requires_grad());
  CHECK(find(loaded, "row")->to_vector<int>().front() == 40);
  CHECK(weight.requires_grad());
}

TEST_CASE("safetensors: names and metadata may be any UTF-8", "[interop]") {
  using namespace std::string_literals;
  SafeTensors contents;
  int count = 0;
  for (const std::string& name :
       {""s, "."s, "a.b..c"s, "größe"s, "日本語"s, "🙂"s, "\"quoted\""s, "back\\slash"s,
        "a\nb\r\tc"s, "\0nul\0"s, "\x01\x1f\x7f"s, "{}[]:,"s, "__metadata"s, "\u2028"s,
        std::string(5000, 'x'), "\x7f\u0080\u07ff\u0800\u0fff\u1000\ucfff\ud000\ud7ff\ue000\uffff"s,
        "\U00010000\U0003ffff\U00040000\U000fffff\U00100000\U0010ffff"s}) {
    contents.tensors.emplace_back(name, amp::full({2}, ++count));
    contents.metadata[name] = name;
  }
  CHECK(same(reloaded(contents), contents));
  CHECK(reloaded(contents).metadata.size() == contents.metadata.size());
  // Metadata may have the metadata's own name.
  const SafeTensors notes{{}, {{"__metadata__", "1"}}};
  CHECK(same(reloaded(notes), notes));
}

TEST_CASE("safetensors: a small file has these bytes", "[interop]") {
  const Folder folder;
  amp::save_safetensors(folder / "f", {{{"b", amp::tensor({true}, {})},
                                        {"a", amp::tensor({1.0}, {1}, {.dtype = amp::kFloat16})}},
                                       {{"k", "v"}}});
  std::string header = R"({"__metadata__":{"k":"v"},"a":{"data_offsets":[0,2],"dtype":"F16",)"
                       R"("shape":[1]},"b":{"data_offsets":[2,3],"dtype":"BOOL","shape":[]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::string size = {static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0};
  CHECK(bytes_of(folder / "f") == size + header + std::string("\x00\x3c\x01", 3));
}

TEST_CASE("safetensors: every tensor is aligned to its elements", "[interop]") {
  const Folder folder;
  for (int pad = 0; pad < 9; ++pad) {  // the header's length takes all values modulo 8
    SafeTensors contents;
    for (int d = 0; d < 3 * amp::kDTypeCount; ++d) {
      const auto dtype = static_cast<amp::DType>((d * 7 + pad) % amp::kDTypeCount);
      const std::string name = std::string(static_cast<std::size_t>(pad), 'x') + std::to_string(d);
      contents.tensors.emplace_back(name, amp::ones({2 * d + 1}, {.dtype = dtype}));
    }
    amp::save_safetensors(folder / "f", contents);
    CHECK(same(amp::load_safetensors(folder / "f"), contents));
    const std::string bytes = bytes_of(folder / "f");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    CHECK((8 + length) % 8 == 0);
    for (const auto& [name, tensor] : contents.tensors) {
      const auto begin = header[name]["data_offsets"][0].get<std::uint64_t>();
      CHECK((8 + length + begin) % static_cast<std::uint64_t>(amp::item_size(tensor.dtype())) == 0);
    }
  }
}

TEST_CASE("safetensors: the reference implementation's files are read", "[interop]") {
  const Golden golden;
  const Folder folder;
  write(folder / "f", golden.file("written by the reference"));
  const SafeTensors contents = amp::load_safetensors(folder / "f");
  CHECK(contents.tensors.size() == golden.tensors.size());
  for (const Golden::Named& expected : golden.tensors) {
    INFO(expected.name);
    const Tensor* const tensor = find(contents, expected.name);
    REQUIRE(tensor != nullptr);
    CHECK(amp::name(tensor->dtype()) == expected.dtype);
    CHECK(tensor->shape() == expected.shape);
    const auto values = tensor->to_vector<double>();
    REQUIRE(values.size() == expected.values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(std::bit_cast<std::uint64_t>(values[i]) ==
            std::bit_cast<std::uint64_t>(expected.values[i]));
  }
  CHECK(contents.metadata.size() == golden.metadata.size());
  for (const auto& [key, value] : golden.metadata) CHECK(contents.metadata.at(key) == value);

  write(folder / "f", golden.file("no tensors"));
  CHECK(same(amp::load_safetensors(folder / "f"), {}));
  write(folder / "f", golden.file("a dtype that amp does not have"));
  CHECK(amp::load_safetensors(folder / "f").unsupported.at("short") == "I16");
}

TEST_CASE("safetensors: files are written as the reference implementation was seen to read them",
          "[interop]") {
  const Golden golden;
  SafeTensors contents{.tensors = {}, .metadata = golden.metadata};
  for (const Golden::Named& given : golden.tensors) {
    amp::DType dtype{};
    for (int d = 0; d < amp::kDTypeCount; ++d) {
      if (amp::name(static_cast<amp::DType>(d)) == given.dtype) dtype = static_cast<amp::DType>(d);
    }
    contents.tensors.emplace_back(given.name,
                                  amp::tensor(given.values, given.shape, {.dtype = dtype}));
  }
  const Folder folder;
  amp::save_safetensors(folder / "f", contents);
  CHECK((bytes_of(folder / "f") == golden.file("written by amp")));
  write(folder / "g", golden.file("written by the reference"));
  CHECK(same(amp::load_safetensors(folder / "g", {.memory_map = true}), contents));
}

TEST_CASE("safetensors: entries of dtypes that amp has not are listed, others loaded",
          "[interop]") {
  struct Type {
    std::string name;
    int bytes;  // of eight elements
  };
  const std::vector<Type> types = {{"I8", 8},      {"I16", 16},        {"U16", 16},
                                   {"U32", 32},    {"U64", 64},        {"C64", 64},
                                   {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
                                   {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"F4", 4}};
  const Folder folder;
  const fs::path path = folder / "f";
  std::string header, data;
  const auto add = [&](const std::string& name, const std::string& dtype, int count, int bytes) {
    header += (header.empty() ? "{\"" : ",\"") + name + R"(":{"dtype":")" + dtype +
              R"(","shape":[)" + std::to_string(count) + R"(],"data_offsets":[)" +
              std::to_string(data.size()) + "," +
              std::to_string(data.size() + static_cast<std::size_t>(bytes)) + "]}";
    data.append(static_cast<std::size_t>(bytes), static_cast<char>(data.size()));
  };
  const auto write_file = [&] {
    std::uint64_t length = header.size() + 1;
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    write(path, bytes + header + "}" + data);
  };
  for (const Type& type : types) {  // among them one of amp's, so that it is found behind others
    add("other " + type.name, type.name, 8, type.bytes);
    add("bytes " + type.name, "U8", 2, 2);
  }
  write_file();
  const SafeTensors contents = amp::load_safetensors(path);
  CHECK(contents.unsupported.size() == types.size());
  CHECK(contents.tensors.size() == types.size());
  int at = 0;
  for (const Type& type : types) {
    INFO(type.name);
    CHECK(contents.unsupported.at("other " + type.name) == type.name);
    at += type.bytes;
    CHECK(contents.at("bytes " + type.name).to_vector<int>() ==
          std::vector<int>{at % 256, at % 256});
    at += 2;
    CHECK_THAT(error_of([&] { return contents.at("other " + type.name); }),
               ContainsSubstring("\"other " + type.name + "\" is " + type.name));
  }
  CHECK_THAT(error_of([&] { return contents.at("none"); }),
             ContainsSubstring("no tensor \"none\"") && ContainsSubstring("\"bytes C64\"") &&
                 ContainsSubstring("and 16 more"));
  CHECK_THAT(error_of([&] { amp::save_safetensors(folder / "g", contents); }),
             ContainsSubstring("\"other C64\" was not loaded"));
  CHECK(folder.names() == std::set<std::string>{"f"});

  // Their bytes are counted too.
  add("short", "I16", 3, 5);
  write_file();
  CHECK_THAT(error_of([&] { (void)amp::load_safetensors(path); }),
             ContainsSubstring("\"short\" must have as many bytes"));
}

TEST_CASE("safetensors: the loaded tensors own their memory", "[interop]") {
  const Folder folder;
  const SafeTensors first{{{"t", amp::full({1000}, 1)}}}, second{{{"t", amp::full({1000}, 2)}}};
  amp::save_safetensors(folder / "f", first);
  const SafeTensors loaded = amp::load_safetensors(folder / "f");
  amp::save_safetensors(folder / "f", second);
  CHECK(same(loaded, first));
  loaded.tensors[0].second.fill_(3);
  CHECK(same(amp::load_safetensors(folder / "f"), second));
}

TEST_CASE("safetensors: what cannot be saved throws and leaves the old file alone", "[interop]") {
  const Folder folder;
  const Tensor t = amp::ones({3});
  const fs::path path = folder / "f";
  amp::save_safetensors(path, {{{"old", t}}});
  const std::string old = bytes_of(path);
  const auto refusal = [&](const SafeTensors& contents) {
    const std::string text = error_of([&] { amp::save_safetensors(path, contents); });
    CHECK(bytes_of(path) == old);
    CHECK(folder.names() == std::set<std::string>{"f"});
    return text;
  };
  CHECK_THAT(refusal({{{"a", t}, {"none", Tensor()}}}),
             ContainsSubstring("\"none\"") && ContainsSubstring("undefined"));
  CHECK_THAT(refusal({{{"a", t}, {"b", t}, {"a", t}}}),
             ContainsSubstring("\"a\"") && ContainsSubstring("twice"));
  CHECK_THAT(refusal({{{"a", t}, {"b", t}, {"a", amp::ones({1}, {.dtype = amp::kInt64})}}}),
             ContainsSubstring("\"a\""));
  CHECK_THAT(refusal({{{"__metadata__", t}}}), ContainsSubstring("__metadata__"));
  CHECK_THAT(refusal({{{"__metadata__", t}}, {{"k", "v"}}}), ContainsSubstring("__metadata__"));
  for (const char* const bad : {"\xff", "a\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf",
                                "\xed\xa0\x80", "\xe2\x82", "\xe2\x82\x7f", "\xf0\x8f\xbf\xbf",
                                "\xf3\x80\x80\xc0", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    CHECK_THAT(refusal({{{bad, t}}}), ContainsSubstring("UTF-8"));
    CHECK_THAT(refusal({{{"a", t}}, {{bad, "v"}}}), ContainsSubstring("UTF-8"));
    CHECK_THAT(refusal({{{"a", t}}, {{"k", bad}}}), ContainsSubstring("UTF-8"));
  }
}

TEST_CASE("safetensors: where it cannot be written, saving throws and says why", "[interop]") {
  const Folder folder;
  const SafeTensors contents{{{"t", amp::ones({3})}}};
  const auto refusal = [&](const fs::path& path) {
    const std::string text = error_of([&] { amp::save_safetensors(path, contents); });
    CHECK_THAT(text, ContainsSubstring(path.string()));
    return text;
  };
  CHECK_THAT(refusal(folder / "missing" / "f"), ContainsSubstring("No such file"));
  CHECK(folder.names().empty());
  fs::create_directory(folder / "empty");
  CHECK_THAT(refusal(folder / "empty"), ContainsSubstring("directory"));
  CHECK(folder.names() == std::set<std::string>{"empty"});
  write(folder / "empty" / "f", "");
  CHECK_THAT(refusal(folder / "empty"), ContainsSubstring("directory"));
  CHECK_THAT(refusal(folder / "empty" / "f" / "g"), ContainsSubstring("directory"));
  CHECK(folder.names() == std::set<std::string>{"empty"});
  CHECK(bytes_of(folder / "empty" / "f").empty());
  CHECK_THAT(refusal(folder / std::string(300, 'x').c_str()), ContainsSubstring("too long"));
}

TEST_CASE("safetensors: a full disk leaves the old file alone", "[interop]") {
  struct FileSizeLimit {  // of the process: writing beyond fails, as on a full disk
    rlimit before{};
    void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
    explicit FileSizeLimit(rlim_t bytes) {
      REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
      const rlimit limited{bytes, before.rlim_max};
      REQUIRE(setrlimit(RLIMIT_FSIZE, &limited) == 0);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
      setrlimit(RLIMIT_FSIZE, &before);
      std::signal(SIGXFSZ, handler);
    }
  };
  const Folder folder;
  const SafeTensors old{{{"t", amp::ones({3})}}}, large{{{"t", amp::ones({100'000})}}};
  amp::save_safetensors(folder / "f", old);
  for (const rlim_t limit : {0u, 4u, 50u, 4096u, 400'000u}) {
    std::string text;
    {
      const FileSizeLimit limited(limit);
      text = error_of([&] { amp::save_safetensors(folder / "f", large); });
    }
    CHECK_THAT(text,
               ContainsSubstring((folder / "f").string()) && ContainsSubstring("cannot write"));
    CHECK(same(amp::load_safetensors(folder / "f"), old));
    CHECK(folder.names() == std::set<std::string>{"f"});
  }
}

TEST_CASE("safetensors: a new file takes the old one's place in one step", "[interop]") {
  const Folder folder;
  const SafeTensors first{{{"t", amp::full({1000}, 1)}}}, second{{{"t", amp::full({9}, 2)}}};
  amp::save_safetensors(folder / "f", first);
  const std::string bytes = bytes_of(folder / "f");
  std::ifstream reader(folder / "f", std::ios::binary);
  CHECK(reader.get() == bytes[0]);
  amp::save_safetensors(folder / "f", second);
  CHECK(folder.names() == std::set<std::string>{"f"});
  CHECK(same(amp::load_safetensors(folder / "f"), second));
  const std::string rest{std::istreambuf_iterator<char>(reader), {}};
  CHECK(rest == bytes.substr(1));  // a program that opened the old file still reads it

  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  amp::save_safetensors("here", second);
  CHECK(same(amp::load_safetensors("here"), second));
  fs::current_path(before);
  CHECK(folder.names() == std::set<std::string>{"f", "here"});
}

}  // namespace safetensors
