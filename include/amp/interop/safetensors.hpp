// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The safetensors format, as Hugging Face defines it
// (https://huggingface.co/docs/safetensors#format): eight bytes that hold the length of a header,
// little-endian; the header, JSON; then the bytes of the tensors, row-major and without gaps.
#pragma once

#if !__has_include(<nlohmann/json.hpp>)
#error "amp/safetensors.hpp needs nlohmann-json (Debian: nlohmann-json3-dev)"
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "amp/interop/atomic_file.hpp"
#include "amp/ops/tensor_members.hpp"

namespace amp::inline v0 {

/// What a safetensors file holds.
struct SafeTensors {
  NamedTensors tensors = {};
  std::map<std::string, std::string> metadata = {};
};

namespace detail {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

using Json = nlohmann::json;

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::uint64_t kLargestHeader = 100'000'000;  // the reference's own limit
inline constexpr int kDeepestHeader = 8;                      // lists in entries are at 2

/// In the order of DType.
inline constexpr std::string_view kSafeTensorsNames[kDTypeCount] = {
    "F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "I64", "I32", "U8", "BOOL"};

/// One tensor as the header tells it; `begin` and `end` count bytes after the header.
struct SafeTensorsEntry {
  std::string name;
  DType dtype;
  Shape shape;
  std::uint64_t begin, end;
};

/// JSON in which no object has a key twice: where one did, readers would differ about its meaning.
/// What nests deeper than a header can is refused while it is read: nlohmann's dump() recurses.
inline Json parse_unambiguous(const std::string& path, const std::string& text) {
  std::vector<std::set<std::string>> open;  // the keys of the objects around
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    AMP_CHECK(depth < kDeepestHeader, path, ": the header nests deeper than any can");
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key)
      AMP_CHECK(open.back().insert(value.get<std::string>()).second, path, ": the header has \"",
                value.get<std::string>(), "\" twice");
    return true;
  };
  // At a NUL nlohmann's parser stops, and would let pass what follows.
  AMP_CHECK(text.find('\0') == text.npos, path, ": the header is no JSON: it holds a NUL");
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw Error(path + ": the header is no JSON: " + error.what());
  }
}

/// The entry of a tensor in the header of a file with `data_size` bytes after it.
inline SafeTensorsEntry read_entry(const std::string& path, const std::string& name,
                                   const Json& value, std::uint64_t data_size) {
  const auto require = [&](bool holds, const char* expected) {
    AMP_CHECK(holds, path, ": tensor \"", name, "\" must have ", expected, ", but is ",
              value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 200));
  };
  const auto naturals = [](const Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& number) {
             return number.is_number_unsigned();
           });
  };
  require(value.is_object() && value.size() == 3 && value.contains("dtype") &&
              value.contains("shape") && value.contains("data_offsets"),
          "`dtype`, `shape` and `data_offsets`");
  const Json &dtype = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
  require(naturals(shape), "a list of extents as `shape`");
  require(naturals(offsets) && offsets.size() == 2, "two numbers as `data_offsets`");
  const auto* const known =
      std::find(std::begin(kSafeTensorsNames), std::end(kSafeTensorsNames),
                dtype.is_string() ? std::string_view(dtype.get_ref<const std::string&>()) : "");
  require(known != std::end(kSafeTensorsNames),
          "a `dtype` among F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 U8 BOOL");
  SafeTensorsEntry entry{name, static_cast<DType>(known - std::begin(kSafeTensorsNames)), Shape(),
                         offsets[0].get<std::uint64_t>(), offsets[1].get<std::uint64_t>()};
  require(entry.begin <= entry.end && entry.end <= data_size, "`data_offsets` within the file");
  std::int64_t bytes = 0;
  try {
    entry.shape = Shape(shape.get<std::vector<std::uint64_t>>());
    bytes = byte_count(entry.shape, entry.dtype);
  } catch (const Error& error) {
    throw Error(path + ": tensor \"" + name + "\": " + error.what());
  }
  require(entry.end - entry.begin == static_cast<std::uint64_t>(bytes),
          "as many bytes as its shape and dtype take");
  return entry;
}

/// Throws where bytes of the file belong to no tensor, or to two.
inline void check_gapless(const std::string& path, std::vector<SafeTensorsEntry> entries,
                          std::uint64_t data_size) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (const SafeTensorsEntry& entry : entries) {
    AMP_CHECK(entry.begin == end, path, ": tensor \"", entry.name, "\" must begin at byte ", end,
              ", but begins at ", entry.begin);
    end = entry.end;
  }
  AMP_CHECK(end == data_size, path, ": the tensors end at byte ", end, ", the file ends at ",
            data_size);
}

