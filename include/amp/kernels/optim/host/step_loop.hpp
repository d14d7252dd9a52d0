// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An optimizer's formula applied to arrays of one type, element by element or in vectors of 256
// bits (AVX2, chosen at run time): the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/host/rounded.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/convert.hpp"
#include "amp/types/convert_avx2.hpp"

namespace amp::inline v0::kernels::host::detail {

#if AMP_X86
/// Prefetches what comes six lines later in each array: the processor's own prefetcher does not
/// keep up with several arrays at a time, and stops at the end of each page.
inline void prefetch(const float* x) {
  constexpr std::uintptr_t kAhead = 384;
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) + kAhead));
}
/// With `streams`, stores bypass the caches, and the cache lines are not read first. Other threads
/// see the stores after fence_streams().
__attribute__((target("avx2"))) inline void store_copy(const __m256 (&weights)[2], bfloat16* copy,
                                                       bool streams) {
  auto* const to = reinterpret_cast<__m256i*>(copy);
  const __m256i codes = amp::detail::avx2::to_bfloat16(weights);
  streams ? _mm256_stream_si256(to, codes) : _mm256_storeu_si256(to, codes);
}
inline bool may_stream(const bfloat16* copy) {
  return reinterpret_cast<std::uintptr_t>(copy) % sizeof(__m256i) == 0;
}
#endif

inline void fence_streams() {
#if AMP_X86
  _mm_sfence();
#endif
}

/// Steps the elements of arrays of one type. Set `streams` if no cache will hold the copies until
/// they are read.
template <class Rule, class C>
struct StepLoop {
  using Coefficients = typename Rule::template Coefficients<C>;
  static constexpr std::size_t kStates = Rule::kStates;

  C factor;  // of gradients
  Coefficients coefficients;
  bool has_states, streams;

  bool keeps_states() const { return !kMayLackStates<Rule> || has_states; }

  /// Also writes the new weights to `copy`, rounded, unless that is null.
  void run(const C* g, C* w, C* const (&states)[kStates], bfloat16* copy, std::int64_t n) const {
    std::int64_t i = 0;
#if AMP_X86
    if constexpr (std::is_same_v<C, float>) {
      if (amp::detail::has_avx2()) i = run_avx2(g, w, states, copy, n);
    }
#endif
    const StepLoop loop = *this;  // a copy, since stores might alias *this
    for (; i < n; ++i) {
      Rounded<C> grad = loop.factor * Rounded<C>{g[i]}, weight{w[i]}, state[kStates] = {};
      for (std::size_t s = 0; s < kStates && loop.keeps_states(); ++s)
        state[s].value = states[s][i];
      update_with<Rule>(loop.coefficients, grad, weight, state);
      for (std::size_t s = 0; s < kStates && loop.keeps_states(); ++s)
        states[s][i] = state[s].value;
      w[i] = weight.value;
      if (copy != nullptr) copy[i] = bfloat16(static_cast<float>(w[i]));
    }
  }

 private:
#if AMP_X86
  /// Returns how many were stepped, in order.
  __attribute__((target("avx2"))) std::int64_t run_avx2(const float* g, float* w,
                                                        float* const (&states)[kStates],
                                                        bfloat16* copy, std::int64_t n) const {
    using V = Rounded<lanes::Avx2::F>;
    const StepLoop loop = *this;  // as above
    float* s[kStates];
    for (std::size_t k = 0; k < kStates; ++k) s[k] = states[k];
    const bool past_caches = loop.streams && may_stream(copy);
    std::int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
      prefetch(g + i);
      prefetch(w + i);
      for (std::size_t k = 0; k < kStates && loop.keeps_states(); ++k) prefetch(s[k] + i);
      __m256 weights[2];
      for (int part = 0; part < 2; ++part) {
        const std::int64_t at = i + 8 * part;
        V grad = loop.factor * V{_mm256_loadu_ps(g + at)};
        V weight{_mm256_loadu_ps(w + at)}, state[kStates] = {};
        for (std::size_t k = 0; k < kStates && loop.keeps_states(); ++k)
          state[k].value = _mm256_loadu_ps(s[k] + at);
        update_with<Rule>(loop.coefficients, grad, weight, state);
        for (std::size_t k = 0; k < kStates && loop.keeps_states(); ++k)
          _mm256_storeu_ps(s[k] + at, state[k].value);
        weights[part] = weight.value;
        _mm256_storeu_ps(w + at, weights[part]);
      }
      if (copy != nullptr) store_copy(weights, copy + i, past_caches);
    }
    return i;
  }
#endif
};

}  // namespace amp::inline v0::kernels::host::detail
