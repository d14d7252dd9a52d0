// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What long passes over memory tell the caches.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// Prefetches what comes six lines later in an array: the processor's own prefetcher does not keep
/// up with several arrays at a time, and stops at the end of each page.
AMP_ALWAYS_INLINE void prefetch(const void* x) {
  constexpr std::uintptr_t kAhead = 384;
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) + kAhead));
}

/// Whether store_past_caches() may write from there on, whole vectors.
AMP_ALWAYS_INLINE bool may_pass_caches(const void* x) {
  return AMP_X86 != 0 && reinterpret_cast<std::uintptr_t>(x) % 64 == 0;
}
/// Stores without reading the cache lines first. Other threads see it after fence_stores().
template <class T, class Isa>
AMP_ALWAYS_INLINE void store_past_caches(const Vec<T, Isa>& v, void* x) {
  using Native = typename Vec<T, Isa>::Native;
  auto* const to = reinterpret_cast<Native*>(x);
#if AMP_X86 && defined(__clang__)
  __builtin_nontemporal_store(v.low, to);
#elif AMP_X86
  if constexpr (sizeof(Native) >= 16)
    __asm__("movntdq %1, %0" : "=m"(*to) : "x"(v.low));
  else
    *to = v.low;
#else
  *to = v.low;
#endif
}
AMP_ALWAYS_INLINE void fence_stores() {
#if AMP_X86
  __builtin_ia32_sfence();
#endif
}

}  // namespace amp::inline v0::simd
