// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Groups of parameters, each with its own options, and the checks that all options share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/kernels/optim/schedule.hpp"
#include "amp/optim/parameter_view.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The parameters of a group: tensors, as of Module::parameters(), or tensors with names, as of
/// Module::named_parameters().
class GroupParams : public std::vector<Tensor> {
 public:
  using std::vector<Tensor>::vector;
  /// Tensors without names.
  GroupParams(std::vector<Tensor> tensors) : vector(std::move(tensors)) {}
  /// Tensors with their names.
  GroupParams(const NamedTensors& named);

  /// The names that came with the tensors; empty if none did.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

namespace detail {
// g++ 12 does not define the default constructor of a vector that {.params = ...} omits, and fails
// at the default of GroupParams.
inline GroupParams no_params() { return {}; }
inline std::vector<std::string> no_names() { return {}; }
inline std::vector<ParameterView> no_views() { return {}; }
}  // namespace detail

/// Parameters that are trained with the same options. A group has either `params` or `views`.
template <class Options>
struct ParamGroup {
  GroupParams params = detail::no_params();
  Options options = {};
  /// The names of params in state_dict and in messages. If empty, the optimizer fills in those that
  /// came with `params`; if there are none, a parameter goes by its index.
  std::vector<std::string> names = detail::no_names();
  /// Parameters in the user's memory, instead of `params`. The optimizer fills `params` with
  /// tensors over this memory; their `.grad` is a tensor over the gradient's memory.
  std::vector<ParameterView> views = detail::no_views();
};

namespace detail {

inline constexpr std::string_view kNoParams =
    ": `params` is empty (a module knows the layers that went through register_module)";

[[noreturn, gnu::cold]] void refuse_option(std::string_view name, const char* option, double value,
                                           double below);
void check_schedule(std::string_view name, const Schedule& schedule);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/param_group.ipp"
#endif
