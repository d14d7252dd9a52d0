// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reads goldens, which are text files beside this one; blocks.py writes them and says what is in
// them.
#pragma once

#include <amp/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace goldens {

/// A key and the text behind it, from the blank on.
struct Line {
  std::string key, text;
};
/// The numbers of a line, and the shape before them if there is one.
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

inline Array array(const Line& line) {
  const char* rest = line.text.c_str();
  const auto numbers = [&] {
    std::vector<double> result;
    char* end = nullptr;
    for (double x = std::strtod(rest, &end); end != rest; x = std::strtod(rest, &end)) {
      result.push_back(x);
      rest = end;
    }
    return result;
  };
  Array result;
  if (line.text.starts_with(" [")) {
    rest += 2;
    for (const double extent : numbers()) result.shape.push_back(static_cast<std::int64_t>(extent));
    AMP_CHECK(*rest == ']', "goldens: no shape in \"", line.key, line.text, '"');
    ++rest;
  }
  result.values = numbers();
  AMP_CHECK(*rest == '\0', "goldens: no number: \"", rest, '"');
  return result;
}

struct Block {
  std::string title;
  std::vector<Line> lines;

  bool has(std::string_view key) const {
    return std::any_of(lines.begin(), lines.end(), [&](const Line& l) { return l.key == key; });
  }
  /// What the line of that key has, if there is one.
  Array operator[](std::string_view key) const {
    for (const Line& line : lines) {
      if (line.key == key) return array(line);
    }
    return {};
  }
  /// The texts of all lines of that key, a line each.
  std::string text(std::string_view key) const {
    std::string result;
    for (const Line& line : lines) {
      if (line.key != key) continue;
      if (!result.empty()) result += '\n';
      if (!line.text.empty()) result += line.text.substr(1);
    }
    return result;
  }
  /// The hexadecimal numbers of all lines of that key.
  std::vector<std::uint64_t> codes(std::string_view key) const {
    std::istringstream words(text(key));
    std::vector<std::uint64_t> result;
    for (std::uint64_t code = 0; words >> std::hex >> code;) result.push_back(code);
    AMP_CHECK(words.eof(), "goldens: no hexadecimal numbers: \"", words.str(), '"');
    return result;
  }
};

/// The blocks of tests/goldens/<name>. The folder is that of the source, or, where the program runs
/// on another machine, of the copy of it that AMP_SOURCE_DIR names there.
inline std::vector<Block> read_blocks(const std::string& name) {
  const char* const elsewhere = std::getenv("AMP_SOURCE_DIR");
  const std::string path =
      (elsewhere ? elsewhere : AMP_SOURCE_DIR) + std::string("/tests/goldens/") + name;
  std::ifstream file(path);
  AMP_CHECK(file, "the goldens ", path, " cannot be read");
  std::vector<Block> blocks;
  bool in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (in_block && !line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      blocks.back().lines.push_back({line.substr(0, end), line.substr(end)});
    } else if (!line.empty()) {
      blocks.push_back({line, {}});
    }
    in_block = !line.empty();
  }
  return blocks;
}

/// The block of that title.
inline const Block& titled(const std::vector<Block>& blocks, std::string_view title) {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const Block& block) { return block.title == title; });
  AMP_CHECK(found != blocks.end(), "goldens: no block \"", title, '"');
  return *found;
}

}  // namespace goldens
