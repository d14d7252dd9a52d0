// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A folder of a test's own.
#pragma once

#include <stdlib.h>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>

namespace amp_test {

/// A new folder, gone at the end.
struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "amp_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path / name; }
  /// Of all that it holds.
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      all.insert(entry.path().filename().string());
    return all;
  }
};

}  // namespace amp_test
