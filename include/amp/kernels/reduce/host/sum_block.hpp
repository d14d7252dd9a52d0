// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sum of a block of elements in the type that kernels compute in: floats are added in double.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

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

struct ItselfTerm {
  template <class V>
  AMP_ALWAYS_INLINE V operator()(const V& x) const {
    return x;
  }
};
struct SumOfRow : simd::UpToAvx2 {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, std::int64_t n) {
    return sum_of_terms<Isa>(x, n, ItselfTerm{});
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

}  // namespace amp::inline v0::kernels::host::detail
