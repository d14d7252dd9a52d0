// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Examples: what a data set holds, and how their parts are found.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

/// Something to learn from and what it is, as torch::data::Example; a batch of examples is
/// another Example. `const auto& [images, labels] = batch` names both.
template <class Data = Tensor, class Target = Tensor>
struct Example {
  Data data = {};
  Target target = {};
};

namespace detail {

struct AnyMember {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyMember{})...}; };
}

/// The number of members of an aggregate; 0 if there are more than 8.
template <class T, std::size_t n = 8>
constexpr std::size_t member_count() {
  if constexpr (n == 0)
    return 0;
  else if constexpr (takes_members<T>(std::make_index_sequence<n>()))
    return n;
  else
    return member_count<T, n - 1>();
}

template <class T>
concept TupleLike = requires {
  typename std::tuple_size<T>::type;
};

template <class T>
concept Parted = TupleLike<T> ||
    (std::is_class_v<T>&& std::is_aggregate_v<T> && (member_count<T>() > 0));

/// References to the members of a tuple, pair, array or aggregate.
template <Parted T>
constexpr auto parts_of(T& value) {
  // Structured bindings, for which C++20 has no number of variables.
  if constexpr (TupleLike<T>) {
    return std::apply([](auto&... parts) { return std::tie(parts...); }, value);
  } else if constexpr (member_count<T>() == 1) {
    auto& [a] = value;
    return std::tie(a);
  } else if constexpr (member_count<T>() == 2) {
    auto& [a, b] = value;
    return std::tie(a, b);
  } else if constexpr (member_count<T>() == 3) {
    auto& [a, b, c] = value;
    return std::tie(a, b, c);
  } else if constexpr (member_count<T>() == 4) {
    auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  } else if constexpr (member_count<T>() == 5) {
    auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  } else if constexpr (member_count<T>() == 6) {
    auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (member_count<T>() == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = value;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

/// Calls body(tensor) for each tensor in a value.
template <class T, class Body>
void visit_tensors(T& value, const Body& body) {
  if constexpr (std::is_same_v<T, Tensor>) {
    if (value.defined()) body(value);
  } else if constexpr (requires { typename T::mapped_type; }) {
    for (auto& [key, element] : value) visit_tensors(element, body);
  } else if constexpr (requires {
                         value.begin();
                         requires std::is_class_v<typename T::value_type>;
                       }) {
    for (auto& element : value) visit_tensors(element, body);
  } else if constexpr (Parted<T>) {
    std::apply([&](auto&... parts) { (visit_tensors(parts, body), ...); }, parts_of(value));
  }
}

}  // namespace detail
}  // namespace amp::inline v0::data
