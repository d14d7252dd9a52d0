// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <string>
#include <string_view>

#include "amp/nn/layer.hpp"

namespace amp::inline v0::nn::detail {

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

}  // namespace amp::inline v0::nn::detail
