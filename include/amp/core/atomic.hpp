// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Atomic additions to a number in an array, as std::atomic_ref does them; libc++ has it only from
// version 19.
#pragma once

namespace amp::inline v0::detail {

/// Adds to a number to which other threads add too. It orders no other access to memory.
template <class Integer>
void add_relaxed(Integer& to, Integer value) noexcept {
  __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}

}  // namespace amp::inline v0::detail
