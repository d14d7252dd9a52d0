// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where the trainer writes: tried before the work begins, so that no training is lost at its end.
#pragma once

#include "trainer/options.hpp"

#include <amp/core/error.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace examples {

/// Throws amp::Error if no file can be made in `folder`; `what` begins its text.
inline void require_writable(const std::filesystem::path& folder, const std::string& what) {
  const std::string probe = (folder / (".train_cnn." + std::to_string(getpid()))).string();
  std::FILE* const file = std::fopen(probe.c_str(), "wbx");  // one that was not there
  const std::string reason = std::strerror(errno);
  if (file == nullptr)
    throw amp::Error(what + ": no file can be made in " + folder.string() + ": " + reason);
  std::fclose(file);
  std::remove(probe.c_str());
}

/// Makes the folder of the report, and tries whether report and checkpoint can be written there.
inline void require_outputs(const Options& options) {
  if (!options.report.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.report, error);
    if (error)
      throw amp::Error("--report " + options.report + ": cannot be made: " + error.message());
    require_writable(options.report, "--report " + options.report);
  }
  if (!options.checkpoint.empty()) {
    const std::filesystem::path file = options.checkpoint;
    const std::string what = "--checkpoint " + options.checkpoint;
    if (std::filesystem::is_directory(file))
      throw amp::Error(what + ": is a folder; give the name of a file");
    std::error_code error;  // a link is followed, as it is when the checkpoint is saved
    const std::filesystem::path target = std::filesystem::weakly_canonical(file, error);
    require_writable((error ? std::filesystem::absolute(file) : target).parent_path(), what);
  }
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw amp::Error(path.string() + ": cannot be written");
}

}  // namespace examples
