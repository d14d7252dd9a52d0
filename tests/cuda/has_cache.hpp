// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether amp keeps free memory of a device for reuse: not with AMP_CUDA_NO_CACHE=1, as the tests
// run under compute-sanitizer.
#pragma once

#include <cstdlib>
#include <string_view>

namespace cuda_test {

inline bool has_cache() {
  const char* const setting = std::getenv("AMP_CUDA_NO_CACHE");
  return setting == nullptr || std::string_view(setting) != "1";
}

}  // namespace cuda_test
