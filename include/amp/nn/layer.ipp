// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "amp/nn/described.hpp"
#include "amp/nn/layer.hpp"

namespace amp::inline v0::nn {

AMP_COLD void Module::keep_extra_repr(std::string text) const {
  state().extra_repr = std::move(text);
}
AMP_COLD void Module::set_extra_repr(std::initializer_list<detail::Described> arguments) const {
  keep_extra_repr(amp::detail::or_out_of_memory([&] { return detail::described(arguments); }));
}
AMP_COLD void Module::set_type(std::string_view type) const { state().type = type; }
AMP_INLINE const NamedTensors& Module::own_parameters() const { return state().parameters; }

namespace detail {

AMP_COLD void add_module(Error& error, const Module& module) {
  try {
    if (const std::string path = module.path(); !path.empty())
      error.add_module(path);
    else
      error.add_module_type(module.type());
  } catch (const std::bad_alloc&) {  // the error then lacks the name
  }
}

AMP_COLD void fail_empty(std::string_view type) {
  amp::detail::fail(
      type, ": this ", type,
      " is empty, as one made of nullptr or without arguments is; assign one before using it, as "
      "in fc = register_module(\"fc\", ",
      type, "(...))");
}

}  // namespace detail

}  // namespace amp::inline v0::nn
