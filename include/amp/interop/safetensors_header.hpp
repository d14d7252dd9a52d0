// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The header of a safetensors file, as Hugging Face defines it
// (https://huggingface.co/docs/safetensors#format): JSON that maps names to dtype, shape and place
// of the tensors, and "__metadata__" to an object of strings. It is read in one pass, event by
// event, in time and memory linear in its length (but for the sorting of names).
#pragma once

#if !__has_include(<nlohmann/json.hpp>)
#error "amp/safetensors.hpp needs nlohmann-json (Debian: nlohmann-json3-dev)"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
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
/// First those that amp has, in the order of DType, then the others of the format.
inline constexpr SafeTensorsType kSafeTensorsTypes[] = {
    {"F64", 64},    {"F32", 32},    {"F16", 16},    {"BF16", 16},   {"F8_E4M3", 8},
    {"F8_E5M2", 8}, {"I64", 64},    {"I32", 32},    {"U8", 8},      {"BOOL", 8},
    {"I8", 8},      {"I16", 16},    {"U16", 16},    {"U32", 32},    {"U64", 64},
    {"C64", 64},    {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}};

/// One tensor as the header describes it; `begin` and `end` count bytes after the header.
struct SafeTensorsEntry {
  std::ptrdiff_t type = -1;  // in kSafeTensorsTypes
  Shape shape = {};
  std::uint64_t begin = 0, end = 0;

  bool has_dtype() const { return type < kDTypeCount; }  // one that amp has
  DType dtype() const { return static_cast<DType>(type); }
  std::string_view type_name() const { return kSafeTensorsTypes[type].name; }
};

struct SafeTensorsHeader {
  std::map<std::string, SafeTensorsEntry> entries = {};
  std::map<std::string, std::string> metadata = {};
};

/// Takes the events of nlohmann's parser. At the first that a header cannot have it throws
/// amp::Error: so nothing nests deeper than a list in an entry, and no name comes twice.
class SafeTensorsHeaderReader {
 public:
  explicit SafeTensorsHeaderReader(const std::string& path) : path_(path) {}

  SafeTensorsHeader result = {};

