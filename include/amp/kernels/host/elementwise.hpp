// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementwise ops: a loop over blocks around one scalar expression each.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/kernels/host/loop.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The type in which a binary op computes. A number adapts to the other operand, but for a fraction
/// beside integers.
inline DType common_dtype(const Operand& a, const Operand& b) {
  if (!a.immediate && !b.immediate) return promote_types(a.dtype, b.dtype);
  const DType array = a.immediate ? b.dtype : a.dtype, number = a.immediate ? a.dtype : b.dtype;
  return is_floating_point(array) || !is_floating_point(number) ? array : kFloat64;
}

template <class Function, class C>
void unary_blocks(const UnaryArgs& args) {
  const auto loop = Loop<2>::over(args.output, {&args.input, &args.output});
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C in_buffer[kBlock], out_buffer[kBlock];
    const C* const x = fetch(args.input, at[0], loop.inner_stride(0), n, in_buffer);
    C* const y = target(args.output, at[1], loop.inner_stride(1), n, out_buffer);
    for (std::int64_t i = 0; i < n; ++i) y[i] = Function::apply(x[i]);
    store(y, args.output, at[1], loop.inner_stride(1), n);
  });
}

template <class Function, class C, class Result>
void binary_blocks(const BinaryArgs& args) {
  const auto loop = Loop<3>::over(args.output, {&args.a, &args.b, &args.output});
  loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
    C a_buffer[kBlock], b_buffer[kBlock];
    Result out_buffer[kBlock];
    const C* const a = fetch(args.a, at[0], loop.inner_stride(0), n, a_buffer);
    const C* const b = fetch(args.b, at[1], loop.inner_stride(1), n, b_buffer);
    Result* const y = target(args.output, at[2], loop.inner_stride(2), n, out_buffer);
    for (std::int64_t i = 0; i < n; ++i) y[i] = Function::apply(a[i], b[i]);
    store(y, args.output, at[2], loop.inner_stride(2), n);
  });
}

}  // namespace detail

/// Ops that need real numbers.
template <class Function>
void float_unary(const UnaryArgs& args) {
  visit_float_type(args.output.dtype, [&](auto tag) {
    detail::unary_blocks<Function, typename decltype(tag)::type>(args);
  });
}
/// Ops that mean something on integers too.
template <class Function>
void unary(const UnaryArgs& args) {
  visit_compute_type(args.input.dtype, [&](auto tag) {
    detail::unary_blocks<Function, typename decltype(tag)::type>(args);
  });
}
template <class Function>
void binary(const BinaryArgs& args) {
  visit_compute_type(detail::common_dtype(args.a, args.b), [&](auto tag) {
    using C = typename decltype(tag)::type;
    detail::binary_blocks<Function, C, C>(args);
  });
}
template <class Function>
void float_binary(const BinaryArgs& args) {
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    detail::binary_blocks<Function, C, C>(args);
  });
}
template <class Function>
void comparison(const BinaryArgs& args) {
  visit_compute_type(detail::common_dtype(args.a, args.b), [&](auto tag) {
    detail::binary_blocks<Function, typename decltype(tag)::type, bool>(args);
  });
}

// clang-format off
struct Identity { template <class C> static C apply(C x) { return x; } };
struct Neg { template <class C> static C apply(C x) { return -x; } };
struct Abs { template <class C> static C apply(C x) { return x < C{0} ? -x : x == C{0} ? C{0} : x; } };
struct Exp { template <class C> static C apply(C x) { return std::exp(x); } };
struct Log { template <class C> static C apply(C x) { return std::log(x); } };
struct Sqrt { template <class C> static C apply(C x) { return std::sqrt(x); } };
struct Tanh { template <class C> static C apply(C x) { return std::tanh(x); } };
struct Sigmoid { template <class C> static C apply(C x) { return C{1} / (C{1} + std::exp(-x)); } };
/// NaN stays NaN, as in torch.
struct Relu { template <class C> static C apply(C x) { return x > C{0} || is_nan(x) ? x : C{0}; } };
struct Add { template <class C> static C apply(C a, C b) { return a + b; } };
struct Sub { template <class C> static C apply(C a, C b) { return a - b; } };
struct Mul { template <class C> static C apply(C a, C b) { return a * b; } };
struct Div { template <class C> static C apply(C a, C b) { return a / b; } };
struct Pow { template <class C> static C apply(C a, C b) { return std::pow(a, b); } };
struct ReluBackward { template <class C> static C apply(C grad, C output) { return output > C{0} || is_nan(output) ? grad : C{0}; } };
struct Eq { template <class C> static bool apply(C a, C b) { return a == b; } };
struct Ne { template <class C> static bool apply(C a, C b) { return a != b; } };
struct Lt { template <class C> static bool apply(C a, C b) { return a < b; } };
struct Le { template <class C> static bool apply(C a, C b) { return a <= b; } };
struct Gt { template <class C> static bool apply(C a, C b) { return a > b; } };
struct Ge { template <class C> static bool apply(C a, C b) { return a >= b; } };
// clang-format on

