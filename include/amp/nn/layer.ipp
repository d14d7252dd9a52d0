// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <new>
#include <string_view>

#include "amp/nn/layer.hpp"

namespace amp::inline v0::nn::detail {

AMP_COLD void add_module(Error& error, const Module& module) {
  try {
    error.add_module(module.path());
  } catch (const std::bad_alloc&) {  // the error then lacks the path
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
