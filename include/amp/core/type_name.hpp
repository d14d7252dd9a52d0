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

/// Returns "Linear" for amp::nn::Linear: the name without namespaces and template arguments. The
/// text around T in a function's name is the same for every T, so the name for `int` shows where T
/// begins and ends.
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

/// Returns the name of a function that contains the name of the member. member_name() searches it
/// at run time, because compilers evaluate such a search slowly.
template <auto Member>
constexpr const char* name_holding_member() {
  return __PRETTY_FUNCTION__;
}

/// Returns "softmax" for name_holding_member<&Backend::softmax>(). In the name of a function,
/// compilers write the member as in C++, followed by a bracket or a semicolon.
constexpr std::string_view member_name(std::string_view name) {
  name.remove_prefix(name.find('&'));
  name = name.substr(0, name.find_first_of("];)"));
  return name.substr(name.rfind(':') + 1);
}

}  // namespace amp::inline v0::detail
