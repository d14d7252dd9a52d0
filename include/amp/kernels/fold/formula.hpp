// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Folds: reductions that take elements one after another, in any order, into a state. A fold is
//
//   State<C>                of elements that are computed in C: float, double or int64
//   none<C>()               the state before the first element
//   add(state, x)           takes an element
//   join(a, b)              the state of the elements of both
//   finish(state)           the result
//   kIntegers               whether there are integer elements; otherwise they are read as floats
//   kVectors                whether add and join take vectors of floats too (core/simd/vec.hpp), as
//                           the formulas of functions do (functions/row.hpp); State of a vector is
//                           a vector then, with the state of a lane's elements in each lane
//
// The host's loop (host.hpp) and the CUDA kernel (cuda.cuh) exist once, for all of them. Derivatives
// are elementwise: apply(grad, x, y, more), with y the result of the element's line.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/fold/args.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

using functions::exp;
using functions::pow;
using functions::select;
using functions::to_double;
using functions::wide_power;

/// The ends of a type, which are infinite if it has infinities. Members, since device code may not
/// call the functions of std::numeric_limits.
template <class C>
struct Bounds {
  using Limits = std::numeric_limits<C>;
  static constexpr C kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static constexpr C kHighest = Limits::has_infinity ? Limits::infinity() : (Limits::max)();
};

/// The type that products of elements are computed in.
AMP_HOST_DEVICE inline std::int64_t widest(std::int64_t x) { return x; }
AMP_EITHER_SIDE
template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE auto widest(C x) -> decltype(to_double(x)) {
  return to_double(x);
}

/// The product: of floats in double, of integers modulo 2^64.
struct Product {
  static constexpr bool kIntegers = true, kVectors = true;
  template <class C>
  using State = decltype(widest(C{}));

  template <class C>
  AMP_HOST_DEVICE static State<C> none() {
    return 1;
  }
  AMP_EITHER_SIDE
  template <class S, class C>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void add(S& product, C x) const {
    product = join(product, widest(x));
  }
  AMP_FORMULA join(C a, C b) { return functions::Mul::apply(a, b); }
  template <class S>
  AMP_HOST_DEVICE S finish(S product) const {
    return product;
  }
};

/// The product of the other elements, if exactly one is zero; 0 if none or several are.
struct Cofactor {
  static constexpr bool kIntegers = false, kVectors = false;
  struct Factors {
    double product;  // of the elements that are not zero
    int zeros;       // 2 if there are more: a thread of a device has registers for no wider number
  };
  template <class C>
  using State = Factors;

  template <class C>
  AMP_HOST_DEVICE static Factors none() {
    return {1, 0};
  }
  template <class C>
  AMP_HOST_DEVICE void add(Factors& factors, C x) const {
    if (x == C{0}) {
      factors.zeros = factors.zeros == 0 ? 1 : 2;
    } else {
      factors.product *= static_cast<double>(x);
    }
  }
  AMP_HOST_DEVICE static Factors join(Factors a, Factors b) {
    const int zeros = a.zeros + b.zeros;
    return {a.product * b.product, zeros > 2 ? 2 : zeros};
  }
  AMP_HOST_DEVICE double finish(Factors factors) const {
    return factors.zeros == 1 ? factors.product : 0;
  }
};

/// d prod / dx = prod / x. If x is zero, it is the product of the others, which is `cofactor`: with
/// a second zero, that is 0 too.
struct ProductBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA apply(C grad, C x, C product, C cofactor) {
    return grad * select(x == C{0}, cofactor, product / x);
  }
};

/// The largest (smallest) element, or magnitude of an element; NaN if any is NaN.
template <bool Largest>
struct Extreme {
  static constexpr bool kIntegers = true, kVectors = true;
  bool of_magnitudes = false;

  template <class C>
  using State = C;

  template <class C>
  AMP_HOST_DEVICE static C none() {
    return Largest ? Bounds<C>::kLowest : Bounds<C>::kHighest;
  }
  AMP_EITHER_SIDE
  template <class C>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void add(C& best, C x) const {
    best = join(best, of_magnitudes ? functions::Abs::apply(x) : x);
  }
  AMP_FORMULA join(C a, C b) {
    if constexpr (Largest) return functions::Maximum::apply(a, b);
    return functions::Minimum::apply(a, b);
  }
  template <class C>
  AMP_HOST_DEVICE C finish(C best) const {
    return best;
  }
};

/// log(sum(exp(x))), as m + log(sum(exp(x - m))) with the maximum m of the elements so far: the sum
/// shrinks as that rises (Milakov and Gimelshein 2018, arXiv 1805.02867, algorithm 3).
struct LogSumExp {
  static constexpr bool kIntegers = false, kVectors = false;
  template <class C>
  struct State {
    C maximum;
    double sum;

    /// Returns what is subtracted: 0 if the maximum is infinite. Then -infinity adds 0, and
    /// infinity makes the sum infinite.
    AMP_HOST_DEVICE C origin() const { return is_finite(maximum) ? maximum : C{0}; }
    AMP_HOST_DEVICE void raise(C to) {
      if (!(to > maximum)) return;
      sum *= static_cast<double>(functions::exp(maximum - to));
      maximum = to;
    }
  };

