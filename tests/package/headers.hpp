// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The library's headers as text, for the tests that read them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace amp_test {

/// Lines of each header, by its path below include/, such as "amp/core/error.hpp".
inline std::map<std::string, std::vector<std::string>> read_headers() {
  const std::filesystem::path root = std::filesystem::path(AMP_SOURCE_DIR) / "include";
  std::map<std::string, std::vector<std::string>> headers;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && extension != ".ipp" && extension != ".cuh") continue;
    std::vector<std::string>& lines =
        headers[entry.path().lexically_relative(root).generic_string()];
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  return headers;
}

/// What follows `#<directive>` on a preprocessor line; empty for any other line.
inline std::string directive(std::string_view line, std::string_view name) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with(name)) return {};
  line.remove_prefix(name.size());
  skip_blanks();
  return std::string(line);
}

/// The complaints of a test, one on each line: compared with "", they all show.
class Complaints {
 public:
  void add(const std::string& text) { text_ += "\n  " + text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace amp_test