  // --- the events, under the names that the parser wants; each returns whether to go on
  bool null() { refuse("null"); }
  bool boolean(bool value) { refuse(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { refuse(std::to_string(value)); }  // a negative one
  bool number_float(double, const std::string& text) { refuse(text); }
  bool binary(const std::vector<std::uint8_t>&) { refuse("binary data"); }
  bool number_unsigned(std::uint64_t value) {
    if (!in_list_ || numbers_.size() >= kMaxDims) refuse(std::to_string(value));
    numbers_.push_back(value);
    return true;
  }
  bool string(const std::string& text) {
    if (place_ == Place::kMetadata) {
      result.metadata.at(name_) = text;
      return true;
    }
    if (place_ != Place::kEntry || part_ != kDType) refuse('"' + text + '"');
    const auto* const known =
        std::find_if(std::begin(kSafeTensorsTypes), std::end(kSafeTensorsTypes),
                     [&](const auto& type) { return type.name == text; });
    if (known == std::end(kSafeTensorsTypes)) refuse('"' + text + '"');
    entry_->type = known - std::begin(kSafeTensorsTypes);
    return true;
  }
  bool start_object(std::size_t) {
    if (place_ == Place::kFile) {
      place_ = Place::kHeader;
    } else if (place_ == Place::kHeader) {
      place_ = name_ == kMetadataKey ? Place::kMetadata : Place::kEntry;
      has_metadata_ = has_metadata_ || place_ == Place::kMetadata;
      std::fill(std::begin(seen_), std::end(seen_), false);
      part_ = kNone;
    } else {
      refuse("an object");
    }
    return true;
  }
  bool key(const std::string& text) {
    if (place_ == Place::kEntry) {
      part_ = text == "dtype" ? kDType : text == "shape" ? kShape : kOffsets;
      if (part_ == kOffsets && text != "data_offsets") refuse_entry("has \"" + text + "\" too");
      AMP_CHECK(!std::exchange(seen_[part_], true), path_, ": the header has \"", text, "\" of \"",
                name_, "\" twice");
      return true;
    }
    AMP_CHECK(++count_ <= kMostEntries, path_, ": the header has more than ", kMostEntries,
              " entries");
    bool is_new = false;
    if (place_ == Place::kMetadata) {
      is_new = result.metadata.try_emplace(text).second;
    } else if (text == kMetadataKey) {
      is_new = !has_metadata_;
    } else {
      const auto [at, inserted] = result.entries.try_emplace(text);
      entry_ = &at->second;
      is_new = inserted;
    }
    AMP_CHECK(is_new, path_, ": the header has \"", text, "\" twice");
    name_ = text;
    return true;
  }
  bool end_object() {
    if (place_ == Place::kEntry && !(seen_[kDType] && seen_[kShape] && seen_[kOffsets]))
      refuse_entry("lacks one of them");
    place_ = place_ == Place::kHeader ? Place::kFile : Place::kHeader;
    return true;
  }
  bool start_array(std::size_t) {
    if (place_ != Place::kEntry || in_list_ || (part_ != kShape && part_ != kOffsets))
      refuse("a list");
    numbers_.clear();
    in_list_ = true;
    return true;
  }
  bool end_array() {
    in_list_ = false;
    if (part_ == kOffsets) {
      if (numbers_.size() != 2) refuse("a list of " + std::to_string(numbers_.size()));
      entry_->begin = numbers_[0];
      entry_->end = numbers_[1];
      return true;
    }
    try {
      entry_->shape = Shape(numbers_);
    } catch (const Error& error) {
      fail(path_, ": tensor \"", name_, "\": ", error.what());
    }
    return true;
  }
  template <class Problem>
  bool parse_error(std::size_t, const std::string&, const Problem& problem) {
    fail(path_, ": the header is no JSON: ", problem.what());
  }

 private:
  enum class Place { kFile, kHeader, kMetadata, kEntry };
  enum Part { kDType, kShape, kOffsets, kNone };

  /// Throws, saying what the place where the header is takes instead of `found`.
  [[noreturn]] void refuse(const std::string& found) const {
    if (place_ == Place::kMetadata)
      fail(path_, ": ", kMetadataKey, ": \"", name_, "\" must be a string, but is ",
           excerpt(found));
    if (name_ == kMetadataKey && place_ == Place::kHeader)
      fail(path_, ": ", kMetadataKey, " must be an object of strings, but is ", excerpt(found));
    if (place_ != Place::kEntry) refuse_entry("is " + found);
    const char* const expected[] = {"a `dtype` of the format, such as F32, BF16 or I64",
                                    "a list of at most 8 extents as `shape`",
                                    "two numbers as `data_offsets`"};
    fail(path_, ": tensor \"", name_, "\" must have ", expected[part_], ", but has ",
         excerpt(found));
  }
  [[noreturn]] void refuse_entry(const std::string& found) const {
    fail(path_, ": tensor \"", name_, "\" must have `dtype`, `shape` and `data_offsets`, but ",
         excerpt(found));
  }
  static std::string excerpt(const std::string& text) { return text.substr(0, 200); }

  const std::string& path_;
  Place place_ = Place::kFile;
  Part part_ = kNone;
  bool in_list_ = false, has_metadata_ = false, seen_[3] = {};
  std::size_t count_ = 0;
  std::string name_;  // of the entry, or of the note in the metadata
  SafeTensorsEntry* entry_ = nullptr;
  std::vector<std::uint64_t> numbers_;
};

/// Throws where an entry has not the bytes that its shape and dtype take, or where bytes of the
/// `data_size` after the header belong to no tensor, or to two. Returns the entries in the order of
/// their bytes.
inline std::vector<const std::pair<const std::string, SafeTensorsEntry>*> check_entries(
    const std::string& path, const SafeTensorsHeader& header, std::uint64_t data_size) {
  std::vector<const std::pair<const std::string, SafeTensorsEntry>*> order;
  order.reserve(header.entries.size());
  for (const auto& named : header.entries) {
    const auto& [name, entry] = named;
    AMP_CHECK(entry.begin <= entry.end && entry.end <= data_size, path, ": tensor \"", name,
              "\" must have `data_offsets` within the file, but has [", entry.begin, ", ",
              entry.end, "] of ", data_size, " bytes");
    std::uint64_t bits = 0;
    const auto per_item = static_cast<std::uint64_t>(kSafeTensorsTypes[entry.type].bits);
    const bool counted =
        !__builtin_mul_overflow(static_cast<std::uint64_t>(entry.shape.numel()), per_item, &bits);
    AMP_CHECK(counted && bits % 8 == 0 && entry.end - entry.begin == bits / 8, path, ": tensor \"",
              name, "\" must have as many bytes as its shape ", entry.shape, " of ",
              entry.type_name(), " takes, but has ", entry.end - entry.begin);
    order.push_back(&named);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  std::uint64_t end = 0;
  for (const auto* const named : order) {
    AMP_CHECK(named->second.begin == end, path, ": tensor \"", named->first,
              "\" must begin at byte ", end, ", but begins at ", named->second.begin);
    end = named->second.end;
  }
  AMP_CHECK(end == data_size, path, ": the tensors end at byte ", end, ", the file ends at ",
            data_size);
  return order;
}

inline SafeTensorsHeader parse_safetensors_header(const std::string& path,
                                                  const std::string& text) {
  // At a NUL nlohmann's parser stops, and would let pass what follows.
  AMP_CHECK(text.find('\0') == text.npos, path, ": the header is no JSON: it holds a NUL");
  SafeTensorsHeaderReader reader(path);
  nlohmann::json::sax_parse(text, &reader);
  return std::move(reader.result);
}

/// How many bytes the UTF-8 character that begins `text` takes; 0: it is none. Overlong forms,
/// surrogates and what lies beyond U+10FFFF are none.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool in_range = (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0);
    return in_range && follows(1) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool in_range = (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90);
    return in_range && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// Appends a JSON string. Throws where `text` is no UTF-8. (nlohmann's writer ends the program
/// where memory runs out in its destructors.)
inline void append_json(std::string& out, const std::string& path, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    length = utf8_length(text.substr(i));
    AMP_CHECK(length > 0, "save_safetensors: ", path,
              ": names and metadata must be UTF-8, but byte ", i, " of one is not");
    const auto code = static_cast<unsigned char>(text[i]);
    if (text[i] == '"' || text[i] == '\\') {
      (out += '\\') += text[i];
    } else if (code < 0x20) {
      ((out += "\\u00") += kDigits[code >> 4]) += kDigits[code & 15];
    } else {
      out += text.substr(i, length);
    }
  }
  out += '"';
}

/// `"name":{"data_offsets":[begin,end],"dtype":...,"shape":[...]}`
inline void append_json(std::string& out, const std::string& path, std::string_view name,
                        const SafeTensorsEntry& entry) {
  append_json(out, path, name);
  out += ":{\"data_offsets\":[" + std::to_string(entry.begin) + ',' + std::to_string(entry.end) +
         "],\"dtype\":\"" + std::string(entry.type_name()) + "\",\"shape\":[";
  for (int d = 0; d < entry.shape.dims(); ++d)
    out += (d == 0 ? "" : ",") + std::to_string(entry.shape[d]);
  out += "]}";
}

/// The header's text, padded so that the data begins at a multiple of eight bytes.
inline std::string to_json(const std::string& path, const SafeTensorsHeader& header) {
  std::string text = "{";
  if (!header.metadata.empty()) {
    append_json(text, path, kMetadataKey);
    text += ':';
    for (const char* before = "{"; const auto& [key, value] : header.metadata) {
      text += std::exchange(before, ",");
      append_json(text, path, key);
      text += ':';
      append_json(text, path, value);
    }
    text += '}';
  }
  for (const auto& [name, entry] : header.entries) {
    if (text.size() > 1) text += ',';
    append_json(text, path, name, entry);
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  AMP_CHECK(text.size() <= kLargestHeader &&
                header.entries.size() + header.metadata.size() <= kMostEntries,
            "save_safetensors: ", path, ": the header takes ", text.size(), " bytes for ",
            header.entries.size() + header.metadata.size(), " entries, but at most ",
            kLargestHeader, " bytes and ", kMostEntries, " entries are allowed");
  return text;
}

}  // namespace amp::inline v0::detail
