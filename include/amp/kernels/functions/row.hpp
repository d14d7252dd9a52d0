// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a function of elements says of itself. The function is a struct with static members, and its
// base says the rest: the name of the op, which dtypes it takes, what backward needs. The kernels
// of all devices, the backend's table and the op follow from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels::functions {

/// The dtypes that a function takes, and that of its result.
enum class Domain : std::uint8_t {
  kNumbers,   ///< any but bool; the result has the dtype of the operands
  kReal,      ///< any; the result is floating point: integers and bools give float32
  kFloating,  ///< floating point, and so is the result
  kTruth,     ///< any; the result is bool, and has no derivative
};

/// What backward keeps for the derivative of a function of one operand.
enum class Saves : std::uint8_t {
  kNothing,  ///< the derivative is 0
  kInput,
  kOutput,
};

using enum Domain;
using enum Saves;

/// A string as a template argument.
template <std::size_t Size>
struct Name {
  char text[Size];
  constexpr Name(const char (&name)[Size]) {  // NOLINT: a literal converts
    for (std::size_t i = 0; i < Size; ++i) text[i] = name[i];
  }
};

/// A function of one operand:
///   apply(x)              f(x)
///   derivative(grad, x)   grad f'(x); y = f(x) in the place of x if backward keeps the output
/// Parameters of the op, if there are any, follow as numbers of the same type.
template <Name kText, Domain Of, Saves Keeps, int Parameters = 0>
struct Unary {
  static constexpr const char* kName = kText.text;
  static constexpr Domain kDomain = Of;
  static constexpr Saves kSaves = Keeps;
  static constexpr int kParameters = Parameters;
};

/// A function of two operands:
///   apply(a, b)   f(a, b)
///   by_a(a, b)    df/da; without it, df/da is 1
///   by_b(a, b)    df/db
/// Functions whose op computes its derivatives itself have neither. Parameters follow as above. A
/// kFactor multiplies the gradient before the derivatives do.
template <Name kText, Domain Of, int Parameters = 0>
struct Binary {
  static constexpr const char* kName = kText.text;
  static constexpr Domain kDomain = Of;
  static constexpr int kParameters = Parameters;
  static constexpr double kFactor = 1;
};

// clang-format off
/// Declares the formula of a member: of numbers of one type, on host and device, or of vectors of
/// them (core/simd/vec.hpp). It chooses by select(), and calls functions by their plain names. It
/// has no variables, but parameters, since nvcc takes no variables with vectors in them there.
#define AMP_FORMULA AMP_EITHER_SIDE template <class C> AMP_HOST_DEVICE AMP_ALWAYS_INLINE static C
/// The same of one that gives a bool, or a mask.
#define AMP_CONDITION AMP_EITHER_SIDE template <class C> AMP_HOST_DEVICE AMP_ALWAYS_INLINE static auto
// clang-format on

/// The derivative of a function of one operand, as a function of the gradient and what was kept.
template <class Function>
struct Derivative : Binary<"derivative", kFloating> {
  static constexpr int kParameters = Function::kParameters;
  AMP_EITHER_SIDE
  template <class C, class... Parameters>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE static C apply(C grad, C kept, Parameters... parameters) {
    return Function::derivative(grad, kept, parameters...);
  }
};
/// The gradients by the operands of a function of two, as functions of the gradient and both.
template <class Function>
struct ByA : Binary<"by_a", kFloating, Function::kParameters> {
  AMP_EITHER_SIDE
  template <class C, class... Parameters>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE static C apply(C grad, C a, C b, Parameters... parameters) {
    return (C(Function::kFactor) * grad) * Function::by_a(a, b, parameters...);
  }
};
template <class Function>
struct ByB : Binary<"by_b", kFloating, Function::kParameters> {
  AMP_EITHER_SIDE
  template <class C, class... Parameters>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE static C apply(C grad, C a, C b, Parameters... parameters) {
    return (C(Function::kFactor) * grad) * Function::by_b(a, b, parameters...);
  }
};

/// A function with the parameters of a call, for numbers of type C and vectors of them.
template <class Function, class C>
struct Bound {
  C first, second;

  AMP_EITHER_SIDE
  template <class V, class... Values>
  requires std::is_arithmetic_v<V> AMP_HOST_DEVICE AMP_ALWAYS_INLINE auto operator()(
      V value, Values... values) const {
    if constexpr (Function::kParameters == 0) {
      return Function::apply(value, values...);
    } else if constexpr (Function::kParameters == 1) {
      return Function::apply(value, values..., static_cast<V>(first));
    } else {
      return Function::apply(value, values..., static_cast<V>(first), static_cast<V>(second));
    }
  }
  /// Of vectors, which nvcc refuses in functions of the device.
  template <class V, class... Values>
    requires(!std::is_arithmetic_v<V>)
  AMP_ALWAYS_INLINE auto operator()(V value, Values... values) const {
    if constexpr (Function::kParameters == 0) {
      return Function::apply(value, values...);
    } else if constexpr (Function::kParameters == 1) {
      return Function::apply(value, values..., static_cast<V>(first));
    } else {
      return Function::apply(value, values..., static_cast<V>(first), static_cast<V>(second));
    }
  }
};

template <class Function>
concept HasDerivative = Function::kSaves != kNothing;
template <class Function>
concept HasByA = requires(float x) {
  Function::by_a(x, x);
}
|| requires(float x) { Function::by_a(x, x, x); }
|| requires(float x) { Function::by_a(x, x, x, x); };
template <class Function>
concept HasByB = requires(float x) {
  Function::by_b(x, x);
}
|| requires(float x) { Function::by_b(x, x, x); }
|| requires(float x) { Function::by_b(x, x, x, x); };

/// The functions of a table, by which it is indexed.
template <class... Functions>
struct List {
  static constexpr int kSize = sizeof...(Functions);
  /// The position of a function; one that is not listed does not compile.
  template <class Function>
  static consteval int index() {
    int at = 0;
    const bool found = ((__is_same(Function, Functions) || (++at, false)) || ...);
    if (!found) throw "the function is not listed at the end of its file";
    return at;
  }
};

template <class, class>
struct Joined;
template <class... F, class... G>
struct Joined<List<F...>, List<G...>> {
  using type = List<F..., G...>;
};

}  // namespace amp::inline v0::kernels::functions
