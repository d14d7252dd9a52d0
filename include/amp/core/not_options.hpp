// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Arguments that are given by place, as in Python, although C++ takes them as options by name.
#pragma once

#include <concepts>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Whether an argument is given in the place of `Options` but is none: 3e-4 in AdamW(params, 3e-4).
/// A class with options has a deleted constructor for such arguments. Compilers print its line, so
/// the comment on that line says what to write.
template <class T, class Options>
concept NotOptions = !std::convertible_to<const T&, Options>;

}  // namespace amp::inline v0::detail
