// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Safetensors files as inputs: as they are, or, where an input begins with {, without the length of
// the header, which ends at the first NUL and is counted here. Most mutations of a whole file get
// no further than its length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace fuzz {

inline std::string with_length(std::string_view input) {
  if (!input.starts_with('{')) return std::string(input);
  const std::size_t end = (std::min)(input.find('\0'), input.size());
  const std::uint64_t length = end;
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes.append(input.substr(0, end)).append(input.substr((std::min)(end + 1, input.size())));
}

/// The input that with_length makes this file of.
inline std::string without_length(const std::string& file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return file.substr(sizeof length, length) + '\0' + file.substr(sizeof length + length);
}

}  // namespace fuzz
