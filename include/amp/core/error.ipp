// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "amp/core/error.hpp"

namespace amp::inline v0 {

AMP_COLD void Error::add_module(const std::string& path) {
  if (path.empty() || names_module_) return;
  put_before(path);
  names_module_ = true;
}
AMP_COLD void Error::add_module_type(std::string_view type) {
  if (!names_module_) put_before(type);
}
AMP_COLD void Error::put_before(std::string_view words) {
  static_cast<std::runtime_error&>(*this) = std::runtime_error(std::string(words) + ": " + what());
}

namespace detail {

AMP_COLD OutOfMemory::OutOfMemory() : Error("") {}
AMP_COLD const char* OutOfMemory::what() const noexcept {
  return "out of memory: the host has none left, not even for small objects; free some, or let "
         "the process use more";
}
AMP_COLD void throw_out_of_memory() { throw OutOfMemory(); }

AMP_COLD std::string integer_text(long long value) { return std::to_string(value); }
AMP_COLD std::string integer_text(unsigned long long value) { return std::to_string(value); }
AMP_COLD std::string real_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}
AMP_COLD std::string to_text(bool value) { return value ? "true" : "false"; }
AMP_COLD std::string to_text(char value) { return {value}; }

AMP_COLD void MessagePart::append_chars(std::string& out, const MessagePart& part) {
  out += static_cast<const char*>(part.value_);
}
AMP_COLD void MessagePart::append_string(std::string& out, const MessagePart& part) {
  out += *static_cast<const std::string*>(part.value_);
}
AMP_COLD void MessagePart::append_view(std::string& out, const MessagePart& part) {
  out += *static_cast<const std::string_view*>(part.value_);
}

AMP_COLD void throw_error(const MessagePart* parts, std::size_t count) {
  throw or_out_of_memory([&] {
    std::string message;
    for (std::size_t i = 0; i < count; ++i) parts[i].append_to(message);
    return Error(message);
  });
}

}  // namespace detail
}  // namespace amp::inline v0
