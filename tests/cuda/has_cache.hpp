// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether amp keeps free memory of a device for reuse: not with AMP_CUDA_NO_CACHE=1, as the tests
// run under compute-sanitizer.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace cuda_test {

inline bool has_cache() {
  const char* const setting = std::getenv("AMP_CUDA_NO_CACHE");
  return setting == nullptr || std::string(setting) != "1";
}

/// A memory pool that is made while one exists has no cache.
class NoCache {
 public:
  NoCache() {
    if (const char* const setting = std::getenv("AMP_CUDA_NO_CACHE")) before_ = setting;
    (void)setenv("AMP_CUDA_NO_CACHE", "1", 1);
  }
  NoCache(const NoCache&) = delete;
  NoCache& operator=(const NoCache&) = delete;
  ~NoCache() {
    if (before_) {
      (void)setenv("AMP_CUDA_NO_CACHE", before_->c_str(), 1);
    } else {
      (void)unsetenv("AMP_CUDA_NO_CACHE");
    }
  }

 private:
  std::optional<std::string> before_ = {};
};

}  // namespace cuda_test
