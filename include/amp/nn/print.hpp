// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Modules as text, as torch prints them.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "amp/core/type_name.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn {

class AnyModule;

namespace detail {

std::string module_text(const Module& module, std::string_view type);

}  // namespace detail

/// The module as Python's print shows a torch module: its type, its extra_repr, and the modules
/// within it by name, with the types that they were registered with.
///
/// ```cpp
/// const amp::nn::Sequential net{amp::nn::Linear(4, 2), amp::nn::ReLU()};
/// assert(amp::nn::to_string(net) ==
///        "Sequential(\n"
///        "  (0): Linear(in_features=4, out_features=2, bias=True)\n"
///        "  (1): ReLU()\n"
///        ")");
/// ```
template <std::derived_from<Module> M>
std::string to_string(const M& module) {
  const bool known = (std::is_same_v<M, Module> || std::is_same_v<M, AnyModule>)&&module.defined();
  return detail::module_text(module, known ? module.type() : amp::detail::type_name<M>());
}

/// Writes to_string(module) to a stream.
template <class Char, class Traits, std::derived_from<Module> M>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                             const M& module) {
  return stream << to_string(module).c_str();
}

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/print.ipp"
#endif
