// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The exception and the check that throws it. A message says what was expected, what was given, and
// what to do.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
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
  /// Only the first call, made by the innermost module, has an effect. An empty path changes
  /// nothing.
  void add_module(const std::string& path);
  /// Puts the type of a module that is within no other before the message, "Net: ...", unless it
  /// begins with a path.
  void add_module_type(std::string_view type);

 private:
  void put_before(std::string_view words);

  bool names_module_ = false;
};

namespace detail {

/// Thrown if the host has no memory left. Its message is a constant, which needs no memory.
class AMP_EXPORT OutOfMemory final : public Error {
 public:
  OutOfMemory();
  AMP_INLINE const char* what() const noexcept override;
};
[[noreturn, gnu::cold]] void throw_out_of_memory();

/// Returns call(), which uses the standard library. If that runs out of memory, throws amp::Error.
template <class Call>
decltype(auto) or_out_of_memory(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    throw_out_of_memory();
  }
}

/// The text that to_text() returns for a number. A char is a letter.
std::string integer_text(long long value);
std::string integer_text(unsigned long long value);
std::string real_text(double value);

std::string to_text(bool value);
std::string to_text(char value);
template <std::integral I>
std::string to_text(I value) {
  if constexpr (std::signed_integral<I>)
    return integer_text(static_cast<long long>(value));
  else
    return integer_text(static_cast<unsigned long long>(value));
}
template <std::floating_point F>
std::string to_text(F value) {
  return real_text(static_cast<double>(value));
}
template <class T>
  requires requires(const T& value) {
    { to_string(value) } -> std::convertible_to<std::string>;
  }
std::string to_text(const T& value) {
  return to_string(value);  // found beside the type
}

/// A part of a message: a reference to a value, which must outlive the part, and a function that
/// writes it. Nothing is formatted until the message is built.
class MessagePart {
 public:
  MessagePart(const char* text) : value_(text), append_(append_chars) {}
  MessagePart(const std::string& text) : value_(&text), append_(append_string) {}
  template <std::same_as<std::string_view> Text>
  MessagePart(const Text& text) : value_(&text), append_(append_view) {}
  template <class T>
    requires(!std::is_convertible_v<const T&, std::string_view>)
  MessagePart(const T& value)
      : value_(&value), append_([](std::string& out, const MessagePart& part) {
          out += to_text(*static_cast<const T*>(part.value_));
        }) {}
  void append_to(std::string& out) const { append_(out, *this); }

 private:
  static void append_chars(std::string& out, const MessagePart& part);
  static void append_string(std::string& out, const MessagePart& part);
  static void append_view(std::string& out, const MessagePart& part);

  const void* value_;
  void (*append_)(std::string&, const MessagePart&);
};

[[noreturn, gnu::cold]] void throw_error(const MessagePart* parts, std::size_t count);

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

#if AMP_HEADER_ONLY
#include "amp/core/error.ipp"
#endif
