// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A set of addresses, whatever lies there: one type, so that a source file compiles one such set.
#pragma once

#include <functional>
#include <unordered_set>

#include "amp/core/object_pool.hpp"

namespace amp::inline v0::detail {

using AddressSet = std::unordered_set<const void*, std::hash<const void*>, std::equal_to<>,
                                      PoolAllocator<const void*>>;

}  // namespace amp::inline v0::detail
