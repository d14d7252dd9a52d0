// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An optimizer's formula applied to arrays of one type, in vectors and element by element: the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/stream.hpp"
#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/host/rounded.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/format_vectors.hpp"

namespace amp::inline v0::kernels::host::detail {

// One number, or a vector of them.
template <class C>
AMP_ALWAYS_INLINE void get(const C* x, Rounded<C>& v) {
  v.value = *x;
}
template <class C, class Isa>
AMP_ALWAYS_INLINE void get(const C* x, Rounded<simd::Vec<C, Isa>>& v) {
  v.value = simd::load<Isa>(x);
}
template <class C>
AMP_ALWAYS_INLINE void put(const Rounded<C>& v, C* x) {
  *x = v.value;
}
template <class C, class Isa>
AMP_ALWAYS_INLINE void put(const Rounded<simd::Vec<C, Isa>>& v, C* x) {
  simd::store(v.value, x);
}

/// Sets it to 0, as a whole: {} would write a vector in pieces.
template <class V>
AMP_ALWAYS_INLINE void clear(Rounded<V>& v) {
  v.value = V{};
}

/// Steps the elements of arrays of one type, with the first kStates states of the rule. Set
/// `streams` if no cache will hold the copies until they are read.
template <class Rule, class C, std::size_t kStates = plain_states<Rule>()>
struct StepLoop {
  using Coefficients = typename Rule::template Coefficients<C>;

  C factor;  // of gradients
  Coefficients coefficients;
  Rule rule;
  bool streams;

  /// Also writes the new weights to `copy`, rounded, unless that is null.
  void run(const C* g, C* w, C* const (&states)[Rule::kStates], bfloat16* copy,
           std::int64_t n) const {
    const StepLoop* const self = this;
    C* const* const of_states = states;
    if constexpr (std::is_same_v<C, float>)
      simd::on_widest_without_fma<StepLoop>(self, g, w, of_states, copy, n);
    else
      run<simd::Baseline>(self, g, w, of_states, copy, n);
  }

  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const StepLoop* self, const C* g, C* w, C* const* of_states,
                                    bfloat16* copy, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>, kLine = simd::kMostLanes;
    const StepLoop loop = *self;  // a copy, since stores might alias it
    C* states[kStates];
    for (std::size_t s = 0; s < kStates; ++s) states[s] = of_states[s];
    const bool past_caches = loop.streams && simd::may_pass_caches(copy);
    std::int64_t i = 0;
    for (; i + kLine <= n; i += kLine) {
      simd::prefetch(g + i);
      simd::prefetch(w + i);
      for (std::size_t s = 0; s < kStates; ++s)
        if (loop.keeps(s)) simd::prefetch(states[s] + i);
      for (std::int64_t at = i; at < i + kLine; at += kLanes) {
        Rounded<simd::Vec<C, Isa>> weight;
        loop.step(g, w, states, at, weight);
      }
      if (copy == nullptr) continue;
      for (std::int64_t at = i; at < i + kLine; at += kLanes)  // a line of copies at a time
        store_copy(simd::load<Isa>(w + at), copy + at, past_caches);
    }
    for (; i < n; ++i) {
      Rounded<C> weight;
      loop.step(g, w, states, i, weight);
      if (copy != nullptr) copy[i] = bfloat16(static_cast<float>(weight.value));
    }
  }

 private:
  AMP_ALWAYS_INLINE bool keeps(std::size_t s) const {
    const int state = static_cast<int>(s);
    return !may_lack<Rule>(state) || rule.keeps_state(state);
  }

  template <std::size_t s, class V>
  AMP_ALWAYS_INLINE void get_state(C* const (&states)[kStates], std::int64_t i, V& state) const {
    if constexpr (s < kStates) {
      if (keeps(s)) {
        get(states[s] + i, state);
      } else {
        clear(state);
      }
    }
  }
  template <std::size_t s, class V>
  AMP_ALWAYS_INLINE void put_state(C* const (&states)[kStates], std::int64_t i,
                                   const V& state) const {
    if constexpr (s < kStates) {
      if (keeps(s)) put(state, states[s] + i);
    }
  }

  /// Steps the number, or the vector, at `i`.
  template <class V>
  AMP_ALWAYS_INLINE void step(const C* g, C* w, C* const (&states)[kStates], std::int64_t i,
                              V& weight) const {
    static_assert(kStates >= 1 && kStates <= 3);
    V grad, first, second, third;  // no array: g++ would keep the vectors in memory
    get(g + i, grad);
    get(w + i, weight);
    grad = factor * grad;
    get_state<0>(states, i, first);
    get_state<1>(states, i, second);
    get_state<2>(states, i, third);
    if constexpr (kStates == 1)
      Rule::update(coefficients, grad, weight, first);
    else if constexpr (kStates == 2)
      Rule::update(coefficients, grad, weight, first, second);
    else
      Rule::update(coefficients, grad, weight, first, second, third);
    put_state<0>(states, i, first);
    put_state<1>(states, i, second);
    put_state<2>(states, i, third);
    put(weight, w + i);
  }

  template <class Isa>
  AMP_ALWAYS_INLINE static void store_copy(const simd::Vec<float, Isa>& weights, bfloat16* copy,
                                           bool past_caches) {
    const auto codes = amp::detail::encode<bfloat16>(weights);
    if (past_caches)
      simd::store_past_caches(codes, copy);
    else
      simd::store(codes, reinterpret_cast<std::uint16_t*>(copy));
  }
  template <class Isa>
  AMP_ALWAYS_INLINE static void store_copy(const simd::Vec<double, Isa>& weights, bfloat16* copy,
                                           bool) {
    for (int l = 0; l < simd::kLanes<Isa>; ++l) copy[l] = bfloat16(static_cast<float>(weights[l]));
  }
};

}  // namespace amp::inline v0::kernels::host::detail
