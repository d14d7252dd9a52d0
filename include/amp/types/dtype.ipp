// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

AMP_INLINE std::string to_string(DType dtype) { return std::string(name(dtype)); }

}  // namespace amp::inline v0