  template <class C>
  AMP_HOST_DEVICE static State<C> none() {
    return {Bounds<C>::kLowest, 0};
  }
  template <class C>
  AMP_HOST_DEVICE void add(State<C>& state, C x) const {
    state.raise(x);
    state.sum += static_cast<double>(functions::exp(x - state.origin()));
  }
  template <class C>
  AMP_HOST_DEVICE static State<C> join(State<C> a, State<C> b) {
    a.raise(b.maximum);
    b.raise(a.maximum);
    a.sum += b.sum;
    return a;
  }
  template <class C>
  AMP_HOST_DEVICE double finish(State<C> state) const {
    return static_cast<double>(state.origin()) + functions::log(state.sum);
  }
};

struct LogSumExpBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA apply(C grad, C x, C y, C) { return grad * exp(x - y); }
};

/// sum(|x|^p)^(1/p) for a finite order p: the number of elements that are not zero for p = 0.
struct PowerSum {
  static constexpr bool kIntegers = false, kVectors = true;
  enum class Kind : std::uint8_t { kCount, kMagnitudes, kSquares, kPowers };
  double order;
  Kind kind;

  explicit PowerSum(double p)
      : order(p),
        kind(p == 0   ? Kind::kCount
             : p == 1 ? Kind::kMagnitudes
             : p == 2 ? Kind::kSquares
                      : Kind::kPowers) {}

  template <class C>
  using State = decltype(to_double(C{}));

  template <class C>
  AMP_HOST_DEVICE static double none() {
    return 0;
  }
  AMP_EITHER_SIDE
  template <class S, class C>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void add(S& sum, C x) const {
    switch (kind) {
      case Kind::kCount:
        sum += to_double(select(x == C{0}, C{0}, C{1}));
        break;
      case Kind::kMagnitudes:
        sum += to_double(functions::Abs::apply(x));
        break;
      case Kind::kSquares:
        sum += to_double(x) * to_double(x);
        break;
      case Kind::kPowers:
        sum += wide_power(functions::Abs::apply(x), order);
    }
  }
  AMP_FORMULA join(C a, C b) { return a + b; }
  AMP_HOST_DEVICE double finish(double sum) const {
    return kind == Kind::kSquares  ? functions::sqrt(sum)
           : kind == Kind::kPowers ? functions::pow(sum, 1 / order)
                                   : sum;
  }
};

/// A norm of any order, infinite ones included: the fold depends on the order.
struct VectorNorm {
  static constexpr bool kIntegers = false;
};

/// The derivatives of a norm y of finite order p != 0: sign(x) (|x| / y)^(p - 1), and 0 if x is 0
/// or y is, for lack of one. As torch's, that of order 1 is 0 if x is NaN.
struct MagnitudesBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA apply(C grad, C x, C y, C) {
    return select(y == C{0}, C{0}, grad * functions::Sign::apply(x));
  }
};
struct SquaresBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA apply(C grad, C x, C y, C) { return select(y == C{0}, C{0}, grad * (x / y)); }
};
/// Of an order between 0 and 2 (kLow), powers have an exponent between -1 and 1 and do not
/// overflow, and the quotient may underflow; of others it is the other way round.
template <bool kLow>
struct PowersBackward {
  static constexpr int kParameters = 0;

  AMP_FORMULA power(C size, C y, C e) {
    if constexpr (kLow) return pow(size, e) / pow(y, e);
    return pow(size / y, e);
  }
  AMP_FORMULA with_sign_of(C x, C power) {
    return select(x > C{0}, power, select(x < C{0}, -power, C{0} * power));
  }
  AMP_FORMULA of_other(C grad, C x, C y, C p) {
    return grad * with_sign_of(x, power(functions::Abs::apply(x), y, p - C{1}));
  }
  AMP_FORMULA apply(C grad, C x, C y, C p) {
    return select(y == C{0}, C{0},
                  select(x == C{0} && p < C{1}, grad * (x * y),  // 0, or NaN if y is not finite
                         of_other(grad, x, y, p)));
  }
};
/// The derivative depends on the order, which is `more`.
struct VectorNormBackward {};

/// Calls visitor(derivative) with the derivative that an op stands for.
template <class Op, class Visitor>
void visit_derivative([[maybe_unused]] const FoldBackwardArgs& args, Visitor&& visitor) {
  if constexpr (std::is_same_v<Op, VectorNormBackward>) {
    const double p = args.more.value;
    if (p == 1) return visitor(MagnitudesBackward{});
    if (p == 2) return visitor(SquaresBackward{});
    if (p > 0 && p < 2) return visitor(PowersBackward<true>{});
    visitor(PowersBackward<false>{});
  } else {
    visitor(Op{});
  }
}

/// Calls visitor(fold, type_tag<C>) with the fold that an op stands for, and the type of its
/// elements.
template <class Op, class Visitor>
void visit_fold(const FoldArgs& args, Visitor&& visitor) {
  const auto of_type = [&](auto tag) {
    if constexpr (std::is_same_v<Op, VectorNorm>) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      if (args.order == kInfinity) return visitor(Extreme<true>{.of_magnitudes = true}, tag);
      if (args.order == -kInfinity) return visitor(Extreme<false>{.of_magnitudes = true}, tag);
      visitor(PowerSum(args.order), tag);
    } else {
      visitor(Op{}, tag);
    }
  };
  if constexpr (Op::kIntegers) {
    visit_compute_type(args.input.dtype, of_type);
  } else {
    visit_float_type(args.input.dtype, of_type);
  }
}

}  // namespace amp::inline v0::kernels
