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

/// The characters of `length` bytes whose first byte is in one range. Their second byte is in
/// another, all that follow are in 0x80 to 0xBF.
struct Utf8Range {
  unsigned char from, to, second_from, second_to;  // both ends included
  std::size_t length;
};
/// Well-formed UTF-8 (table 3-7 of the Unicode standard). Overlong forms, surrogates and codes
/// above U+10FFFF are not characters.
inline constexpr Utf8Range kUtf8Ranges[] = {
    {0x00, 0x7F, 0x00, 0x00, 1},  // up to U+7F
    {0xC2, 0xDF, 0x80, 0xBF, 2},  // U+7FF
    {0xE0, 0xE0, 0xA0, 0xBF, 3},  // U+FFF
    {0xE1, 0xEC, 0x80, 0xBF, 3},  // U+CFFF
    {0xED, 0xED, 0x80, 0x9F, 3},  // U+D7FF
    {0xEE, 0xEF, 0x80, 0xBF, 3},  // U+FFFF
    {0xF0, 0xF0, 0x90, 0xBF, 4},  // U+3FFFF
    {0xF1, 0xF3, 0x80, 0xBF, 4},  // U+FFFFF
    {0xF4, 0xF4, 0x80, 0x8F, 4},  // U+10FFFF
};

/// Returns the number of bytes of the UTF-8 character at the beginning of `text`, which is not
/// empty, or 0 if there is none.
[[gnu::cold]] inline std::size_t utf8_length(std::string_view text) {
  const auto within = [&](std::size_t i, unsigned char least, unsigned char most) {
    const auto byte = static_cast<unsigned char>(text[i]);
    return least <= byte && byte <= most;
  };
  for (const auto& [from, to, second_from, second_to, length] : kUtf8Ranges) {
    if (!within(0, from, to)) continue;
    if (text.size() < length || (length > 1 && !within(1, second_from, second_to))) return 0;
    for (std::size_t i = 2; i < length; ++i) {
      if (!within(i, 0x80, 0xBF)) return 0;
    }
    return length;
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
