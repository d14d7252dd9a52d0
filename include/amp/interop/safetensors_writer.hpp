// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes the header of a safetensors file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "amp/interop/safetensors_header.hpp"

namespace amp::inline v0::detail {

/// Returns the number of bytes of the UTF-8 character at the beginning of `text`, or 0 if there is
/// none. Overlong forms, surrogates and codes above U+10FFFF are not characters.
[[gnu::cold]] inline std::size_t utf8_length(std::string_view text) {
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

/// Appends a JSON string. Throws if `text` is not UTF-8. (nlohmann's writer is not used, because it
/// ends the program if memory runs out in its destructors.)
[[gnu::cold]] inline void append_json(std::string& out, const std::string& path,
                                      std::string_view text) {
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

/// Appends `"name":{"data_offsets":[begin,end],"dtype":...,"shape":[...]}`.
[[gnu::cold]] inline void append_json(std::string& out, const std::string& path,
                                      std::string_view name, const SafeTensorsEntry& entry) {
  append_json(out, path, name);
  out += ":{\"data_offsets\":[" + std::to_string(entry.begin) + ',' + std::to_string(entry.end) +
         "],\"dtype\":\"" + std::string(entry.type_name()) + "\",\"shape\":[";
  for (int d = 0; d < entry.shape.dims(); ++d)
    out += (d == 0 ? "" : ",") + std::to_string(entry.shape[d]);
  out += "]}";
}

/// Returns the header's text, padded so that the data begins at a multiple of eight bytes.
[[gnu::cold]] inline std::string to_json(const std::string& path, const SafeTensorsHeader& header) {
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
