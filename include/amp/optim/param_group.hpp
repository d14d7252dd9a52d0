// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Groups of parameters, each with options of its own, and the checks that options have in common.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "amp/kernels/optim/schedule.hpp"
#include "amp/optim/parameter_view.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {
// g++ 12 forgets to define the default constructor of a vector that {.params = ...} leaves out.
inline std::vector<std::string> no_names() { return {}; }
inline std::vector<ParameterView> no_views() { return {}; }
}  // namespace detail

/// Parameters that are trained with the same options.
template <class Options>
struct ParamGroup {
  std::vector<Tensor> params = {};
  Options options = {};
  std::vector<std::string> names =
      detail::no_names();  // of params, for state_dict; their numbers if empty
  /// In place of params: those in memory of one's own. The group then gets tensors over them, whose
  /// `.grad` is the gradient's memory.
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
