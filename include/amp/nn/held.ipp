// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "amp/nn/held.hpp"

namespace amp::inline v0::nn::detail {

AMP_COLD Tensor Held::forward(Arguments) const {
  amp::detail::fail(
      "nn::Module: this module was put into a container by replace_module() of nn::Module, and so "
      "cannot be called by it; use replace_module() of the container");
}

AMP_COLD void fail_arguments(std::string_view type, std::size_t count) {
  amp::detail::fail(type, ": there is no public `forward` const that takes ", count,
                    count == 1 ? " tensor" : " tensors", " and returns a Tensor");
}

}  // namespace amp::inline v0::nn::detail
