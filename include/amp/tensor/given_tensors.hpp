// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What load_state_dict() was given, and what of it does not fit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// The tensors that load_state_dict() was given, which outlive this. It finds them by name, and
/// collects what does not fit, so that one error lists all of it.
class GivenTensors {
 public:
  /// `object` is what they are loaded into, in messages: "module". Throws if a name is there twice.
  GivenTensors(std::string_view object, const NamedTensors& tensors);

  /// Returns the tensor of a name that the object knows, or null if it was not given.
  AMP_LAZY const Tensor* find(std::string_view name);
  /// Returns whether a tensor has this shape and dtype. Notes it otherwise. Without a dtype, the
  /// tensor may have any.
  bool fits(std::string_view name, const Tensor& tensor, const Shape& shape,
            std::optional<DType> dtype = {});
  /// Returns the tensor of that name, or an undefined one if it was not given or does not fit.
  AMP_LAZY Tensor matching(std::string_view name, const Shape& shape, DType dtype);
  /// The same for a tensor that the object needs: notes that it was not given.
  AMP_LAZY Tensor needed(std::string_view name, const Shape& shape, DType dtype);
  /// Notes that the object needs a tensor of that name, which was not given.
  AMP_LAZY void add_missing(std::string_view name);
  /// Throws if something was noted, or if the object knows no tensor of a name that was given.
  AMP_LAZY void require_fit() const;

 private:
  struct Given {
    const Tensor* tensor;
    bool is_known = false;
  };
  AMP_LAZY std::vector<std::string> unknown() const;

  std::string_view object_;
  const NamedTensors& tensors_;
  std::map<std::string_view, Given> given_;
  std::vector<std::string> missing_, misfits_;
};

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/tensor/given_tensors.ipp"
#endif
