// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The exception and the check that throws it. A message says what was expected, what was given, and
// what to do.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// Everything amp throws derives from this.
class AMP_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// Puts the path of the module in which the error arose before the message: "block.conv: ...".
  /// Only the first does so, that of the innermost module. An empty path changes nothing.
  void add_module(const std::string& path) {
    if (path.empty() || names_module_) return;
    static_cast<std::runtime_error&>(*this) = std::runtime_error(path + ": " + what());
    names_module_ = true;
  }

 private:
  bool names_module_ = false;
};

namespace detail {

/// What is thrown where the host has no memory left, and so none for a message.
class AMP_EXPORT OutOfMemory final : public Error {
 public:
  OutOfMemory() : Error("") {}
  const char* what() const noexcept override {
    return "out of memory: the host has none left, not even for small objects; free some, or let "
           "the process use more";
  }
};

/// call(), where the standard library asks for memory: what it throws becomes amp::Error.
template <class Call>
decltype(auto) or_out_of_memory(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    throw OutOfMemory();
  }
}

inline std::string to_text(bool value) { return value ? "true" : "false"; }
template <std::integral I>
std::string to_text(I value) {
  return std::to_string(value);
}
template <std::floating_point F>
std::string to_text(F value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}
template <class T>
  requires requires(const T& value) {
    { to_string(value) } -> std::convertible_to<std::string>;
  }
std::string to_text(const T& value) {
  return to_string(value);  // found beside the type
}

/// A part of a message: a value, and how to write it. Parts cost nothing until the message is
/// built.
class MessagePart {
 public:
  MessagePart(const char* text) : MessagePart(std::string_view(text)) {}
  MessagePart(const std::string& text) : MessagePart(std::string_view(text)) {}
  MessagePart(std::string_view text)
      : text_(text),
        append_([](std::string& out, const MessagePart& part) { out += part.text_; }) {}
  template <class T>
    requires(!std::is_convertible_v<const T&, std::string_view>)
  MessagePart(const T& value)
      : value_(&value), append_([](std::string& out, const MessagePart& part) {
          out += to_text(*static_cast<const T*>(part.value_));
        }) {}
  void append_to(std::string& out) const { append_(out, *this); }

 private:
  const void* value_ = nullptr;
  std::string_view text_ = {};
  void (*append_)(std::string&, const MessagePart&);
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_error(const MessagePart* parts,
                                                               std::size_t count) {
  throw or_out_of_memory([&] {
    std::string message;
    for (std::size_t i = 0; i < count; ++i) parts[i].append_to(message);
    return Error(message);
  });
}

/// Throws the parts as one message.
template <class... Parts>
[[noreturn, gnu::cold]] void fail(const Parts&... parts) {
  const MessagePart list[] = {MessagePart(parts)...};
  throw_error(list, sizeof...(parts));
}

}  // namespace detail

/// Throws amp::Error with the concatenated parts unless `condition` holds. Never disabled; the
/// parts are built only to throw.
#define AMP_CHECK(condition, ...)       \
  do {                                  \
    if (!(condition)) [[unlikely]] {    \
      ::amp::detail::fail(__VA_ARGS__); \
    }                                   \
  } while (false)

}  // namespace amp::inline v0