// The kernels, by op.
// clang-format off
inline void neg(const UnaryArgs& args) { unary<Neg>(args); }
inline void abs(const UnaryArgs& args) { unary<Abs>(args); }
inline void exp(const UnaryArgs& args) { float_unary<Exp>(args); }
inline void log(const UnaryArgs& args) { float_unary<Log>(args); }
inline void sqrt(const UnaryArgs& args) { float_unary<Sqrt>(args); }
inline void tanh(const UnaryArgs& args) { float_unary<Tanh>(args); }
inline void sigmoid(const UnaryArgs& args) { float_unary<Sigmoid>(args); }
inline void relu(const UnaryArgs& args) { unary<Relu>(args); }
inline void add(const BinaryArgs& args) { binary<Add>(args); }
inline void sub(const BinaryArgs& args) { binary<Sub>(args); }
inline void mul(const BinaryArgs& args) { binary<Mul>(args); }
inline void div(const BinaryArgs& args) { float_binary<Div>(args); }
inline void pow(const BinaryArgs& args) { float_binary<Pow>(args); }
inline void relu_backward(const BinaryArgs& args) { binary<ReluBackward>(args); }
inline void eq(const BinaryArgs& args) { comparison<Eq>(args); }
inline void ne(const BinaryArgs& args) { comparison<Ne>(args); }
inline void lt(const BinaryArgs& args) { comparison<Lt>(args); }
inline void le(const BinaryArgs& args) { comparison<Le>(args); }
inline void gt(const BinaryArgs& args) { comparison<Gt>(args); }
inline void ge(const BinaryArgs& args) { comparison<Ge>(args); }
// clang-format on

/// Copies and converts. Equal dtypes move bits, so NaN payloads survive.
inline void copy(const UnaryArgs& args) {
  if (args.input.dtype == args.output.dtype && !args.input.immediate) {
    const auto loop = Loop<2>::over(args.output, {&args.input, &args.output});
    visit_bits(args.output.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
        const T* const from = args.input.as<const T>() + at[0];
        T* const to = args.output.as<T>() + at[1];
        const std::int64_t from_stride = loop.inner_stride(0), to_stride = loop.inner_stride(1);
        if (from_stride == 1 && to_stride == 1) {
          convert_n(from, to, static_cast<std::size_t>(n));
        } else {
          for (std::int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
        }
      });
    });
  } else if (args.output.dtype == kBool || args.input.dtype == kFloat64 ||
             args.output.dtype == kFloat64) {
    // Through double every input but a large int64 is exact, and "not zero" is decided on the value
    // itself.
    if (is_floating_point(args.input.dtype)) {
      detail::unary_blocks<Identity, double>(args);
    } else {
      detail::unary_blocks<Identity, std::int64_t>(args);
    }
  } else {
    unary<Identity>(args);
  }
}

inline void fill(const FillArgs& args) {
  const auto loop = Loop<1>::over(args.output, {&args.output});
  unsigned char bytes[sizeof(std::uint64_t)];
  visit_dtype(args.output.dtype, [&](auto tag) {
    const auto value = convert_one<typename decltype(tag)::type>(args.value);
    std::memcpy(bytes, &value, sizeof value);
  });
  visit_bits(args.output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, bytes, sizeof value);
    const std::int64_t stride = loop.inner_stride(0);
    loop.run_parallel([&](const std::int64_t* at, std::int64_t n) {
      T* const to = args.output.as<T>() + at[0];
      for (std::int64_t i = 0; i < n; ++i) to[i * stride] = value;
    });
  });
}

}  // namespace amp::inline v0::kernels::host