/// The header of `contents`, padded so that the data begins at a multiple of eight bytes.
inline std::string header_of(const std::string& path, const SafeTensors& contents) {
  Json header = Json::object();
  if (!contents.metadata.empty()) header[std::string(kMetadataKey)] = contents.metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : contents.tensors) {
    AMP_CHECK(tensor.defined(), "save_safetensors: tensor \"", name, "\" is undefined");
    AMP_CHECK(name != kMetadataKey && !header.contains(name), "save_safetensors: \"", name,
              "\" is there twice, or is the metadata's own name");
    const auto bytes = static_cast<std::uint64_t>(byte_count(tensor.shape(), tensor.dtype()));
    const auto extents = tensor.shape().span();
    header[name] = {{"dtype", kSafeTensorsNames[static_cast<int>(tensor.dtype())]},
                    {"shape", std::vector<std::int64_t>(extents.begin(), extents.end())},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& error) {
    throw Error("save_safetensors: " + path +
                ": names and metadata must be UTF-8: " + error.what());
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  AMP_CHECK(text.size() <= kLargestHeader, "save_safetensors: ", path, ": the header takes ",
            text.size(), " bytes, but at most ", kLargestHeader, " are allowed");
  return text;
}

}  // namespace detail

/// Writes a file atomically: a crash leaves the file that was there before. Strided tensors, and
/// those of another device, are copied first; synchronises. Throws where a tensor is undefined, a
/// name is there twice or is no UTF-8, or the file cannot be written.
inline void save_safetensors(const std::filesystem::path& path, const SafeTensors& contents) {
  // Larger elements first, so that every tensor is aligned to its own.
  SafeTensors sorted{contents.tensors, contents.metadata};
  const auto size_of = [](const auto& named) {
    return named.second.defined() ? item_size(named.second.dtype()) : 0;
  };
  std::stable_sort(sorted.tensors.begin(), sorted.tensors.end(),
                   [&](const auto& a, const auto& b) { return size_of(a) > size_of(b); });
  const std::string header = detail::header_of(path.string(), sorted);
  const auto header_size = static_cast<std::uint64_t>(header.size());
  detail::AtomicFile file(path);
  file.write(&header_size, sizeof header_size);
  file.write(header.data(), header.size());
  const NoGradGuard no_grad;
  for (const auto& entry : sorted.tensors) {
    const Tensor tensor = entry.second.detach().to(kCPU).contiguous();
    file.write(tensor.raw_data(),
               static_cast<std::size_t>(detail::byte_count(tensor.shape(), tensor.dtype())));
  }
  file.commit();
}

/// Reads a file, onto the CPU. Nothing in it is trusted: throws, naming the file and what is wrong,
/// where it is cut short, has bytes too many, or does not keep to the format, before memory is
/// taken for what the file does not hold.
inline SafeTensors load_safetensors(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code none;  // looked at first: to open a pipe would wait for its writer
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, none)) file.open(path, std::ios::binary);
  AMP_CHECK(file.is_open(), "load_safetensors: ", name, ": no such file, or not readable");
  const std::uint64_t size = std::filesystem::file_size(path);
  const auto read = [&](void* to, std::uint64_t bytes) {
    file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    AMP_CHECK(file, name, ": cannot be read to its end");
  };

  std::uint64_t header_size = 0;
  AMP_CHECK(size >= sizeof header_size, name, ": has ", size,
            " bytes, but a safetensors file begins with 8 that tell the length of its header");
  read(&header_size, sizeof header_size);
  AMP_CHECK(header_size <= size - sizeof header_size && header_size <= detail::kLargestHeader, name,
            ": the header is to take ", header_size, " bytes, but the file has ", size);
  std::string text(static_cast<std::size_t>(header_size), '\0');
  read(text.data(), header_size);
  AMP_CHECK(!text.empty() && text.front() == '{', name, ": the header must begin with {");
  const detail::Json header = detail::parse_unambiguous(name, text);
  const std::uint64_t data_begin = sizeof header_size + header_size;

  SafeTensors contents;
  std::vector<detail::SafeTensorsEntry> entries;
  for (const auto& [key, value] : header.items()) {
    if (key != detail::kMetadataKey) {
      entries.push_back(detail::read_entry(name, key, value, size - data_begin));
      continue;
    }
    AMP_CHECK(value.is_object(), name, ": ", key, " must be an object of strings");
    for (const auto& [note, words] : value.items()) {
      AMP_CHECK(words.is_string(), name, ": ", key, ": \"", note, "\" must be a string");
      contents.metadata[note] = words.get<std::string>();
    }
  }
  detail::check_gapless(name, entries, size - data_begin);
  for (const detail::SafeTensorsEntry& entry : entries) {
    const Tensor tensor = detail::make_tensor(entry.shape, entry.dtype, kCPU);
    file.seekg(static_cast<std::streamoff>(data_begin + entry.begin));
    read(tensor.raw_data(), entry.end - entry.begin);
    const auto* const bytes = static_cast<const std::uint8_t*>(tensor.raw_data());
    AMP_CHECK(entry.dtype != kBool || std::all_of(bytes, bytes + tensor.numel(),
                                                  [](std::uint8_t byte) { return byte <= 1; }),
              name, ": tensor \"", entry.name, "\" is BOOL, but holds bytes other than 0 and 1");
    contents.tensors.emplace_back(entry.name, tensor);
  }
  return contents;
}

}  // namespace amp::inline v0
