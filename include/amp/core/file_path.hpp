// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// FilePath: the type of parameters that are paths of files.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

namespace detail {

template <class Path>
concept StandardPath = requires(const Path& path) {
  { path.native() } -> std::same_as<const std::string&>;
};

}  // namespace detail

/// The path of a file, as a parameter. It is made from a text, a std::filesystem::path or a
/// std::filesystem::directory_entry, and valid for one call. <filesystem> is not included, since it
/// takes longer to compile than most programs that load a file.
class FilePath {
 public:
  /// From a string, a std::filesystem::path, or a directory entry, which must outlive this.
  template <std::convertible_to<std::string_view> Text>
  FilePath(const Text& text) : text_(text) {}
  template <detail::StandardPath Path>
  FilePath(const Path& path) : text_(path.native()) {}
  template <class Entry>
    requires requires(const Entry& entry) {
      { entry.path() } -> detail::StandardPath;
    }
  FilePath(const Entry& entry) : FilePath(entry.path()) {}

  /// A copy of the path.
  std::string string() const { return std::string(text_); }

 private:
  std::string_view text_;
};

}  // namespace amp::inline v0
