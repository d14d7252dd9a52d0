// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The names of types and members as text, for messages.
#pragma once

#include <cstddef>
#include <string_view>

namespace amp::inline v0::detail {

template <class T>
constexpr std::string_view name_holding_type() {
  return __PRETTY_FUNCTION__;
}

/// "Linear" for amp::nn::Linear: without namespaces and template arguments. What stands around T in
/// the name of a function is the same for every T, so that `int` shows where T begins and ends.
template <class T>
constexpr std::string_view type_name() {
  constexpr std::string_view known = name_holding_type<int>();
  constexpr std::size_t before = known.rfind("int"), after = known.size() - before - 3;
  std::string_view name = name_holding_type<T>();
  name = name.substr(before, name.size() - before - after);
  if (name.ends_with('>')) {
    int depth = 0;
    do {
      depth += name.back() == '>' ? 1 : name.back() == '<' ? -1 : 0;
      name.remove_suffix(1);
    } while (depth != 0);
  }
  const std::size_t scope = name.rfind(':');
  return scope == name.npos ? name : name.substr(scope + 1);
}

/// The name of a function that contains the name of the member. member_name() finds it at run time,
/// because compilers evaluate such a search slowly.
template <auto Member>
constexpr const char* name_holding_member() {
  return __PRETTY_FUNCTION__;
}

/// "softmax" for name_holding_member<&Backend::softmax>(). In the name of a function compilers
/// write the member as C++ does, and a bracket or a semicolon after it.
constexpr std::string_view member_name(std::string_view name) {
  name.remove_prefix(name.find('&'));
  name = name.substr(0, name.find_first_of("];)"));
  return name.substr(name.rfind(':') + 1);
}

}  // namespace amp::inline v0::detail
