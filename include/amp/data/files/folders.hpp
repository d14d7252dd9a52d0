// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The files of a data set: plain or compressed, in the folder itself or in that of torchvision.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0::data::detail {

/// The file, or the same with ".gz"; "" if the folder has neither.
[[gnu::cold]] inline std::string found_file(const std::filesystem::path& folder,
                                            const std::string& name) {
  std::error_code ignored;
  for (const char* ending : {"", ".gz"}) {
    const std::filesystem::path path = folder / (name + ending);
    if (std::filesystem::exists(path, ignored)) return path.string();
  }
  return {};
}

/// Throws amp::Error: the file is not there.
[[noreturn, gnu::cold]] inline void fail_missing(const std::filesystem::path& folder,
                                                 const std::string& name,
                                                 const std::string& expected) {
  std::error_code ignored;
  amp::detail::fail((folder / name).string(), ": at byte offset 0: expected ", expected, ", found ",
                    std::filesystem::is_directory(folder, ignored) ? "none" : "no such directory");
}

/// The path of a file that must be there; the plain file comes before ".gz".
[[gnu::cold]] inline std::string required_file(const std::filesystem::path& folder,
                                               const std::string& name) {
  const std::string path = found_file(folder, name);
  if (path.empty()) fail_missing(folder, name, "this file or " + name + ".gz");
  return path;
}

/// The first of these folders within `root`, or `root` itself, that has the file.
[[gnu::cold]] inline std::filesystem::path folder_with(const std::filesystem::path& root,
                                                       std::initializer_list<const char*> within,
                                                       const std::string& name) {
  for (const char* folder : within) {
    if (!found_file(root / folder, name).empty()) return root / folder;
  }
  return root;
}

}  // namespace amp::inline v0::data::detail
