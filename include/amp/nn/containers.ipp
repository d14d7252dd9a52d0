// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/nn/containers.hpp"

namespace amp::inline v0::nn {

namespace detail {

AMP_COLD void fail_key(std::string_view type, const std::string& key) {
  amp::detail::fail("nn::", type, ": there is no key \"", key, "\"");
}

}  // namespace detail

AMP_COLD ParameterList::ParameterList(std::initializer_list<Tensor> parameters) {
  for (const Tensor& parameter : parameters) push_back(parameter);
}
AMP_COLD void ParameterList::push_back(const Tensor& parameter) {
  AMP_CHECK(parameter.defined(), "nn::ParameterList: `parameter` is undefined");
  register_parameter(std::to_string(size()), parameter);
}
AMP_INLINE const Tensor& ParameterList::operator[](std::int64_t i) const {
  return own_parameters()[detail::checked_place("ParameterList", i, size())].second;
}

AMP_COLD ParameterDict::ParameterDict(
    std::initializer_list<std::pair<std::string, Tensor>> entries) {
  for (const auto& [key, parameter] : entries) insert(key, parameter);
}
AMP_COLD void ParameterDict::insert(std::string key, const Tensor& parameter) {
  AMP_CHECK(parameter.defined(), "nn::ParameterDict: `parameter` is undefined");
  register_parameter(std::move(key), parameter);
}
AMP_COLD bool ParameterDict::contains(const std::string& key) const {
  return std::any_of(begin(), end(), [&](const auto& entry) { return entry.first == key; });
}
AMP_INLINE const Tensor& ParameterDict::operator[](const std::string& key) const {
  for (const auto& [known, parameter] : own_parameters()) {
    if (known == key) return parameter;
  }
  detail::fail_key("ParameterDict", key);
}

}  // namespace amp::inline v0::nn
