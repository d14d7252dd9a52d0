// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "amp/core/config.hpp"
#include "amp/nn/described.hpp"
#include "amp/nn/python_text.hpp"

namespace amp::inline v0::nn::detail {

AMP_COLD Described::Described(const char* name, std::span<const Integer> values, bool joined)
    : name_(name), kind_(Kind::kTuple), count_(static_cast<int>(values.size())) {
  std::copy(values.begin(), values.end(), integers_);
  const bool equal = std::all_of(values.begin(), values.end(),
                                 [&](const Integer& value) { return value == values.front(); });
  if (joined && equal && values.front()) kind_ = Kind::kInteger;
}
AMP_COLD Described::Described(const char* name, std::span<const std::int64_t> values, bool joined)
    : Described(name, std::span<const Integer>(), false) {
  Integer integers[6];
  std::copy(values.begin(), values.end(), integers);
  *this = Described(name, std::span<const Integer>(integers, values.size()), joined);
}
AMP_COLD Described::Described(const char* name, int count, const double* values)
    : name_(name), kind_(Kind::kNumbers), count_(count) {
  std::copy(values, values + count, numbers_);
}

AMP_COLD void Described::append_to(std::string& text) const {
  if (!text.empty()) text += ", ";
  if (*name_ != '\0') text.append(name_) += '=';
  const auto list = [&](const auto& item) {  // (a,) or (a, b)
    text += '(';
    for (int i = 0; i < count_; ++i) text.append(i == 0 ? "" : ", ").append(item(i));
    text += count_ == 1 ? ",)" : ")";
  };
  switch (kind_) {
    case Kind::kWord:
      text += word_;
      break;
    case Kind::kNumber:
      text += python_text(number_);
      break;
    case Kind::kNumbers:
      if (count_ == 1) {
        text += python_text(numbers_[0]);
      } else {
        list([&](int i) { return python_text(numbers_[i]); });
      }
      break;
    case Kind::kInteger:
      text += std::to_string(*integers_[0]);
      break;
    case Kind::kTuple:
      list([&](int i) {
        return integers_[i] ? std::to_string(*integers_[i]) : std::string("None");
      });
      break;
  }
}

AMP_COLD std::string described(std::initializer_list<Described> arguments) {
  std::string text;
  for (const Described& argument : arguments) argument.append_to(text);
  return text;
}

}  // namespace amp::inline v0::nn::detail
