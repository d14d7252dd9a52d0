// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a module holds by name: entries, and Module::state_dict() and Module::load_state_dict(),
// which module.hpp declares.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/nn/module.hpp"

namespace amp::inline v0::nn::detail {

/// The entry of that name. Throws if there is none, and lists those that there are.
template <class Value>
Value& find(std::string_view call, std::string_view what,
            std::vector<std::pair<std::string, Value>>& list, std::string_view name) {
  for (auto& [known, value] : list) {
    if (known == name) return value;
  }
  std::vector<std::string> names;
  amp::detail::or_out_of_memory([&] {
    for (const auto& entry : list) names.push_back(entry.first);
  });
  amp::detail::fail(call, ": there is no ", what, " \"", name, "\" in this module, but ",
                    listed(names));
}

/// Whether the two are equal bit for bit in the dtype of `a`.
bool same_values(const Tensor& a, const Tensor& b);

}  // namespace amp::inline v0::nn::detail

#if AMP_HEADER_ONLY
#include "amp/nn/module_state.ipp"
#endif
