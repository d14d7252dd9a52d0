// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A case that run.py drew, and the table of calls: for evaluate.cpp and its families of ops.
#pragma once

#include <amp/amp.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace differential {

using amp::DType;
using amp::Tensor;

struct Number {
  bool is_integer;
  std::int64_t integer;
  double real;

  bool truth() const { return integer != 0; }
};

struct Case {
  std::string number, key, autocast;
  std::vector<Tensor> tensors;
  std::vector<Number> numbers;

  std::int64_t integer(std::size_t i) const { return numbers.at(i).integer; }
  double real(std::size_t i) const { return numbers.at(i).real; }
  const Tensor& operator[](std::size_t i) const { return tensors.at(i); }
};

using Results = std::vector<Tensor>;
using Call = std::function<Results(const Case&)>;
using Calls = std::map<std::string, Call, std::less<>>;

/// f(x), x being the number in its own type.
template <class F>
Tensor with(const Number& number, F&& f) {
  return number.is_integer ? f(number.integer) : f(number.real);
}
inline std::optional<double> real_or_unset(const Case& c, std::size_t i) {
  return i < c.numbers.size() ? std::optional(c.real(i)) : std::nullopt;
}
inline amp::Reduction reduction(const Case& c, std::size_t i) {
  return static_cast<amp::Reduction>(c.integer(i));
}
inline amp::Size2d pair(const Case& c, std::size_t i) { return {c.integer(i), c.integer(i + 1)}; }

}  // namespace differential
