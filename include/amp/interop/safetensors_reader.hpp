// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reads the header of a safetensors file: JSON that maps names to tensors, and "__metadata__" to an
// object of strings. It is read in one pass, event by event, in time and memory linear in its
// length, apart from the sorting of names.
#pragma once

#if !__has_include(<nlohmann/json.hpp>)
#error "amp/safetensors.hpp needs nlohmann-json (Debian: nlohmann-json3-dev)"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "amp/interop/safetensors_header.hpp"

namespace amp::inline v0::detail {

/// Handles the events of nlohmann's parser. Throws amp::Error at the first event that a header
/// cannot have, such as deeper nesting than a list in an entry, or a name that is given twice.
class SafeTensorsHeaderReader {
 public:
  explicit SafeTensorsHeaderReader(const std::string& path) : path_(path) {}

  SafeTensorsHeader result = {};

  // --- the events, under the names that the parser requires; each returns whether to continue
  [[gnu::cold]] bool null() { refuse("null"); }
  [[gnu::cold]] bool boolean(bool value) { refuse(value ? "true" : "false"); }
  [[gnu::cold]] bool number_integer(std::int64_t value) {
    refuse(std::to_string(value));
  }  // negative
  [[gnu::cold]] bool number_float(double, const std::string& text) { refuse(text); }
  [[gnu::cold]] bool binary(const std::vector<std::uint8_t>&) { refuse("binary data"); }
  [[gnu::cold]] bool number_unsigned(std::uint64_t value) {
    if (!in_list_ || numbers_.size() >= kMaxDims) refuse(std::to_string(value));
    numbers_.push_back(value);
    return true;
  }
  [[gnu::cold]] bool string(const std::string& text) {
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
  [[gnu::cold]] bool start_object(std::size_t) {
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
  [[gnu::cold]] bool key(const std::string& text) {
    if (place_ == Place::kEntry) {
      part_ = text == "dtype" ? kDType : text == "shape" ? kShape : kOffsets;
      if (part_ == kOffsets && text != "data_offsets") refuse_entry("has \"" + text + "\" too");
      AMP_CHECK(!std::exchange(seen_[part_], true), path_, ": the header has \"", text, "\" of \"",
                excerpt(name_), "\" twice");
      return true;
    }
    const bool begins_metadata = place_ == Place::kHeader && text == kMetadataKey;
    AMP_CHECK(begins_metadata || ++count_ <= kMostEntries, path_, ": the header has more than ",
              kMostEntries, " entries");
    bool is_new = false;
    if (place_ == Place::kMetadata) {
      is_new = result.metadata.try_emplace(text).second;
    } else if (begins_metadata) {
      is_new = !has_metadata_;
    } else {
      const auto [at, inserted] = result.entries.try_emplace(text);
      entry_ = &at->second;
      is_new = inserted;
    }
    AMP_CHECK(is_new, path_, ": the header has \"", excerpt(text), "\" twice");
    name_ = text;
    return true;
  }
  [[gnu::cold]] bool end_object() {
    if (place_ == Place::kEntry && !(seen_[kDType] && seen_[kShape] && seen_[kOffsets]))
      refuse_entry("lacks one of them");
    place_ = place_ == Place::kHeader ? Place::kFile : Place::kHeader;
    return true;
  }
  [[gnu::cold]] bool start_array(std::size_t) {
    if (place_ != Place::kEntry || in_list_ || (part_ != kShape && part_ != kOffsets))
      refuse("a list");
    numbers_.clear();
    in_list_ = true;
    return true;
  }
  [[gnu::cold]] bool end_array() {
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
      fail(path_, ": tensor \"", excerpt(name_), "\": ", error.what());
    }
    return true;
  }
  template <class Problem>
  [[gnu::cold]] bool parse_error(std::size_t, const std::string&, const Problem& problem) {
    fail(path_, ": the header is no JSON: ", excerpt(problem.what()));
  }

 private:
  enum class Place { kFile, kHeader, kMetadata, kEntry };
  enum Part { kDType, kShape, kOffsets, kNone };

  /// Throws an error that names `found` and what the header must have here instead.
  [[noreturn, gnu::cold]] void refuse(const std::string& found) const {
    if (place_ == Place::kMetadata)
      fail(path_, ": ", kMetadataKey, ": \"", excerpt(name_), "\" must be a string, but is ",
           excerpt(found));
    if (name_ == kMetadataKey && place_ == Place::kHeader)
      fail(path_, ": ", kMetadataKey, " must be an object of strings, but is ", excerpt(found));
    if (place_ != Place::kEntry) refuse_entry("is " + found);
    const char* const expected[] = {"a `dtype` of the format, such as F32, BF16 or I64",
                                    "a list of at most 8 extents as `shape`",
                                    "two numbers as `data_offsets`"};
    fail(path_, ": tensor \"", excerpt(name_), "\" must have ", expected[part_], ", but has ",
         excerpt(found));
  }
  [[noreturn, gnu::cold]] void refuse_entry(const std::string& found) const {
    fail(path_, ": tensor \"", excerpt(name_),
         "\" must have `dtype`, `shape` and `data_offsets`, but ", excerpt(found));
  }

  const std::string& path_;
  Place place_ = Place::kFile;
  Part part_ = kNone;
  bool in_list_ = false, has_metadata_ = false, seen_[3] = {};
  std::size_t count_ = 0;
  std::string name_;  // of the current entry or note in the metadata
  SafeTensorsEntry* entry_ = nullptr;
  std::vector<std::uint64_t> numbers_;
};

[[gnu::cold]] inline SafeTensorsHeader parse_safetensors_header(const std::string& path,
                                                                const std::string& text) {
  // nlohmann's parser stops at a NUL, and would accept anything after it.
  AMP_CHECK(text.find('\0') == text.npos, path, ": the header is no JSON: it holds a NUL");
  SafeTensorsHeaderReader reader(path);
  // Pointers, because the parser's own header has already instantiated most templates for them.
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &reader);
  return std::move(reader.result);
}

}  // namespace amp::inline v0::detail
