// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sum of a block of elements: in the type that kernels compute in, but of floats in double; or
// of elements as they are stored, in float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/types/format_vectors.hpp"

namespace amp::inline v0::kernels::host::detail {

template <class Isa, class C, class Term>
AMP_ALWAYS_INLINE simd::Vec<double, Isa> term_of_first(const C* x, std::int64_t n,
                                                       const Term& term) {
  return simd::keep_first(term(simd::to_double(simd::load_first<Isa>(x, n))), n);
}
/// The sum of term(x) over a row: terms of vectors of doubles, in two sums that do not wait for
/// each other. Element i is added to lane i modulo twice the lanes.
template <class Isa, class C, class Term>
AMP_ALWAYS_INLINE double sum_of_terms(const C* x, std::int64_t n, const Term& term) {
  constexpr std::int64_t kLanes = simd::kLanes<Isa>;
  simd::Vec<double, Isa> even = 0, odd = 0;
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    even += term(simd::load_doubles<Isa>(x + i));
    odd += term(simd::load_doubles<Isa>(x + i + kLanes));
  }
  if (i + kLanes <= n) {
    even += term(simd::load_doubles<Isa>(x + i));
    i += kLanes;
    if (i < n) odd += term_of_first<Isa>(x + i, n - i, term);
  } else if (i < n) {
    even += term_of_first<Isa>(x + i, n - i, term);
  }
  return simd::sum_of(even + odd);
}

struct Itself {
  template <class V>
  AMP_ALWAYS_INLINE V operator()(const V& x) const {
    return x;
  }
};
struct Square {
  template <class V>
  AMP_ALWAYS_INLINE V operator()(const V& x) const {
    return x * x;
  }
};
struct SumOfRow : simd::UpToAvx2 {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, std::int64_t n) {
    return sum_of_terms<Isa>(x, n, Itself{});
  }
};

template <class Sum, class C>
Sum sum_block(const C* values, std::int64_t n) {
  if constexpr (std::is_floating_point_v<C>) {
    return on_rows<SumOfRow, C>(values, n);
  } else {
    Sum sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<Sum>(values[i]);
    return sum;
  }
}

/// Whether visit_floats() calls kernels of this set with such numbers.
template <class Isa, class T>
inline constexpr bool kLoadsFloats = std::is_same_v<T, float> || Isa::kHasHalf;

/// The sum of term(x) over a block of floats, or of 16-bit numbers as floats: in float, until the
/// lanes are added.
template <class Term>
struct ShortSum : simd::UpToAvx2 {
  template <class Isa, class T>
  AMP_ALWAYS_INLINE static double run(const T* x, std::int64_t n) {
    if constexpr (!kLoadsFloats<Isa, T>) return 0;
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    const Term term;
    simd::Vec<float, Isa> a = 0, b = 0, c = 0, d = 0;
    std::int64_t i = 0;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      a += term(amp::detail::load_floats<Isa>(x + i));
      b += term(amp::detail::load_floats<Isa>(x + i + kLanes));
      c += term(amp::detail::load_floats<Isa>(x + i + 2 * kLanes));
      d += term(amp::detail::load_floats<Isa>(x + i + 3 * kLanes));
    }
    for (; i + kLanes <= n; i += kLanes) a += term(amp::detail::load_floats<Isa>(x + i));
    double total = simd::sum_of(simd::to_double(a) + simd::to_double(b) + simd::to_double(c) +
                                simd::to_double(d));
    for (; i < n; ++i) total += static_cast<double>(term(static_cast<float>(x[i])));
    return total;
  }
};

/// Calls visitor(x) with the elements from `at` on as they are stored, if vectors of floats are
/// loaded from those (load_floats); returns whether they are.
template <class Visitor>
bool visit_floats(const Operand& input, std::int64_t at, Visitor&& visitor) {
  const void* const x = element(input, at);
  if (input.dtype != kFloat32 && !amp::detail::has_vectors_of_16_bits()) return false;
  switch (input.dtype) {
    case kFloat32:
      visitor(static_cast<const float*>(x));
      return true;
    case kBFloat16:
      visitor(static_cast<const bfloat16*>(x));
      return true;
    case kFloat16:
      visitor(static_cast<const half*>(x));
      return true;
    default:
      return false;
  }
}

}  // namespace amp::inline v0::kernels::host::detail
