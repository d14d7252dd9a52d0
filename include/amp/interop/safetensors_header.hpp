// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The contents of the header of a safetensors file, as Hugging Face defines it
// (https://huggingface.co/docs/safetensors#format): the names of the tensors, with dtype, shape and
// position of each, and metadata.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::detail {

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::uint64_t kLargestHeader = 100'000'000;  // the reference's own limit
inline constexpr std::size_t kMostEntries = 1'000'000;        // tensors and metadata together

struct SafeTensorsType {
  std::string_view name;
  int bits;
};
/// The dtypes of the format: first those that amp has, in the order of DType, then the others.
inline constexpr SafeTensorsType kSafeTensorsTypes[] = {
    {"F64", 64},    {"F32", 32},    {"F16", 16},        {"BF16", 16},       {"F8_E4M3", 8},
    {"F8_E5M2", 8}, {"I64", 64},    {"I32", 32},        {"U8", 8},          {"BOOL", 8},
    {"I8", 8},      {"I16", 16},    {"U16", 16},        {"U32", 32},        {"U64", 64},
    {"C64", 64},    {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6},
    {"F6_E3M2", 6}, {"F4", 4}};

/// One tensor as the header describes it; `begin` and `end` count bytes after the header.
struct SafeTensorsEntry {
  std::ptrdiff_t type = -1;  // in kSafeTensorsTypes
  Shape shape = {};
  std::uint64_t begin = 0, end = 0;

  bool has_dtype() const { return type < kDTypeCount; }  // whether amp has the dtype
  DType dtype() const { return static_cast<DType>(type); }
  std::string_view type_name() const { return kSafeTensorsTypes[type].name; }
};

struct SafeTensorsHeader {
  std::map<std::string, SafeTensorsEntry> entries = {};
  std::map<std::string, std::string> metadata = {};
};

/// Returns the beginning of a text from a file, for messages, since the text may be as long as the
/// file. It ends with a whole UTF-8 character.
[[gnu::cold]] inline std::string excerpt(std::string_view text) {
  std::size_t length = 200;
  if (text.size() <= length) return std::string(text);
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  return std::string(text.substr(0, length)) + "...";
}

/// Returns the entries in the order of their bytes. Throws if the size of an entry does not match
/// its shape and dtype, or if any of the `data_size` bytes after the header belongs to no tensor or
/// to two.
[[gnu::cold]] inline std::vector<const std::pair<const std::string, SafeTensorsEntry>*>
check_entries(const std::string& path, const SafeTensorsHeader& header, std::uint64_t data_size) {
  std::vector<const std::pair<const std::string, SafeTensorsEntry>*> order;
  order.reserve(header.entries.size());
  for (const auto& named : header.entries) {
    const auto& [name, entry] = named;
    AMP_CHECK(entry.begin <= entry.end && entry.end <= data_size, path, ": tensor \"",
              excerpt(name), "\" must have `data_offsets` within the file, but has [", entry.begin,
              ", ", entry.end, "] of ", data_size, " bytes");
    std::uint64_t bits = 0;
    const auto per_item = static_cast<std::uint64_t>(kSafeTensorsTypes[entry.type].bits);
    const bool counted =
        !__builtin_mul_overflow(static_cast<std::uint64_t>(entry.shape.numel()), per_item, &bits);
    AMP_CHECK(counted && bits % 8 == 0 && entry.end - entry.begin == bits / 8, path, ": tensor \"",
              excerpt(name), "\" must have as many bytes as its shape ", entry.shape, " of ",
              entry.type_name(), " takes, but has ", entry.end - entry.begin);
    order.push_back(&named);
  }
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->second.begin, a->second.end, a->first) <
           std::tie(b->second.begin, b->second.end, b->first);
  });
  std::uint64_t end = 0;
  for (const auto* const named : order) {
    AMP_CHECK(named->second.begin == end, path, ": tensor \"", excerpt(named->first),
              "\" must begin at byte ", end, ", but begins at ", named->second.begin);
    end = named->second.end;
  }
  AMP_CHECK(end == data_size, path, ": the tensors end at byte ", end, ", the file ends at ",
            data_size);
  return order;
}

}  // namespace amp::inline v0::detail
