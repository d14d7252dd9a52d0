// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "amp/core/error.hpp"
#include "amp/tensor/given_tensors.hpp"

namespace amp::inline v0::detail {

/// The first ones, divided by `between`, and the number of the others.
AMP_COLD std::string shortened(const std::vector<std::string>& texts, std::string_view between) {
  constexpr std::size_t kMost = 10;
  std::string list;
  for (std::size_t i = 0; i < (std::min)(texts.size(), kMost); ++i)
    list += (i == 0 ? "" : std::string(between)) + texts[i];
  if (texts.size() > kMost) list += " and " + std::to_string(texts.size() - kMost) + " more";
  return list;
}

AMP_COLD GivenTensors::GivenTensors(std::string_view object, const NamedTensors& tensors)
    : object_(object), tensors_(tensors) {
  for (const auto& [name, tensor] : tensors)
    AMP_CHECK(given_.try_emplace(name, Given{&tensor}).second, "load_state_dict: \"", name,
              "\" is there twice");
}

AMP_LAZY_DEFINITION AMP_COLD const Tensor* GivenTensors::find(std::string_view name) {
  const auto found = given_.find(name);
  if (found == given_.end()) return nullptr;
  found->second.is_known = true;
  return found->second.tensor;
}

AMP_COLD bool GivenTensors::fits(std::string_view name, const Tensor& tensor, const Shape& shape,
                                 std::optional<DType> dtype) {
  if (tensor.defined() && tensor.shape() == shape &&
      tensor.dtype() == dtype.value_or(tensor.dtype()))
    return true;
  misfits_.push_back('"' + std::string(name) + "\" is " + (dtype ? to_string(*dtype) : "") +
                     to_string(shape) + " in the " + std::string(object_) + ", but " +
                     describe(tensor) + " in `tensors`");
  return false;
}

AMP_LAZY_DEFINITION AMP_COLD Tensor GivenTensors::matching(std::string_view name,
                                                           const Shape& shape, DType dtype) {
  const Tensor* const found = find(name);
  return found != nullptr && fits(name, *found, shape, dtype) ? *found : Tensor();
}

AMP_LAZY_DEFINITION AMP_COLD Tensor GivenTensors::needed(std::string_view name, const Shape& shape,
                                                         DType dtype) {
  if (find(name) == nullptr) add_missing(name);
  return matching(name, shape, dtype);
}

AMP_LAZY_DEFINITION AMP_COLD void GivenTensors::add_missing(std::string_view name) {
  missing_.push_back('"' + std::string(name) + '"');
}

AMP_LAZY_DEFINITION AMP_COLD std::vector<std::string> GivenTensors::unknown() const {
  std::vector<std::string> names;
  for (const auto& entry : tensors_) {
    if (!given_.at(entry.first).is_known) names.push_back('"' + entry.first + '"');
  }
  return names;
}

AMP_LAZY_DEFINITION AMP_COLD void GivenTensors::require_fit() const {
  const std::vector<std::string> unknown_names = unknown();
  std::vector<std::string> faults;
  if (!missing_.empty())
    faults.push_back("the " + std::string(object_) + " needs " + shortened(missing_, ", ") +
                     ", missing in `tensors`");
  if (!unknown_names.empty())
    faults.push_back("`tensors` has " + shortened(unknown_names, ", ") + ", unknown to the " +
                     std::string(object_));
  if (!misfits_.empty()) faults.push_back(shortened(misfits_, "; "));
  AMP_CHECK(faults.empty(), "load_state_dict: ", shortened(faults, "; "));
}

}  // namespace amp::inline v0::detail
