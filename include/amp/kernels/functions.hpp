// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The scalar expressions of elementwise ops, the same source on every device.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::functions {

/// C's functions, available on host and device.
namespace math {
// clang-format off
AMP_HOST_DEVICE inline float exp(float x) { return ::expf(x); }
AMP_HOST_DEVICE inline double exp(double x) { return ::exp(x); }
AMP_HOST_DEVICE inline float log(float x) { return ::logf(x); }
AMP_HOST_DEVICE inline double log(double x) { return ::log(x); }
AMP_HOST_DEVICE inline float log1p(float x) { return ::log1pf(x); }
AMP_HOST_DEVICE inline double log1p(double x) { return ::log1p(x); }
AMP_HOST_DEVICE inline float sqrt(float x) { return ::sqrtf(x); }
AMP_HOST_DEVICE inline double sqrt(double x) { return ::sqrt(x); }
AMP_HOST_DEVICE inline float tanh(float x) { return ::tanhf(x); }
AMP_HOST_DEVICE inline double tanh(double x) { return ::tanh(x); }
AMP_HOST_DEVICE inline float erf(float x) { return ::erff(x); }
AMP_HOST_DEVICE inline double erf(double x) { return ::erf(x); }
AMP_HOST_DEVICE inline float pow(float x, float y) { return ::powf(x, y); }
AMP_HOST_DEVICE inline double pow(double x, double y) { return ::pow(x, y); }
AMP_HOST_DEVICE inline float fmax(float x, float y) { return ::fmaxf(x, y); }
AMP_HOST_DEVICE inline double fmax(double x, double y) { return ::fmax(x, y); }
AMP_HOST_DEVICE inline float floor(float x) { return ::floorf(x); }
AMP_HOST_DEVICE inline float cos(float x) { return ::cosf(x); }
AMP_HOST_DEVICE inline float sin(float x) { return ::sinf(x); }
// clang-format on
}  // namespace math

// Integers wrap around, on every device: computed without a sign, since that is defined.
AMP_HOST_DEVICE constexpr std::int64_t wrapping(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}
AMP_HOST_DEVICE constexpr std::uint64_t bits_of(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}

/// Returns base^exponent by squaring, modulo 2^64. A negative exponent gives the integer part of
/// the reciprocal.
AMP_HOST_DEVICE constexpr std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  std::uint64_t power = 1, square = static_cast<std::uint64_t>(base);
  for (; exponent != 0; exponent /= 2, square *= square) {
    if (exponent % 2 != 0) power *= square;
  }
  return static_cast<std::int64_t>(power);
}

// clang-format off
struct Identity { template <class C> AMP_HOST_DEVICE static C apply(C x) { return x; } };
struct Neg { template <class C> AMP_HOST_DEVICE static C apply(C x) { return -x; }
             AMP_HOST_DEVICE static std::int64_t apply(std::int64_t x) { return wrapping(0 - bits_of(x)); } };
struct Abs { template <class C> AMP_HOST_DEVICE static C apply(C x) { return x < C{0} ? Neg::apply(x) : x == C{0} ? C{0} : x; } };
struct Exp { template <class C> AMP_HOST_DEVICE static C apply(C x) { return math::exp(x); } };
struct Log { template <class C> AMP_HOST_DEVICE static C apply(C x) { return math::log(x); } };
struct Log1p { template <class C> AMP_HOST_DEVICE static C apply(C x) { return math::log1p(x); } };
struct Sqrt { template <class C> AMP_HOST_DEVICE static C apply(C x) { return math::sqrt(x); } };
struct Rsqrt { template <class C> AMP_HOST_DEVICE static C apply(C x) { return C{1} / math::sqrt(x); } };
struct Tanh { template <class C> AMP_HOST_DEVICE static C apply(C x) { return math::tanh(x); } };
struct Sigmoid { template <class C> AMP_HOST_DEVICE static C apply(C x) { return C{1} / (C{1} + math::exp(-x)); } };
/// NaN stays NaN, as in torch.
struct Relu { template <class C> AMP_HOST_DEVICE static C apply(C x) { return x > C{0} || is_nan(x) ? x : C{0}; } };
struct Silu { template <class C> AMP_HOST_DEVICE static C apply(C x) { return x / (C{1} + math::exp(-x)); } };
struct Add { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a + b; }
             AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrapping(bits_of(a) + bits_of(b)); } };
/// relu(a + b)
struct AddRelu { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return Relu::apply(a + b); } };
struct Sub { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a - b; }
             AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrapping(bits_of(a) - bits_of(b)); } };
struct Mul { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a * b; }
             AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrapping(bits_of(a) * bits_of(b)); } };
struct Div { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a / b; } };
struct Pow { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return math::pow(a, b); }
             AMP_HOST_DEVICE static std::int64_t apply(std::int64_t a, std::int64_t b) { return integer_power(a, b); } };
