// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of a layer as Python prints them. They become text in one function, so that layers
// compile none of their own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace amp::inline v0::nn::detail {

/// An argument: name=value, or the value alone if the name is empty. An integer of several may be
/// None.
class Described {
 public:
  using Integer = std::optional<std::int64_t>;

  Described(const char* name, std::same_as<bool> auto value)
      : Described(name, value ? "True" : "False") {}
  Described(const char* name, double value) : name_(name), kind_(Kind::kNumber), number_(value) {}
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Described(const char* name, I value)
      : name_(name),
        kind_(Kind::kInteger),
        count_(1),
        integers_{static_cast<std::int64_t>(value)} {}
  /// A word, as it stands.
  Described(const char* name, const char* word) : name_(name), kind_(Kind::kWord), word_(word) {}
  /// A tuple of up to six integers; one number if they are equal and `joined`.
  Described(const char* name, std::span<const std::int64_t> values, bool joined);
  Described(const char* name, std::span<const Integer> values, bool joined);
  /// A size in some dimensions, as convolutions and pools take it.
  template <class Size>
    requires requires(const Size& size) { std::span(size.values, std::size_t(size.dims)); }
  Described(const char* name, const Size& size, bool joined = true)
      : Described(name,
                  std::span<const std::int64_t>(size.values, static_cast<std::size_t>(size.dims)),
                  joined) {}
  /// A tuple of up to three numbers; one number if there is one.
  Described(const char* name, int count, const double* values);

  void append_to(std::string& text) const;

 private:
  enum class Kind : std::uint8_t { kWord, kNumber, kNumbers, kInteger, kTuple };

  const char* name_;
  Kind kind_;
  const char* word_ = "";
  double number_ = 0;
  int count_ = 0;
  double numbers_[3] = {};
  Integer integers_[6] = {};
};

/// "name=value, name=value"
std::string described(std::initializer_list<Described> arguments);

}  // namespace amp::inline v0::nn::detail

#if AMP_HEADER_ONLY
#include "amp/nn/described.ipp"
#endif
