// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arithmetic of optimizer steps over arrays of one type, and the same in vectors of 256 bits
// (AVX2, chosen at run time): the same bits, since every operation is rounded by itself. FMA would
// round once for a product and its sum. Formulas as in optim/sgd.hpp and optim/adam.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "amp/types/bfloat16.hpp"
#include "amp/types/convert.hpp"

namespace amp::inline v0::kernels::host::detail {

#if AMP_X86
/// Asks for what comes six lines later in each array: the processor's own prefetcher does not keep
/// up with several arrays at a time, and stops at the end of each page.
inline void prefetch(std::initializer_list<const float*> arrays) {
  constexpr std::uintptr_t kAhead = 384;
  for (const float* const x : arrays)
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(x) + kAhead));
}
/// With `streams` past the caches, and without reading the lines first: fence_streams() then lets
/// others see it.
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

/// Both write the new weights also to `copy`, rounded, where that is not null; `streams` where no
/// cache will keep it until it is read.
template <class C>
struct SgdLoop {
  C factor, rate, momentum, decay;
  bool nesterov, streams = false;

  /// `v` may be null: no momentum.
  void run(const C* g, C* w, C* v, bfloat16* copy, std::int64_t n) const {
    std::int64_t i = 0;
#if AMP_X86
    if constexpr (std::is_same_v<C, float>) {
      if (amp::detail::has_avx2()) i = run_avx2(g, w, v, copy, n);
    }
#endif
    for (; i < n; ++i) {
      C step = g[i] * factor + (decay != 0 ? decay * w[i] : C{0});
      if (v != nullptr) {
        v[i] = momentum * v[i] + step;
        step = nesterov ? step + momentum * v[i] : v[i];
      }
      w[i] -= rate * step;
      if (copy != nullptr) copy[i] = bfloat16(static_cast<float>(w[i]));
    }
  }

 private:
#if AMP_X86
  /// How many were done, in order.
  __attribute__((target("avx2"))) std::int64_t run_avx2(const C* g, C* w, C* v, bfloat16* copy,
                                                        std::int64_t n) const {
    const __m256 scale = _mm256_set1_ps(factor), lr = _mm256_set1_ps(rate),
                 mu = _mm256_set1_ps(momentum), shrink = _mm256_set1_ps(decay);
    const bool past_caches = streams && may_stream(copy);
    std::int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
      prefetch({g + i, w + i, v != nullptr ? v + i : w + i});
      __m256 weights[2];
      for (int part = 0; part < 2; ++part) {
        const std::int64_t at = i + 8 * part;
        const __m256 weight = _mm256_loadu_ps(w + at);
        const __m256 added = decay != 0 ? _mm256_mul_ps(shrink, weight) : _mm256_setzero_ps();
        __m256 step = _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(g + at), scale), added);
        if (v != nullptr) {
          const __m256 moment = _mm256_add_ps(_mm256_mul_ps(mu, _mm256_loadu_ps(v + at)), step);
          _mm256_storeu_ps(v + at, moment);
          step = nesterov ? _mm256_add_ps(step, _mm256_mul_ps(mu, moment)) : moment;
        }
        weights[part] = _mm256_sub_ps(weight, _mm256_mul_ps(lr, step));
        _mm256_storeu_ps(w + at, weights[part]);
      }
      if (copy != nullptr) store_copy(weights, copy + i, past_caches);
    }
    return i;
  }
#endif
};

template <class C>
struct AdamLoop {
  C factor, step_size, eps, shrink, weight1, weight2, beta2, decay;
  bool decoupled, streams = false;

  /// Without a decay no weight gets into a gradient: 0 times an infinite one would be NaN.
  bool coupled() const { return !decoupled && decay != 0; }
  void run(const C* g, C* w, C* m, C* v, bfloat16* copy, std::int64_t n) const {
    std::int64_t i = 0;
#if AMP_X86
    if constexpr (std::is_same_v<C, float>) {
      if (amp::detail::has_avx2()) i = run_avx2(g, w, m, v, copy, n);
    }
#endif
    for (; i < n; ++i) {
      if (decoupled) w[i] *= shrink;
      const C grad = g[i] * factor + (coupled() ? decay * w[i] : C{0});
      m[i] += weight1 * (grad - m[i]);
      v[i] = beta2 * v[i] + weight2 * grad * grad;
      w[i] -= step_size * m[i] / (std::sqrt(v[i]) + eps);
      if (copy != nullptr) copy[i] = bfloat16(static_cast<float>(w[i]));
    }
  }

 private:
#if AMP_X86
  __attribute__((target("avx2"))) std::int64_t run_avx2(const C* g, C* w, C* m, C* v,
                                                        bfloat16* copy, std::int64_t n) const {
    const __m256 scale = _mm256_set1_ps(factor), size = _mm256_set1_ps(step_size),
                 least = _mm256_set1_ps(eps), smaller = _mm256_set1_ps(shrink),
                 w1 = _mm256_set1_ps(weight1), w2 = _mm256_set1_ps(weight2),
                 b2 = _mm256_set1_ps(beta2), share = _mm256_set1_ps(decay);
    const bool past_caches = streams && may_stream(copy);
    std::int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
      prefetch({g + i, w + i, m + i, v + i});
      __m256 weights[2];
      for (int part = 0; part < 2; ++part) {
        const std::int64_t at = i + 8 * part;
        __m256 weight = _mm256_loadu_ps(w + at);
        __m256 grad = _mm256_mul_ps(_mm256_loadu_ps(g + at), scale);
        if (decoupled) weight = _mm256_mul_ps(weight, smaller);
        const __m256 added = coupled() ? _mm256_mul_ps(share, weight) : _mm256_setzero_ps();
        grad = _mm256_add_ps(grad, added);
        const __m256 before = _mm256_loadu_ps(m + at);
        const __m256 mean = _mm256_add_ps(before, _mm256_mul_ps(w1, _mm256_sub_ps(grad, before)));
        const __m256 square = _mm256_add_ps(_mm256_mul_ps(b2, _mm256_loadu_ps(v + at)),
                                            _mm256_mul_ps(_mm256_mul_ps(w2, grad), grad));
        _mm256_storeu_ps(m + at, mean);
        _mm256_storeu_ps(v + at, square);
        const __m256 step =
            _mm256_div_ps(_mm256_mul_ps(size, mean), _mm256_add_ps(_mm256_sqrt_ps(square), least));
        weights[part] = _mm256_sub_ps(weight, step);
        _mm256_storeu_ps(w + at, weights[part]);
      }
      if (copy != nullptr) store_copy(weights, copy + i, past_caches);
    }
    return i;
  }
#endif
};

}  // namespace amp::inline v0::kernels::host::detail
