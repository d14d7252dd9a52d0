// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "amp/diagnostics/text.hpp"

namespace amp::inline v0::diagnostics {

AMP_COLD std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize((std::max)(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = (std::max)(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - row[c].size(), ' ');
      const bool right = c < rows[0].size() && rows[0][c].starts_with(' ');
      line += (c == 0 ? "" : "  ") + (right ? blanks + row[c] : row[c] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

AMP_COLD std::string number_text(double value, int digits) {
  char text[32];  // not for printf, whose decimal point depends on the locale
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

AMP_COLD std::string with_unit(double value, const char* const (&units)[4]) {
  int unit = 0;
  while (unit < 3 && std::abs(value) >= 999.5) {
    value /= 1000;
    ++unit;
  }
  return number_text(value) + " " + units[unit];
}

AMP_COLD std::string duration_text(double seconds) {
  return with_unit(seconds * 1e9, {"ns", "us", "ms", "s"});
}

AMP_COLD std::string bytes_text(std::int64_t bytes) {
  return with_unit(static_cast<double>(bytes), {"B", "kB", "MB", "GB"});
}

AMP_COLD std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      quoted += code;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

AMP_COLD std::string json_number(double value) {
  return std::isfinite(value) ? number_text(value, 17) : "null";
}

}  // namespace amp::inline v0::diagnostics
