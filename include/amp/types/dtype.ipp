// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

AMP_COLD std::string to_string(DType dtype) { return std::string(name(dtype)); }

namespace detail {

AMP_COLD void refuse_dtype(DType dtype) {
  fail("visit_dtype: ", static_cast<int>(dtype), " is not a DType");
}

}  // namespace detail
}  // namespace amp::inline v0