/// NaN wins.
struct Maximum { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a > b || is_nan(a) ? a : b; } };
struct Minimum { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a < b || is_nan(a) ? a : b; } };
struct Eq { template <class C> AMP_HOST_DEVICE static bool apply(C a, C b) { return a == b; } };
struct Ne { template <class C> AMP_HOST_DEVICE static bool apply(C a, C b) { return a != b; } };
struct Lt { template <class C> AMP_HOST_DEVICE static bool apply(C a, C b) { return a < b; } };
struct Le { template <class C> AMP_HOST_DEVICE static bool apply(C a, C b) { return a <= b; } };
struct Gt { template <class C> AMP_HOST_DEVICE static bool apply(C a, C b) { return a > b; } };
struct Ge { template <class C> AMP_HOST_DEVICE static bool apply(C a, C b) { return a >= b; } };

// Derivatives, times the incoming gradient. x is the input, y the output.
struct AbsBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C x) { return x > C{0} ? grad : x < C{0} ? -grad : C{0}; } };
struct Log1pBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C x) { return grad / (C{1} + x); } };
struct SqrtBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C y) { return grad / (C{2} * y); } };
struct RsqrtBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C y) { return grad * (C(-0.5) * y * y * y); } };
struct TanhBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C y) { return grad * (C{1} - y * y); } };
struct SigmoidBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C y) { return grad * (y * (C{1} - y)); } };
struct ReluBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C y) { return y > C{0} || is_nan(y) ? grad : C{0}; } };
struct SiluBackward { template <class C> AMP_HOST_DEVICE static C apply(C grad, C x) { const C s = Sigmoid::apply(x); return grad * (s * (C{1} + x * (C{1} - s))); } };
/// d x^e / dx, which is 0 for e = 0, also at x = 0.
struct PowDerivativeBase { template <class C> AMP_HOST_DEVICE static C apply(C x, C e) { return e == C{0} ? C{0} : e * math::pow(x, e - C{1}); } };
/// d x^e / de; 0^e is constant for e >= 0, as in torch.
struct PowDerivativeExponent { template <class C> AMP_HOST_DEVICE static C apply(C x, C e) { return x == C{0} && e >= C{0} ? C{0} : math::pow(x, e) * math::log(x); } };
/// The fraction of max(a, b)'s gradient that goes to a: equal numbers get half each.
struct MaximumShare { template <class C> AMP_HOST_DEVICE static C apply(C a, C b) { return a == b ? C(0.5) : a < b ? C{0} : C{1}; } };
// clang-format on

/// x P(Z <= x) for a standard normal Z (Hendrycks and Gimpel 2016, arXiv 1606.08415, section 2).
struct Gelu {
  template <class C>
  AMP_HOST_DEVICE static C cdf(C x) {
    return C(0.5) * (C{1} + math::erf(x * C(0.70710678118654752440)));
  }
  template <class C>
  AMP_HOST_DEVICE static C apply(C x) {
    return x * cdf(x);
  }
};
struct GeluBackward {
  template <class C>
  AMP_HOST_DEVICE static C apply(C grad, C x) {
    const C density = C(0.39894228040143267794) * math::exp(C(-0.5) * x * x);
    return grad * (Gelu::cdf(x) + x * density);
  }
};
/// The same with P(Z <= x) ~ (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (ibid.).
struct GeluTanh {
  template <class C>
  AMP_HOST_DEVICE static C inner(C x) {
    return C(0.79788456080286535588) * (x + C(0.044715) * x * x * x);
  }
  template <class C>
  AMP_HOST_DEVICE static C apply(C x) {
    return C(0.5) * x * (C{1} + math::tanh(inner(x)));
  }
};
struct GeluTanhBackward {
  template <class C>
  AMP_HOST_DEVICE static C apply(C grad, C x) {
    const C t = math::tanh(GeluTanh::inner(x));
    const C inner_derivative = C(0.79788456080286535588) * (C{1} + C(3 * 0.044715) * x * x);
    return grad * C(0.5) * (C{1} + t + x * (C{1} - t * t) * inner_derivative);
  }
};

struct SquaredError {
  template <class C>
  AMP_HOST_DEVICE static C apply(C a, C b) {
    return (a - b) * (a - b);
  }
};
/// -y log(sigmoid(x)) - (1 - y) log(1 - sigmoid(x)) = |x| s + log(1 + e^-|x|), in which s is 1 - y
/// if x > 0, else y: no term overflows or cancels, and an infinite x gives the limit.
struct BinaryCrossEntropyWithLogits {
  template <class C>
  AMP_HOST_DEVICE static C apply(C x, C y) {
    const C magnitude = x > C{0} ? x : -x;
    const C share = x > C{0} ? C{1} - y : y;
    const C linear = share == C{0} ? C{0} : magnitude * share;  // infinity times 0 is not a number
    return linear + math::log1p(math::exp(-magnitude));
  }
};
/// The derivative of BinaryCrossEntropyWithLogits with respect to x.
struct BinaryCrossEntropyDerivative {
  template <class C>
  AMP_HOST_DEVICE static C apply(C x, C y) {
    return Sigmoid::apply(x) - y;
  }
};

}  // namespace amp::inline v0::kernels::functions
