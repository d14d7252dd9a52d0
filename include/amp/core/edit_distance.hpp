// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How far apart two names are, to suggest the nearest for a mistyped one.
#pragma once

#include <cstddef>
#include <string_view>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Returns the least number of characters to insert, delete or replace that makes `a` into `b`
/// (Levenshtein). It takes a time in proportion to the product of the lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/edit_distance.ipp"
#endif
